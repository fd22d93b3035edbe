"""How far a definition reaches beyond its own syntax: comments and attributes above, and the rest of its last line."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from grooveseek.parsing.code.captures import Range
from grooveseek.parsing.code.lines import SourceText

_REST_OF_STATEMENT = re.compile(rb"[ \t]*[;,]+")
_SPACES = re.compile(rb"[ \t]*")


class Reach:
    """Where definitions begin and end, given the ranges of all comments, attributes and decorators of the file."""

    def __init__(self, source: SourceText, above: Sequence[Range]) -> None:
        """``above`` is sorted."""
        self.source = source
        self._starts = [start for start, _ in above]
        # A node may end with its line's end, as Rust's line comments do, or hold others of its kind.
        self._ends = [self._last(start, end) for start, end in above]

    def start(self, start: int, floor: int) -> int:
        """Where a definition begins that has its own syntax at ``start``; not before ``floor``.

        That is at the first of an unbroken run of comments, attributes and decorators above it: with no blank line and
        nothing else in between, and without a first one that stands behind other code on its line.
        """
        run = [start]
        place = bisect_left(self._starts, start) - 1
        while place >= 0 and self._starts[place] >= floor:
            if self._ends[place] <= run[-1]:
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

        Taken in are the ``;`` or ``,`` behind it, and a comment that has the rest of the line to itself.
        """
        end = self._last(0, end)
        rest = _REST_OF_STATEMENT.match(self.source.plain, end, ceiling)
        end = rest.end() if rest else end
        spaces = _SPACES.match(self.source.plain, end, ceiling)
        comment = bisect_left(self._starts, spaces.end() if spaces else end)
        if comment == len(self._starts) or self._starts[comment] != (spaces.end() if spaces else end):
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
