"""How far a definition reaches beyond its own syntax: what stands above it, and behind it on its last line."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable

from grooveseek.parsing.code.captures import Range
from grooveseek.parsing.code.lines import SourceText

_REST_OF_STATEMENT = re.compile(rb"[ \t]*[;,]+")
_SPACES = re.compile(rb"[ \t]*")
_NEXT_LINE = re.compile(rb"[ \t\r]*\n[ \t]*")


class Reach:
    """Where definitions begin and end."""

    def __init__(self, source: SourceText, above: Iterable[Range], below: Iterable[Range]) -> None:
        """``above``: the ranges of all comments, attributes and decorators; those that lie in others do not count.

        ``below``: those of strings that document what stands right above them.
        """
        self.source = source
        self._below = dict(below)
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(above, key=lambda each: (each[0], -each[1])):
            if not self._ends or start >= self._ends[-1]:
                self._starts.append(start)
                self._ends.append(self._last(start, end))  # Rust's line comments hold the line's end

    def start(self, start: int, floor: int) -> int:
        """Where a definition begins that has its own syntax at ``start``; not before ``floor``.

        That is at the first of an unbroken run of comments, attributes and decorators above it: with no blank line and
        nothing else in between, and without a first one that stands behind other code on its line.
        """
        run = [start]
        place = bisect_left(self._starts, start) - 1
        while place >= 0 and self._starts[place] >= floor:
            between = self._plain(self._ends[place], run[-1])
            if between.strip() or between.count(b"\n") > 1:
                break
            run.append(self._starts[place])
            place -= 1
        while len(run) > 1 and self._trails_other_code(run[-1], run[-2], floor):
            run.pop()
        return run[-1]

    def end(self, end: int, ceiling: int) -> int:
        """Where a definition ends whose own syntax ends at ``end``; not behind ``ceiling``.

        Taken in are the ``;`` or ``,`` behind it, a comment that has the rest of the line to itself, and a string on
        the next line that documents it.
        """
        end = self._rest_of_line(self._last(0, end), ceiling)
        next_line = _NEXT_LINE.match(self.source.plain, end, ceiling)
        return self._below.get(next_line.end(), end) if next_line else end

    def _rest_of_line(self, end: int, ceiling: int) -> int:
        rest = _REST_OF_STATEMENT.match(self.source.plain, end, ceiling)
        end = rest.end() if rest else end
        spaces = _SPACES.match(self.source.plain, end, ceiling)
        assert spaces is not None  # it matches nothing, too
        comment = bisect_left(self._starts, spaces.end())
        if comment == len(self._starts) or self._starts[comment] != spaces.end():
            return end
        behind = self._ends[comment]
        return behind if behind <= ceiling and self._ends_line(behind) else end

    def _trails_other_code(self, start: int, following: int, floor: int) -> bool:
        line_start = max(floor, self.source.line_starts[self.source.line_of(start)])
        is_on_line_of_following = self.source.line_of(start) == self.source.line_of(following)
        return not is_on_line_of_following and bool(self._plain(line_start, start).strip())

    def _ends_line(self, position: int) -> bool:
        line = self.source.line_of(position)
        ends = self.source.line_starts[line + 1] if line + 1 < len(self.source.line_starts) else len(self.source.plain)
        return not self._plain(position, ends).strip()

    def _plain(self, start: int, end: int) -> bytes:
        return self.source.plain[start:end]

    def _last(self, start: int, end: int) -> int:
        """The end of a range without the white space it ends with."""
        while end > start and self.source.plain[end - 1 : end].isspace():
            end -= 1
        return end
