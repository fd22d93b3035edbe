"""Parsers of source code without a worker, and what every document they make must hold to."""

from __future__ import annotations

import codecs
from functools import cache

from grooveseek.model.document import Chunk, ParsedDocument
from grooveseek.parsing.code.builtin import BUILTIN, load_builtin
from grooveseek.parsing.code.grammar import Grammar
from grooveseek.parsing.code.parser import CodeParser


@cache
def grammar(parser_id: str) -> Grammar:
    return load_builtin(parser_id)


def parser(parser_id: str, max_chunk_chars: int = 3500) -> CodeParser:
    return CodeParser(parser_id, BUILTIN[parser_id].extensions, max_chunk_chars, lambda: grammar(parser_id))


def parse(parser_id: str, text: str | bytes, max_chunk_chars: int = 3500, path: str | None = None) -> ParsedDocument:
    data = text.encode() if isinstance(text, str) else text
    document = parser(parser_id, max_chunk_chars).parse(data, path or f"file.{parser_id}")
    check_document(document, data)
    return document


def without_space(text: str) -> str:
    return "".join(text.split())


def check_document(document: ParsedDocument, data: bytes) -> None:
    """No byte lost, none twice, every position right; by the file's bytes alone."""
    text = data.removeprefix(codecs.BOM_UTF8).decode()
    assert without_space("".join(chunk.content for chunk in document.chunks)) == without_space(text)
    assert [chunk.index for chunk in document.chunks] == list(range(len(document.chunks)))
    end = 0
    for chunk in document.chunks:
        check_chunk(chunk, data, end)
        end = chunk.end_byte or 0
    check_lines(document, data)
    assert len(document.chunks) <= 512
    if document.tags_added:
        assert len(document.chunks) < 512
        assert all((each.symbol_kind, each.heading, each.scope) == (None, None, None) for each in document.chunks)


def check_chunk(chunk: Chunk, data: bytes, end_of_last: int) -> None:
    assert chunk.start_byte is not None
    assert chunk.end_byte is not None
    assert end_of_last <= chunk.start_byte < chunk.end_byte <= len(data)
    assert data[chunk.start_byte : chunk.end_byte].decode() == chunk.content
    assert chunk.content.strip()
    assert chunk.content == chunk.content.rstrip()
    assert chunk.start_line == line_number(data, chunk.start_byte)
    assert chunk.end_line == line_number(data, chunk.end_byte - 1)
    assert (chunk.symbol_kind is None) == (chunk.heading is None)
    assert chunk.scope is None or (chunk.heading or "").startswith(chunk.scope)


def check_lines(document: ParsedDocument, data: bytes) -> None:
    """Every line that is not blank is within the lines of a chunk."""
    covered = {line for chunk in document.chunks for line in range(chunk.start_line or 0, (chunk.end_line or 0) + 1)}
    for number, line in enumerate(lines_of(data), 1):
        assert number in covered or not line.decode().removeprefix("\ufeff").strip()


def lines_of(data: bytes) -> list[bytes]:
    """Lines that end with LF, CRLF or a lone CR, one at a time."""
    lines, begun, place = [], 0, 0
    while place < len(data):
        if data[place] == 13 and data[place + 1 : place + 2] == b"\n":
            place += 1
        place += 1
        if data[place - 1] in (10, 13):
            lines.append(data[begun:place])
            begun = place
    return [*lines, data[begun:]]


def line_number(data: bytes, position: int) -> int:
    """1-based line of a byte; the CR and the LF that end a line belong to it."""
    before = data[:position]
    breaks = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")
    is_between = before.endswith(b"\r") and data[position : position + 1] == b"\n"
    return breaks + 1 - is_between
