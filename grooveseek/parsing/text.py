"""Plain text files: the whole file, or pieces of it that end with a paragraph or a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grooveseek.model.document import Chunk, Frontmatter, ParsedDocument, QualityProfile
from grooveseek.parsing.paths import breadcrumb, title_from_path, with_path_defaults
from grooveseek.parsing.protocol import FileKind
from grooveseek.parsing.source import Source
from grooveseek.parsing.split import Block, Splitter
from grooveseek.settings.sections import Settings

_WORD = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class TextParser:
    """Plain text. ``max_chunk_chars``: characters above which a file is split."""

    max_chunk_chars: int

    id = "txt"
    extensions = ("txt",)
    kind = FileKind.TEXT
    isolated = False

    def profile(self, *, is_definition: bool) -> QualityProfile:
        """All signals of the quality score apply to prose."""
        return QualityProfile.TEXT

    def parse(self, data: bytes, path: str) -> ParsedDocument:
        """Read one file. Raises Unparsable for what is not UTF-8."""
        source = Source.decode(data)
        title = title_from_path(path)
        return ParsedDocument(
            title=title,
            chunks=tuple(_chunks(source, breadcrumb(title), self.max_chunk_chars)),
            frontmatter=with_path_defaults(Frontmatter(), path),
        )


def build(parser_id: str, settings: Settings) -> TextParser:
    """The parser as the settings want it: prose is split by one measure, whatever it is kept in."""
    return TextParser(settings.parsers.markdown.max_chunk_chars)


def _chunks(source: Source, context: str, limit: int) -> Iterator[Chunk]:
    if not _WORD.search(source.text):
        return
    pieces = Splitter(source, limit).split(0, len(source.text), list(_paragraphs(source)))
    for number, piece in enumerate(pieces):
        yield Chunk(
            index=number,
            content=source.text[piece.start : piece.end],
            context=context,
            start_line=source.line_at(piece.start) + 1,
            end_line=source.line_at(piece.end - 1) + 1,
            start_byte=source.byte_at(piece.start),
            end_byte=source.byte_at(piece.end),
        )


def _paragraphs(source: Source) -> Iterator[Block]:
    """Runs of lines between blank lines."""
    start = None
    for line in range(len(source.line_starts)):
        is_blank = not source.line(line).strip()
        if start is None and not is_blank:
            start = line
        elif start is not None and is_blank:
            yield Block("paragraph", start, line)
            start = None
    if start is not None:
        yield Block("paragraph", start, len(source.line_starts))
