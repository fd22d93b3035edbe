"""From per-query results to everything that is said about all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from grooveseek.evaluation.evalrun import Corpus, EvalRun, QueryRun
from grooveseek.evaluation.fingerprint import ConfigFingerprint
from grooveseek.evaluation.hits import RankedHit, Target
from grooveseek.evaluation.measures import Mean, auroc, mean_scores, split_by_answers
from grooveseek.evaluation.outcome import (
    ExpectedOutcome,
    HistoryPoint,
    Leg,
    Miss,
    QueryReport,
)

ALL = "all"


def groups_of(queries: Sequence[QueryReport]) -> dict[str, dict[str, Mean]]:
    """Means over all answerable queries, and over single-answer and multi-answer ones apart."""
    scored = {query.id: query for query in queries if query.metrics}
    relevant = {query.id: sum(entry.relevance > 0 for entry in query.expected) for query in scored.values()}
    groups = {ALL: tuple(scored), **split_by_answers(relevant)}
    return {group: mean_scores(scored[i].metrics for i in ids) for group, ids in groups.items()}


def legs_of(queries: Sequence[QueryReport]) -> dict[Leg, dict[str, Mean]]:
    """Each leg's means over the queries it was measured on; a leg that was not measured is left out."""
    rows = {leg: [query.legs[leg] for query in queries if leg in query.legs] for leg in Leg}
    return {leg: mean_scores(scores) for leg, scores in rows.items() if scores}


def unjudged_of(queries: Sequence[QueryReport]) -> dict[str, Mean]:
    """Mean share of unjudged documents, for the queries that have one."""
    return mean_scores(query.unjudged for query in queries if query.unjudged)


def auroc_of(queries: Iterable[QueryReport]) -> dict[str, float]:
    """How well ``confidence`` and ``low_confidence`` tell answerable queries from the others; 0.5 is chance.

    Empty when the golden set has no query that cannot be answered.
    """
    ran = [query for query in queries if query.failed is None]
    answerable = [query for query in ran if query.answerable]
    others = [query for query in ran if not query.answerable]
    if not others:
        return {}
    return {
        "confidence": auroc(_confidences(answerable), _confidences(others)),
        "low_confidence": auroc(_flags(others), _flags(answerable)),
    }


def run_of(
    queries: Sequence[QueryReport], *, time: str, fingerprint: ConfigFingerprint, corpus: Corpus, keep_top: int
) -> EvalRun:
    """The run as it is kept, with the first ``keep_top`` hits of every query."""
    means = groups_of(queries)[ALL]
    return EvalRun(
        time=time,
        metrics={name: mean.value for name, mean in means.items()},
        averaged=sum(bool(query.metrics) for query in queries),
        queries={
            query.id: QueryRun(
                metrics=query.metrics, top=tuple(entry.hit for entry in query.top[:keep_top]), failed=query.failed
            )
            for query in queries
        },
        fingerprint=fingerprint,
        corpus=corpus,
        auroc=auroc_of(queries),
    )


def expected_outcomes(
    targets: Iterable[Target], ranked: Iterable[RankedHit], *, indexed: Callable[[str], bool], k: int
) -> tuple[ExpectedOutcome, ...]:
    """Where each entry ended up. ``ranked`` is the whole pool, and ``indexed`` says whether a path is in the index."""
    ranks = {entry.target.path: entry.rank for entry in ranked if entry.target is not None}
    return tuple(
        ExpectedOutcome(
            path=target.path,
            heading=target.heading,
            relevance=target.relevance,
            rank=ranks.get(target.path),
            miss=_miss(ranks.get(target.path), indexed(target.path), k),
        )
        for target in targets
    )


def history_points(runs: Iterable[EvalRun], fingerprint: ConfigFingerprint) -> tuple[HistoryPoint, ...]:
    """Runs as points of a plot, oldest first."""
    return tuple(
        HistoryPoint(time=run.time, metrics=run.metrics, comparable=run.fingerprint == fingerprint) for run in runs
    )


def _confidences(queries: Iterable[QueryReport]) -> list[float]:
    return [query.confidence for query in queries if query.confidence is not None]


def _flags(queries: Iterable[QueryReport]) -> list[float]:
    return [float(query.low_confidence) for query in queries if query.low_confidence is not None]


def _miss(rank: int | None, indexed: bool, k: int) -> Miss | None:
    if rank is not None:
        return Miss.BELOW_K if rank > k else None
    return Miss.IN_NO_POOL if indexed else Miss.NOT_INDEXED
