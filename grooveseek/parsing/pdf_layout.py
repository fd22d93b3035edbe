"""Where text stands on a page, and the order a person reads it in.

PDFium gives text in the order of the page's content, which is the reading order nearly always. Two layouts it gets
wrong are put right here: columns written line by line across the page, and vertical Japanese, whose lines it sorts from
the left.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import NamedTuple

_GAP_IN_HEIGHTS = 0.8
_MIN_SIDE_BY_SIDE = 5
_MIN_PROSE_ROWS = 3
_PROSE_CHARACTERS = 20
_PROSE_FILL = 0.6
_TALL = 2.0
_MAX_COLUMNS_DEEP = 4
_MIN_STACKED = 6


class Box(NamedTuple):
    """Corners in points; y grows upwards."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        """Left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Bottom to top."""
        return self.top - self.bottom

    def beside(self, other: Box) -> bool:
        """Whether the two share more than half a line's height."""
        shared = min(self.top, other.top) - max(self.bottom, other.bottom)
        return shared > 0.5 * min(self.height, other.height)


@dataclass(slots=True)
class Segment:
    """A run of UTF-16 code units on one line and the box around it."""

    units: list[int] = field(default_factory=list)
    box: Box | None = None

    def add(self, unit: int, box: Box | None) -> None:
        """Add a character; one without a box (a space put in between) widens nothing."""
        self.units.append(unit)
        if box is not None:
            self.box = box if self.box is None else _around(self.box, box)

    def is_far_from(self, box: Box) -> bool:
        """Whether a character at ``box`` is too far to the right, or too far back, to belong to the run."""
        if self.box is None or not self.box.beside(box):
            return False
        gap = _GAP_IN_HEIGHTS * max(box.height, 1.0)
        return box.left - self.box.right > gap or self.box.left - box.right > gap

    def is_under(self, box: Box) -> bool:
        """Whether a character at ``box`` goes on downwards from the run: same width of column, close below."""
        if self.box is None:
            return True
        centre = (box.left + box.right) / 2
        below = (self.box.bottom - box.top) / max(box.height, 1.0)
        return self.box.left <= centre <= self.box.right and -1.0 <= below <= 1.0

    @property
    def text(self) -> str:
        """The characters."""
        data = b"".join(unit.to_bytes(2, "little") for unit in self.units if unit < 0x10000)
        return data.decode("utf-16-le", "ignore")


def looks_columned(boxes: Sequence[Box]) -> bool:
    """Whether runs follow one another side by side with a gap between, over and over: columns, or a table."""
    pairs = 0
    for left, right in pairwise(boxes):
        pairs += left.beside(right) and right.left - left.right > _GAP_IN_HEIGHTS * left.height
    return pairs >= _MIN_SIDE_BY_SIDE


def looks_vertical(boxes: Sequence[Box]) -> bool:
    """Whether most runs are tall and narrow."""
    tall = sum(box.height > _TALL * box.width for box in boxes)
    return tall > 1 and tall > 0.5 * len(boxes)


def looks_stacked(boxes: Sequence[Box]) -> bool:
    """Whether most runs are about square and stand right under the one before: characters set one by one downwards."""
    under = 0
    for upper, lower in pairwise(boxes):
        centre = (lower.left + lower.right) / 2
        square = 0.5 < lower.width / max(lower.height, 1.0) < 2.0
        under += square and upper.left <= centre <= upper.right and 0 <= upper.top - lower.top <= 2 * lower.width
    return len(boxes) >= _MIN_STACKED and under > 0.5 * len(boxes)


def stacked_lines(characters: Iterable[tuple[int, Box]]) -> str:
    """Vertical lines put together from characters in content order, right to left."""
    segments: list[Segment] = []
    for unit, box in characters:
        if not segments or not segments[-1].is_under(box):
            segments.append(Segment())
        segments[-1].add(unit, box)
    return "\n".join(segment.text.strip() for segment in _from_the_right(segments))


def reading_order(segments: Sequence[Segment]) -> str | None:
    """The segments' text in reading order, a line each; ``None`` when content order should stand."""
    placed = [segment for segment in segments if segment.box is not None and segment.text.strip()]
    if not placed:
        return None
    if looks_vertical([_box(each) for each in placed]) and is_east_asian("".join(each.text for each in placed)):
        return "\n".join(segment.text.strip() for segment in _from_the_right(placed))
    lines = _columns(placed, 0)
    return None if lines is None else "\n".join(lines)


