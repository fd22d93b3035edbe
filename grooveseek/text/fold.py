"""Folding: the one form in which texts and queries are compared.

The index, the query compiler and the match spans all fold with these functions, so what the index finds is what the
spans show. Folding is Unicode's NFKC_Casefold (The Unicode Standard, section 3.13, definition D147) restricted to the
invisible characters that people paste without seeing them: compatibility forms and case fall away (``ＰＬＣ`` is
``plc``, ``ﬁ`` is ``fi``, ``ẞ`` is ``ss``), composed and decomposed spellings meet, accents stay.

A text folds as a whole, and just the same piece by piece, a piece being a character with what can melt into it. Pieces
give every folded character an exact place in the original; whole stretches are some thirty times faster.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_ASCII_RUN = re.compile(r"[\x00-\x7f]+")
_STRETCH = 256
"""Characters folded at a time. Normalising sorts marks by insertion, in quadratic time; this keeps the square small."""
_LONG = 2 * _STRETCH
_CACHED_PIECE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A folded text and where each of its characters came from.

    ``starts[i]`` and ``ends[i]`` are the character range in the original that folded character ``i`` stands for, end
    exclusive; characters of one piece share its range.
    """

    text: str
    starts: list[int]
    ends: list[int]


def fold(text: str) -> str:
    """The folded text. ``fold(fold(x)) == fold(x)``."""
    if text.isascii():
        return text.lower()
    return "".join(map(_fold_stretch, _stretches(text)))


def fold_with_places(text: str) -> Folded:
    """The folded text, as :func:`fold` gives it, with the original range of each of its characters."""
    if text.isascii():
        places = list(range(len(text) + 1))
        return Folded(text=text.lower(), starts=places[:-1], ends=places[1:])
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, folded in _pieces(text):
        parts.append(folded)
        if text[end - 1].isascii():  # nothing ASCII joins, so this is a run of it, folded one by one
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        else:
            starts.extend([start] * len(folded))
            ends.extend([end] * len(folded))
    return Folded(text="".join(parts), starts=starts, ends=ends)


def _stretches(text: str) -> Iterator[str]:
    """Cut into stretches of whole pieces."""
    start, length = 0, len(text)
    while start < length:
        end = min(start + _STRETCH, length)
        while end < length and _joins_previous(text[end]):
            end += 1
        yield text[start:end]
        start = end


def _pieces(text: str) -> Iterator[tuple[int, int, str]]:
    """Cut into pieces that fold on their own: (start, end, folded). An ASCII run that nothing joins is one piece."""
    position, length = 0, len(text)
    while position < length:
        run = _ASCII_RUN.match(text, position)
        if run and run.end() < length and _joins_previous(text[run.end()]):
            end = run.end() - 1
        else:
            end = run.end() if run else position
        if end > position:
            yield position, end, text[position:end].lower()
            position = end
            continue
        end = position + 1
        while end < length and _joins_previous(text[end]):
            end += 1
        piece = text[position:end]
        yield position, end, _fold_short(piece) if len(piece) <= _CACHED_PIECE else _fold_stretch(piece)
        position = end


@lru_cache(maxsize=65_536)
def _joins_previous(char: str) -> bool:
    """Whether a character can melt into what stands before it, or is nothing itself.

    Marks and the vowels and finals of Hangul melt, also in their compatibility forms, which normalise to them; an
    invisible character goes, and what stands around it may meet.
    """
    if _INVISIBLE.match(char):
        return True
    first = unicodedata.normalize("NFKC", char)[:1]
    return (
        unicodedata.category(first)[0] == "M"
        or "\u1160" <= first <= "\u11ff"
        or "\ud7b0" <= first <= "\ud7fb"
        or first == "\U00016d67"  # the one letter that composes with the letter before it, since Unicode 16
    )


@lru_cache(maxsize=65_536)
def _fold_short(piece: str) -> str:
    return _fold_stretch(piece)


def _fold_stretch(text: str) -> str:
    previous = text
    while True:
        # A fixed point, because folding can leave something that normalises again (U+0345 with other marks), and
        # invisible characters gone, marks meet that stood apart.
        ordered = _with_marks_in_order(previous) if len(previous) > _LONG else previous
        current = _INVISIBLE.sub("", unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", ordered).casefold()))
        if current == previous:
            return current
        previous = current


def _with_marks_in_order(text: str) -> str:
    """A decomposed equivalent with marks in canonical order, in the time of a sort: a heap of thousands of marks on
    one letter must not stop an index.
    """
    decomposed = "".join(unicodedata.normalize("NFKD", char) for char in text)
    runs = groupby(decomposed, key=lambda char: unicodedata.combining(char) > 0)
    return "".join("".join(sorted(run, key=unicodedata.combining) if is_mark else run) for is_mark, run in runs)
