"""The report as JSON: every figure, under stable keys. An undefined figure is null; what does not apply is absent."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from grooveseek.evaluation.compare import Comparison, MetricDelta
from grooveseek.evaluation.evalrun import encode_run
from grooveseek.evaluation.hits import RankedHit
from grooveseek.evaluation.measures import Mean
from grooveseek.evaluation.outcome import EvalReport, ExpectedOutcome, Finding, QueryReport
from grooveseek.evaluation.verdict import verdict


def render_json(report: EvalReport, *, per_query: bool = True, diff: bool = True) -> str:
    """The report as indented JSON."""
    return json.dumps(
        report_values(report, per_query=per_query, diff=diff), ensure_ascii=False, allow_nan=False, indent=2
    )


def report_values(report: EvalReport, *, per_query: bool = True, diff: bool = True) -> dict[str, Any]:
    """The report as JSON values."""
    run = encode_run(report.run)
    values: dict[str, Any] = {
        "golden": report.golden,
        "time": run["time"],
        "averaged": run["averaged"],
        "primary": report.primary,
        "metrics": run["metrics"],
        "groups": {group: _means(means) for group, means in report.groups.items()},
        "corpus": run["corpus"],
        "fingerprint": run["fingerprint"],
        "findings": [finding_values(finding) for finding in report.findings],
    }
    if report.run.auroc:
        values["auroc"] = run["auroc"]
    if report.legs:
        values["legs"] = {leg.value: _means(means) for leg, means in report.legs.items()}
    if report.unjudged:
        values["unjudged"] = _means(report.unjudged)
    if per_query:
        values["queries"] = [_query(query) for query in report.queries]
    if diff and report.comparison is not None:
        values["comparison"] = _comparison(report.comparison)
    if report.gate is not None:
        gate = report.gate
        values["gate"] = {"exit_code": gate.exit_code, "reasons": list(gate.reasons), "metrics": list(gate.metrics)}
    return _with(values, note=report.note)


def _query(query: QueryReport) -> dict[str, Any]:
    values: dict[str, Any] = {
        "id": query.id,
        "query": query.query,
        "answerable": query.answerable,
        "missed": query.missed,
        "metrics": _numbers(query.metrics),
        "expected": [_expected(entry) for entry in query.expected],
        "top": [_hit(entry) for entry in query.top],
    }
    if query.tags:
        values["tags"] = list(query.tags)
    if query.legs:
        values["legs"] = {leg.value: _numbers(scores) for leg, scores in query.legs.items()}
    if query.unjudged:
        values["unjudged"] = _numbers(query.unjudged)
    return _with(
        values,
        line=query.line,
        failed=query.failed,
        confidence=query.confidence,
        low_confidence=query.low_confidence,
    )


def _expected(entry: ExpectedOutcome) -> dict[str, Any]:
    values = {"path": entry.path, "relevance": entry.relevance}
    return _with(values, heading=entry.heading, rank=entry.rank, miss=entry.miss and entry.miss.value)


def _hit(entry: RankedHit) -> dict[str, Any]:
    hit = entry.hit
    values = {
        "rank": entry.rank,
        "path": hit.path,
        "chunk": hit.chunk,
        "score": hit.score,
        "relevance": entry.relevance,
    }
    return _with(values, heading=hit.heading)


def finding_values(finding: Finding) -> dict[str, Any]:
    """One finding as JSON values."""
    values: dict[str, Any] = {"check": finding.check, "message": finding.message}
    if finding.quoted:
        values["quoted"] = [
            {"query_id": entry.query_id, "rank_in_top_k": entry.rank_in_top_k} for entry in finding.quoted
        ]
    return _with(values, path=finding.path, query_id=finding.query_id, line=finding.line)


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "previous_time": comparison.previous.time,
        "compatible": comparison.compatible,
        "differences": [
            {"key": difference.key, "current": difference.current, "previous": difference.previous}
            for difference in comparison.differences
        ],
        "corpus_changed": comparison.corpus_changed,
        "metrics": {delta.name: _delta(delta) for delta in comparison.metrics},
        "auroc": _numbers(comparison.auroc),
        "regressed": [query.query_id for query in comparison.regressed],
        "verdict": verdict(comparison),
    }


def _delta(delta: MetricDelta) -> dict[str, Any]:
    paired = delta.paired
    values: dict[str, Any] = {
        "current": _number(delta.current),
        "previous": _number(delta.previous),
        "delta": _number(delta.delta),
        "queries": paired.queries,
        "mean_difference": _number(paired.mean),
        "interval": None if paired.interval.note else [paired.interval.low, paired.interval.high],
        "p": _number(paired.p),
        "p_adjusted": _number(paired.p_adjusted),
        "tests": paired.tests,
        "wins": paired.counts.wins,
        "losses": paired.counts.losses,
        "ties": paired.counts.ties,
    }
    return _with(values, interval_note=paired.interval.note or None, queries_needed=paired.queries_needed)


def _means(means: Mapping[str, Mean]) -> dict[str, Any]:
    return {name: {"mean": _number(mean.value), "queries": mean.queries} for name, mean in means.items()}


def _numbers(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: _number(value) for name, value in values.items()}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _with(values: dict[str, Any], **optional: object) -> dict[str, Any]:
    return values | {key: value for key, value in optional.items() if value is not None}
