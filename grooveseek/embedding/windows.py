"""Cutting a long text into pieces a model can read whole: character ranges from a tokenizer's offsets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

SLAB_CHARS = 1 << 18
"""Characters tokenised at a time. Bounds memory (about 250 bytes a token) whatever the length of the text."""


@dataclass(frozen=True, slots=True)
class Spans:
    """Where a text's tokens stand: character offsets (end exclusive) and the number of the word each belongs to.

    Both offset rows are made non-decreasing, so a cut before token j leaves every later token at or after its start.
    """

    starts: Ints
    ends: Ints
    words: Ints

    @classmethod
    def of(cls, offsets: list[tuple[int, int]], words: list[int]) -> Spans:
        """From a tokenizer's lists. A normaliser may hand out offsets that step back; the ranges only grow for it."""
        pairs = np.array(offsets, dtype=np.int64).reshape(-1, 2)
        starts = np.minimum.accumulate(pairs[::-1, 0])[::-1]
        return cls(starts, np.maximum.accumulate(pairs[:, 1]), np.array(words, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.starts)

    def best_cut(self, latest: int, earliest: int) -> int:
        """The place in [earliest, latest] to cut before: the last word boundary, else the last whole character."""
        candidates = range(latest, earliest - 1, -1)
        for at in candidates:
            if self.words[at] != self.words[at - 1]:
                return at
        return next((at for at in candidates if self.starts[at] >= self.ends[at - 1]), latest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutter:
    """How much one window holds. ``spans`` tokenises a text without special tokens; ``count`` says how many tokens a
    piece has when it is tokenised alone, whatever is put in front of it included.

    ``capacity`` is the most ``count`` may answer, ``room`` the tokens of the text itself that should fit in that, and
    ``overlap`` how many of them two neighbouring windows share.
    """

    capacity: int
    room: int
    overlap: int
    spans: Callable[[str], Spans]
    count: Callable[[str], int]

    def cut(self, text: str) -> list[tuple[int, int]]:
        """Ranges in order that hold every token and every character but white space; [] when there is no token.

        A piece may have more tokens alone than it had in the whole, so each is counted again and shortened until it
        fits; only a single token that does not fit is left as it is. Each character is tokenised a fixed number of
        times, so a text of several megabytes on one line takes time in proportion to its length.
        """
        if not text.strip():
            return []
        ranges: list[tuple[int, int]] = []
        base, size = 0, SLAB_CHARS
        while base < len(text):
            slab = text[base : base + size]
            found, resume = self._cut_slab(slab, last=base + size >= len(text))
            ranges.extend((base + start, base + end) for start, end in found)
            size = SLAB_CHARS if resume else size * 2
            base += resume
        ranges = _without_contained(ranges)
        return [(0, len(text))] if len(ranges) == 1 else ranges

    def _cut_slab(self, slab: str, *, last: bool) -> tuple[list[tuple[int, int]], int]:
        """The windows that end inside the slab, and the offset from which the next slab must go on."""
        tokens = self.spans(slab)
        found: list[tuple[int, int]] = []
        first, total = 0, len(tokens)
        while first < total:
            end = min(first + self.room, total)
            if end == total and not last:
                return found, int(tokens.starts[first])
            if end < total:
                end = tokens.best_cut(end, max(first + 1, end - self.overlap))
            end, piece = self._shorten(slab, tokens, first, end)
            found.append(piece)
            if end == total:
                break
            back = max(first + 1, end - self.overlap)
            first = end if back >= end else self._next_start(tokens, back, end)
        return found, len(slab)

    def _next_start(self, tokens: Spans, back: int, end: int) -> int:
        """The first word that starts inside the overlap, else the first whole character there."""
        inside = range(back, end)
        for at in inside:
            if tokens.words[at] != tokens.words[at - 1]:
                return at
        return next((at for at in inside if tokens.starts[at] >= tokens.ends[at - 1]), back)

    def _shorten(self, slab: str, tokens: Spans, first: int, end: int) -> tuple[int, tuple[int, int]]:
        if end - first == len(tokens) and self.room == self.capacity:
            return end, _piece(slab, tokens, first, end)  # nothing was cut and nothing goes in front: counted already
        while True:
            piece = _piece(slab, tokens, first, end)
            excess = self.count(slab[piece[0] : piece[1]]) - self.capacity
            if excess <= 0 or end == first + 1:
                return end, piece
            end = max(first + 1, end - excess)


def _without_contained(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Leave out a range inside its neighbour: where one character is many tokens, cuts between them come to that."""
    kept: list[tuple[int, int]] = []
    for start, end in ranges:
        if kept and end <= kept[-1][1]:
            continue
        if kept and start == kept[-1][0]:
            kept.pop()
        kept.append((start, end))
    return kept


def _piece(slab: str, tokens: Spans, first: int, end: int) -> tuple[int, int]:
    """From the first token up to the next one that is out, so that characters no token claims are not lost."""
    start = int(tokens.starts[first]) if first else 0
    stop = int(tokens.starts[end]) if end < len(tokens) else len(slab)
    raw = slab[start:stop]
    left = start + len(raw) - len(raw.lstrip())
    right = stop - (len(raw) - len(raw.rstrip()))
    return min(left, int(tokens.starts[first])), max(right, int(tokens.ends[end - 1]))
