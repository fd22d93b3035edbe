"""Which writing system a character belongs to.

The name is the first word of the character's Unicode name in lower case (``latin``, ``cyrillic``, ``hangul``, ...),
with the few exceptions below. That needs no table of ranges and follows the Unicode version Python carries.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache

HAN, HIRAGANA, KATAKANA, HANGUL = "han", "hiragana", "katakana", "hangul"

UNSPACED = frozenset({HAN, HIRAGANA, KATAKANA, HANGUL, "thai", "lao", "khmer", "myanmar"})
"""Scripts whose words stand in unbroken runs, or carry particles unbroken: a word is found inside its run."""

_FIRST_WORD = {"cjk": HAN, "ideographic": HAN, "kangxi": HAN}
_EXCEPTIONS = {"々": HAN, "〆": HAN, "〇": HAN, "ー": KATAKANA, "ｰ": KATAKANA, "゛": HIRAGANA, "゜": HIRAGANA}


@lru_cache(maxsize=65_536)
def script_of(char: str) -> str | None:
    """The script of one letter; ``None`` for anything that is not a letter or a mark.

    A combining mark of no particular script (``COMBINING ACUTE ACCENT``) is ``inherited``.
    """
    if char in _EXCEPTIONS:
        return _EXCEPTIONS[char]
    if unicodedata.category(char)[0] not in "LM":
        return None
    words = unicodedata.name(char, "unknown").lower().replace("-", " ").split()
    if words[0] in ("fullwidth", "halfwidth") and len(words) > 1:
        words = words[1:]
    if words[0] in ("combining", "variation"):
        return "inherited"
    return _FIRST_WORD.get(words[0], words[0])


@lru_cache(maxsize=65_536)
def is_word_char(char: str) -> bool:
    """Letters, digits and the marks on them. Everything else separates words, the underscore included."""
    return char in _EXCEPTIONS or unicodedata.category(char)[0] in "LNM"


def count_readable(text: str, scripts: frozenset[str] | None) -> tuple[int, int]:
    """(letters, letters in ``scripts``). ``None`` reads everything. Marks without a script of their own do not
    count.
    """
    letters = readable = 0
    for char, count in Counter(text).items():  # few characters are distinct
        script = script_of(char)
        if script not in (None, "inherited"):
            letters += count
            readable += count if scripts is None or script in scripts else 0
    return letters, readable


def readable_share(text: str, scripts: frozenset[str] | None) -> float:
    """The share of a text's letters that a model reading ``scripts`` can make something of; 1.0 without letters."""
    letters, readable = count_readable(text, scripts)
    return readable / letters if letters else 1.0