def _from_the_right(segments: Iterable[Segment]) -> list[Segment]:
    """Vertical lines from right to left, one tier of them after the other from the top."""
    ordered: list[Segment] = []
    tier: list[Segment] = []
    for segment in sorted(segments, key=lambda each: -_box(each).top):
        if tier and _box(segment).top <= min(_box(each).bottom for each in tier):
            ordered += sorted(tier, key=lambda each: -_box(each).right)
            tier = []
        tier.append(segment)
    return ordered + sorted(tier, key=lambda each: -_box(each).right)


def _columns(segments: Sequence[Segment], depth: int) -> list[str] | None:
    """Lines of text with columns read one after the other, or ``None`` where there are none.

    A row that crosses the gutter, such as a title, parts what is above it from what is below.
    """
    rows = _rows(segments)
    gutter = _gutter(rows)
    if gutter is None or depth >= _MAX_COLUMNS_DEEP:
        return None
    lines: list[str] = []
    found = False
    for run, crosses in _runs(rows, gutter):
        left = [each for row in run for each in row if _box(each).right <= gutter]
        right = [each for row in run for each in row if _box(each).left >= gutter]
        sides = None if crosses else (_side(left, depth), _side(right, depth))
        if sides is None or sides[0] is None or sides[1] is None:
            lines += _across(run)
        else:
            found = True
            lines += sides[0] + sides[1]
    return lines if found else None


def _side(segments: Sequence[Segment], depth: int) -> list[str] | None:
    """One side of a gutter as lines: columns again, or running text; ``None`` when it is neither."""
    lines = _columns(segments, depth + 1)
    if lines is None and _is_prose(segments):
        return _across(_rows(segments))
    return lines


def _rows(segments: Iterable[Segment]) -> list[list[Segment]]:
    """Segments that share a line, from the top down, each row from the left."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda each: -_box(each).top):
        if rows and _box(rows[-1][0]).beside(_box(segment)):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    for row in rows:
        row.sort(key=lambda each: _box(each).left)
    return rows


def _gutter(rows: Sequence[Sequence[Segment]]) -> float | None:
    """The x that lies in the gaps of the most rows, if it does in enough of them."""
    edges: list[tuple[float, int]] = []
    for row in rows:
        for left, right in pairwise(row):
            start, end = _box(left).right, _box(right).left
            if end > start:
                edges += [(start, 1), (end, -1)]
    edges.sort(key=lambda edge: (edge[0], edge[1]))
    best, count, gutter = 0, 0, None
    for number, (position, step) in enumerate(edges):
        count += step
        if count > best:
            best, gutter = count, (position + edges[number + 1][0]) / 2
    return gutter if best >= _MIN_PROSE_ROWS else None


def _runs(rows: Sequence[list[Segment]], gutter: float) -> Iterable[tuple[list[list[Segment]], bool]]:
    """Neighbouring rows that do, and that do not, cross the gutter."""
    run: list[list[Segment]] = []
    state = False
    for row in rows:
        crosses = any(_box(each).left < gutter < _box(each).right for each in row)
        if run and crosses != state:
            yield run, state
            run = []
        run.append(row)
        state = crosses
    if run:
        yield run, state


def _is_prose(side: Sequence[Segment]) -> bool:
    """Whether the lines of one side fill it, as running text does and the cells of a table do not."""
    if len(side) < _MIN_PROSE_ROWS:
        return False
    widest = max(_box(each).right for each in side) - min(_box(each).left for each in side)
    filled = median(_box(each).width for each in side)
    weight = sum(2 if is_wide(character) else 1 for each in side for character in each.text)
    return filled >= _PROSE_FILL * widest and weight / len(side) >= _PROSE_CHARACTERS


def _across(rows: Iterable[Sequence[Segment]]) -> list[str]:
    return [" ".join(each.text.strip() for each in row) for row in rows]


def is_east_asian(text: str) -> bool:
    """Whether most characters are wide ones."""
    return 2 * sum(map(is_wide, text)) > len(text)


def is_wide(character: str) -> bool:
    """Whether the character takes the width of two, as East Asian ones do (UAX #11)."""
    return unicodedata.east_asian_width(character) in "WF"


def _box(segment: Segment) -> Box:
    assert segment.box is not None
    return segment.box


def _around(one: Box, other: Box) -> Box:
    return Box(
        min(one.left, other.left), min(one.bottom, other.bottom), max(one.right, other.right), max(one.top, other.top)
    )
