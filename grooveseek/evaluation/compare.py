"""Two evaluation runs side by side: what moved, which queries, and whether chance explains it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grooveseek.evaluation.evalrun import EvalRun
from grooveseek.evaluation.fingerprint import Difference
from grooveseek.evaluation.measures import NDCG, parse_measure
from grooveseek.evaluation.statistics import PairedResult, paired_results

ROUNDING = 1e-9
"""A change this small is arithmetic, not retrieval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDelta:
    """A measure's mean in both runs, and what its paired differences say. ``delta`` is current minus previous."""

    name: str
    current: float
    previous: float
    paired: PairedResult

    @property
    def delta(self) -> float:
        """Positive is better now; NaN when either mean is."""
        return self.current - self.previous


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryDelta:
    """One query's measures in both runs."""

    query_id: str
    current: Mapping[str, float]
    previous: Mapping[str, float]

    def delta(self, name: str) -> float:
        """Current minus previous of one measure; NaN when either run does not have it."""
        return self.current.get(name, math.nan) - self.previous.get(name, math.nan)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """``differences`` is empty when the runs can be compared; otherwise it says why not, and the rest is empty.

    ``primary`` is the measure that decides whether a query got worse. ``auroc`` is current minus previous by name.
    """

    previous: EvalRun
    differences: tuple[Difference, ...] = ()
    corpus_changed: bool = False
    primary: str = ""
    metrics: tuple[MetricDelta, ...] = ()
    queries: tuple[QueryDelta, ...] = ()
    auroc: Mapping[str, float]

    @property
    def compatible(self) -> bool:
        """Whether the two runs were measured the same way."""
        return not self.differences

    @property
    def regressed(self) -> tuple[QueryDelta, ...]:
        """Queries whose primary measure fell, worst first."""
        fell = [query for query in self.queries if query.delta(self.primary) < -ROUNDING]
        return tuple(sorted(fell, key=lambda query: (query.delta(self.primary), query.query_id)))

    def metric(self, name: str) -> MetricDelta | None:
        """One measure's comparison."""
        return next((delta for delta in self.metrics if delta.name == name), None)


def compare(current: EvalRun, previous: EvalRun) -> Comparison:
    """Compare two runs, query by query, for every measure both have.

    p-values are Holm-corrected over those measures together.
    """
    differences = current.fingerprint.differences(previous.fingerprint)
    changed = current.corpus != previous.corpus
    if differences:
        return Comparison(previous=previous, differences=differences, corpus_changed=changed, auroc={})
    names = [name for name in current.metrics if name in previous.metrics]
    queries = tuple(
        QueryDelta(query_id=query_id, current=query.metrics, previous=previous.queries[query_id].metrics)
        for query_id, query in current.queries.items()
        if query_id in previous.queries and query.metrics
    )
    results = paired_results([[query.delta(name) for query in queries] for name in names])
    return Comparison(
        previous=previous,
        corpus_changed=changed,
        primary=primary_measure(names),
        metrics=tuple(
            MetricDelta(name=name, current=current.metrics[name], previous=previous.metrics[name], paired=result)
            for name, result in zip(names, results, strict=True)
        ),
        queries=queries,
        auroc={name: value - previous.auroc[name] for name, value in current.auroc.items() if name in previous.auroc},
    )


def primary_measure(names: Iterable[str]) -> str:
    """The measure one looks at first: nDCG at the largest cutoff, else the first there is, else nothing."""
    listed = list(names)
    parsed = [(name, parse_measure(name)) for name in listed]
    ndcg = [(measure.cutoff or math.inf, name) for name, measure in parsed if isinstance(measure, NDCG)]
    return max(ndcg)[1] if ndcg else next(iter(listed), "")
