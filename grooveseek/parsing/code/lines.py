"""A source file's bytes, its lines, and cutting it at the ends of lines."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

_LONE_CR = re.compile(rb"\r(?!\n)")


def weigh(text: str) -> int:
    """How many characters of a text are not white space."""
    return sum(map(len, text.split()))


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file in UTF-8. Positions are byte offsets into ``data``; a line ends with LF, CRLF or a lone CR.

    ``plain`` is for grammars and for looking around: ``data`` byte by byte, but every line end is or ends with LF and a
    NUL, which many grammars take for the end of the file, is a space. ``line_starts`` has each line's first byte, and
    ``weights`` the non-white-space characters in front of each line and, last, of the whole.
    """

    data: bytes
    plain: bytes
    line_starts: list[int]
    weights: list[int]

    @classmethod
    def of(cls, data: bytes) -> SourceText:
        """Raises UnicodeDecodeError when ``data`` is not UTF-8."""
        plain = _LONE_CR.sub(b"\n", data).replace(b"\0", b" ")
        starts = [0, *(match.end() for match in re.finditer(rb"\n", plain))]
        lines = (data[start:end].decode() for start, end in zip(starts, [*starts[1:], len(data)], strict=True))
        return cls(data, plain, starts, [0, *accumulate(map(weigh, lines))])

    @property
    def first(self) -> int:
        """Where the text begins: after a byte order mark, which belongs to no chunk."""
        return len(codecs.BOM_UTF8) if self.data.startswith(codecs.BOM_UTF8) else 0

    def line_of(self, position: int) -> int:
        """0-based line of a byte."""
        return bisect_right(self.line_starts, position) - 1

    def text(self, start: int, end: int) -> str:
        """What stands between two positions, both on the border of a character."""
        return self.data[start:end].decode()

    def weight(self, start: int, end: int) -> int:
        """Non-white-space characters between two positions."""
        first, last = self.line_of(start) + 1, self.line_of(end)
        if first > last:
            return weigh(self.text(start, end))
        whole = self.weights[last] - self.weights[first]
        return weigh(self.text(start, self.line_starts[first])) + whole + weigh(self.text(self.line_starts[last], end))

    def is_blank(self, start: int, end: int) -> bool:
        """Whether nothing but white space stands between two positions."""
        return not self.text(start, end).strip()

    def trimmed(self, start: int, end: int) -> tuple[int, int]:
        """The range without white space around it."""
        text = self.text(start, end)
        left = start + len(text[: len(text) - len(text.lstrip())].encode())
        return left, max(left, end - len(text[len(text.rstrip()) :].encode()))

    def line_start(self, position: int) -> int:
        """Where the line that a byte stands in begins."""
        return self.line_starts[self.line_of(position)]


def split_by_lines(source: SourceText, start: int, end: int, budget: int) -> list[tuple[int, int]]:
    """Cut a range at line ends into pieces of at most ``budget`` non-white-space characters, as long as can be.

    A line is never cut: one that is over the budget is a piece of its own. The pieces are in order and adjoin; every
    one of them has text, and none at all come of a range without any. A piece ends only where the next line would
    overrun the budget, so any two neighbours together weigh more than the budget.
    """
    pieces: list[tuple[int, int]] = []
    begun, weight = start, 0
    for line in range(source.line_of(start), source.line_of(end) + 1):
        line_start = max(start, source.line_starts[line])
        line_weight = source.weight(line_start, min(end, _line_end(source, line)))
        if weight and line_weight and weight + line_weight > budget:
            pieces.append((begun, line_start))
            begun, weight = line_start, 0
        weight += line_weight
    return [*pieces, (begun, end)] if weight else pieces


def _line_end(source: SourceText, line: int) -> int:
    return source.line_starts[line + 1] if line + 1 < len(source.line_starts) else len(source.data)


def widened_budget(weight: int, max_chunk_chars: int, limit: int) -> int:
    """The least budget from ``max_chunk_chars`` up with which any text of ``weight`` makes fewer than ``limit`` pieces.

    Were there ``limit`` pieces or more, half of ``limit`` pairs of neighbours would each weigh at least budget + 1, so
    the whole at least (limit // 2) * (budget + 1), which is more than ``weight`` once budget is weight // (limit // 2).
    With a smaller budget, lines of that budget and of 1 character in turn do make ``limit`` pieces of an even limit.
    """
    return max(max_chunk_chars, weight // (limit // 2))
