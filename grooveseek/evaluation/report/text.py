"""The report a person reads in a terminal."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from grooveseek.evaluation.compare import Comparison, MetricDelta
from grooveseek.evaluation.measures import Mean, Recall, parse_measure
from grooveseek.evaluation.outcome import EvalReport, Finding, Leg, QueryReport
from grooveseek.evaluation.report.plain import (
    finding_line,
    misses,
    number,
    p_value,
    plural,
    printable,
    signed,
)
from grooveseek.evaluation.statistics import ALPHA
from grooveseek.evaluation.verdict import verdict

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

DEFAULT_WIDTH = 100


def render_text(
    report: EvalReport, *, colour: bool = False, width: int = DEFAULT_WIDTH, per_query: bool = False, diff: bool = True
) -> str:
    """The report as text. ``diff`` False leaves the comparison out, ``per_query`` lists every query."""
    comparison = report.comparison if diff else None
    parts: list[RenderableType] = [_heading(report), _metrics(report, comparison)]
    if all(report.groups.get(name) for name in ("single-answer", "multi-answer")):
        parts.append(_groups(report))
    if report.legs:
        parts.append(_means("Legs", {leg.value: means for leg, means in report.legs.items()}))
    parts += _lines_of(_extras(report))
    if comparison is not None and comparison.regressed:
        parts.append(_regressed(report, comparison))
    if any(query.missed or query.failed for query in report.queries):
        parts.append(_missed(report))
    if per_query:
        parts.append(_per_query(report))
    parts += _lines_of(_conclusion(report, comparison))
    return _print(parts, colour, width)


def render_findings(findings: Iterable[Finding]) -> str:
    """Findings one a line, for stderr."""
    return "".join(f"{finding_line(finding)}\n" for finding in findings)


def _print(parts: Iterable[RenderableType], colour: bool, width: int) -> str:
    from rich.console import Console

    console: Console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},  # the caller has looked at the terminal and NO_COLOR; nothing else may change the text
    )
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    text = "\n".join(line.rstrip() for line in captured.get().splitlines())
    return re.sub("\n{3,}", "\n\n", text) + "\n"  # a table ends with an empty line, and a title begins with one


def _lines_of(lines: Iterable[str]) -> list[RenderableType]:
    from rich.text import Text

    return [Text(printable(line)) for line in lines]


def _heading(report: EvalReport) -> str:
    run = report.run
    total = len(report.queries)
    averaged = f"{report.golden}: {plural(run.averaged, 'query', 'queries')} in the means"
    if total > run.averaged:
        averaged += f", {total - run.averaged} not"
    config = run.fingerprint
    measured = f"level {config.level}, gain {config.gain}, mode {config.mode}, limit {config.limit}"
    corpus = f"{plural(run.corpus.documents, 'document', 'documents')}, {plural(run.corpus.chunks, 'chunk', 'chunks')}"
    return f"{printable(averaged)}. {corpus}; {measured}."


def _table(title: str, columns: Iterable[str], *, left: int = 1) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=f"\n{title}", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, title_style="bold")
    for index, column in enumerate(columns):
        is_text = index < left
        table.add_column(column, justify="left" if is_text else "right", no_wrap=not is_text, overflow="fold")
    return table


def _metrics(report: EvalReport, comparison: Comparison | None) -> Table:
    if comparison is None or not comparison.metrics:
        table = _table("Means", ("measure", "value"))
        for name, value in report.run.metrics.items():
            table.add_row(name, number(value))
        return table
    table = _table("Means", ("measure", "value", "before", "change", "95 % interval", "p (Holm)", "better/worse/equal"))
    for delta in comparison.metrics:
        table.add_row(*_delta_row(delta), style=_style(delta))
    return table


def _delta_row(delta: MetricDelta) -> tuple[str, ...]:
    paired = delta.paired
    interval = "–" if paired.interval.note else f"{signed(paired.interval.low)} to {signed(paired.interval.high)}"
    counts = f"{paired.counts.wins}/{paired.counts.losses}/{paired.counts.ties}"
    change = signed(delta.delta)
    return (
        delta.name,
        number(delta.current),
        number(delta.previous),
        change,
        interval,
        p_value(paired.p_adjusted),
        counts,
    )


def _style(delta: MetricDelta) -> str:
    if not delta.paired.p_adjusted < ALPHA:
        return ""
    return "green" if delta.paired.mean > 0 else "red"


def _groups(report: EvalReport) -> Table:
    labelled = {}
    for group, means in report.groups.items():
        count = next(iter(means.values())).queries if means else 0
        labelled[f"{group} ({count})"] = means
    return _means("By number of answers", labelled)


def _means(title: str, columns: Mapping[str, Mapping[str, Mean]]) -> Table:
    table = _table(title, ("measure", *columns))
    names = dict.fromkeys(name for means in columns.values() for name in means)
    for name in names:
        table.add_row(name, *(number(means[name].value) if name in means else "–" for means in columns.values()))
    return table


def _extras(report: EvalReport) -> Iterable[str]:
    auroc = report.run.auroc
    if auroc:
        figures = ", ".join(f"{name} {number(value)}" for name, value in auroc.items())
        yield f"Telling answerable queries from the others (AUROC, 0.5 is chance): {figures}."
    if report.unjudged:
        figures = ", ".join(f"{name} {number(mean.value)}" for name, mean in report.unjudged.items())
        yield f"Share of results without a judgment: {figures}."


def _regressed(report: EvalReport, comparison: Comparison) -> Table:
    by_id = {query.id: query for query in report.queries}
    labels = _Labels(report)
    table = _table("Queries that got worse", (*labels.columns, "before", "now", "change"), left=len(labels.columns))
    for delta in comparison.regressed:
        if query := by_id.get(delta.query_id):
            before, now = delta.previous[comparison.primary], delta.current[comparison.primary]
            table.add_row(*labels.of(query), number(before), number(now), signed(now - before))
    return table


def _missed(report: EvalReport) -> Table:
    labels = _Labels(report)
    columns = (*labels.columns, "why")
    table = _table("Queries that found none of their answers", columns, left=len(columns))
    for query in report.queries:
        if query.failed is not None:
            table.add_row(*labels.of(query), f"did not run: {printable(query.failed)}")
        elif query.missed:
            table.add_row(*labels.of(query), misses(query))
    return table


def _per_query(report: EvalReport) -> Table:
    """Every query's first rank and main measures, and what each leg alone would have scored on the primary one."""
    recalls = [name for name in report.run.metrics if isinstance(parse_measure(name), Recall)]
    names = [name for name in dict.fromkeys((report.primary, "RR", *recalls[-1:])) if name in report.run.metrics]
    legs = [leg for leg in report.legs if leg is not Leg.FUSION]
    labels = _Labels(report)
    table = _table("All queries", (*labels.columns, "rank", *names, *legs), left=len(labels.columns))
    for query in report.queries:
        ranks = [entry.rank for entry in query.expected if entry.relevance > 0 and entry.rank is not None]
        scores = [number(query.metrics.get(name, math.nan)) for name in names]
        alone = [number(query.legs.get(leg, {}).get(report.primary, math.nan)) for leg in legs]
        first = str(min(ranks)) if ranks else "–"
        table.add_row(*labels.of(query, one_line=True), first, *scores, *alone)
    return table


class _Labels:
    """How queries are called in a table: by id and text, or by text alone where every id is its beginning."""

    def __init__(self, report: EvalReport) -> None:
        by_text = all(query.query.startswith(query.id) for query in report.queries)
        self.columns = ("query",) if by_text else ("id", "query")

    def of(self, query: QueryReport, *, one_line: bool = False) -> list[Text]:
        from rich.text import Text

        text = Text(printable(query.query), no_wrap=one_line, overflow="ellipsis" if one_line else "fold")
        return [text] if self.columns == ("query",) else [Text(printable(query.id), overflow="fold"), text]


def _conclusion(report: EvalReport, comparison: Comparison | None) -> Iterable[str]:
    if comparison is not None:
        yield verdict(comparison)
    if report.note:
        yield report.note
    if report.gate is not None:
        outcome = {0: "Gate passed", 1: "Gate failed"}.get(report.gate.exit_code, "Gate could not decide")
        yield f"{outcome}: {' '.join(report.gate.reasons)}"
