"""Word documents (.docx): sections at heading paragraphs, tables one row a line, everything in reading order.

The XML is read directly: python-docx's own text leaves out insertions, content controls, text boxes and notes (the
comparison is in docs/pdf-and-office.md). Element names are those of ISO/IEC 29500-1, part 17 (WordprocessingML).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grooveseek.errors import Unparsable
from grooveseek.model.document import Notice, ParsedDocument, QualityProfile
from grooveseek.parsing.docx_styles import StyleTable
from grooveseek.parsing.docx_text import flat_text, read_paragraph, reading_children
from grooveseek.parsing.office import office_document
from grooveseek.parsing.ooxml import Package, attribute, child, local, require_office
from grooveseek.parsing.outline import Outline
from grooveseek.parsing.pieces import Line, Section, section_chunks
from grooveseek.parsing.protocol import FileKind
from grooveseek.parsing.rows import RowWriter

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_USUAL_PART = "word/document.xml"
_BLOCKS = (
    *("p", "tbl", "sdt", "altChunk", "customXml", "AlternateContent"),
    *("ins", "del", "moveFrom", "moveTo"),
)
_NOTE_KINDS = ("footnote", "endnote")


class DocxParser:
    """One chunk a section, split by lines where a section is longer than ``max_chunk_chars``."""

    id = "docx"
    extensions = ("docx",)
    kind = FileKind.BINARY
    isolated = True

    def __init__(
        self, *, max_chunk_chars: int, max_decompressed: int | None, exclude_headings: tuple[str, ...] = ()
    ) -> None:
        """``max_decompressed``: bytes the file may inflate to. Raises MissingExtra without lxml."""
        require_office()
        self._budget = max_chunk_chars
        self._max_decompressed = max_decompressed
        self._exclude = exclude_headings

    def profile(self, *, is_definition: bool) -> QualityProfile:
        """Extracted text is judged as such."""
        return QualityProfile.BINARY

    def parse(self, data: bytes, path: str) -> ParsedDocument:
        """See :meth:`grooveseek.parsing.protocol.Parser.parse`."""
        package = Package(data, self._max_decompressed)
        reader = _Reader(package, package.main_part(_USUAL_PART), Outline(self._exclude))
        sections = reader.read()
        return office_document(
            path,
            package.info(),
            lambda title: section_chunks(sections, title, self._budget),
            notices=tuple(reader.notices),
        )


class _Reader:
    """Walks one document and writes what it finds to an outline."""

    def __init__(self, package: Package, part: str, outline: Outline) -> None:
        self._package = package
        self._part = part
        self._outline = outline
        self._styles = StyleTable.of(package, part)
        self._notes = _read_notes(package, part)
        self._noted: list[str] = []
        self._tables = 0
        self.notices: list[Notice] = []

    def read(self) -> list[Section]:
        for element in self._package.children(self._part, "body", _BLOCKS):
            self._block(element, None)
            self._write_notes()
        return [*self._outline.sections(), *self._page_furniture()]

    def _block(self, element: Element, row: RowWriter | None) -> None:
        """A paragraph, a table, or a wrapper around them; ``row`` is the table row they stand in, if any."""
        kind = local(element)
        if kind in ("del", "moveFrom"):
            return
        if kind == "p":
            self._paragraph(element, row)
        elif kind == "tbl":
            self._table(element, row)
        elif kind == "altChunk":
            self.notices.append(Notice(message="holds an embedded document (altChunk), which is not read"))
        else:
            for inner in reading_children(element):
                self._block(inner, row)

    def _paragraph(self, element: Element, row: RowWriter | None) -> None:
        paragraph = read_paragraph(element)
        level = self._styles.heading_level(element)
        if level is not None and paragraph.text.strip():
            if row is not None:
                row.flush()
            self._outline.heading(level, paragraph.text)
        elif row is not None:
            row.add(paragraph.text)
        else:
            for text in paragraph.text.split("\n"):
                self._outline.line(Line(text))
        self._noted += [self._notes[note] for note in paragraph.notes if note in self._notes]
        for box in paragraph.boxes:
            self._block(box, row)

    def _table(self, element: Element, outer: RowWriter | None) -> None:
        if outer is not None:
            outer.flush()
        self._tables += 1
        writer = RowWriter(self._tables, self._outline.line)
        for row in _inner(element, "tr"):
            if _is_deleted(row):
                continue
            writer.start_row()
            for cell in _inner(row, "tc"):
                writer.start_cell()
                self._block(cell, writer)
                writer.end_cell()
            writer.flush()

    def _write_notes(self) -> None:
        """Foot- and endnotes, as lines of their own after the paragraph or table that refers to them."""
        for text in self._noted:
            self._outline.line(Line(text))
        self._noted.clear()

    def _page_furniture(self) -> list[Section]:
        """Headers and footers: each distinct text once, at the end, page numbers alone left out."""
        found: dict[str, None] = {}
        for kind in ("header", "footer"):
            for part in self._package.related(self._part, kind):
                for text in _damage_as_none(self._package, part):
                    if any(character.isalpha() for character in text):
                        found[f"[{kind}] {text}"] = None
        return [Section(lines=[Line(text) for text in found])] if found else []


def _damage_as_none(package: Package, part: str) -> list[str]:
    """The text of each block of a part that the document can do without."""
    try:
        return [text for block in package.tree(part) if (text := flat_text(block))]
    except Unparsable:
        return []


def _read_notes(package: Package, part: str) -> dict[tuple[str, str], str]:
    """Foot- and endnotes by kind and id; the separators Word keeps among them have a ``type`` and are left out."""
    notes: dict[tuple[str, str], str] = {}
    for kind in _NOTE_KINDS:
        for listing in package.related(part, f"{kind}s"):
            try:
                for note in package.children(listing, f"{kind}s", (kind,)):
                    text = flat_text(note)
                    if text and attribute(note, "type") in (None, "normal"):
                        notes[kind, attribute(note, "id") or ""] = f"[{kind}] {text}"
            except Unparsable:
                continue
    return notes


def _inner(element: Element, kind: str) -> Iterator[Element]:
    """The rows of a table or the cells of a row, also inside content controls."""
    waiting = list(reading_children(element))[::-1]
    while waiting:
        each = waiting.pop()
        if local(each) == kind:
            yield each
        elif local(each) not in ("p", "tbl", "tr", "tc"):
            waiting += list(reading_children(each))[::-1]


def _is_deleted(row: Element) -> bool:
    properties = child(row, "trPr")
    return properties is not None and child(properties, "del") is not None
