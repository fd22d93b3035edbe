"""What a person should look at in the golden set, the index or the fusion; nothing here changes an exit code."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from grooveseek.evaluation.golden import Expected, GoldenQuery
from grooveseek.evaluation.leakage import Leak
from grooveseek.evaluation.outcome import Finding, Leg, Miss, QueryReport, Quoted
from grooveseek.evaluation.statistics import ALPHA, PairedResult, paired_results

MOST_NAMED = 20
"""Documents named one by one; the rest are counted. An imported collection may miss thousands."""


def leg_findings(queries: Sequence[QueryReport], primary: str, alpha: float = ALPHA) -> tuple[Finding, ...]:
    """A warning for every leg that alone beats the fusion beyond chance on the primary measure."""
    legs = [leg for leg in Leg if leg is not Leg.FUSION and any(leg in query.legs for query in queries)]
    results = paired_results([_gains(queries, leg, primary) for leg in legs])
    return tuple(
        Finding(check="fusion-below-leg", message=_harm(leg, primary, result))
        for leg, result in zip(legs, results, strict=True)
        if result.mean < 0 and result.p_adjusted < alpha
    )


def leak_findings(leaks: Iterable[Leak], queries: Sequence[QueryReport]) -> tuple[Finding, ...]:
    """Findings for documents that quote golden queries, each with its rank among those queries' first hits."""
    tops = {query.id: {entry.hit.path: entry.rank for entry in reversed(query.top)} for query in queries}
    return tuple(
        Finding(
            check="golden-queries-quoted",
            message=f"{leak.path} quotes {len(leak.query_ids)} golden queries, so it is found for them whatever "
            "retrieval is worth. Leave it out of the index or reword the queries.",
            path=leak.path,
            quoted=tuple(
                Quoted(query_id=query_id, rank_in_top_k=tops.get(query_id, {}).get(leak.path))
                for query_id in leak.query_ids
            ),
        )
        for leak in leaks
    )


def stale_findings(query: GoldenQuery, stale: Iterable[Expected]) -> tuple[Finding, ...]:
    """Findings for entries whose quote no longer stands in their document (see :mod:`grooveseek.evaluation.quotes`)."""
    return tuple(
        Finding(
            check="golden-stale",
            message=f'The quote that query "{query.id}" expects in {entry.path} is no longer there, so the entry is '
            "not counted. Quote the document as it is now.",
            path=entry.path,
            query_id=query.id,
            line=entry.line,
        )
        for entry in stale
    )


def not_indexed_findings(queries: Iterable[QueryReport]) -> tuple[Finding, ...]:
    """Findings for relevant documents that are not in the index, one a document, the first query that expects it named.

    Such entries count as not found.
    """
    first: dict[str, QueryReport] = {}
    for query in queries:
        for entry in query.expected:
            if entry.miss is Miss.NOT_INDEXED and entry.relevance > 0:
                first.setdefault(entry.path, query)
    named = [_not_indexed(path, query) for path, query in list(first.items())[:MOST_NAMED]]
    if rest := len(first) - len(named):
        named.append(Finding(check="golden-not-indexed", message=f"{rest} more expected documents are not indexed."))
    return tuple(named)


def failed_findings(queries: Iterable[QueryReport]) -> tuple[Finding, ...]:
    """Findings for queries whose search did not run; their measures are 0."""
    return tuple(
        Finding(
            check="query-failed",
            message=f'Query "{query.id}" did not run and scores 0: {query.failed}',
            query_id=query.id,
            line=query.line,
        )
        for query in queries
        if query.failed is not None
    )


def _not_indexed(path: str, query: QueryReport) -> Finding:
    message = f'{path} is expected by query "{query.id}" but is not in the index. Correct the path, or index the file.'
    return Finding(check="golden-not-indexed", message=message, path=path, query_id=query.id, line=query.line)


def _gains(queries: Iterable[QueryReport], leg: Leg, primary: str) -> list[float]:
    """What fusion adds to a leg, query by query; NaN where either was not measured."""
    return [
        _score(query.legs.get(Leg.FUSION, {}), primary) - _score(query.legs.get(leg, {}), primary) for query in queries
    ]


def _score(scores: Mapping[str, float], name: str) -> float:
    return scores.get(name, math.nan)


def _harm(leg: Leg, primary: str, result: PairedResult) -> str:
    return (
        f"Fusion is worse than the {leg} leg alone: {primary} {result.mean:+.3f} over {result.queries} queries "
        f"(p = {result.p_adjusted:.3f}). Try groove tune --family all."
    )
