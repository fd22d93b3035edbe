"""Every golden query under every condition, from legs that are run once.

A sweep is the search itself under other constants: ranks, scores, their rounding and the order of equals are those of
:func:`grooveseek.retrieval.pipeline.fuse` and :func:`~grooveseek.retrieval.pipeline.order`, written for arrays. What a
condition earns is given by the same measures as an evaluation's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grooveseek.evaluation.hits import EvalHit, Level, Target, judged_of
from grooveseek.evaluation.measures import Measure
from grooveseek.evaluation.tune.grid import Condition
from grooveseek.retrieval.fusion import LEAST, as_compared
from grooveseek.retrieval.legs import fulltext_scores
from grooveseek.retrieval.pipeline import LegResults
from grooveseek.store.fulltext import ColumnWeights
from grooveseek.store.ranking import as_ranked, labels_of
from grooveseek.store.records import Ids, Scores
from grooveseek.store.store import Store

Floats = npt.NDArray[np.float64]
Ranks = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

NOWHERE = np.iinfo(np.int64).max
"""The rank of what is not found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """One query's candidates under every weighting, in the order of equals: by path, then place in the document.

    Ranks are from 1, infinite for what is no candidate of the leg; scores are NaN for what the leg did not find. The
    full-text arrays have one row a weighting. ``documents`` numbers the documents, rising.
    """

    hits: tuple[EvalHit, ...]
    documents: Ids
    vector_ranks: Floats
    vector_scores: Scores
    vector_minimum: float
    fulltext_ranks: Floats
    fulltext_scores: Scores
    weightings: tuple[ColumnWeights, ...]

    @property
    def fulltext_candidates(self) -> int:
        """How many candidates the full-text leg has, whatever the weighting."""
        return int(np.isfinite(self.fulltext_ranks[0]).sum())


def pool_of(store: Store, legs: LegResults, weightings: Sequence[ColumnWeights], depth: int) -> Pool:
    """Gather a query's candidates, ``depth`` a leg. What the query may find is what ``legs`` found, whose own
    weighting does not matter."""
    ids, scores = _permitted(store, legs, weightings)
    rounded = as_ranked(scores)
    reach = [_within(rounded[:, column], depth) for column in range(len(weightings))]
    kept = np.logical_or.reduce(reach)
    near = legs.vector.candidates.ids
    every = np.union1d(ids[kept], near)
    labels = labels_of(store.database, every)
    every = np.array(sorted(labels, key=lambda id_: labels[id_][:2]), dtype=np.int64)
    hits = tuple(
        EvalHit(path=path, chunk=idx, score=0.0, heading=heading)
        for path, idx, heading in (labels[id_] for id_ in every.tolist())
    )
    numbers = {path: number for number, path in enumerate(dict.fromkeys(hit.path for hit in hits))}
    return Pool(
        hits=hits,
        documents=np.array([numbers[hit.path] for hit in hits], dtype=np.int64),
        vector_ranks=_place_in(every, near, np.arange(1, len(near) + 1, dtype=np.float64), np.inf),
        vector_scores=_cosines(legs, every),
        vector_minimum=legs.vector.minimum,
        fulltext_ranks=np.stack([_leg_ranks(_place_in(every, ids, column, np.nan), depth) for column in rounded.T]),
        fulltext_scores=np.stack([_place_in(every, ids, column, np.nan) for column in scores.T]),
        weightings=tuple(weightings),
    )


def ranks_under(pool: Pool, conditions: Sequence[Condition]) -> Ranks:
    """The rank of every candidate under each condition: one row a condition; NOWHERE for what it does not bring."""
    scores = np.zeros((len(conditions), len(pool.hits)))
    rows_by_weighting: dict[ColumnWeights, list[int]] = {}
    for row, condition in enumerate(conditions):
        rows_by_weighting.setdefault(condition.weights, []).append(row)
    for weights, rows in rows_by_weighting.items():
        column = pool.weightings.index(weights)
        for method, fuse in (("rrf", _rrf), ("convex", _convex)):
            chosen = [row for row in rows if conditions[row].fusion.method == method]
            if chosen:
                scores[chosen] = fuse(pool, column, [conditions[row] for row in chosen])
    order = np.argsort(-as_compared(scores), axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(1, scores.shape[1] + 1)[np.newaxis, :], axis=1)
    return np.where(scores > 0, ranks, NOWHERE)


def credited_ranks(pool: Pool, ranks: Ranks, targets: Sequence[Target], level: Level) -> Ranks:
    """The rank at which each target is credited: one row a condition, one column a target."""
    credited = np.full((len(ranks), len(targets)), NOWHERE, dtype=np.int64)
    if level is Level.DOCUMENT:
        numbers = {hit.path: number for hit, number in zip(pool.hits, pool.documents.tolist(), strict=True)}
        by_document = _document_ranks(pool, ranks)
        for column, target in enumerate(targets):
            if target.path in numbers:
                credited[:, column] = by_document[:, numbers[target.path]]
        return credited
    for column, target in enumerate(targets):
        matching = [place for place, hit in enumerate(pool.hits) if target.matches(hit)]
        if matching:
            credited[:, column] = ranks[:, matching].min(axis=1)
    return credited


