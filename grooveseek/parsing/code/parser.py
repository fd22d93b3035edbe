"""Source code as documents: a chunk for each definition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from grooveseek.model.document import Chunk, Frontmatter, Notice, ParsedDocument, QualityProfile
from grooveseek.parsing.code.chunker import (
    MAX_CHUNKS_PER_FILE,
    TOO_DEEP,
    TOO_MANY_CHUNKS,
    TOO_TANGLED,
    Piece,
    cut,
    cut_by_lines,
)
from grooveseek.parsing.code.definitions import MAX_DEFINITION_DEPTH
from grooveseek.parsing.code.grammar import Grammar
from grooveseek.parsing.code.lines import SourceText
from grooveseek.parsing.paths import breadcrumb, with_path_defaults
from grooveseek.parsing.protocol import FileKind
from grooveseek.parsing.source import Source

_REASONS = {
    TOO_DEEP: f"a definition has more than {MAX_DEFINITION_DEPTH} others around it",
    TOO_MANY_CHUNKS: f"its definitions would make more than {MAX_CHUNKS_PER_FILE} chunks",
    TOO_TANGLED: "its syntax is too broken to find definitions in",
}


@dataclass(frozen=True)
class CodeParser:
    """One language. ``load`` gives its grammar when the first file of it comes; ``max_chunk_chars`` is a definition's
    limit in characters that are not white space."""

    id: str
    extensions: tuple[str, ...]
    max_chunk_chars: int
    load: Callable[[], Grammar]

    kind = FileKind.CODE
    isolated = False

    @cached_property
    def _grammar(self) -> Grammar:
        return self.load()

    def profile(self, *, is_definition: bool) -> QualityProfile:
        """See :func:`profile_of`."""
        return profile_of(is_definition)

    def parse(self, data: bytes, path: str) -> ParsedDocument:
        """Read one file. Raises Unparsable for what is not UTF-8, and whatever ``load`` raises."""
        source = decoded(data)
        pieces, tag = cut(source, self._grammar, self.max_chunk_chars)
        return _document(source, path, self._grammar.name, pieces, tag, _REASONS[tag] if tag else None)


def profile_of(is_definition: bool) -> QualityProfile:
    """A short definition is no worse for it; what lies between definitions is judged as text."""
    return QualityProfile.DEFINITION if is_definition else QualityProfile.TEXT


def decoded(data: bytes) -> SourceText:
    """Raises Unparsable, naming the first wrong byte, for what is not UTF-8."""
    try:
        return SourceText.of(data)
    except UnicodeDecodeError:
        Source.decode(data)
        raise


def document_by_lines(
    source: SourceText, path: str, language: str, max_chunk_chars: int, reason: str
) -> ParsedDocument:
    """A file that its grammar could not be run on, for the ``reason`` given."""
    return _document(source, path, language, cut_by_lines(source, max_chunk_chars), TOO_TANGLED, reason)


def _document(
    source: SourceText, path: str, language: str, pieces: Sequence[Piece], tag: str | None, reason: str | None
) -> ParsedDocument:
    title = PurePosixPath(path).name
    return ParsedDocument(
        title=title,
        chunks=tuple(_chunk(number, source, piece, title, language) for number, piece in enumerate(pieces)),
        frontmatter=with_path_defaults(Frontmatter(), path),
        tags_added=(tag,) if tag else (),
        notices=(Notice(message=f"cut by lines, not at its definitions: {reason}"),) if reason else (),
    )


def _chunk(index: int, source: SourceText, piece: Piece, title: str, language: str) -> Chunk:
    definition = piece.definition
    path = definition.path if definition else ()
    return Chunk(
        index=index,
        content=source.text(piece.start, piece.end),
        heading=definition.qualified if definition else None,
        heading_path=path,
        context=breadcrumb(title, *path),
        start_line=source.line_of(piece.start) + 1,
        end_line=source.line_of(piece.end - 1) + 1,
        start_byte=piece.start,
        end_byte=piece.end,
        symbol_kind=definition.kind if definition else None,
        scope=definition.scope if definition else None,
        language=language,
    )
