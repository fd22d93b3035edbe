"""Words as the word index spells them.

The word index (SQLite FTS5, ``porter unicode61``) splits at spaces, which scripts without spaces do not have. So text
is spelled for it first: a word of a spaced script is itself, and a run of an unspaced script becomes its characters
and overlapping pairs of characters in turn (``倉庫係`` is ``倉 倉庫 庫 庫係 係``; bigram indexing after Nie, Gao, Zhang
and Zhou, "On the use of words and n-grams for Chinese information retrieval", 2000). A query spelled the same way
matches as a phrase, and a word of one or two characters is a word of the index. A line of such a script may end in the
middle of a word, so a line end between two of its letters is nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby, pairwise

from grooveseek.text.fold import fold
from grooveseek.text.scripts import HANGUL, UNSPACED, is_word_char, script_of

_VARIATION = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Variation selectors: another drawing of the same character, which nobody types in a query."""

_LINE_END = re.compile(r"(?<=[^\x00-\x7f])[ \t]*(?:\r\n?|\n)[ \t]*(?=[^\x00-\x7f])")
_WRAPPED_ANYWHERE = UNSPACED - {HANGUL}
"""Scripts whose lines end wherever they are full. Korean has spaces, and its lines mostly end at one."""


class _SeparatorsToSpaces(dict[int, int]):
    """A table for ``str.translate`` that keeps the characters of words and turns every other into a space."""

    def __missing__(self, code: int) -> int:
        self[code] = kept = code if is_word_char(chr(code)) else ord(" ")
        return kept


_SPACES = _SeparatorsToSpaces()


def spell(text: str) -> str:
    """The text as the word index holds it: folded words separated by single spaces, in order."""
    return " ".join(words(text))


def words(text: str) -> Iterator[str]:
    """The index words of a text, in order, after folding."""
    folded = fold(text)
    if not folded.isascii():
        folded = _LINE_END.sub(_unless_inside, _VARIATION.sub("", folded))
    for run in folded.translate(_SPACES).split():
        if run.isascii():
            yield run
        else:
            yield from _words_of_run(run)


def _unless_inside(line_end: re.Match[str]) -> str:
    around = line_end.string[line_end.start() - 1], line_end.string[line_end.end()]
    return "" if all(script_of(char) in _WRAPPED_ANYWHERE for char in around) else line_end[0]


def _words_of_run(run: str) -> Iterator[str]:
    """The words of an unbroken run of word characters: it is cut where a spaced script meets an unspaced one."""
    for is_unspaced, group in groupby(_units(run), key=lambda unit: _is_unspaced(unit[0])):
        if is_unspaced:
            yield from _pairs(list(group))
        else:
            yield "".join(group)


def _units(run: str) -> list[str]:
    """A run's letters, each with the marks that stand on it (a Thai vowel sign is no word of its own). Marks that stand
    on nothing are left out.
    """
    if run.isalnum():
        return list(run)
    units: list[str] = []
    for char in run:
        if not _is_mark(char):
            units.append(char)
        elif units:
            units[-1] += char
    return units


@lru_cache(maxsize=65_536)
def _is_unspaced(char: str) -> bool:
    return script_of(char) in UNSPACED


def _is_mark(char: str) -> bool:
    return not char.isalnum() and is_word_char(char)


def _pairs(units: list[str]) -> Iterator[str]:
    for left, right in pairwise(units):
        yield left
        yield left + right
    yield units[-1]
