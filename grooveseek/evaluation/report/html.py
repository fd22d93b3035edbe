"""The report as one HTML file: no script, no font, no request, so it opens anywhere and keeps as a build artefact.

A content security policy in the page forbids everything but its own style.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from grooveseek.evaluation.compare import ROUNDING, Comparison, MetricDelta
from grooveseek.evaluation.measures import Mean, Recall, parse_measure
from grooveseek.evaluation.outcome import EvalReport, QueryReport
from grooveseek.evaluation.report.charts import (
    MOST_ROWS,
    Change,
    RunPoint,
    delta_chart,
    history_chart,
    rank_chart,
)
from grooveseek.evaluation.report.markup import Child, Markup, element, join
from grooveseek.evaluation.report.plain import finding_line, misses, number, p_value, plural, signed, where
from grooveseek.evaluation.report.style import STYLE
from grooveseek.evaluation.statistics import ALPHA
from grooveseek.evaluation.verdict import verdict

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_RR = "RR"


class _Styled(NamedTuple):
    """A table cell with a class of its own."""

    content: str
    kind: str


_Cell = Child | _Styled


def render_html(report: EvalReport) -> str:
    """A whole page."""
    title = f"groove eval: {report.golden}"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"/>'),
        element("title", title),
        Markup(f"<style>\n{STYLE}</style>"),
    )
    body = element("body", element("main", _sections(report)))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _sections(report: EvalReport) -> Iterable[Markup]:
    comparison = report.comparison if report.comparison is not None and report.comparison.compatible else None
    yield _header(report)
    yield from _callouts(report)
    yield _section("Means", _metrics(report, comparison))
    yield from _history(report)
    if comparison is not None:
        yield from _changes(report, comparison)
    yield from _breakdowns(report)
    yield from _misses(report)
    yield from _findings(report)
    yield _details("All queries", _all_queries(report))
    yield _details("Measured with", _settings(report))


def _header(report: EvalReport) -> Markup:
    run = report.run
    others = len(report.queries) - run.averaged
    counted = f"{plural(run.averaged, 'query', 'queries')} in the means" + (f", {others} not" if others else "")
    corpus = f"{plural(run.corpus.documents, 'document', 'documents')}, {plural(run.corpus.chunks, 'chunk', 'chunks')}"
    config = run.fingerprint
    measured = f"level {config.level}, gain {config.gain}, mode {config.mode}, limit {config.limit}"
    return join(
        element("h1", f"Retrieval on {report.golden}"),
        element("p", f"{run.time}. {counted}. {corpus}; {measured}.", class_="soft"),
    )


def _callouts(report: EvalReport) -> Iterable[Markup]:
    gate = report.gate
    if gate is not None:
        outcome = {0: "Gate passed.", 1: "Gate failed."}.get(gate.exit_code, "Gate could not decide.")
        kind = "verdict good" if gate.passed else "verdict bad"
        yield element("p", element("strong", outcome), " ", " ".join(gate.reasons), class_=kind)
    if report.comparison is not None:
        yield element("p", verdict(report.comparison), class_="verdict")
    if report.note:
        yield element("p", report.note, class_="soft")


def _metrics(report: EvalReport, comparison: Comparison | None) -> Markup:
    if comparison is None:
        return _table(("measure", "value"), ([name, number(value)] for name, value in report.run.metrics.items()))
    columns = ("measure", "value", "before", "change", "95 % interval", "p (Holm)", "better", "worse", "equal")
    return _table(columns, (_delta_row(delta) for delta in comparison.metrics))


def _delta_row(delta: MetricDelta) -> list[_Cell]:
    paired = delta.paired
    low, high = signed(paired.interval.low), signed(paired.interval.high)
    interval: Child = f"{low} to {high}"
    if paired.interval.note:
        interval = element("span", "–", title=paired.interval.note)
    kind = "" if not paired.p_adjusted < ALPHA else "better" if paired.mean > 0 else "worse"
    change = _Styled(signed(delta.delta), kind)
    counts = (paired.counts.wins, paired.counts.losses, paired.counts.ties)
    return [
        delta.name,
        number(delta.current),
        number(delta.previous),
        change,
        interval,
        p_value(paired.p_adjusted),
        *counts,
    ]


def _history(report: EvalReport) -> Iterable[Markup]:
    if not report.history:
        return
    points = [RunPoint(label=p.time, values=p.metrics, comparable=p.comparable) for p in report.history]
    points.append(RunPoint(label=report.run.time, values=report.run.metrics))
    names = _plotted(report)
    if names:
        said = "" if all(point.comparable for point in points) else "Hollow dots are runs measured with other settings."
        yield _section(
            "History", join(history_chart(points, names), element("p", said, class_="soft") if said else None)
        )


def _plotted(report: EvalReport) -> list[str]:
    """The primary measure, RR and the deepest recall: one picture of order, of the first answer, and of coverage."""
    recalls = [name for name in report.run.metrics if isinstance(parse_measure(name), Recall)]
    wanted = (report.primary, _RR, recalls[-1] if recalls else "")
    known = [name for name in dict.fromkeys(wanted) if not math.isnan(report.run.metrics.get(name, math.nan))]
    return known[:3]


def _changes(report: EvalReport, comparison: Comparison) -> Iterable[Markup]:
    labels = {query.id: _label(query) for query in report.queries}
    moved = _moved(comparison, comparison.primary, labels)
    if moved:
        same = len(comparison.queries) - len(moved)
        unchanged = element("p", f"{plural(same, 'query', 'queries')} did not change.", class_="soft")
        yield _section(f"{comparison.primary} by query", join(delta_chart(moved, comparison.primary), unchanged))
    ranks = [
        Change(label=change.label, before=_rank(change.before), now=_rank(change.now))
        for change in _moved(comparison, _RR, {query.id: query.id for query in report.queries})
    ]
    if ranks:
        note = "Hollow: before. Filled: now. Rank 1 is at the left, “none” means that no right answer was found."
        if len(ranks) > MOST_ROWS:
            note += f" The {MOST_ROWS} largest of {len(ranks)} moves are shown."
        yield _section("Rank of the first right answer", join(rank_chart(ranks), element("p", note, class_="soft")))
    if comparison.regressed:
        rows = [
            [
                labels.get(q.query_id, q.query_id),
                number(q.previous[comparison.primary]),
                number(q.current[comparison.primary]),
            ]
            for q in comparison.regressed
        ]
        yield _section(
            "Queries that got worse", _table((f"query ({comparison.primary})", "before", "now"), rows, long=(0,))
        )


def _label(query: QueryReport) -> str:
    return query.query if query.query.startswith(query.id) else f"{query.id}: {query.query}"


def _moved(comparison: Comparison, name: str, labels: Mapping[str, str]) -> list[Change]:
    return [
        Change(label=labels.get(q.query_id, q.query_id), before=q.previous[name], now=q.current[name])
        for q in comparison.queries
        if abs(q.delta(name)) > ROUNDING
    ]


def _rank(reciprocal: float | None) -> float | None:
    return round(1 / reciprocal) if reciprocal else None


def _breakdowns(report: EvalReport) -> Iterable[Markup]:
    if all(report.groups.get(name) for name in ("single-answer", "multi-answer")):
        columns = {f"{group} ({_count(means)})": means for group, means in report.groups.items()}
        yield _section("By number of answers", _means(columns))
    if report.legs:
        yield _section("What each leg does alone", _means({leg.value: means for leg, means in report.legs.items()}))
    if report.run.auroc:
        rows = [[name, number(value)] for name, value in report.run.auroc.items()]
        table = _table(("signal", "AUROC"), rows)
        note = element("p", "How well a signal tells answerable queries from the others; 0.5 is chance.", class_="soft")
        yield _section("Confidence", join(table, note))
    if report.unjudged:
        yield _section("Results without a judgment", _means({"share": report.unjudged}))


def _count(means: Mapping[str, Mean]) -> int:
    return next(iter(means.values())).queries if means else 0


def _misses(report: EvalReport) -> Iterable[Markup]:
    rows = [[query.id, query.query, _why(query)] for query in report.queries if query.missed or query.failed]
    if rows:
        yield _section(
            "Queries that found none of their answers", _table(("id", "query", "why"), rows, text=3, long=(0, 1, 2))
        )


def _why(query: QueryReport) -> str:
    return misses(query) if query.failed is None else f"did not run: {query.failed}"


def _findings(report: EvalReport) -> Iterable[Markup]:
    if report.findings:
        yield _section("Findings", element("ul", (element("li", finding_line(finding)) for finding in report.findings)))


def _all_queries(report: EvalReport) -> Markup:
    names = list(report.run.metrics)
    rows = [
        [
            query.id,
            query.query,
            "; ".join(where(entry) for entry in query.expected if entry.relevance > 0) or "nothing",
            *(number(query.metrics.get(name, math.nan)) for name in names),
        ]
        for query in report.queries
    ]
    return _table(("id", "query", "expected", *names), rows, text=3, long=(0, 1, 2))


def _settings(report: EvalReport) -> Markup:
    rows = [[key, str(value)] for key, value in report.run.fingerprint.flat().items()]
    rows.append(["corpus.digest", report.run.corpus.digest])
    return _table(("setting", "value"), rows, text=2, long=(1,))


def _means(columns: Mapping[str, Mapping[str, Mean]]) -> Markup:
    names = dict.fromkeys(name for means in columns.values() for name in means)
    rows = (
        [name, *(number(means[name].value) if name in means else "–" for means in columns.values())] for name in names
    )
    return _table(("measure", *columns), rows)


def _section(title: str, content: Markup) -> Markup:
    return element("section", element("h2", title), content)


def _details(title: str, content: Markup) -> Markup:
    return element("details", element("summary", title), content)


def _table(
    columns: Sequence[str], rows: Iterable[Sequence[_Cell]], *, text: int = 1, long: Sequence[int] = ()
) -> Markup:
    """A table that scrolls by itself on a narrow screen. The first ``text`` columns are text; ``long`` ones wrap."""
    header = (element("th", name, class_="text" if i < text else None, scope="col") for i, name in enumerate(columns))
    body = (element("tr", (_cell(cell, i, text, long) for i, cell in enumerate(row))) for row in rows)
    table = element("table", element("thead", element("tr", header)), element("tbody", body))
    return element("div", table, class_="scroll", tabindex=0)


def _cell(cell: _Cell, index: int, text: int, long: Sequence[int]) -> Markup:
    content, kind = cell if isinstance(cell, _Styled) else (cell, "")
    kinds = [name for name, wanted in (("text", index < text), ("long", index in long), (kind, kind)) if wanted]
    return element("td", content, class_=" ".join(kinds) or None)
