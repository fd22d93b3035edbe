"""The report as GitHub workflow commands, which show as annotations on the golden file's lines.

Format: https://docs.github.com/actions/reference/workflow-commands-for-github-actions. GitHub shows ten annotations of
a kind a step, so the gate comes first and the worst queries next.
"""

from __future__ import annotations

from collections.abc import Iterable

from grooveseek.evaluation.outcome import EvalReport, QueryReport
from grooveseek.evaluation.report.plain import finding_line, misses, number, printable
from grooveseek.evaluation.verdict import verdict


def render_github(report: EvalReport) -> str:
    """One command a line. ``report.golden`` must be the golden file's path from the root of the checkout."""
    return "".join(f"{line}\n" for line in _commands(report))


def _commands(report: EvalReport) -> Iterable[str]:
    gate = report.gate
    if gate is not None and not gate.passed:
        yield _command("error", "Retrieval gate", " ".join(gate.reasons), report.golden)
    if report.comparison is not None:
        yield _command("notice", "Retrieval", verdict(report.comparison), report.golden)
    severity = "error" if gate is not None and not gate.passed else "warning"
    by_id = {query.id: query for query in report.queries}
    yield from _regressed(report, by_id, severity)
    for query in report.queries:
        if query.failed is not None:
            yield _about(report, query, "error", "Query did not run", query.failed)
        elif query.missed:
            yield _about(report, query, "warning", "Query missed", misses(query))
    for finding in report.findings:
        where = report.golden if finding.line is not None else finding.path or report.golden
        yield _command("warning", finding.check, finding_line(finding), where, finding.line)


def _regressed(report: EvalReport, by_id: dict[str, QueryReport], severity: str) -> Iterable[str]:
    comparison = report.comparison
    for delta in comparison.regressed if comparison is not None else ():
        query = by_id.get(delta.query_id)
        if query is not None and comparison is not None:
            name = comparison.primary
            said = f"{name} fell from {number(delta.previous[name])} to {number(delta.current[name])}."
            yield _about(report, query, severity, "Query got worse", said)


def _about(report: EvalReport, query: QueryReport, severity: str, title: str, message: str) -> str:
    return _command(severity, title, f'"{printable(query.query)}": {printable(message)}', report.golden, query.line)


def _command(severity: str, title: str, message: str, file: str, line: int | None = None) -> str:
    at = f"file={_property(file)}" + ("" if line is None else f",line={line}")
    return f"::{severity} {at},title={_property(title)}::{_data(printable(message))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
