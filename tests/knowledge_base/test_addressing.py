from __future__ import annotations

import pytest
from grooveseek.knowledge_base import addressing
from grooveseek.knowledge_base.addressing import is_addressable, printable, why_not_addressable


@pytest.mark.parametrize(
    "name",
    [
        "a.md",
        "a/b/c.md",
        ".hidden.md",
        "...",
        "a..b/c",
        "ä.md",
        "a\u0301.md",
        "日本語/メモ.md",
        "a b.md",
        "100%.md",
        "🙂.md",
        "~",
    ],
)
def test_a_relative_path_of_plain_names_is_addressable(name: str) -> None:
    assert is_addressable(name)
    assert why_not_addressable(name) is None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "empty"),
        ("/a.md", "starts with /"),
        ("/", "starts with /"),
        ("a//b.md", "empty part"),
        ("a/", "empty part"),
        ("./a.md", "only ."),
        ("a/./b.md", "only ."),
        ("..", "only .."),
        ("a/../../b.md", "only .."),
        ("a\\b.md", "backslash"),
        ("a\0.md", "NUL"),
        ("a\nb.md", "U+000A"),
        ("a\x1b[31m.md", "U+001B"),
        ("a\x7f.md", "U+007F"),
        ("a\x85.md", "U+0085"),
        ("a\udcff.md", "UTF-8"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused_with_its_reason(name: str, reason: str) -> None:
    assert not is_addressable(name)
    assert reason in (why_not_addressable(name) or "")


@pytest.mark.parametrize("name", ["C:/a.md", "C:a.md", "a.md:stream"])
def test_a_colon_is_refused_on_windows_only(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert addressing._why_here(name, "posix") is None
    with monkeypatch.context() as patch:
        patch.setattr(addressing.os, "name", "nt")
        reason = why_not_addressable(name)
    assert "colon" in (reason or "")


def test_the_two_spellings_of_an_accent_are_two_names_and_both_can_be_used() -> None:
    composed, decomposed = "\u00dcbung.md", "U\u0308bung.md"
    assert composed != decomposed
    assert is_addressable(composed)
    assert is_addressable(decomposed)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("notes/ä.md", "notes/ä.md"),
        ("a\nb", "a\\x0ab"),
        ("\x1b[31m", "\\x1b[31m"),
        ("caf\udce9", "caf\\xe9"),
        ("\ud83d", "\\ud83d"),
        ("\x9b", "\\x9b"),
    ],
)
def test_a_name_is_shown_so_that_any_output_takes_it(name: str, shown: str) -> None:
    assert printable(name) == shown
    shown.encode("utf-8")


def test_half_a_surrogate_pair_is_no_utf_8() -> None:
    assert why_not_addressable("a" + chr(0xD83D) + ".md") == "it is not valid UTF-8"
