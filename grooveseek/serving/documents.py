"""Reading one document for a caller: the checks on the way to its bytes, and its text and metadata.

The same rules decide whether a document's address is offered at all, so that what was offered can be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from grooveseek.errors import FileSkipped, QueryError, Refused, Unparsable
from grooveseek.knowledge_base.addressing import printable, why_not_addressable
from grooveseek.knowledge_base.respell import respelled
from grooveseek.knowledge_base.safe_read import read_checked
from grooveseek.knowledge_base.servable import MAX_TEXT_BYTES, ServableRules
from grooveseek.model.document import Opaque, ParsedDocument
from grooveseek.parsing.protocol import FileKind, Parser
from grooveseek.parsing.registry import Registry
from grooveseek.parsing.source import Source
from grooveseek.settings.sections import IndexSettings, Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDocument:
    """A document as a caller gets it. ``extracted``: the text was taken out of a PDF or an Office file."""

    path: str
    text: str
    parsed: ParsedDocument
    parser: Parser
    size_bytes: int
    extracted: bool
    truncated: bool

    @property
    def media_type(self) -> str:
        """Markdown is what it is; everything else is plain text."""
        return "text/markdown" if self.parser.id == "md" else "text/plain"


class DocumentReader:
    """Reads documents by their names. Bounds what a caller may have, not what is indexed: an excluded file is read."""

    def __init__(self, root: Path, settings: Settings, registry: Registry) -> None:
        self._root = root
        self._settings = settings
        self._registry = registry

    @cached_property
    def _parsers(self) -> Registry:
        """Parsers for reading: the built-in limit on inflating, whatever the index may do, and no heading left out."""
        limits = replace(self._settings.index, max_decompressed_size=IndexSettings().max_decompressed_size)
        return Registry.from_settings(replace(self._settings, index=limits, exclude_headings=()))

    @property
    def _rules(self) -> ServableRules:
        return ServableRules(self._registry)

    def is_servable(self, path: str, size_bytes: int) -> bool:
        """Whether a document of this name and recorded size can be offered for reading."""
        return self._rules.allows(path, size_bytes)

    def read(self, path: str) -> ReadDocument:
        """Read and parse one document; one whose name is spelled in another Unicode form is found as well.

        Raises QueryError for a name that cannot be a document's or names none, Refused or Unreadable for a file that
        may not or cannot be read, Unparsable for one that makes no text.
        """
        parser = self._parser_of(path)
        try:
            read = read_checked(self._inside(path), max_bytes=self._rules.cap(parser), setting=None)
        except FileNotFoundError:
            meant = respelled(self._root, path)
            if meant is not None and meant != path:
                return self.read(meant)
            raise QueryError(
                f"there is no document {printable(path)!r}. search and list_topics name those there are"
            ) from None
        except FileSkipped as error:
            raise type(error)(f"{printable(path)} cannot be read: {error}") from error
        try:
            return self._understand(path, parser, read.data)
        except Unparsable as error:
            raise Unparsable(f"{printable(path)} cannot be read: {error}") from error

    def _parser_of(self, path: str) -> Parser:
        reason = why_not_addressable(path)
        if reason is not None:
            raise QueryError(f"path is {printable(path)[:200]!r}, which cannot be a document's: {reason}")
        parser = self._parsers.parser_for(path)
        if parser is None:
            known = ", ".join(sorted(f".{extension}" for extension in self._parsers.extensions))
            raise QueryError(f"path is {path!r}, and no enabled parser reads such a file; read are {known}")
        return parser

    def _inside(self, path: str) -> Path:
        """The file's place, when links among the folders above it do not lead out of the knowledge base."""
        place = self._root / path
        try:
            folder = place.parent.resolve()
        except (OSError, RuntimeError):
            raise Refused(f"{path} cannot be read: a folder in its path is a loop of links") from None
        if folder != self._root and self._root not in folder.parents:
            raise Refused(f"{path} cannot be read: its folder is a link that leads out of the knowledge base")
        return folder / place.name

    def _understand(self, path: str, parser: Parser, data: bytes) -> ReadDocument:
        parsed = parser.parse(data, path)
        extracted = parser.kind is FileKind.BINARY
        text = extracted_text(parsed) if extracted else Source.decode(data).text
        kept = _clipped(text) if extracted else text
        return ReadDocument(
            path=path,
            text=kept,
            parsed=parsed,
            parser=parser,
            size_bytes=len(data),
            extracted=extracted,
            truncated=len(kept) < len(text),
        )


def extracted_text(parsed: ParsedDocument) -> str:
    """The text of a document without lines of its own: its pieces in order, each new heading on a line before it."""
    parts: list[str] = []
    heading: tuple[str, ...] = ()
    for chunk in parsed.chunks:
        if chunk.heading_path != heading and chunk.heading and not chunk.content.lstrip().startswith(chunk.heading):
            parts.append(chunk.heading)
        heading = chunk.heading_path
        parts.append(chunk.content.strip("\n"))
    return "\n\n".join(parts)


def metadata(parsed: ParsedDocument) -> dict[str, Any]:
    """What a document says of itself; what it does not say is absent."""
    front = parsed.frontmatter
    fields: Mapping[str, Any] = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in front.extra.items()
        if not isinstance(value, Opaque)
    }
    values = {
        "title": parsed.title,
        "category": front.category,
        "topic": front.topic,
        "date": front.date,
        "depth": front.depth,
        "tags": list(front.tags),
        "fields": fields or None,
    }
    return {name: value for name, value in values.items() if value is not None}


def _clipped(text: str) -> str:
    """The first MiB, ended between two characters."""
    data = text.encode("utf-8", "surrogatepass")
    return text if len(data) <= MAX_TEXT_BYTES else data[:MAX_TEXT_BYTES].decode("utf-8", "ignore")
