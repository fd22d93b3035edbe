"""Cutting a stretch of text into pieces of a bounded size, at the boundaries of its blocks.

Positions are character indexes into a :class:`~grooveseek.parsing.source.Source`. A stretch is first taken apart into
units that follow one another without a gap: whole blocks where they fit, else their parts (items of a list, rows of a
table), else lines, else parts of a line. Then neighbouring units are put together again while they fit. Both steps take
linear time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from grooveseek.parsing.cuts import cut_places
from grooveseek.parsing.source import Source

Range = tuple[int, int]


@dataclass(slots=True)
class Block:
    """A block from line ``start`` to before line ``end`` (0-based). Leaves have no children; so do tables."""

    kind: str
    start: int
    end: int
    children: list[Block] = field(default_factory=list)


@dataclass(slots=True)
class Piece:
    """``start`` to before ``end``, without blank lines around it. ``header``: range of the header row of the table
    the piece begins inside of."""

    start: int
    end: int
    header: Range | None = None


@dataclass(frozen=True, slots=True)
class _Unit:
    start: int
    end: int
    blocks: Sequence[Block] = ()
    header: Range | None = None


class Splitter:
    """Splits stretches of one file. ``limit``: characters a piece has at most, white space around it not counted."""

    def __init__(self, source: Source, limit: int) -> None:
        self._source = source
        self._text = source.text
        self._limit = limit

    def split(self, start: int, end: int, blocks: Sequence[Block] = (), first_line: int = 0) -> list[Piece]:
        """The pieces of ``[start, end)``. ``blocks`` lie in it; their lines count from ``first_line`` of the file.

        Every character that is no white space is in exactly one piece. A piece is longer than the limit only where one
        visible character is.
        """
        pieces: list[Piece] = []
        for unit in self._units(_Unit(start, end, blocks), first_line):
            unit_end = self._trimmed_end(unit.start, unit.end)
            if unit_end == unit.start:
                continue
            if pieces and unit_end - pieces[-1].start <= self._limit:
                pieces[-1].end = unit_end
            else:
                pieces.append(Piece(self._first_line_with_text(unit.start), unit_end, unit.header))
        return pieces

    def _units(self, whole: _Unit, first_line: int) -> Iterator[_Unit]:
        waiting = [whole]
        while waiting:
            unit = waiting.pop()
            if self._fits(unit):
                yield unit
            elif unit.blocks:
                waiting.extend(reversed(list(self._tiles(unit, first_line))))
            else:
                yield from self._lines(unit)

    def _fits(self, unit: _Unit) -> bool:
        if unit.end - unit.start <= self._limit:
            return True
        start = self._first_line_with_text(unit.start)
        return self._trimmed_end(start, unit.end) - start <= self._limit

    def _tiles(self, unit: _Unit, first_line: int) -> Iterator[_Unit]:
        """Each block from its first line up to the next block's; what stands before the first is a tile too."""
        start, blocks = unit.start, list[Block]()
        for block in unit.blocks:
            place = min(max(self._source.line_start(first_line + block.start), start), unit.end)
            if place > start:
                yield from self._tile(start, place, blocks, first_line)
                start, blocks = place, []
            blocks.append(block)
        yield from self._tile(start, unit.end, blocks, first_line)

    def _tile(self, start: int, end: int, blocks: list[Block], first_line: int) -> Iterator[_Unit]:
        only = blocks[0] if len(blocks) == 1 else None
        whole = _Unit(start, end, only.children if only else ())
        if only is not None and only.kind == "table" and not self._fits(whole):
            yield from self._table(whole, first_line + only.start, first_line + only.end)
        else:
            yield whole

    def _table(self, unit: _Unit, line: int, end_line: int) -> Iterator[_Unit]:
        """A table that does not fit: its header with the first row, then row by row. It ends before ``end_line``."""
        rows, after = (min(self._source.line_start(each), unit.end) for each in (line + 3, end_line))
        header = (unit.start, unit.start + len(self._source.line(line)))
        first = _Unit(unit.start, rows)
        yield from [first] if self._fits(first) else self._lines(first)
        yield from self._lines(_Unit(rows, after, header=header))
        yield from self._lines(_Unit(max(rows, after), unit.end))

    def _lines(self, unit: _Unit) -> Iterator[_Unit]:
        """A unit without blocks in it, line by line; a line that is too long, cut."""
        start = unit.start
        line = self._source.line_at(start) + 1
        while start < unit.end:
            end = min(self._source.line_start(line), unit.end)
            places = [start, *cut_places(self._text, start, self._trimmed_end(start, end), self._limit), end]
            for piece_start, piece_end in pairwise(places):
                yield _Unit(piece_start, piece_end, header=unit.header)
            start, line = end, line + 1

    def _trimmed_end(self, start: int, end: int) -> int:
        while end > start and self._text[end - 1].isspace():
            end -= 1
        return end

    def _first_line_with_text(self, start: int) -> int:
        """``start`` moved over blank lines, but not over the indentation of the first line that says something."""
        place = start
        while place < len(self._text) and self._text[place].isspace():
            place += 1
        line_start = self._source.line_start(self._source.line_at(min(place, len(self._text) - 1)))
        return max(start, line_start)
