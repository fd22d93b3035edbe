"""Which indexed documents can be read back: the one predicate behind resource listings, the URIs on hits and doctor.

It is asked of what the index records, never of the disk, so a listing of thousands of documents costs nothing. What it
allows, a read serves, as long as the file is still what was indexed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Protocol

from grooveseek.knowledge_base.addressing import is_addressable

MAX_TEXT_BYTES = 1024 * 1024
"""Most bytes of a text or source file that a read returns; a larger one is refused."""
MAX_EXTRACTED_BYTES = 50 * 1024 * 1024
"""Most bytes of a PDF or Office file that a read opens. What comes out of it is cut at :data:`MAX_TEXT_BYTES`."""


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
        cap = self.cap(path)
        if cap is None:
            return Withheld.EXTENSION
        if size_bytes is None or size_bytes < 0:
            return Withheld.SIZE_UNKNOWN
        return Withheld.SIZE if size_bytes > cap else None

    def cap(self, path: str) -> int | None:
        """Most bytes a read of this file takes; ``None`` where no enabled parser reads it."""
        parser = self.parsers.parser_for(path)
        if parser is None:
            return None
        return MAX_EXTRACTED_BYTES if parser.kind.value == "binary" else MAX_TEXT_BYTES
