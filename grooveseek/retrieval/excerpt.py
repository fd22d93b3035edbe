"""The part of a huge chunk that is worth showing: around the first place where the query's terms stand in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grooveseek.model.document import Chunk
from grooveseek.retrieval.spans import first_place

MAX_SHOWN_BYTES = 20_000
"""Most bytes of one result's content. A minified file is one chunk of up to a mebibyte, which nobody can read."""

_LEAD_BYTES = 2_000
"""How much is shown in front of the place."""


def excerpt(chunk: Chunk, terms: Sequence[str]) -> Chunk | None:
    """The chunk cut down to what can be shown, its place in the file with it; ``None`` when it is short enough.

    The cut begins at a line's start where one is near, and never inside a character.
    """
    data = chunk.content.encode("utf-8", "surrogatepass")
    if len(data) <= MAX_SHOWN_BYTES:
        return None
    place = first_place(chunk.content, terms) or 0
    start = _start(data, len(chunk.content[:place].encode("utf-8", "surrogatepass")))
    end = _whole_character(data, min(len(data), start + MAX_SHOWN_BYTES))
    return replace(
        chunk,
        content=data[start:end].decode("utf-8", "surrogatepass"),
        start_byte=None if chunk.start_byte is None else chunk.start_byte + start,
        end_byte=None if chunk.start_byte is None else chunk.start_byte + end,
        start_line=None if chunk.start_line is None else chunk.start_line + data.count(b"\n", 0, start),
        end_line=None if chunk.start_line is None else chunk.start_line + data[:end].rstrip(b"\n").count(b"\n"),
        table_rows=None,
    )


def _start(data: bytes, place: int) -> int:
    earliest = max(0, place - _LEAD_BYTES)
    if earliest == 0:
        return 0
    line = data.find(b"\n", earliest, place)
    return _whole_character(data, earliest) if line < 0 else line + 1


def _whole_character(data: bytes, place: int) -> int:
    """The nearest place at or before that is no inside of a character."""
    while 0 < place < len(data) and data[place] & 0xC0 == 0x80:
        place -= 1
    return place
