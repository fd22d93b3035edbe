"""Words as the word index spells them.

The word index (SQLite FTS5, ``porter unicode61``) splits at spaces, which scripts without spaces do not have. So text
is spelled for it first: a word of a spaced script is itself, and a run of an unspaced script becomes its characters
and overlapping pairs of characters in turn (``倉庫係`` is ``倉 倉庫 庫 庫係 係``; bigram indexing after Nie, Gao, Zhang
and Zhou, "On the use of words and n-grams for Chinese information retrieval", 2000). A query spelled the same way
matches as a phrase, and a word of one or two characters is a word of the index.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise

from grooveseek.text.fold import fold
from grooveseek.text.scripts import UNSPACED, is_word_char, script_of


def spell(text: str) -> str:
    """The text as the word index holds it: folded words separated by single spaces, in order."""
    return " ".join(words(text))


def words(text: str) -> Iterator[str]:
    """The index words of a text, in order, after folding."""
    for unspaced, run in _runs(fold(text)):
        if unspaced:
            yield from _pairs(_units(run))
        else:
            yield run


def _runs(folded: str) -> Iterator[tuple[bool, str]]:
    """Unbroken runs of word characters, cut where a spaced script meets an unspaced one."""
    for kind, chars in groupby(folded, key=_kind):
        if kind:
            yield kind == "unspaced", "".join(chars)


def _kind(char: str) -> str:
    if not is_word_char(char):
        return ""
    script = script_of(char)
    # A mark belongs to whatever it stands on, and only unspaced scripts are cut inside.
    return "unspaced" if script in UNSPACED else "spaced"


def _units(run: str) -> list[str]:
    """A run's letters, each with the marks that stand on it (a Thai vowel sign is no word of its own)."""
    units: list[str] = []
    for char in run:
        if units and _is_mark(char):
            units[-1] += char
        else:
            units.append(char)
    return units


def _is_mark(char: str) -> bool:
    return not char.isalnum() and is_word_char(char)


def _pairs(units: list[str]) -> Iterator[str]:
    for left, right in pairwise(units):
        yield left
        yield left + right
    yield units[-1]
