"""A study's result as one HTML file that opens offline: heat maps of the sweep, the folds' choices, every figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grooveseek.evaluation.report.markup import Child, Markup, element, join
from grooveseek.evaluation.report.plain import number, p_value, plural, signed
from grooveseek.evaluation.report.style import STYLE
from grooveseek.evaluation.tune.report.heatmap import HEAT_STYLE, heat_maps
from grooveseek.evaluation.tune.report.verdict import (
    FAMILY_NAMES,
    axes_line,
    changes,
    configured_line,
    reminder,
    selections,
    snippet,
    verdict,
)
from grooveseek.evaluation.tune.study import Study

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render_html(study: Study) -> str:
    """A whole page: no script, no font, no request."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"/>'),
        element("title", f"groove tune: {study.golden}"),
        Markup(f"<style>\n{STYLE}{HEAT_STYLE}</style>"),
    )
    body = element("body", element("main", _sections(study)))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _sections(study: Study) -> Iterable[Markup]:
    counted = plural(len(study.queries), "query", "queries")
    yield element("h1", f"Fusion on {study.golden}")
    about = f"{counted}, {study.effective} with 2 full-text candidates or more. {axes_line(study)}"
    yield element("p", about, class_="soft")
    yield element("p", verdict(study), class_="verdict good" if study.recommended is not None else "verdict")
    if study.recommended is not None:
        yield element("pre", snippet(study.recommended))
    for line in (reminder(study), configured_line(study), *study.warnings, *study.notes):
        if line:
            yield element("p", line, class_="soft")
    yield _section("What a recommendation needs", _criteria(study))
    yield _section("Means over all queries", _measures(study))
    if len(study.families) > 1:
        yield _section("Families", _families(study))
    yield _section("On held-out queries", _held_out(study))
    yield _section(f"{study.primary} over the sweep", join(heat_maps(study)))
    yield _section("Chosen by the folds", _table(("setting", "folds"), selections(study)))
    moved = [(change.id, change.query, signed(change.difference)) for change in changes(study)]
    if moved:
        yield _section("Held-out queries that change", _table(("id", "query", study.primary), moved, text=2))


def _criteria(study: Study) -> Markup:
    return _table(
        ("holds", "criterion"), [("yes" if c.holds else "no", c.said) for c in study.decision.criteria], text=2
    )


def _measures(study: Study) -> Markup:
    default, best = study.grid.default, study.found.refit
    rows = [
        (name, number(means[default]), number(means[best]), signed(means[best] - means[default]))
        for name, means in study.means.items()
    ]
    columns = ("measure", f"default: {study.default.label}", f"best here: {study.refit.label}", "change")
    note = "The best setting was chosen on these queries, which flatters it; held-out queries tell what it is worth."
    return join(_table(columns, rows), element("p", note, class_="soft"))


def _families(study: Study) -> Markup:
    rows = [
        (
            FAMILY_NAMES[family.family],
            study.grid.conditions[family.best].label,
            family.conditions,
            number(family.best_mean),
            number(family.held_out_mean),
        )
        for family in study.families
    ]
    return _table(("family", "best setting", "conditions", f"its {study.primary}", "held out"), rows, text=2)


def _held_out(study: Study) -> Markup:
    evidence = study.decision.evidence
    interval = evidence.interval
    rows: list[tuple[Child, ...]] = [
        ("mean gain", signed(evidence.mean)),
        ("95 % interval", interval.note or f"{signed(interval.low)} to {signed(interval.high)}"),
        ("standard error", number(evidence.standard_error)),
        ("exceeds 3 standard errors", "yes" if evidence.three_se else "no"),
        ("better, worse, equal", f"{evidence.counts.wins}, {evidence.counts.losses}, {evidence.counts.ties}"),
        ("selection test, p", p_value(evidence.selection_p)),
        ("sign test, p", p_value(evidence.sign_p)),
        ("randomisation test, p", p_value(evidence.randomisation_p)),
    ]
    return _table(("figure", "value"), rows)


def _section(title: str, content: Markup) -> Markup:
    return element("section", element("h2", title), content)


def _table(columns: Sequence[str], rows: Iterable[Sequence[Child]], *, text: int = 1) -> Markup:
    """A table that scrolls by itself on a narrow screen; the first ``text`` columns are text and wrap."""
    header = (element("th", name, class_="text" if i < text else None, scope="col") for i, name in enumerate(columns))
    body = (
        element("tr", (element("td", cell, class_="text long" if i < text else None) for i, cell in enumerate(row)))
        for row in rows
    )
    table = element("table", element("thead", element("tr", header)), element("tbody", body))
    return element("div", table, class_="scroll", tabindex=0)
