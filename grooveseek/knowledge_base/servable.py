"""Which indexed documents can be read back: the one predicate behind resource listings, the URIs on hits and doctor.

It is asked of what the index records, never of the disk, so a listing of thousands of documents costs nothing. What it
allows, a read serves, as long as the file is still what was indexed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, Protocol

from grooveseek.knowledge_base.addressing import is_addressable

MAX_TEXT_BYTES = 1024 * 1024
"""Most bytes of a text or source file that a read returns; a larger one is refused. Text taken out of a PDF or an
Office file is cut there instead, so that the size of such a file is bounded by what indexing reads and nothing else."""


class Withheld(StrEnum):
    """Why a document is not offered."""

    NAME = "name"
    EXTENSION = "extension"
    SIZE = "size"
    SIZE_UNKNOWN = "size-unknown"


class _Parser(Protocol):
    @property
    def kind(self) -> Enum: ...


class Parsers(Protocol):
    """The enabled parsers, as :class:`grooveseek.parsing.registry.Registry` has them."""

    def parser_for(self, path: str) -> _Parser | None:
        """The parser of a file by its extension; ``None`` where no enabled parser reads it."""
        ...

    def cap_for(self, parser: Any) -> int | None:
        """Most bytes of this parser's files that are read; ``None`` for any size."""
        ...


@dataclass(frozen=True, slots=True)
class ServableRules:
    """What the server hands out, given the parsers it runs with."""

    parsers: Parsers

    def allows(self, path: str, size_bytes: int | None) -> bool:
        """Whether the document at ``path``, ``size_bytes`` long when it was indexed, can be read back."""
        return self.why_withheld(path, size_bytes) is None

    def why_withheld(self, path: str, size_bytes: int | None) -> Withheld | None:
        """Why it cannot, or ``None``. A size below 0 counts as one that was never recorded."""
        if not is_addressable(path):
            return Withheld.NAME
        parser = self.parsers.parser_for(path)
        if parser is None:
            return Withheld.EXTENSION
        if size_bytes is None or size_bytes < 0:
            return Withheld.SIZE_UNKNOWN
        cap = self.cap(parser)
        return Withheld.SIZE if cap is not None and size_bytes > cap else None

    def cap(self, parser: _Parser) -> int | None:
        """Most bytes a read of this parser's files takes; ``None`` for any size."""
        return self.parsers.cap_for(parser) if parser.kind.value == "binary" else MAX_TEXT_BYTES
