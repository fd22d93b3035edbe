"""What passes between groove and its parser process: length-prefixed frames, and documents as JSON.

JSON and not pickle: the process reads files that others wrote, and an answer of it must not be able to run code here.
Every value of an answer is checked for its type before it is believed.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import IO, Any

from grooveseek.model.document import (
    Chunk,
    FieldValue,
    Frontmatter,
    FrontmatterStatus,
    Notice,
    Opaque,
    ParsedDocument,
    TableRow,
)

_LENGTH = struct.Struct(">Q")

_CHUNK_FIELDS = (
    *("index", "content", "context", "heading", "level", "symbol_kind", "scope", "language"),
    *("start_line", "end_line", "start_byte", "end_byte"),
)
_FRONT_TEXTS = ("title", "date", "topic", "depth", "category")


class WireError(Exception):
    """The other side ended, or sent something that is no answer."""


def write_frame(stream: IO[bytes], payload: bytes) -> None:
    """Send ``payload`` behind its length: 8 bytes, big-endian."""
    stream.write(_LENGTH.pack(len(payload)))
    stream.write(payload)
    stream.flush()


def read_frame(stream: IO[bytes], limit: int) -> bytes:
    """The next frame. Raises WireError at the end of the stream or when it is longer than ``limit`` bytes."""
    (length,) = _LENGTH.unpack(_read_exactly(stream, _LENGTH.size))
    if length > limit:
        raise WireError(f"a frame of {length:,} bytes, over the cap of {limit:,}")
    return _read_exactly(stream, length)


def _read_exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) != length:
        raise WireError("the stream ended")
    return data


def encode(value: Any) -> bytes:
    """A plain value as JSON in UTF-8; a lone surrogate, which UTF-8 cannot hold, becomes ``?``."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def decode(payload: bytes) -> Any:
    """The value in a frame. Raises WireError when it is not JSON."""
    try:
        return json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise WireError(f"not JSON ({error})") from error


def document_to_plain(document: ParsedDocument) -> dict[str, Any]:
    """A document as dicts, lists, texts and numbers."""
    return {
        "title": document.title,
        "chunks": [_chunk_to_plain(chunk) for chunk in document.chunks],
        "frontmatter": _front_to_plain(document.frontmatter),
        "tags_added": list(document.tags_added),
        "notices": [[notice.message, notice.line] for notice in document.notices],
    }


def document_from_plain(raw: object) -> ParsedDocument:
    """The document :func:`document_to_plain` wrote. Raises WireError when anything in it has another shape."""
    try:
        fields = _mapping(raw)
        return ParsedDocument(
            title=_text(fields["title"]),
            chunks=tuple(_chunk_from_plain(each) for each in _list(fields["chunks"])),
            frontmatter=_front_from_plain(_mapping(fields["frontmatter"])),
            tags_added=_texts(fields["tags_added"]),
            notices=tuple(Notice(message=_text(text), line=_number(line)) for text, line in _list(fields["notices"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise WireError(f"not a document ({error})") from error


def _chunk_to_plain(chunk: Chunk) -> dict[str, Any]:
    rows = None
    if chunk.table_rows is not None:
        rows = [[row.table, row.row, row.start, row.end] for row in chunk.table_rows]
    plain: dict[str, Any] = {name: getattr(chunk, name) for name in _CHUNK_FIELDS}
    return plain | {"heading_path": list(chunk.heading_path), "table_rows": rows}


def _chunk_from_plain(raw: object) -> Chunk:
    fields = _mapping(raw)
    rows = fields["table_rows"]
    return Chunk(
        index=_integer(fields["index"]),
        content=_text(fields["content"]),
        context=_text(fields["context"]),
        heading_path=_texts(fields["heading_path"]),
        table_rows=None if rows is None else tuple(_row_from_plain(row) for row in _list(rows)),
        heading=_text_or_none(fields["heading"]),
        symbol_kind=_text_or_none(fields["symbol_kind"]),
        scope=_text_or_none(fields["scope"]),
        language=_text_or_none(fields["language"]),
        level=_number(fields["level"]),
        start_line=_number(fields["start_line"]),
        end_line=_number(fields["end_line"]),
        start_byte=_number(fields["start_byte"]),
        end_byte=_number(fields["end_byte"]),
    )


def _row_from_plain(raw: object) -> TableRow:
    table, row, start, end = map(_integer, _list(raw))
    return TableRow(table=table, row=row, start=start, end=end)


def _front_to_plain(front: Frontmatter) -> dict[str, Any]:
    plain: dict[str, Any] = {name: getattr(front, name) for name in _FRONT_TEXTS}
    return plain | {
        "tags": list(front.tags),
        "status": front.status.value,
        "tags_unparseable": front.tags_unparseable,
        "extra": {key: None if value is Opaque.VALUE else value for key, value in front.extra.items()},
        "key_lines": dict(front.key_lines),
    }


def _front_from_plain(fields: Mapping[str, Any]) -> Frontmatter:
    return Frontmatter(
        tags=_texts(fields["tags"]),
        status=FrontmatterStatus(fields["status"]),
        tags_unparseable=fields["tags_unparseable"] is True,
        extra={_text(key): _field_value(value) for key, value in _mapping(fields["extra"]).items()},
        key_lines={_text(key): _integer(line) for key, line in _mapping(fields["key_lines"]).items()},
        title=_text_or_none(fields["title"]),
        date=_text_or_none(fields["date"]),
        topic=_text_or_none(fields["topic"]),
        depth=_text_or_none(fields["depth"]),
        category=_text_or_none(fields["category"]),
    )


def _field_value(value: object) -> FieldValue:
    if value is None:
        return Opaque.VALUE
    return value if isinstance(value, str) else _texts(value)


def _mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{type(value).__name__} where a mapping belongs")
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{type(value).__name__} where a list belongs")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} where a text belongs")
    return value


def _text_or_none(value: object) -> str | None:
    return None if value is None else _text(value)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(_text(each) for each in _list(value))


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{type(value).__name__} where a number belongs")
    return value


def _number(value: object) -> int | None:
    return None if value is None else _integer(value)
