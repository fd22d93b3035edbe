"""Heat maps: the primary measure over a method's constant and the weight of the heading, the other axes held."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from grooveseek.evaluation.report.markup import Markup, element
from grooveseek.evaluation.report.plain import number
from grooveseek.evaluation.tune.grid import Condition, Family
from grooveseek.evaluation.tune.study import Study
from grooveseek.settings.sections import FusionSettings

HEAT_STYLE = """\
.heat { fill: var(--s0); }
.heat-default { fill: none; stroke: var(--ink); stroke-width: 2; stroke-dasharray: 4 3; }
.heat-best { fill: none; stroke: var(--ink); stroke-width: 3; }
pre { padding: .75rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 6px; }
"""

_LEFT, _TOP, _CELL_WIDTH, _CELL_HEIGHT = 90, 34, 120, 24
_CONSTANTS = {Family.RRF: "rrf_k", Family.RRF_LEGS: "rrf_k", Family.CONVEX: "alpha"}


def heat_maps(study: Study) -> Iterable[Markup]:
    """One map a family that has a constant, through the family's best condition, and one through the default."""
    through = dict.fromkeys([*(family.best for family in study.families), study.grid.default])
    drawn: set[tuple[Family, FusionSettings]] = set()
    for place in through:
        best = study.grid.conditions[place]
        constant = _CONSTANTS.get(best.family)
        if constant is not None and _slice(best) not in drawn:
            drawn.add(_slice(best))
            held = f"context weight {best.weights.context:g}, " if study.grid.context_axis else ""
            caption = f"{best.family.value}: {constant} against heading weight; {held}"
            caption += f"content weight {best.weights.content:g}"
            yield element("h3", caption)
            yield element("div", _map(study, best, constant), class_="chart")
    yield element("p", "Solid frame: the setting the map goes through. Dashed: the default.", class_="soft")


def _map(study: Study, best: Condition, constant: str) -> Markup:
    places = [place for place, one in enumerate(study.grid.conditions) if _slice(one) == _slice(best)]
    fusions = {place: study.grid.conditions[place].fusion for place in places}
    rows = sorted({getattr(fusion, constant) for fusion in fusions.values()})
    columns = sorted({fusion.bm25_heading_weight for fusion in fusions.values()})
    means = study.means[study.primary]
    low, high = float(min(means[places])), float(max(means[places]))
    parts = [_label(_LEFT + _CELL_WIDTH * (i + 0.5), _TOP - 10, f"{column:g}") for i, column in enumerate(columns)]
    parts += [_label(_LEFT - 30, _TOP + _CELL_HEIGHT * (i + 0.7), f"{row:g}") for i, row in enumerate(rows)]
    frames = []
    for place, fusion in fusions.items():
        x = float(_LEFT + _CELL_WIDTH * columns.index(fusion.bm25_heading_weight))
        y = float(_TOP + _CELL_HEIGHT * rows.index(getattr(fusion, constant)))
        box = {"x": x + 1, "y": y + 1, "width": _CELL_WIDTH - 2.0, "height": _CELL_HEIGHT - 2.0}
        value = float(means[place])
        shade = 0.1 + 0.6 * ((value - low) / (high - low) if high > low else 0.0)
        title = element("title", f"{study.grid.conditions[place].label}: {number(value, 4)}")
        parts.append(element("rect", title, class_="heat", fill_opacity=round(shade, 3), **box))
        parts.append(_label(x + _CELL_WIDTH / 2, y + _CELL_HEIGHT * 0.7, number(value), kind="value"))
        kind = "heat-default" if place == study.grid.default else "heat-best" if fusion == best.fusion else None
        if kind:
            frames.append(element("rect", class_=kind, **box))
    size = f"0 0 {_LEFT + _CELL_WIDTH * len(columns) + 10} {_TOP + _CELL_HEIGHT * len(rows) + 10}"
    described = f"{study.primary} by {constant} (down) and heading weight (across)"
    return element("svg", *parts, *frames, viewBox=size, role="img", aria_label=described)


def _slice(condition: Condition) -> tuple[Family, FusionSettings]:
    """What is the same over a whole map."""
    built_in = FusionSettings()
    same = replace(condition.fusion, rrf_k=built_in.rrf_k, alpha=built_in.alpha, bm25_heading_weight=2.0)
    return condition.family, same


def _label(x: float, y: float, text: str, *, kind: str = "axis") -> Markup:
    return element("text", text, x=float(x), y=float(y), text_anchor="middle", class_=kind)
