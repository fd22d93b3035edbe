"""From one query to many: a run's measures query by query, and their means."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grooveseek.evaluation.measures.protocol import UNDEFINED, Measure
from grooveseek.model.judgments import Qrels, Run

Scores = Mapping[str, float]
"""Measure name to value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean over queries and how many it is over. NaN over none."""

    value: float
    queries: int


def score_run(run: Run, qrels: Qrels, measures: Sequence[Measure]) -> dict[str, dict[str, float]]:
    """Query id to measure name to value, for every query of the qrels.

    A query the run does not have was searched for and found nothing: 0. A query the qrels do not have is not looked at.
    """
    return {
        query_id: {measure.name: measure.evaluate(run.ranking(query_id), judged) for measure in measures}
        for query_id, judged in qrels.by_query.items()
    }


def mean(values: Iterable[float]) -> Mean:
    """The arithmetic mean of the values that are defined; exactly rounded, so the order of queries cannot show."""
    defined = [value for value in values if not math.isnan(value)]
    return Mean(value=math.fsum(defined) / len(defined) if defined else UNDEFINED, queries=len(defined))


def mean_scores(scores: Iterable[Scores]) -> dict[str, Mean]:
    """Measure name to its mean, for the names of the first query."""
    rows = list(scores)
    return {name: mean(row.get(name, UNDEFINED) for row in rows) for name in (rows[0] if rows else ())}


def split_by_answers(relevant: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Query ids with one relevant document apart from those with several; neither holds a query with none.

    The recall of a query with two answers cannot exceed 0.5 at rank 1, so a mean over both kinds hides which moved.
    """
    return {
        "single-answer": tuple(query_id for query_id, count in relevant.items() if count == 1),
        "multi-answer": tuple(query_id for query_id, count in relevant.items() if count > 1),
    }
