"""Relevance judgments and runs: what every retrieval measure is computed from."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from grooveseek.errors import GoldenError

MAX_RELEVANCE = 1000
"""2^1000 is still a float, so the exponential gain of any allowed relevance is finite."""

Judged = Mapping[str, int]
"""The judgments of one query: document id to relevance. 0 is judged and not relevant; absent is unjudged."""

_NOTHING: Judged = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Qrels:
    """Query id -> document id -> relevance, an integer from 0 to 1000.

    The queries stand in the order given. A query with no positive relevance has nothing to find: no measure is defined
    for it. Raises GoldenError for a relevance out of range or an empty id.
    """

    by_query: Mapping[str, Judged] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for query_id, judged in self.by_query.items():
            _check_ids("qrels", query_id, judged)
            for doc_id, relevance in judged.items():
                _check_relevance(query_id, doc_id, relevance)
        frozen = {query_id: MappingProxyType(dict(judged)) for query_id, judged in self.by_query.items()}
        object.__setattr__(self, "by_query", MappingProxyType(frozen))

    def of(self, query_id: str) -> Judged:
        """The judgments of one query; empty for a query that has none."""
        return self.by_query.get(query_id, _NOTHING)

    def relevant(self, query_id: str) -> int:
        """How many documents are relevant to the query."""
        return sum(relevance > 0 for relevance in self.of(query_id).values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Query id -> ranked list of (document id, score), best first. The list's order is the rank; it starts at 1.

    Scores are finite and take no part in measuring: a ranking that a later stage has reordered (MMR, say) need not fall
    by score. :meth:`from_scores` makes the ranking trec_eval and ir_measures would make of scores alone. Raises
    GoldenError for a document ranked twice for one query, an empty id, or a score that is not finite.
    """

    by_query: Mapping[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        frozen = {query_id: tuple(ranked) for query_id, ranked in self.by_query.items()}
        for query_id, ranked in frozen.items():
            _check_ids("run", query_id, (doc_id for doc_id, _ in ranked))
            _check_ranked(query_id, ranked)
        object.__setattr__(self, "by_query", MappingProxyType(frozen))

    @classmethod
    def from_scores(cls, scores: Mapping[str, Mapping[str, float]]) -> Run:
        """Rank by score as trec_eval does, so that measures agree with it where scores tie.

        Scores are compared as 32-bit floats (trec_eval holds them so), highest first; equal ones are ordered by
        document id, last in code-point order first. Any rank column of a file is ignored.
        """
        return cls(by_query={query_id: trec_order(docs.items()) for query_id, docs in scores.items()})

    def ranking(self, query_id: str) -> tuple[str, ...]:
        """Document ids of one query, best first; empty for a query the run does not have."""
        return tuple(doc_id for doc_id, _ in self.by_query.get(query_id, ()))


def trec_order(scored: Iterable[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """Sort (document id, score) pairs the way trec_eval ranks them; see :meth:`Run.from_scores`."""
    return tuple(sorted(scored, key=lambda pair: (as_float32(pair[1]), pair[0]), reverse=True))


def as_float32(value: float) -> float:
    """The nearest 32-bit float; beyond its range, infinity of the same sign, as a C cast gives."""
    try:
        narrowed: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return narrowed


def _check_ids(what: str, query_id: str, doc_ids: Iterable[str]) -> None:
    if not query_id:
        raise GoldenError(f"The {what} has an empty query id. Give every query an id.")
    if not all(doc_ids):
        raise GoldenError(f'The {what} has an empty document id for query "{query_id}". Give every document an id.')


def _check_relevance(query_id: str, doc_id: str, relevance: int) -> None:
    # a bool is an int to isinstance; True as a relevance is a mistake upstream
    if type(relevance) is not int or not 0 <= relevance <= MAX_RELEVANCE:
        raise GoldenError(
            f'Relevance {relevance!r} of "{doc_id}" for query "{query_id}" is not a whole number, 0 to {MAX_RELEVANCE}.'
        )


def _check_ranked(query_id: str, ranked: tuple[tuple[str, float], ...]) -> None:
    seen: set[str] = set()
    for rank, (doc_id, score) in enumerate(ranked, 1):
        if doc_id in seen:
            raise GoldenError(
                f'"{doc_id}" is ranked twice for query "{query_id}", again at rank {rank}. Keep its best rank only.'
            )
        if not math.isfinite(score):
            raise GoldenError(f'The score of "{doc_id}" for query "{query_id}" is {score}, not a finite number.')
        seen.add(doc_id)
