"""Extracted text on its way into chunks: lines, some of them table rows, cut into pieces of a bounded size."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grooveseek.model.document import Chunk, TableRow
from grooveseek.parsing.cuts import clip, cut_places
from grooveseek.parsing.paths import breadcrumb

_HEADER_ROW_CHARS = 200
_UNWANTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff\ud800-\udfff]+")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of extracted text. A table row carries its table's number in the file and its own 1-based number."""

    text: str
    table: int | None = None
    row: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A run of lines under one heading. ``path`` is the heading trail; ``level`` the heading's, where it has one."""

    lines: Sequence[Line]
    path: tuple[str, ...] = ()
    level: int | None = None


def clean(text: str) -> str:
    """Text without what cannot be stored or shown: control characters, lone surrogates, non-characters."""
    return _UNWANTED.sub("", text)


def section_chunks(
    sections: Iterable[Section], title: str, budget: int, headers: dict[int, str] | None = None
) -> tuple[Chunk, ...]:
    """The chunks of a document: each section's lines put together to pieces of ``budget`` characters at most.

    Only a line that alone is longer is cut, where a sentence or a word ends; a table row never is.
    A piece that begins inside a table has the table's header row in its context: the one in ``headers`` (by table
    number), else the table's first row.
    """
    chunks: list[Chunk] = []
    for section in sections:
        heads = _first_rows(section.lines) | (headers or {})
        for number, piece in enumerate(_pieces(section.lines, budget)):
            content, rows = _content(piece)
            head = heads.get(piece[0].table) if number and piece[0].table is not None else None
            chunks.append(
                Chunk(
                    index=len(chunks),
                    content=content,
                    heading=section.path[-1] if section.path else None,
                    heading_path=section.path,
                    level=section.level,
                    context=_context(title, section.path, head),
                    table_rows=rows or None,
                )
            )
    return tuple(chunks)


def _context(title: str, path: tuple[str, ...], header: str | None) -> str:
    """The breadcrumb; below it the header row of the table that the piece is a later part of."""
    crumb = breadcrumb(title, *path)
    return f"{crumb}\n{clip(header, _HEADER_ROW_CHARS)}" if header else crumb


def has_text(lines: Iterable[Line]) -> bool:
    """Whether anything but white space stands in the lines."""
    return any(line.text.strip() for line in lines)


def _first_rows(lines: Sequence[Line]) -> dict[int | None, str]:
    first: dict[int | None, str] = {}
    for line in lines:
        first.setdefault(line.table, line.text)
    return first


def _pieces(lines: Sequence[Line], budget: int) -> Iterator[list[Line]]:
    """Neighbouring pieces, each as long as fits; a table row longer than the budget is a piece of its own."""
    piece: list[Line] = []
    weight = 0
    for line in _cut_lines(lines, budget):
        size = len(line.text) + 1
        if piece and weight + size > budget + 1:
            yield from _without_blank_ends(piece)
            piece, weight = [], 0
        piece.append(line)
        weight += size
    yield from _without_blank_ends(piece)


def _cut_lines(lines: Sequence[Line], budget: int) -> Iterator[Line]:
    """The lines, cleaned; of blank lines in a row one is kept."""
    blank = True
    for line in lines:
        text = clean(line.text)
        if line.table is not None:
            yield Line(text, line.table, line.row)
            blank = False
            continue
        if blank and not text.strip():
            continue
        blank = not text.strip()
        start = 0
        for place in [*cut_places(text, 0, len(text), budget), len(text)]:
            yield Line(text[start:place].rstrip())
            start = place


def _without_blank_ends(piece: list[Line]) -> Iterator[list[Line]]:
    filled = [number for number, line in enumerate(piece) if line.text.strip()]
    if filled:
        yield piece[filled[0] : filled[-1] + 1]


def _content(piece: Sequence[Line]) -> tuple[str, tuple[TableRow, ...]]:
    """The piece's text, and where its table rows stand in it. Tables are numbered from 0 as the piece meets them."""
    numbers: dict[int, int] = {}
    rows: list[TableRow] = []
    position = 0
    for line in piece:
        end = position + len(line.text.encode())
        if line.table is not None:
            table = numbers.setdefault(line.table, len(numbers))
            rows.append(TableRow(table=table, row=line.row, start=position, end=end))
        position = end + 1
    return "\n".join(line.text for line in piece), tuple(rows)
