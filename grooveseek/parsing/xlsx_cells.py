"""What a workbook's cells show: shared and inline texts, numbers and dates in their formats, cached formula values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from grooveseek.errors import Unparsable
from grooveseek.parsing.number_format import BUILT_IN, GENERAL, format_number
from grooveseek.parsing.ooxml import Package, attribute, child, local

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_LETTERS = re.compile(r"\$?([A-Za-z]{1,4})\$?\d")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_TRUTH = {"1": "TRUE", "0": "FALSE", "true": "TRUE", "false": "FALSE"}


def column_number(reference: str) -> int:
    """The 1-based column of a cell reference such as ``AB12``; 0 when it is none."""
    match = _LETTERS.match(reference)
    if match is None:
        return 0
    number = 0
    for letter in match[1].upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


class CellReader:
    """Turns cells into text with the workbook's shared strings, number formats and date system."""

    def __init__(self, shared: Sequence[str], formats: Sequence[str], *, from_1904: bool) -> None:
        """``formats`` holds a format code for each cell style."""
        self._shared = shared
        self._formats = formats
        self._from_1904 = from_1904

    @classmethod
    def of(cls, package: Package, workbook: str) -> CellReader:
        """The reader for a workbook. Styles that cannot be read leave numbers bare; shared strings must be readable."""
        properties = next(package.tree(workbook).iter("{*}workbookPr"), None)
        from_1904 = properties is not None and attribute(properties, "date1904") in ("1", "true", "on")
        return cls(_shared_strings(package, workbook), _cell_formats(package, workbook), from_1904=from_1904)

    def text(self, cell: Element) -> str:
        """What the cell shows, on one line. A formula without a cached value shows itself, behind ``=``."""
        return " ".join(self._raw_text(cell).split())

    def _raw_text(self, cell: Element) -> str:
        kind = cell.get("t") or "n"
        if kind == "inlineStr":
            inline = child(cell, "is")
            return _rich_text(inline) if inline is not None else ""
        held = child(cell, "v")
        value = (held.text or "").strip() if held is not None else ""
        if not value:
            formula = child(cell, "f")
            source = (formula.text or "").strip() if formula is not None else ""
            return f"={source}" if source else ""
        if kind == "s":
            index = _index(value)
            return self._shared[index] if index is not None and index < len(self._shared) else ""
        if kind == "b":
            return _TRUTH.get(value, value)
        if kind == "d":
            return value.replace("T", " ").removesuffix("Z").removesuffix(" 00:00:00")
        if kind in ("str", "e"):
            return _unescaped(held.text or "") if held is not None else ""
        return self._number(cell, value)

    def _number(self, cell: Element, value: str) -> str:
        try:
            number = float(value)
        except ValueError:
            return value
        style = _index(cell.get("s") or "0")
        code = self._formats[style] if style is not None and style < len(self._formats) else GENERAL
        return format_number(number, code, from_1904=self._from_1904)


def _index(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _shared_strings(package: Package, workbook: str) -> list[str]:
    texts: list[str] = []
    for part in package.related(workbook, "sharedStrings")[:1]:
        texts += [_rich_text(each) for each in package.children(part, "sst", ("si",))]
    return texts


def _rich_text(element: Element) -> str:
    """The text of a string and its runs, without the readings that East Asian texts carry beside them (``rPh``)."""
    texts: list[str] = []
    for each in element:
        if local(each) == "t":
            texts.append(each.text or "")
        elif local(each) == "r":
            run = child(each, "t")
            texts.append((run.text or "") if run is not None else "")
    return _unescaped("".join(texts))


def _unescaped(text: str) -> str:
    """Undo ``_xHHHH_``, the way characters that XML cannot hold are written."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _cell_formats(package: Package, workbook: str) -> list[str]:
    """The format code of each cell style (``cellXfs``), by its index."""
    own: dict[int, str] = {}
    used: list[int] = []
    try:
        for part in package.related(workbook, "styles")[:1]:
            for group in package.tree(part):
                if local(group) == "numFmts":
                    own |= {_format_id(each): attribute(each, "formatCode") or "" for each in group}
                elif local(group) == "cellXfs":
                    used = [_format_id(each) for each in group]
    except Unparsable:
        return []
    return [own.get(number) or BUILT_IN.get(number, GENERAL) for number in used]


def _format_id(element: Element) -> int:
    return _index(attribute(element, "numFmtId") or "") or 0
