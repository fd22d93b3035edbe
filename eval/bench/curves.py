"""A small chart of times by size, both axes logarithmic, as SVG: no plotting package needed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

Curve = Sequence[tuple[int, float]]

_WIDTH, _HEIGHT = 760, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 190, 40, 50
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def chart(title: str, curves: Mapping[str, Curve]) -> str:
    """Milliseconds by size: one line a name, its last point labelled."""
    points = [point for curve in curves.values() for point in curve]
    sizes, times = [size for size, _ in points], [time for _, time in points]
    x_low, x_high = math.log10(min(sizes)), math.log10(max(sizes))
    y_low, y_high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))

    def x(size: float) -> float:
        return _LEFT + (math.log10(size) - x_low) / max(x_high - x_low, 1e-9) * (_WIDTH - _LEFT - _RIGHT)

    def y(time: float) -> float:
        return _HEIGHT - _BOTTOM - (math.log10(time) - y_low) / max(y_high - y_low, 1) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="22" font-size="14">{escape(title)}</text>',
    ]
    for power in range(y_low, y_high + 1):
        height = y(10**power)
        parts.append(
            f'<path d="M{_LEFT} {height:.1f}H{_WIDTH - _RIGHT}" stroke="#dddddd"/>'
            f'<text x="{_LEFT - 8}" y="{height + 4:.1f}" text-anchor="end">{10**power:g} ms</text>'
        )
    parts.extend(
        f'<text x="{x(size):.1f}" y="{_HEIGHT - 28}" text-anchor="middle">{size:,}</text>'
        for size in sorted(set(sizes))
    )
    labels = _spread({name: y(curve[-1][1]) for name, curve in curves.items()})
    for (name, curve), colour in zip(curves.items(), _COLOURS, strict=False):
        line = " ".join(f"{x(size):.1f},{y(time):.1f}" for size, time in curve)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.extend(f'<circle cx="{x(size):.1f}" cy="{y(time):.1f}" r="3" fill="{colour}"/>' for size, time in curve)
        parts.append(
            f'<text x="{_WIDTH - _RIGHT + 10}" y="{labels[name] + 4:.1f}" fill="{colour}">{escape(name)}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _spread(heights: Mapping[str, float]) -> dict[str, float]:
    """Labels far enough from each other to be read."""
    placed: dict[str, float] = {}
    last = -math.inf
    for name in sorted(heights, key=lambda name: heights[name]):
        last = max(heights[name], last + 16)
        placed[name] = last
    return placed
