"""One PDF page's text in reading order: columns one after the other, vertical lines from the right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grooveseek.parsing.pdf_gates import MIN_CHARACTERS_A_PAGE, PageText
from grooveseek.parsing.pdf_layout import (
    Box,
    Segment,
    is_east_asian,
    is_wide,
    looks_columned,
    looks_stacked,
    looks_vertical,
    reading_order,
    stacked_lines,
)

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

_UNMAPPED_SHARE = 0.3
_PICTURE_SHARE = 0.05
_MANY_PATHS = 100
_NESTING = 4
_MAX_RECTS = 20_000

_FULL_LINE = 0.9
_CLOSING = "。．！？」』）"
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"})
_SYMBOLS = re.compile(r"[\uf000-\uf0ff]")  # glyphs of symbol fonts: bullets, arrows, ticks
_LINE_END_HYPHEN = re.compile(r"(?<=[a-z])(?:[\ufffe\x02]\n?|-\n)(?=[a-z])")


def read_page(page: PdfPage) -> PageText:
    """Read one page. Raises PdfiumError when PDFium cannot."""
    if page.get_rotation():
        page.set_rotation(0)  # PDFium would put the lines in the order of the turned page
    text_page = page.get_textpage()
    try:
        text, unmapped = _text(text_page)
    finally:
        text_page.close()
    pictured = len(text) < MIN_CHARACTERS_A_PAGE and _is_pictured(page)
    return PageText(text=tidy(text), unmapped=unmapped, pictured=pictured)


def tidy(text: str) -> str:
    """Line ends as newlines; words put together again; ligatures as letters; soft hyphens gone.

    A word cut at a line's end is joined only between ASCII lower-case letters, where the hyphen is hardly ever the
    author's own. PDFium writes U+FFFE or U+0002 for a hyphen it takes for such a cut, and drops the line end.
    """
    plain = _SYMBOLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n").translate(_LIGATURES))
    lines = "\n".join(line.strip() for line in plain.split("\n"))
    whole = _LINE_END_HYPHEN.sub("", lines.replace("\xad\n", "").replace("\xad", ""))
    hyphenated = whole.replace("\ufffe", "-").replace("\x02", "-")
    return "\n".join(_rejoined(hyphenated.split("\n"))).strip()


def _rejoined(lines: list[str]) -> list[str]:
    """Lines of East Asian running text put together again, for a word there goes on over a line's end unmarked.

    Only a line that is nearly as wide as the widest, so that no heading or list item is taken for running text.
    """
    widths = [sum(1 + is_wide(character) for character in line) for line in lines]
    full = _FULL_LINE * max(widths, default=0)
    joined: list[str] = []
    open_ended = False
    for line, width in zip(lines, widths, strict=True):
        if open_ended and line and _goes_on(joined[-1][-1], line[0]):
            joined[-1] += line
        else:
            joined.append(line)
        open_ended = bool(line) and width >= full
    return joined


def _goes_on(end: str, start: str) -> bool:
    return is_wide(end) and is_wide(start) and end not in _CLOSING


def _text(text_page: PdfTextPage) -> tuple[str, bool]:
    """The page's raw text in reading order, and whether its font says too little for it to be read."""
    count = text_page.count_chars()
    if count == 0:
        return "", False
    text = text_page.get_text_range()
    if _is_unmapped(text_page, count):
        return text, True
    boxes = _boxes(text_page)
    if looks_stacked(boxes) and is_east_asian(text):
        return stacked_lines(_characters(text_page, count)), False
    if looks_columned(boxes) or looks_vertical(boxes):
        ordered = reading_order(_segments(text_page, count))
        return (ordered if ordered is not None else text), False
    return text, False


def _boxes(text_page: PdfTextPage) -> list[Box]:
    """The boxes of the runs of text, in the order of the page's content; none for a page of absurdly many."""
    count = text_page.count_rects()
    return [Box(*text_page.get_rect(number)) for number in range(count)] if count <= _MAX_RECTS else []


def _is_unmapped(text_page: PdfTextPage, count: int) -> bool:
    """Whether many characters are glyph numbers, not text, because the font gives no mapping for them.

    Some older fonts give none and number their glyphs by ASCII code; their text reads as words, and is kept.
    """
    from pypdfium2 import raw

    flagged = [number for number in range(count) if raw.FPDFText_HasUnicodeMapError(text_page, number) == 1]
    if len(flagged) < _UNMAPPED_SHARE * count:
        return False
    characters = [chr(raw.FPDFText_GetUnicode(text_page, number)) for number in flagged]
    lower = sum("a" <= character <= "z" for character in characters)
    return lower < 0.5 * len(characters)


def _segments(text_page: PdfTextPage, count: int) -> list[Segment]:
    """Runs of characters that stand beside one another on a line, in content order."""
    from pypdfium2 import raw

    segments: list[Segment] = []
    current = Segment()
    for number in range(count):
        unit = raw.FPDFText_GetUnicode(text_page, number)
        if unit in (0x0A, 0x0D):
            if current.units:
                segments.append(current)
            current = Segment()
            continue
        if raw.FPDFText_IsGenerated(text_page, number) == 1:
            current.add(unit, None)
            continue
        box = Box(*text_page.get_charbox(number, loose=True))
        if current.is_far_from(box):
            segments.append(current)
            current = Segment()
        current.add(unit, box)
        if unit == 0x02:  # a hyphen at a line's end, which PDFium gives instead of the line end itself
            segments.append(current)
            current = Segment()
    if current.units:
        segments.append(current)
    return segments


def _characters(text_page: PdfTextPage, count: int) -> Iterator[tuple[int, Box]]:
    """The page's own characters, without those PDFium puts in, and where they stand."""
    from pypdfium2 import raw

    for number in range(count):
        if raw.FPDFText_IsGenerated(text_page, number) != 1:
            yield raw.FPDFText_GetUnicode(text_page, number), Box(*text_page.get_charbox(number, loose=True))


def _is_pictured(page: PdfPage) -> bool:
    """Whether pictures cover a part of the page worth naming, or drawings are so many that they may be letters."""
    from pypdfium2 import raw

    width, height = page.get_size()
    paths = 0
    for item in page.get_objects(max_depth=_NESTING):
        paths += item.type == raw.FPDF_PAGEOBJ_PATH
        if paths > _MANY_PATHS or (item.type in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING)):
            left, bottom, right, top = item.get_bounds()
            if paths > _MANY_PATHS or (right - left) * (top - bottom) >= _PICTURE_SHARE * width * height:
                return True
    return False
