"""Cutting a source file: whole definitions, what lies between them, and lines where that is all there is to go by.

Every byte of the file that is not white space comes to lie in exactly one piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

from grooveseek.parsing.code.definitions import Definition, TooDeepError, find_definitions
from grooveseek.parsing.code.grammar import Grammar
from grooveseek.parsing.code.lines import SourceText, split_by_lines, widened_budget
from grooveseek.parsing.code.syntax import find, parse

MAX_CHUNKS_PER_FILE = 512
"""How many chunks one file may contribute. A file that wants more is cut by lines, into fewer than this."""

SMALLEST_PIECE = 30
"""Non-white-space characters below which a piece that is no whole definition is joined to a neighbour."""

TOO_DEEP = "parse:too-deep"
TOO_MANY_CHUNKS = "parse:too-many-chunks"
TOO_TANGLED = "parse:too-tangled"

_CLOSERS = re.compile(rb"\s*(?:[\]})>;,]+|end\b)[\s\]})>;,]*")


@dataclass(frozen=True, slots=True)
class Piece:
    """Byte offsets of one chunk. ``definition`` is what it belongs to, ``is_whole`` whether it holds all of that."""

    start: int
    end: int
    definition: Definition | None = None
    is_whole: bool = False


def cut(source: SourceText, grammar: Grammar, max_chunk_chars: int) -> tuple[list[Piece], str | None]:
    """The pieces of a file in order; and, where they are lines because definitions would not do, the tag that says why.

    ``max_chunk_chars`` counts characters that are not white space.
    """
    tree = parse(grammar, source.plain)
    if tree is None:
        return cut_by_lines(source, max_chunk_chars), TOO_TANGLED
    try:
        definitions = find_definitions(grammar, source, find(grammar.query, tree.root_node, source.plain))
    except TooDeepError:
        return cut_by_lines(source, max_chunk_chars), TOO_DEEP
    pieces = _cut_at_definitions(source, definitions, max_chunk_chars)
    if sum(piece.is_whole for piece in pieces) <= MAX_CHUNKS_PER_FILE:  # whole ones stay, so more cannot become fewer
        pieces = _settled(source, pieces)
    if len(pieces) > MAX_CHUNKS_PER_FILE:
        return cut_by_lines(source, max_chunk_chars), TOO_MANY_CHUNKS
    return pieces, None


def cut_by_lines(source: SourceText, max_chunk_chars: int) -> list[Piece]:
    """Pieces without a definition, fewer than MAX_CHUNKS_PER_FILE: where needed, longer than asked for."""
    first, last = source.first, len(source.data)
    ranges = split_by_lines(source, first, last, max_chunk_chars)
    if len(ranges) >= MAX_CHUNKS_PER_FILE:
        budget = widened_budget(source.weight(first, last), max_chunk_chars, MAX_CHUNKS_PER_FILE)
        ranges = split_by_lines(source, first, last, budget)
    return _settled(source, [Piece(start, end) for start, end in ranges])


@dataclass(slots=True)
class _Region:
    """A stretch being cut: the whole file, or a definition over the limit."""

    end: int
    owner: Definition | None
    inside: Iterator[Definition]


def _cut_at_definitions(source: SourceText, outermost: list[Definition], limit: int) -> list[Piece]:
    pieces: list[Piece] = []
    position = source.first
    regions = [_Region(len(source.data), None, iter(outermost))]
    while regions:
        region = regions[-1]
        definition = next(region.inside, None)
        between = split_by_lines(source, position, definition.start if definition else region.end, limit)
        pieces.extend(Piece(start, end, region.owner) for start, end in between)
        if definition is None:
            position = region.end
            regions.pop()
        elif source.weight(definition.start, definition.end) > limit:
            position = definition.start
            regions.append(_Region(definition.end, definition, iter(definition.children)))
        else:
            pieces.append(Piece(definition.start, definition.end, definition, is_whole=True))
            position = definition.end
    return pieces


def _settled(source: SourceText, pieces: list[Piece]) -> list[Piece]:
    """The pieces without white space around them, and small ones joined to the piece before or behind."""
    settled: list[Piece] = []
    carried: int | None = None
    for piece, following in zip_longest(pieces, pieces[1:]):
        if carried is not None:
            piece = replace(piece, start=carried)
            carried = None
        previous = settled[-1] if settled else None
        if not _is_fragment(source, piece) or (previous is None and following is None):
            settled.append(piece)
            continue
        border = _border(source, previous, piece, following)
        if previous is not None and border > piece.start:
            settled[-1] = replace(previous, end=border)
        if not source.is_blank(border, piece.end):
            carried = border
    return _trimmed(source, settled)


def _trimmed(source: SourceText, pieces: list[Piece]) -> list[Piece]:
    """The pieces without white space around them, but with the indentation of their first lines."""
    trimmed = []
    floor = source.first
    for piece in pieces:
        start, end = source.trimmed(piece.start, piece.end)
        line_start = source.line_start(start)
        trimmed.append(replace(piece, start=line_start if line_start >= floor else start, end=end))
        floor = end
    return trimmed


def _is_fragment(source: SourceText, piece: Piece) -> bool:
    return not piece.is_whole and source.weight(piece.start, piece.end) < SMALLEST_PIECE


def _border(source: SourceText, previous: Piece | None, piece: Piece, following: Piece | None) -> int:
    """Where a fragment divides: what stands before goes to the previous piece, the rest to the following one.

    What begins or ends a definition stays with the rest of it. Of what stands between two others, brackets that close
    and the rest of the previous piece's line go back; all else, such as what opens something, goes on.
    """
    if previous is None:
        return piece.start
    if following is None:
        return piece.end
    owner = piece.definition
    if owner is not None and (previous.end > owner.start) != (following.start < owner.end):
        return piece.end if previous.end > owner.start else piece.start
    closers = _CLOSERS.match(source.plain, piece.start, piece.end)
    border = closers.end() if closers else piece.start
    line_end = source.plain.find(b"\n", piece.start, piece.end)
    last_of_previous = source.trimmed(previous.start, previous.end)[1] - 1
    continues_line = source.line_of(last_of_previous) == source.line_of(piece.start)
    return max(border, line_end) if continues_line else border
