from __future__ import annotations

import unicodedata

import pytest
from grooveseek.text.forms import composed, spellings
from grooveseek.text.globs import compile_globs

C, D = "caf\u00e9", "cafe\u0301"


@pytest.mark.parametrize("text", [C, D, "", "plain", "\u30ac", "\u30ab\u3099"])
def test_spellings_of_one_text_are_composed_to_the_same(text: str):
    assert composed(text) == unicodedata.normalize("NFC", text)


def test_spellings_begin_with_the_text_as_it_stands_and_have_no_repeats():
    assert spellings("plain") == ("plain",)
    assert spellings(C) == (C, D)
    assert spellings(D) == (D, C)
    assert spellings(C + D) == (C + D, C + C, D + D)
    assert spellings("倉庫") == ("倉庫",)


@pytest.mark.parametrize("glob", [f"{C}/**", f"{D}/**", f"[{C[-1]}]*", f"{{x,{D}}}/a.md"])
def test_a_glob_meets_both_spellings_of_a_path(glob: str):
    expected = glob[0] != "["
    assert compile_globs([glob])(f"{C}/a.md") is expected
    assert compile_globs([glob])(f"{D}/a.md") is expected
    assert compile_globs([f"!{D}/**"])(f"{C}/a.md") is False
    assert compile_globs([f"caf[{C[-1]}]/*"])(f"{D}/a.md") is True
