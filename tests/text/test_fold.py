from __future__ import annotations

import unicodedata

import pytest
from grooveseek.text import fold as fold_module
from grooveseek.text.fold import fold, fold_with_places


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Fog Horn", "fog horn"),
        ("Straße STRASSE ẞ", "strasse strasse ss"),
        ("ＰＬＣ－７", "plc-7"),
        ("ﬁne ﬄ", "fine ffl"),
        ("e\u0301 é", "é é"),
        ("ｶﾞｽ", "ガス"),
        ("ㄱㅏ", "가"),
        ("ﾡￂ", "가"),
        ("İstanbul", "i\u0307stanbul"),
        ("co\u00adoperate zero\u200bwidth \ufeffmark word\u2060joiner", "cooperate zerowidth mark wordjoiner"),
        ("e\u200b\u0301", "é"),
        ("Ⅷ ① ½", "viii 1 1⁄2"),
        ("Ω ς Σ", "ω σ σ"),
        ("👨\u200d👩", "👨\u200d👩"),
        ("résumé", "résumé"),
        ("", ""),
    ],
)
def test_folding(written: str, folded: str):
    assert fold(written) == folded
    assert fold_with_places(written).text == folded


def test_places_of_what_grows_shrinks_and_goes():
    folded = fold_with_places("aẞ\u00adﬁe\u0301B")
    assert folded.text == "assfiéb"
    places = list(zip(folded.starts, folded.ends, strict=True))
    assert places == [(0, 1), (1, 3), (1, 3), (3, 4), (3, 4), (4, 6), (6, 7)]


def test_ascii_beside_other_letters_keeps_a_place_for_each_character():
    folded = fold_with_places("AB é CD")
    assert list(zip(folded.starts, folded.ends, strict=True)) == [(n, n + 1) for n in range(7)]


def test_every_character_that_composes_with_the_one_before_stays_with_it():
    """Every composition Unicode knows, whatever version this Python has."""
    seconds = set()
    for code in range(0x110000):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            first, second = (chr(int(part, 16)) for part in parts)
            if unicodedata.normalize("NFC", first + second) == chr(code):
                seconds.add(second)
                assert fold_with_places(first + second).text == fold(first + second) == fold(chr(code))
    assert len(seconds) > 50


def test_hundreds_of_thousands_of_marks_on_one_letter_fold():
    """Marks of two classes in turn, which sorting by insertion would take an hour over."""
    heap = "a" + "\u0301\u0316" * 200_000
    folded = fold(heap)
    assert folded == "á" + "\u0316" * 200_000 + "\u0301" * 199_999
    assert fold_with_places(heap).text == folded


def test_stretches_are_cut_between_pieces(monkeypatch: pytest.MonkeyPatch):
    text = "日本ｶﾞe\u0301\u0316ㄱㅏ\u200bẞ" * 20
    whole = fold(text)
    for length in (1, 2, 3, 5):
        monkeypatch.setattr(fold_module, "_STRETCH", length)
        assert fold(text) == whole
