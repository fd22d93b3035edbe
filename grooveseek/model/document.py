"""Documents and chunks as a parser gives them: plain values, free of storage ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType


class Opaque(Enum):
    """The value of a frontmatter key that is neither a string nor a list of strings (a number is a string already)."""

    VALUE = "opaque"


FieldValue = str | tuple[str, ...] | Opaque
"""A frontmatter value as groove keeps it: text, a list of texts, or something it only knows to be there."""

_NO_FIELDS: Mapping[str, FieldValue] = MappingProxyType({})


class FrontmatterStatus(Enum):
    """Whether the block between ``---`` lines could be read."""

    ABSENT = "absent"
    PARSED = "parsed"
    UNPARSED = "unparsed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontmatter:
    """The metadata a document declares of itself.

    ``date`` is ``YYYY-MM-DD``, or RFC 3339 when the author wrote a time. ``extra`` holds every key without a field of
    its own, in the order written.
    """

    title: str | None = None
    date: str | None = None
    topic: str | None = None
    depth: str | None = None
    category: str | None = None
    tags: tuple[str, ...] = ()
    extra: Mapping[str, FieldValue] = field(default_factory=lambda: _NO_FIELDS)
    status: FrontmatterStatus = FrontmatterStatus.ABSENT
    tags_unparseable: bool = False
    key_lines: Mapping[str, int] = field(default_factory=dict)
    """1-based line in the file of each top-level key, for messages that point at it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """Where one table row stands inside a chunk's content: UTF-8 byte offsets, end exclusive."""

    table: int
    row: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """One retrievable piece of a document.

    ``content`` is verbatim source text for text formats. ``start_byte``/``end_byte`` (end exclusive) say where it
    stands in the file on disk, so ``start_byte + offset`` of any UTF-8 offset into ``content`` is a position in the
    file; ``start_line``/``end_line`` are 1-based and inclusive. All four are ``None`` for extracted text (PDF, Office).
    ``heading`` is the section's own heading, ``heading_path`` the trail down to and including it, outermost first.
    """

    index: int
    content: str
    heading: str | None = None
    heading_path: tuple[str, ...] = ()
    level: int | None = None
    context: str = ""
    start_line: int | None = None
    end_line: int | None = None
    start_byte: int | None = None
    end_byte: int | None = None
    symbol_kind: str | None = None
    scope: str | None = None
    language: str | None = None
    table_rows: tuple[TableRow, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something about a file that a person should hear of although it was indexed. ``line`` is 1-based."""

    message: str
    line: int | None = None


class QualityProfile(Enum):
    """Which signals of the quality score apply to a parser's chunks (see :mod:`grooveseek.parsing.quality`)."""

    TEXT = "text"
    BINARY = "binary"
    DEFINITION = "definition"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """What a parser makes of one file's bytes. ``tags_added`` are the parser's own (``parse:too-deep`` and the
    like).
    """

    title: str
    chunks: tuple[Chunk, ...]
    frontmatter: Frontmatter = field(default_factory=Frontmatter)
    tags_added: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
