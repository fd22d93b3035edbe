"""Folding: the one form in which texts and queries are compared.

The index, the query compiler and the match spans all fold with these functions, so what the index finds is what the
spans show. Folding is Unicode's NFKC_Casefold (The Unicode Standard, section 3.13, definition D147) restricted to the
invisible characters that people paste without seeing them: compatibility forms and case fall away (``ＰＬＣ`` is
``plc``, ``ﬁ``
is ``fi``, ``ẞ`` is ``ss``), composed and decomposed spellings meet, accents stay. It is applied piece by piece, a piece
being a character with the marks that can join it, so that every folded character has an exact place in the original.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_ASCII_RUN = re.compile(r"[\x00-\x7f]+")


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
    return "".join(folded for _, _, folded in _pieces(text))


def fold_with_places(text: str) -> Folded:
    """The folded text with the original range of each of its characters."""
    if text.isascii():
        places = list(range(len(text) + 1))
        return Folded(text=text.lower(), starts=places[:-1], ends=places[1:])
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, folded in _pieces(text):
        parts.append(folded)
        if len(folded) == end - start and folded.isascii():
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        else:
            starts.extend([start] * len(folded))
            ends.extend([end] * len(folded))
    return Folded(text="".join(parts), starts=starts, ends=ends)


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
        yield position, end, _fold_piece(text[position:end])
        position = end


@lru_cache(maxsize=65_536)
def _joins_previous(char: str) -> bool:
    """Whether a character can melt into the one before it under normalisation: a mark, a jamo, a half-width voicing."""
    return (
        unicodedata.category(char)[0] == "M"
        or "\u1160" <= char <= "\u11ff"
        or "\ud7b0" <= char <= "\ud7ff"
        or char in "\uff9e\uff9f"
    )


@lru_cache(maxsize=65_536)
def _fold_piece(piece: str) -> str:
    previous = piece
    while True:
        # A fixed point, because folding can leave something that normalises again (U+0345 with other marks).
        current = _INVISIBLE.sub("", unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", previous).casefold()))
        if current == previous:
            return current
        previous = current
