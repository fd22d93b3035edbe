"""Markdown files: a chunk a section, long sections split at block boundaries (the rules: docs/markdown.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grooveseek.model.document import Chunk, Notice, ParsedDocument, QualityProfile
from grooveseek.parsing.blocks import Layout, TooManyBlocksError, lay_out
from grooveseek.parsing.cuts import clip
from grooveseek.parsing.frontmatter import Matter, read_frontmatter
from grooveseek.parsing.paths import breadcrumb, title_from_path, with_path_defaults
from grooveseek.parsing.protocol import FileKind
from grooveseek.parsing.sections import Section, is_excluded, read_sections
from grooveseek.parsing.source import Source
from grooveseek.parsing.split import Piece, Splitter
from grooveseek.settings.sections import Settings

_WORD = re.compile(r"[^\W_]")
_MARK_INSIDE = re.compile("^\ufeff+", re.MULTILINE)
"""Byte order marks at the start of a line, where one file was put behind another."""
_HEADER_ROW_CHARS = 500


@dataclass(frozen=True, slots=True)
class MarkdownParser:
    """Markdown. ``max_chunk_chars``: characters above which a section is split; ``exclude_headings``: a section whose
    heading contains one of these is left out."""

    max_chunk_chars: int
    exclude_headings: tuple[str, ...] = ()

    id = "md"
    extensions = ("md", "markdown")
    kind = FileKind.TEXT
    isolated = False

    def profile(self, *, is_definition: bool) -> QualityProfile:
        """All signals of the quality score apply to prose."""
        return QualityProfile.TEXT

    def parse(self, data: bytes, path: str) -> ParsedDocument:
        """Read one file. Raises Unparsable for what is not UTF-8."""
        source = Source.decode(data)
        matter = read_frontmatter(source)
        layout, notices = _lay_out(source.text[matter.body :])
        sections = list(read_sections(source, layout, matter.body, matter.rule_line))
        title = matter.frontmatter.title or _first_h1(sections) or title_from_path(path)
        return ParsedDocument(
            title=title,
            chunks=_Chunker(self, source, matter, title).chunks(sections),
            frontmatter=with_path_defaults(matter.frontmatter, path),
            notices=(*matter.notices, *notices),
        )


def build(parser_id: str, settings: Settings) -> MarkdownParser:
    """The parser as the settings want it (see :mod:`grooveseek.parsing.registry`)."""
    return MarkdownParser(settings.parsers.markdown.max_chunk_chars, settings.exclude_headings)


def _lay_out(body: str) -> tuple[Layout, tuple[Notice, ...]]:
    """The body's blocks; none, and a notice, where the Markdown parser gives up on it."""
    try:
        return lay_out(_MARK_INSIDE.sub("", body)), ()
    except Exception as error:  # noqa: BLE001 - whatever a text does to the library costs its headings, not its words
        reason = str(error) if isinstance(error, TooManyBlocksError) else f"{type(error).__name__}: {error}"
        notice = Notice(message=f"Markdown could not be read, so the text is indexed without headings ({reason})")
        return Layout([], [], {}), (notice,)


def _first_h1(sections: Iterable[Section]) -> str | None:
    return next((each.heading for each in sections if each.level == 1 and each.heading), None)


class _Chunker:
    """Makes one document's chunks."""

    def __init__(self, parser: MarkdownParser, source: Source, matter: Matter, title: str) -> None:
        self._source = source
        self._matter = matter
        self._title = title
        self._exclude = parser.exclude_headings
        self._splitter = Splitter(source, parser.max_chunk_chars)
        self._body_line = source.line_at(matter.body)

    def chunks(self, sections: Sequence[Section]) -> tuple[Chunk, ...]:
        """All chunks in order."""
        found = (*self._text_block(), *self._body(sections))
        if not found and self._matter.title is not None:
            found = ((Piece(*self._matter.title), None),)
        return tuple(self._chunk(number, piece, section) for number, (piece, section) in enumerate(found))

    def _text_block(self) -> Iterator[tuple[Piece, None]]:
        """A block at the start of the file that was meant as frontmatter and is none."""
        if self._matter.text_block is not None and self._has_word(*self._matter.text_block):
            for piece in self._splitter.split(*self._matter.text_block):
                yield piece, None

    def _body(self, sections: Sequence[Section]) -> Iterator[tuple[Piece, Section]]:
        """The body's pieces; none where there is no letter and no digit in all of it."""
        if not self._has_word(self._matter.body, len(self._source.text)):
            return
        kept = [(each, self._pieces(each)) for each in sections if not is_excluded(each, self._exclude)]
        says_more = any(self._says_more(section, pieces) for section, pieces in kept)
        for section, pieces in kept:
            drop_title = says_more and self._is_title_alone(section)
            for piece in self._splitter.split(section.start, section.end) if drop_title else pieces:
                yield piece, section

    def _pieces(self, section: Section) -> list[Piece]:
        """A section's pieces. The heading's own text stands in front of a body that says nothing, and where the
        heading is too long to be shown in full."""
        start, end = section.start, section.end
        says_something = self._has_word(start, end)
        if section.heading_is_long or (not says_something and self._has_word(*section.own_text)):
            start = section.own_text[0]
            end = end if self._source.text[section.start : end].strip() else section.own_text[1]
        return self._splitter.split(start, end, section.blocks, self._body_line)

    def _says_more(self, section: Section, pieces: Iterable[Piece]) -> bool:
        """Whether a section says something that the title does not."""
        return not self._is_title_alone(section) and any(self._has_word(each.start, each.end) for each in pieces)

    def _is_title_alone(self, section: Section) -> bool:
        """An h1 that repeats the title, over a body that says nothing."""
        repeats = section.level == 1 and (section.heading or "").casefold() == self._title.casefold()
        return repeats and not section.heading_is_long and not self._has_word(section.start, section.end)

    def _has_word(self, start: int, end: int) -> bool:
        """Whether a letter or a digit stands in a range."""
        return _WORD.search(self._source.text, start, end) is not None

    def _chunk(self, number: int, piece: Piece, section: Section | None) -> Chunk:
        source = self._source
        return Chunk(
            index=number,
            content=source.text[piece.start : piece.end],
            heading=section.heading if section else None,
            heading_path=section.path if section else (),
            level=section.level if section else None,
            context=self._context(piece, section.path if section else ()),
            start_line=source.line_at(piece.start) + 1,
            end_line=source.line_at(piece.end - 1) + 1,
            start_byte=source.byte_at(piece.start),
            end_byte=source.byte_at(piece.end),
        )

    def _context(self, piece: Piece, path: tuple[str, ...]) -> str:
        """The breadcrumb; below it the header row of the table that the piece is a later part of."""
        crumb = breadcrumb(self._title, *path)
        if piece.header is None:
            return crumb
        row = self._source.text[slice(*piece.header)].strip()
        return f"{crumb}\n{clip(row, _HEADER_ROW_CHARS)}"
