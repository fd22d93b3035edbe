"""What a parser is to the rest of groove."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from grooveseek.model.document import ParsedDocument, QualityProfile


class FileKind(Enum):
    """Which size cap applies to a parser's files before they are read."""

    TEXT = "text"
    BINARY = "binary"
    CODE = "code"


class Parser(Protocol):
    """Bytes to a document, without I/O: the same bytes and path give the same document on any machine."""

    @property
    def id(self) -> str:
        """The name `[parsers].enabled` uses."""
        ...

    @property
    def extensions(self) -> tuple[str, ...]:
        """Lower-case, without the dot."""
        ...

    @property
    def kind(self) -> FileKind:
        """What sort of file this parser reads."""
        ...

    @property
    def isolated(self) -> bool:
        """True when native code that may crash or hang does the work, so that it must run in a worker process."""
        ...

    def profile(self, *, is_definition: bool) -> QualityProfile:
        """Which quality profile a chunk of this parser gets."""
        ...

    def parse(self, data: bytes, path: str) -> ParsedDocument:
        """Parse one file. ``path`` is knowledge-base relative with ``/``; it names the file and feeds title, category
        and topic. Raises Unparsable with a reason a person can act on."""
        ...
