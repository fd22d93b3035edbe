"""The report's charts: inline SVG coloured by the page's style, so that one drawing serves light and dark."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from grooveseek.evaluation.report.markup import Markup, element
from grooveseek.evaluation.report.plain import number, plural, signed

WIDTH = 720
_LEFT, _RIGHT = 44, 96
_ROW = 20
_LABEL = 190
_LABEL_CHARACTERS = 28
MOST_ROWS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPoint:
    """One run of the history chart. ``comparable`` runs are joined by a line."""

    label: str
    values: Mapping[str, float]
    comparable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One query's measure, or rank, before and now. A rank of None is "not found"."""

    label: str
    before: float | None
    now: float | None


def history_chart(points: Sequence[RunPoint], names: Sequence[str]) -> Markup:
    """Measures over runs, oldest first; a run measured with other settings is a hollow dot without a line."""
    height, top, bottom = 240, 16, 30
    values = [point.values[name] for point in points for name in names if _known(point.values.get(name))]
    low, high = _range(values)

    def x(index: int) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (index / (len(points) - 1) if len(points) > 1 else 0.5)

    def y(value: float) -> float:
        return top + (height - top - bottom) * (high - value) / (high - low)

    steps = [low + (high - low) * step / 4 for step in range(5)]
    parts = [_gridline(y(step), number(step, 2)) for step in steps]
    ends = _spread([y(points[-1].values.get(name, low)) for name in names], 14.0)
    for series, name in enumerate(names):
        dots = [(i, point) for i, point in enumerate(points) if _known(point.values.get(name))]
        line = " ".join(f"{x(i):.1f},{y(point.values[name]):.1f}" for i, point in dots if point.comparable)
        parts.append(element("polyline", class_=f"series s{series}", points=line))
        for i, point in dots:
            kind = "dot" if point.comparable else "dot hollow"
            title = element("title", f"{name} {number(point.values[name])}, {point.label}")
            place = {"cx": x(i), "cy": y(point.values[name])}
            parts.append(element("circle", title, class_=f"{kind} s{series}", r=4, **place))
        label = {"x": float(WIDTH - _RIGHT + 10), "y": ends[series] + 4}
        parts.append(element("text", name, class_=f"name s{series}", **label))
    for index in sorted({0, len(points) - 1}):
        anchor = "start" if index == 0 and len(points) > 1 else "end" if index else "middle"
        label = {"x": x(index), "y": float(height - 8)}
        parts.append(element("text", points[index].label[:10], class_="axis", text_anchor=anchor, **label))
    return _svg(height, f"{', '.join(names)} over {plural(len(points), 'run', 'runs')}", parts)


def delta_chart(changes: Sequence[Change], name: str) -> Markup:
    """Each changed query's difference as a bar, worst at the left."""
    height, middle, reach = 220, 110.0, 84.0
    deltas = sorted(((c.now or 0) - (c.before or 0), c.label) for c in changes)
    largest = max(abs(delta) for delta, _ in deltas)
    slot = (WIDTH - _LEFT - 12) / len(deltas)
    width = max(1.0, min(28.0, slot * 0.8))
    parts = [
        _gridline(middle - reach, signed(largest, 2), right=12),
        _gridline(middle + reach, signed(-largest, 2), right=12),
    ]
    for index, (delta, label) in enumerate(deltas):
        size = max(1.0, reach * abs(delta) / largest)
        box = {
            "x": _LEFT + slot * index + (slot - width) / 2,
            "y": middle - size if delta > 0 else middle,
            "width": width,
            "height": size,
        }
        title = element("title", f"{label}: {signed(delta)}")
        parts.append(element("rect", title, class_="better" if delta > 0 else "worse", **box))
    parts.append(_gridline(middle, "0", right=12, strong=True))
    worse = sum(delta < 0 for delta, _ in deltas)
    caption = {"x": float(_LEFT), "y": float(height - 4)}
    said = f"{worse} worse, {len(deltas) - worse} better"
    parts.append(element("text", said, class_="axis", **caption))
    return _svg(height, f"Change of {name} by query: {said}", parts)


