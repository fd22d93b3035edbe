"""Source code as documents: a chunk for each definition."""

from __future__ import annotations

from collections.abc import Callable
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
)
from grooveseek.parsing.code.definitions import MAX_DEFINITION_DEPTH
from grooveseek.parsing.code.grammar import Grammar
from grooveseek.parsing.code.lines import SourceText
from grooveseek.parsing.paths import breadcrumb, with_path_defaults
from grooveseek.parsing.protocol import FileKind
from grooveseek.parsing.source import Source

_NOTICES = {
    TOO_DEEP: f"a definition has more than {MAX_DEFINITION_DEPTH} others around it, so the file is cut by lines; "
    "flatten the nesting to have its definitions found",
    TOO_MANY_CHUNKS: f"its definitions would make more than {MAX_CHUNKS_PER_FILE} chunks, so the file is cut by lines; "
    "divide it to have its definitions found",
    TOO_TANGLED: "its syntax is too broken to find definitions in, so the file is cut by lines",
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
        """A short definition is no worse for it; what lies between definitions is judged as text."""
        return QualityProfile.DEFINITION if is_definition else QualityProfile.TEXT

    def parse(self, data: bytes, path: str) -> ParsedDocument:
        """Read one file. Raises Unparsable for what is not UTF-8, ConfigError or MissingExtra for a grammar that
        cannot be loaded."""
        source = _decoded(data)
        pieces, tag = cut(source, self._grammar, self.max_chunk_chars)
        title = PurePosixPath(path).name
        return ParsedDocument(
            title=title,
            chunks=tuple(self._chunk(number, source, piece, title) for number, piece in enumerate(pieces)),
            frontmatter=with_path_defaults(Frontmatter(), path),
            tags_added=(tag,) if tag else (),
            notices=(Notice(message=_NOTICES[tag]),) if tag else (),
        )

    def _chunk(self, index: int, source: SourceText, piece: Piece, title: str) -> Chunk:
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
            language=self._grammar.name,
        )


def _decoded(data: bytes) -> SourceText:
    try:
        return SourceText.of(data)
    except UnicodeDecodeError:
        Source.decode(data)  # says which byte is wrong
        raise