def measure_ranks(credited: Ranks, targets: Sequence[Target], measures: Sequence[Measure], depth: int) -> Floats:
    """Each measure under each condition, one row a measure. Ranks beyond ``depth`` are not seen."""
    seen = np.where(credited > depth, 0, credited)
    outcomes, which = np.unique(seen, axis=0, return_inverse=True)
    judged = judged_of(targets)
    ids = list(judged)
    rankings = [_ranking(outcome, ids, depth) for outcome in outcomes.tolist()]
    worth = [[measure.evaluate(ranking, judged) for ranking in rankings] for measure in measures]
    return np.array(worth, dtype=np.float64)[:, which.reshape(-1)]


def _ranking(outcome: Sequence[int], ids: Sequence[str], depth: int) -> list[str]:
    """A ranking with the targets at their ranks (0: none) and what nobody judged between them."""
    ranking = [f"#{rank}" for rank in range(1, depth + 1)]
    for id_, rank in zip(ids, outcome, strict=True):
        if rank:
            ranking[rank - 1] = id_
    return ranking


# -- legs ----------------------------------------------------------------------------------------------------------


def _permitted(store: Store, legs: LegResults, weightings: Sequence[ColumnWeights]) -> tuple[Ids, Scores]:
    """The full-text scores of what the query may find."""
    ids, scores = fulltext_scores(store, legs.query, weightings)
    keep = np.isin(ids, legs.fulltext.ids, assume_unique=True)
    return ids[keep], scores[keep]


def _cosines(legs: LegResults, every: Ids) -> Scores:
    """The exact cosine of every candidate of either leg, as the fusion asks for it; NaN without a vector."""
    known = legs.vector.scores_of(every.tolist())
    return np.array([known.get(id_, np.nan) for id_ in every.tolist()], dtype=np.float64)


def _within(rounded: Scores, depth: int) -> Flags:
    """What may be among the best: whole ties at the edge included."""
    if len(rounded) <= depth:
        return np.ones(len(rounded), dtype=np.bool_)
    kth = np.partition(rounded, len(rounded) - depth)[len(rounded) - depth]
    reached: Flags = rounded >= kth
    return reached


def _leg_ranks(rounded: Scores, depth: int) -> Floats:
    """Ranks in a leg of what stands in the order of equals; NaN scores have none."""
    ranks = np.full(len(rounded), np.inf)
    order = np.argsort(-rounded, kind="stable")  # NaN goes last
    best = order[: min(depth, int(np.sum(~np.isnan(rounded))))]
    ranks[best] = np.arange(1, len(best) + 1)
    return ranks


def _place_in(every: Ids, ids: Ids, values: Scores, missing: float) -> Floats:
    """``values`` of ``ids`` at the places their ids have in ``every``."""
    placed = np.full(len(every), missing)
    by_id = np.argsort(ids, kind="stable")
    _, mine, theirs = np.intersect1d(every, ids[by_id], assume_unique=True, return_indices=True)
    placed[mine] = values[by_id][theirs]
    return placed


# -- fusion --------------------------------------------------------------------------------------------------------


def _rrf(pool: Pool, column: int, conditions: Sequence[Condition]) -> Floats:
    """:func:`grooveseek.retrieval.fusion.reciprocal_rank_fusion`, one row a condition."""
    rrf_k, vector, fulltext = (
        np.array([[getattr(condition.fusion, name)] for condition in conditions])
        for name in ("rrf_k", "vector_weight", "fts_weight")
    )
    scores: Floats = vector / (rrf_k + pool.vector_ranks) + fulltext / (rrf_k + pool.fulltext_ranks[column])
    return scores


def _convex(pool: Pool, column: int, conditions: Sequence[Condition]) -> Floats:
    """:func:`grooveseek.retrieval.fusion.convex_combination`, one row a condition."""
    alpha = np.array([[condition.fusion.alpha] for condition in conditions])
    either = np.isfinite(pool.vector_ranks) | np.isfinite(pool.fulltext_ranks[column])
    by_vector = alpha * _normalised(pool.vector_scores, either, minimum=pool.vector_minimum)
    by_fulltext = (1.0 - alpha) * _normalised(pool.fulltext_scores[column], either, minimum=0.0)
    scores: Floats = np.where(np.isnan(by_vector), 0.0, by_vector) + np.where(np.isnan(by_fulltext), 0.0, by_fulltext)
    return scores


def _normalised(scores: Scores, either: Flags, *, minimum: float) -> Floats:
    """NaN where the leg did not find a candidate of either leg."""
    found = np.where(either, scores, np.nan)
    span = np.nanmax(found) - minimum if not np.all(np.isnan(found)) else 0.0
    return np.maximum((found - minimum) / span, LEAST) if span > 0 else np.where(np.isnan(found), np.nan, 1.0)


def _document_ranks(pool: Pool, ranks: Ranks) -> Ranks:
    """The rank of each document by its first chunk; documents are numbered as in the pool."""
    if not len(pool.hits):
        return ranks
    starts = np.flatnonzero(np.diff(pool.documents, prepend=-1))
    first = np.minimum.reduceat(ranks, starts, axis=1)
    order = np.argsort(first, axis=1, kind="stable")
    places = np.empty_like(order)
    np.put_along_axis(places, order, np.arange(1, first.shape[1] + 1)[np.newaxis, :], axis=1)
    return np.where(first == NOWHERE, NOWHERE, places)
