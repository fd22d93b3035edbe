from __future__ import annotations

import pytest
from grooveseek.text.scripts import count_readable, is_word_char, readable_share, script_of


@pytest.mark.parametrize(
    ("char", "script"),
    [
        ("a", "latin"),
        ("é", "latin"),
        ("Ａ", "latin"),
        ("ж", "cyrillic"),
        ("λ", "greek"),
        ("漢", "han"),
        ("々", "han"),
        ("〇", "han"),
        ("ひ", "hiragana"),
        ("カ", "katakana"),
        ("ｶ", "katakana"),
        ("ー", "katakana"),
        ("가", "hangul"),
        ("ก", "thai"),
        ("ह", "devanagari"),
        ("ع", "arabic"),
        ("\u0301", "inherited"),
        ("\ufe0f", "inherited"),
        ("7", None),
        (" ", None),
        ("。", None),
        ("😀", None),
    ],
)
def test_script_of(char: str, script: str | None):
    assert script_of(char) == script


@pytest.mark.parametrize("char", "a7٣漢ーé\u0301Ⅷ")
def test_word_characters(char: str):
    assert is_word_char(char)


@pytest.mark.parametrize("char", " _-。😀\u200b\0")
def test_separators(char: str):
    assert not is_word_char(char)


def test_letters_are_counted_and_digits_are_not():
    assert count_readable("Fog 7 と霧, é", frozenset({"latin"})) == (6, 4)
    assert count_readable("Fog と霧", None) == (5, 5)
    assert count_readable("e\u0301", frozenset({"latin"})) == (1, 1)


def test_a_text_without_letters_is_readable():
    assert readable_share("123 …", frozenset({"latin"})) == 1.0
    assert readable_share("霧 fo", frozenset({"latin"})) == pytest.approx(2 / 3)
