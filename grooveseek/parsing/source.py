"""A text file's characters, and where each of them stands in the file's bytes and lines."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from dataclasses import dataclass

from grooveseek.errors import Unparsable

_LINE_END = re.compile(r"\r\n?|\n")  # CommonMark 0.31.2, section 2.1; no other character ends a line
_STRIDE = 4096
_FEWEST_BYTES = 16
"""Below this a pattern in the bytes says nothing."""


@dataclass(frozen=True, slots=True)
class Source:
    """A decoded file. ``text`` is everything after the byte order mark, or after several where each tool added its own;
    positions are character indexes into it.

    ``line_starts`` has the position of each line's first character. Lines are 0-based here and 1-based in what a
    reader sees.
    """

    text: str
    line_starts: list[int]
    _bytes_before: list[int] | None
    """Bytes in front of every 4096th character (the byte order mark counts); ``None`` when all is one byte each."""

    @classmethod
    def decode(cls, data: bytes) -> Source:
        """Read UTF-8, with or without a byte order mark. Raises Unparsable for anything else."""
        mark = 0
        while data.startswith(codecs.BOM_UTF8, mark):
            mark += len(codecs.BOM_UTF8)
        try:
            text = data[mark:].decode("utf-8")
        except UnicodeDecodeError as error:
            raise Unparsable(_not_utf8(data, mark + error.start)) from None
        if "\0" in text and _alternates(data):
            raise Unparsable("looks like UTF-16 text, every other byte of it being 0; convert the file to UTF-8")
        starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        return cls(text, starts, None if len(text) == len(data) else _checkpoints(text, mark))

    def byte_at(self, position: int) -> int:
        """Offset in the file's bytes of the character at ``position``."""
        if self._bytes_before is None:
            return position
        block = position // _STRIDE
        return self._bytes_before[block] + len(self.text[block * _STRIDE : position].encode())

    def line_at(self, position: int) -> int:
        """0-based line of the character at ``position``."""
        return bisect_right(self.line_starts, position) - 1

    def line_start(self, line: int) -> int:
        """Position of a line's first character; the text's length past the last line."""
        return self.line_starts[line] if line < len(self.line_starts) else len(self.text)

    def line(self, line: int) -> str:
        """A line's text without its line end."""
        return self.text[self.line_start(line) : self.line_start(line + 1)].rstrip("\r\n")


def _checkpoints(text: str, mark: int) -> list[int]:
    places = [mark]
    for start in range(0, len(text), _STRIDE):
        places.append(places[-1] + len(text[start : start + _STRIDE].encode()))
    return places


def _alternates(data: bytes) -> bool:
    """Whether most of every other byte is 0, and hardly any between: Western text in UTF-16 without a byte order mark,
    which is valid UTF-8 by chance."""
    if len(data) % 2 or len(data) < _FEWEST_BYTES:
        return False
    few, many = sorted(data[start::2].count(0) for start in (0, 1))
    return 20 * few < len(data) < 4 * many


def _not_utf8(data: bytes, offset: int) -> str:
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "is UTF-32 text; convert the file to UTF-8"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "is UTF-16 text; convert the file to UTF-8"
    return f"is not UTF-8 text: byte 0x{data[offset]:02x} at byte offset {offset}; convert the file to UTF-8"
