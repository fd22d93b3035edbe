"""The parsers for PDF and Office files: made directly inside the worker, and as stand-ins for it everywhere else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from grooveseek.errors import Unparsable
from grooveseek.model.document import ParsedDocument, QualityProfile
from grooveseek.parsing.isolation import IsolatedRunner
from grooveseek.parsing.protocol import FileKind, Parser
from grooveseek.settings.sections import Settings

EXTENSIONS = {"pdf": ("pdf",), "docx": ("docx",), "pptx": ("pptx",), "xlsx": ("xlsx",)}
"""The ids of the binary parsers, and the file names each reads."""


def direct_parser(parser_id: str, options: Mapping[str, Any]) -> Parser:
    """The parser itself, to run in this process.

    ``options``: max_chunk_chars, max_decompressed (``None`` for no cap) and exclude_headings. Raises MissingExtra when
    its library is not installed, KeyError for an id that is none of :data:`EXTENSIONS`.
    """
    return _MAKERS[parser_id](options)


def build(parser_id: str, settings: Settings) -> Parser:
    """The parser as the rest of groove uses it; all of a process share one worker. Raises as :func:`direct_parser`."""
    options = {
        "max_chunk_chars": settings.parsers.markdown.max_chunk_chars,
        "max_decompressed": settings.index.max_decompressed_size,
        "exclude_headings": list(settings.exclude_headings),
    }
    return IsolatedParser(parser_id, options, _shared_runner())


@lru_cache(maxsize=1)
def _shared_runner() -> IsolatedRunner:
    return IsolatedRunner()


class IsolatedParser:
    """Stands in for a binary parser: the same bytes in, the same document out, but the work is done in the worker."""

    kind = FileKind.BINARY
    isolated = True

    def __init__(self, parser_id: str, options: Mapping[str, Any], runner: IsolatedRunner) -> None:
        """Raises MissingExtra when the parser's library is not installed, KeyError for an unknown id."""
        direct_parser(parser_id, options)
        self._id = parser_id
        self._options = dict(options)
        self._runner = runner

    @property
    def id(self) -> str:
        """The name ``[parsers].enabled`` uses."""
        return self._id

    @property
    def extensions(self) -> tuple[str, ...]:
        """Lower-case, without the dot."""
        return EXTENSIONS[self._id]

    def profile(self, *, is_definition: bool) -> QualityProfile:
        """Extracted text is judged as such."""
        return QualityProfile.BINARY

    def parse(self, data: bytes, path: str) -> ParsedDocument:
        """See :meth:`grooveseek.parsing.protocol.Parser.parse`. The reason of an Unparsable names the parser."""
        try:
            return self._runner.parse(self._id, self._options, data, path)
        except Unparsable as error:
            raise Unparsable(f"{self._id} parser: the file {error}") from error


def _pdf(options: Mapping[str, Any]) -> Parser:
    from grooveseek.parsing.pdf import PdfParser

    return PdfParser(max_chunk_chars=options["max_chunk_chars"])


def _docx(options: Mapping[str, Any]) -> Parser:
    from grooveseek.parsing.docx import DocxParser

    return DocxParser(**_office_options(options))


def _pptx(options: Mapping[str, Any]) -> Parser:
    from grooveseek.parsing.pptx import PptxParser

    return PptxParser(**_office_options(options))


def _xlsx(options: Mapping[str, Any]) -> Parser:
    from grooveseek.parsing.xlsx import XlsxParser

    return XlsxParser(**_office_options(options))


def _office_options(options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "max_chunk_chars": options["max_chunk_chars"],
        "max_decompressed": options["max_decompressed"],
        "exclude_headings": tuple(options["exclude_headings"]),
    }


_MAKERS: dict[str, Callable[[Mapping[str, Any]], Parser]] = {"pdf": _pdf, "docx": _docx, "pptx": _pptx, "xlsx": _xlsx}
