"""The two legs: what a query finds by meaning, and what it finds by words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from grooveseek.embedding.protocol import Vectors
from grooveseek.model.query import Filters
from grooveseek.retrieval.query import CompiledQuery, any_of
from grooveseek.store.fulltext import ColumnWeights
from grooveseek.store.ranking import best, without
from grooveseek.store.records import Candidates, Ids, Scores
from grooveseek.store.store import Store

_NO_IDS: Ids = np.zeros(0, dtype=np.int64)
_NO_SCORES: Scores = np.zeros(0, dtype=np.float64)

SUBSTRING_WEIGHT = 0.5
"""What a trigram match adds beside a word match (chosen by measurement: eval/README.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """The chunks a search may answer with: ``allowed`` by filters (``None``: all), less what the query excludes.

    ``low_quality`` chunks are no candidates of the vector leg, ``boilerplate`` of them none of the full-text leg.
    """

    allowed: Ids | None
    excluded: Ids
    low_quality: Ids
    boilerplate: Ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """How a query's cosines are spread over everything it may find: what a best cosine is measured against."""

    mean: float
    deviation: float
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """One leg's answer: its best candidates in order, and the score of everything it found (``ids`` ascending)."""

    candidates: Candidates
    ids: Ids
    scores: Scores

    def scores_of(self, wanted: Iterable[int]) -> dict[int, float]:
        """The scores of those of ``wanted`` that this leg found, however deep."""
        asked = np.unique(np.fromiter(wanted, dtype=np.int64))
        _, mine, _ = np.intersect1d(self.ids, asked, assume_unique=True, return_indices=True)
        return dict(zip(self.ids[mine].tolist(), self.scores[mine].tolist(), strict=True))

    def background(self) -> Background:
        """How this leg's scores are spread."""
        if not len(self.scores):
            return Background(mean=0.0, deviation=0.0, count=0)
        return Background(mean=float(self.scores.mean()), deviation=float(self.scores.std()), count=len(self.scores))


NO_LEG = Leg(candidates=Candidates(ids=_NO_IDS, scores=_NO_SCORES), ids=_NO_IDS, scores=_NO_SCORES)


def population(store: Store, filters: Filters, query: CompiledQuery, *, quality_threshold: float | None) -> Population:
    """Work out what both legs may look at. ``quality_threshold`` is ``None`` when the quality rule is off."""
    excluded = excluded_ids(store, query)
    allowed = store.selection.chunk_ids(filters)
    if quality_threshold is None:
        return Population(allowed=allowed, excluded=excluded, low_quality=_NO_IDS, boilerplate=_NO_IDS)
    return Population(
        allowed=allowed,
        excluded=excluded,
        low_quality=store.selection.low_quality_ids(quality_threshold, boilerplate_only=False),
        boilerplate=store.selection.low_quality_ids(quality_threshold, boilerplate_only=True),
    )


def excluded_ids(store: Store, query: CompiledQuery) -> Ids:
    """Chunks that hold something the query excludes, ascending."""
    phrases = any_of(query.excluded, spelled=False)
    words = any_of(query.excluded_words, spelled=True)
    by_phrase = store.fulltext.ids("fts_trigram", phrases.text) if phrases else _NO_IDS
    by_word = store.fulltext.ids("fts_words", words.text) if words else _NO_IDS
    return np.union1d(by_phrase, by_word)


def vector_leg(store: Store, query: Vectors, who: Population, depth: int) -> Leg:
    """Chunks by the cosine of their best window; the ``depth`` nearest are its candidates.

    A chunk of low quality is no candidate, but has its score, for when the full-text leg brings it.
    """
    ids, cosines = store.vectors.scores(query)
    ids, cosines = without(ids, cosines, allowed=who.allowed, held_back=who.excluded)
    near, near_cosines = without(ids, cosines, allowed=None, held_back=who.low_quality)
    return Leg(candidates=best(store.database, near, near_cosines, depth), ids=ids, scores=cosines)


def fulltext_leg(store: Store, query: CompiledQuery, who: Population, depth: int, weights: ColumnWeights) -> Leg:
    """Chunks that match the query's words and phrases; the ``depth`` best are its candidates.

    A chunk's score is its BM25 in the word table plus :data:`SUBSTRING_WEIGHT` times its BM25 in the trigram table, so
    that stemmed words rank and a substring is still found where no word matches.
    """
    ids, columns = fulltext_scores(store, query, (weights,))
    ids, scores = without(ids, columns[:, 0], allowed=who.allowed, held_back=np.union1d(who.excluded, who.boilerplate))
    return Leg(candidates=best(store.database, ids, scores, depth), ids=ids, scores=scores)


def fulltext_scores(store: Store, query: CompiledQuery, weightings: Sequence[ColumnWeights]) -> tuple[Ids, Scores]:
    """Everything that matches, ascending, and its scores: one row a chunk, one column a weighting.

    Which chunks match does not depend on the weighting.
    """
    words = any_of(query.words, spelled=True)
    phrases = any_of(query.phrases, spelled=False)
    parts: list[tuple[Ids, Scores]] = []
    if words is not None:
        parts.append(store.fulltext.matches_under("fts_words", words.text, weightings))
    if phrases is not None:
        ids, scores = store.fulltext.matches_under("fts_trigram", phrases.text, weightings)
        parts.append((ids, scores * SUBSTRING_WEIGHT))
    every = np.unique(np.concatenate([_NO_IDS, *(ids for ids, _ in parts)]))
    total = np.zeros((len(every), len(weightings)), dtype=np.float64)
    for ids, scores in parts:
        total[np.searchsorted(every, ids)] += scores
    return every, total
