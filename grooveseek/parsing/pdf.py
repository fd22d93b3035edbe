"""PDF files, by PDFium: one chunk a page that has text, pages longer than a chunk may be split by lines."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from grooveseek.errors import MissingExtra, Unparsable
from grooveseek.model.document import Notice, ParsedDocument, QualityProfile
from grooveseek.parsing.document_info import DocumentInfo, pdf_date, usable_title
from grooveseek.parsing.office import office_document
from grooveseek.parsing.pdf_gates import PageText, refuse_unreadable
from grooveseek.parsing.pdf_page import read_page
from grooveseek.parsing.pieces import Line, Section, section_chunks
from grooveseek.parsing.protocol import FileKind

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_REASONS = {
    "Incorrect password error": "is protected by a password (save a copy without one)",
    "Unsupported security scheme error": "is protected in a way that cannot be read (save a copy without it)",
    "Data format error": "is not a PDF, or is damaged",
}
_LISTED_PAGES = 10


def require_pdf() -> None:
    """Raise MissingExtra unless PDFium is installed."""
    if find_spec("pypdfium2") is None:
        raise MissingExtra("Reading PDF files", "pdf")


class PdfParser:
    """One chunk a page, under the heading ``p.N``."""

    id = "pdf"
    extensions = ("pdf",)
    kind = FileKind.BINARY
    isolated = True

    def __init__(self, *, max_chunk_chars: int) -> None:
        """Raises MissingExtra without pypdfium2."""
        require_pdf()
        self._budget = max_chunk_chars

    def profile(self, *, is_definition: bool) -> QualityProfile:
        """Extracted text is judged as such."""
        return QualityProfile.BINARY

    def parse(self, data: bytes, path: str) -> ParsedDocument:
        """See :meth:`grooveseek.parsing.protocol.Parser.parse`. Garbled and too little text are refused too."""
        document = _open(data)
        try:
            info = _info(document)
            pages = [_page(document, number) for number in range(len(document))]
        finally:
            document.close()
        refuse_unreadable(pages)
        sections = [
            Section(lines=[Line(text) for text in page.text.split("\n")], path=(f"p.{number}",))
            for number, page in enumerate(pages, start=1)
            if page.text.strip() and not page.unmapped
        ]
        return office_document(
            path, info, lambda title: section_chunks(sections, title, self._budget), notices=_notices(pages)
        )


def _open(data: bytes) -> PdfDocument:
    from pypdfium2 import PdfDocument, PdfiumError

    if not data:
        raise Unparsable("is empty")
    try:
        document = PdfDocument(data)
        count = len(document)
    except PdfiumError as error:
        known = next((reason for words, reason in _REASONS.items() if words in str(error)), None)
        raise Unparsable(known or f"cannot be opened ({error})") from error
    if count == 0:
        raise Unparsable("has no pages")
    return document


def _page(document: PdfDocument, number: int) -> PageText:
    """One page's text; a damaged page counts as one that cannot be read, and the others go on."""
    from pypdfium2 import PdfiumError

    try:
        page = document[number]
    except PdfiumError:
        return PageText(damaged=True)
    try:
        return read_page(page)
    except PdfiumError:
        return PageText(damaged=True)
    finally:
        page.close()


def _info(document: PdfDocument) -> DocumentInfo:
    from pypdfium2 import PdfiumError

    try:
        fields = document.get_metadata_dict()
    except (PdfiumError, UnicodeDecodeError):
        return DocumentInfo()
    return DocumentInfo(
        title=usable_title(fields.get("Title", "")),
        date=pdf_date(fields.get("CreationDate", "")) or pdf_date(fields.get("ModDate", "")),
    )


def _notices(pages: list[PageText]) -> tuple[Notice, ...]:
    unmapped = [number for number, page in enumerate(pages, start=1) if page.unmapped]
    damaged = [number for number, page in enumerate(pages, start=1) if page.damaged]
    notices = []
    if unmapped:
        why = "the font does not say which characters its glyphs are"
        notices.append(Notice(message=f"no readable text on {_listed(unmapped)}: {why}"))
    if damaged:
        notices.append(Notice(message=f"damaged pages are left out: {_listed(damaged)}"))
    return tuple(notices)


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(f"p.{number}" for number in numbers[:_LISTED_PAGES])
    return shown if len(numbers) <= _LISTED_PAGES else f"{shown} and {len(numbers) - _LISTED_PAGES} more pages"
