"""Workbooks (.xlsx): each sheet's filled cells, tab by tab and row by row, as a person sees them.

Rows are read one at a time and only where there are any. The libraries tried build or walk the whole grid between
the first and the last cell (docs/pdf-and-office.md), which a few bytes can make 17 thousand million cells wide. Element
names are those of ISO/IEC 29500-1, part 18 (SpreadsheetML).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grooveseek.errors import Unparsable
from grooveseek.model.document import Notice, ParsedDocument, QualityProfile
from grooveseek.parsing.office import office_document
from grooveseek.parsing.ooxml import Package, require_office
from grooveseek.parsing.outline import is_excluded
from grooveseek.parsing.pieces import Line, Section, section_chunks
from grooveseek.parsing.protocol import FileKind
from grooveseek.parsing.xlsx_cells import CellReader, column_number

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

SHEET_MAX_BYTES = 1 << 20
TRUNCATED_TAG = "parse:sheet-truncated"

_USUAL_PART = "xl/workbook.xml"
_WIDEST_GAP = 64
"""Empty cells in a row that are written as empty fields; a wider gap is written as one."""
_HEADER_SEARCH = 10


@dataclass(frozen=True, slots=True)
class _Sheet:
    name: str
    part: str
    hidden: bool

    @property
    def heading(self) -> str:
        return f"Sheet: {self.name} (hidden)" if self.hidden else f"Sheet: {self.name}"


class XlsxParser:
    """One chunk a sheet that holds anything, split by rows where a sheet is longer than ``max_chunk_chars``."""

    id = "xlsx"
    extensions = ("xlsx",)
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
        workbook = package.main_part(_USUAL_PART)
        reading = _Reading(package, CellReader.of(package, workbook))
        for sheet in _sheets(package, workbook):
            if not is_excluded(sheet.heading, self._exclude):
                reading.sheet(sheet)
        if reading.damaged and not reading.sections:
            raise Unparsable("has no sheet that can be read")
        return office_document(
            path,
            package.info(),
            lambda title: section_chunks(reading.sections, title, self._budget, reading.headers),
            tags_added=(TRUNCATED_TAG,) if reading.truncated else (),
            notices=tuple(reading.notices),
        )


class _Reading:
    """Gathers the sheets of one workbook."""

    def __init__(self, package: Package, cells: CellReader) -> None:
        self._package = package
        self._cells = cells
        self.sections: list[Section] = []
        self.headers: dict[int, str] = {}
        self.notices: list[Notice] = []
        self.truncated = False
        self.damaged = False

    def sheet(self, sheet: _Sheet) -> None:
        table = len(self.sections)
        try:
            lines = list(self._lines(sheet, table))
        except Unparsable as damage:
            self.damaged = True
            self.notices.append(Notice(message=f"sheet {sheet.name!r} is left out: the file {damage}"))
            return
        if lines:
            self.sections.append(Section(lines=lines, path=(sheet.heading,)))
            self.headers[table] = _header(lines)

    def _lines(self, sheet: _Sheet, table: int) -> Iterator[Line]:
        """The filled rows, up to and with the one that fills the sheet's share; row numbers are the sheet's own."""
        number, weight = 0, 0
        for element in self._package.children(sheet.part, "sheetData", ("row",)):
            stated = element.get("r") or ""
            number = int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 10 else number + 1
            if weight > SHEET_MAX_BYTES:
                self.truncated = True
                self.notices.append(Notice(message=_cut_short(sheet.name, number)))
                return
            text = self._row(element)
            if text.strip():
                weight += len(text.encode()) + 1
                yield Line(text, table, number)

    def _row(self, element: Element) -> str:
        fields: list[str] = []
        column = 0
        for cell in element:
            reference = cell.get("r")
            column = (column_number(reference) if reference and len(cell) else 0) or column + 1
            text = self._cells.text(cell) if len(cell) else ""
            if text:
                gap = column - 1 - len(fields)
                fields += [""] * (gap if gap <= _WIDEST_GAP else 1)
                fields.append(text)
        return "\t".join(fields)


def _sheets(package: Package, workbook: str) -> list[_Sheet]:
    """The worksheets in the order of their tabs; chart and macro sheets have no cells and are not among them."""
    relations = package.relations(workbook)
    sheets: list[_Sheet] = []
    for element in package.tree(workbook).iter("{*}sheet"):
        identifiers = [str(value) for key, value in element.attrib.items() if str(key).endswith("}id")]
        relation = next((relations[each] for each in identifiers if each in relations), None)
        if relation is not None and relation.kind == "worksheet" and package.has(relation.target):
            name = " ".join((element.get("name") or "").split())
            sheets.append(_Sheet(name, relation.target, element.get("state") in ("hidden", "veryHidden")))
    return sheets


def _header(lines: Sequence[Line]) -> str:
    """The row that names the columns: the first of two filled cells and more, near the top; else nothing."""
    for line in lines[:_HEADER_SEARCH]:
        if sum(bool(field.strip()) for field in line.text.split("\t")) > 1:
            return line.text
    return ""


def _cut_short(name: str, row: int) -> str:
    return f"sheet {name!r} holds more than {SHEET_MAX_BYTES:,} bytes of text; it is read up to before row {row}"