def rank_chart(changes: Sequence[Change]) -> Markup:
    """Where the first right answer stood, hollow, and stands, filled; logarithmic, the largest moves first."""
    rows = sorted(changes, key=lambda change: (-abs(_place(change.before) - _place(change.now)), change.label))[
        :MOST_ROWS
    ]
    top, height = 28, 28 + _ROW * len(rows) + 8
    deepest = max([10.0, *(rank for c in rows for rank in (c.before, c.now) if rank is not None)])
    right = WIDTH - 70

    def x(rank: float | None) -> float:
        if rank is None:
            return WIDTH - 24.0
        return _LABEL + 12 + (right - _LABEL - 24) * math.log(rank) / math.log(deepest)

    parts = []
    ticks: list[float | None] = [rank for rank in (1, 2, 5, 10, 20, 50, 100, 200, 500) if rank <= deepest]
    for tick in [*ticks, None]:
        at = {"x1": x(tick), "x2": x(tick), "y1": float(top - 8), "y2": float(height - 4)}
        parts.append(element("line", class_="grid", **at))
        label = {"x": x(tick), "y": float(top - 14)}
        text = "none" if tick is None else f"{tick:g}"
        parts.append(element("text", text, class_="axis", text_anchor="middle", **label))
    for row, change in enumerate(rows):
        parts.append(_rank_row(change, x(change.before), x(change.now), top + _ROW * row + _ROW / 2))
    return _svg(height, "Rank of the first right answer, before and now", parts)


def _rank_row(change: Change, before: float, now: float, y: float) -> Markup:
    kind = "better" if now < before else "worse"
    shown = change.label if len(change.label) <= _LABEL_CHARACTERS else change.label[: _LABEL_CHARACTERS - 1] + "…"
    title = f"{change.label}: {_rank(change.before)}, now {_rank(change.now)}"
    label = {"x": float(_LABEL - 4), "y": y + 4}
    line = {"x1": before, "x2": now, "y1": y, "y2": y}
    return element(
        "g",
        element("title", title),
        element("text", shown, class_="row", text_anchor="end", **label),
        element("line", class_=f"move {kind}", **line),
        element("circle", class_=f"from {kind}", cx=before, cy=y, r=4),
        element("circle", class_=f"to {kind}", cx=now, cy=y, r=5),
    )


def _svg(height: int, title: str, parts: Sequence[Markup]) -> Markup:
    drawing = element("svg", parts, viewBox=f"0 0 {WIDTH} {height}", role="img", aria_label=title)
    return element("div", drawing, class_="chart")


def _gridline(y: float, label: str, *, right: int = _RIGHT, strong: bool = False) -> Markup:
    line = {"x1": float(_LEFT), "x2": float(WIDTH - right), "y1": y, "y2": y}
    place = {"x": float(_LEFT - 6), "y": y + 4}
    return element(
        "g",
        element("line", class_="zero" if strong else "grid", **line),
        element("text", label, class_="axis", text_anchor="end", **place),
    )


def _range(values: Sequence[float]) -> tuple[float, float]:
    low = max(0.0, math.floor(min(values, default=0.0) * 10 - 0.25) / 10)
    high = min(1.0, math.ceil(max(values, default=1.0) * 10 + 0.25) / 10)
    return (low, high) if high - low >= 0.2 else (max(0.0, high - 0.2), max(high, 0.2))


def _spread(places: Sequence[float], gap: float) -> list[float]:
    """The places moved down just enough that no two are closer than the gap."""
    moved = list(places)
    order = sorted(range(len(places)), key=lambda index: places[index])
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + gap)
    return moved


def _known(value: float | None) -> bool:
    return value is not None and not math.isnan(value)


def _place(rank: float | None) -> float:
    return math.log(1000.0 if rank is None else rank)


def _rank(rank: float | None) -> str:
    return "not found" if rank is None else f"rank {rank:g}"
