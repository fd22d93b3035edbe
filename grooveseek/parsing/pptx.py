"""Presentations (.pptx): one chunk a slide in presentation order, speaker notes behind the slide's own text.

The XML is read directly: python-pptx walks neither diagrams nor the branches of alternative content, and its text of a
table has no place for a merged cell. Element names are those of ISO/IEC 29500-1, parts 19 (PresentationML) and 21
(DrawingML).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grooveseek.errors import Unparsable
from grooveseek.model.document import Notice, ParsedDocument, QualityProfile
from grooveseek.parsing.office import office_document
from grooveseek.parsing.ooxml import Package, attribute, chosen_alternative, local, require_office
from grooveseek.parsing.outline import is_excluded
from grooveseek.parsing.pieces import Line, Section, has_text, section_chunks
from grooveseek.parsing.protocol import FileKind
from grooveseek.parsing.rows import RowWriter

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_USUAL_PART = "ppt/presentation.xml"
_TITLES = ("title", "ctrTitle")
_COUNTERS = ("sldNum", "dt", "sldImg")
"""Placeholders that hold what every slide has: its number, the date; and, on a notes page, the slide's picture."""


class PptxParser:
    """One chunk a slide that has text, split by lines where a slide is longer than ``max_chunk_chars``."""

    id = "pptx"
    extensions = ("pptx",)
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
        sections: list[Section] = []
        notices: list[Notice] = []
        for number, part in enumerate(_slides(package, package.main_part(_USUAL_PART)), start=1):
            try:
                section = _Slide(package, part).section(number)
            except Unparsable as damage:
                notices.append(Notice(message=f"slide {number} is left out: the file {damage}"))
                continue
            if has_text(section.lines) and not is_excluded(section.path[0], self._exclude):
                sections.append(section)
        if notices and not sections:
            raise Unparsable("has no slide that can be read")
        return office_document(
            path,
            package.info(),
            lambda title: section_chunks(sections, title, self._budget),
            notices=tuple(notices),
        )


def _slides(package: Package, presentation: str) -> list[str]:
    """The slides' parts in the order they are shown in, which their file names do not tell."""
    relations = package.relations(presentation)
    order: list[str] = []
    for element in package.tree(presentation).iter("{*}sldId"):
        relation = next((relations[value] for key, value in _relation_ids(element) if value in relations), None)
        if relation is not None and relation.kind == "slide" and package.has(relation.target):
            order.append(relation.target)
    return order


def _relation_ids(element: Element) -> Iterator[tuple[str, str]]:
    """The attributes that may name a relationship: ``r:id``, not the slide's own ``id``."""
    for key, value in element.attrib.items():
        if str(key).endswith("}id"):
            yield str(key), str(value)


class _Slide:
    """Reads one slide."""

    def __init__(self, package: Package, part: str) -> None:
        self._package = package
        self._part = part
        self._relations = package.relations(part)
        self._lines: list[Line] = []
        self._titles: list[str] = []
        self._tables = 0

    def section(self, number: int) -> Section:
        """The slide under the heading ``Slide N: title``."""
        for shape in _shapes(self._package.tree(self._part)):
            self._shape(shape)
        notes = self._notes()
        if notes:
            self._lines += [Line("[notes]"), *(Line(text) for text in notes)]
        title = " ".join(" ".join(self._titles).split())
        return Section(lines=self._lines, path=(f"Slide {number}: {title}" if title else f"Slide {number}",))

    def _shape(self, shape: Element) -> None:
        placeholder = _placeholder(shape)
        if placeholder in _COUNTERS:
            return
        if local(shape) == "graphicFrame":
            self._frame(shape)
            return
        texts = list(_texts(shape))
        if placeholder in _TITLES:
            self._titles += texts
        for text in texts:
            self._lines += [Line(part) for part in text.split("\n")]

    def _frame(self, frame: Element) -> None:
        """A table, or a diagram, whose words stand in a part of their own."""
        for table in frame.iter("{*}tbl"):
            self._table(table)
        for diagram in frame.iter("{*}relIds"):
            relation = self._relations.get(attribute(diagram, "dm") or "")
            if relation is not None and self._package.has(relation.target):
                tree = self._package.tree(relation.target)
                self._lines += [Line(" ".join(text.split())) for text in _texts(tree)]

    def _table(self, table: Element) -> None:
        """A cell merged from the left adds no field, one merged from above an empty one."""
        self._tables += 1
        writer = RowWriter(self._tables, self._lines.append)
        for row in table:
            if local(row) != "tr":
                continue
            writer.start_row()
            for cell in row:
                if local(cell) == "tc" and not _is_set(cell, "hMerge"):
                    writer.start_cell()
                    for text in () if _is_set(cell, "vMerge") else _texts(cell):
                        writer.add(text)
                    writer.end_cell()
            writer.flush()

    def _notes(self) -> list[str]:
        """The speaker notes, found through the slide's own relationship: file numbers need not agree."""
        for part in self._package.related(self._part, "notesSlide")[:1]:
            shapes = list(_shapes(self._package.tree(part)))
            spoken = [shape for shape in shapes if _placeholder(shape) not in (*_COUNTERS, "hdr", "ftr")]
            texts = [text for shape in spoken for text in _texts(shape)]
            return [line for text in texts for line in text.split("\n") if line.strip()]
        return []


def _shapes(root: Element) -> Iterator[Element]:
    """The shapes of a slide in order, those in groups in their place."""
    waiting = list(root.iter("{*}spTree"))[:1]
    while waiting:
        each = waiting.pop()
        kind = local(each)
        if kind == "AlternateContent":
            branch = chosen_alternative(each)
            waiting += list(branch)[::-1] if branch is not None else []
        elif kind in ("spTree", "grpSp"):
            waiting += list(each)[::-1]
        elif kind in ("sp", "graphicFrame", "cxnSp", "contentPart"):
            yield each


def _placeholder(shape: Element) -> str | None:
    """What placeholder the shape is (ECMA-376 gives "obj" to one that does not say), or ``None``."""
    for properties in shape:
        if local(properties).startswith("nv"):
            found = next(properties.iter("{*}ph"), None)
            return (attribute(found, "type") or "obj") if found is not None else None
    return None


def _texts(element: Element) -> Iterator[str]:
    """The text of each paragraph within; a line break is a newline, the slide-number field is left out."""
    for paragraph in element.iter("{*}p"):
        texts: list[str] = []
        for run in paragraph:
            if local(run) == "br":
                texts.append("\n")
            elif attribute(run, "type") != "slidenum":
                words = chosen_alternative(run) if local(run) == "AlternateContent" else run
                texts += [str(each.text or "") for each in words.iter("{*}t")] if words is not None else []
        text = "".join(texts).replace("\x0b", "\n")
        if text.strip():
            yield text


def _is_set(cell: Element, name: str) -> bool:
    return attribute(cell, name) in ("1", "true", "on")
