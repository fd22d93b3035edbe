"""The two legs: what a query finds by meaning, and what it finds by words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from grooveseek.embedding.protocol import Vectors
from grooveseek.model.query import Filters
from grooveseek.retrieval.query import CompiledQuery, forms
from grooveseek.store.fulltext import ColumnWeights
from grooveseek.store.ranking import best, contains, united, without
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


class Beyond(Protocol):
    """What a leg can still tell of the chunks it has not scored. Reads the index, which must be open."""

    def scores_of(self, ids: Ids) -> tuple[Ids, Scores]:
        """The exact scores of those of ``ids`` (ascending) that the leg would find; ids ascending."""
        ...

    def background(self) -> Background:
        """How the scores of everything the leg could find are spread."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """One leg's answer: its best candidates in order, and the scores it has worked out (``ids`` ascending).

    ``minimum`` is the least score there can be: 0 for BM25, and what the embedding model says of its cosines.
    Those are of everything it found, unless there is something ``beyond``: on a large index only what may be wanted is
    scored.
    """

    candidates: Candidates
    ids: Ids
    scores: Scores
    beyond: Beyond | None = None
    minimum: float = 0.0

    def scores_of(self, wanted: Iterable[int]) -> dict[int, float]:
        """The scores of those of ``wanted`` that this leg finds, however deep."""
        asked = united(np.fromiter(wanted, dtype=np.int64))
        known = contains(self.ids, asked)
        mine = np.searchsorted(self.ids, asked[known])
        scores = dict(zip(asked[known].tolist(), self.scores[mine].tolist(), strict=True))
        if self.beyond is not None and not known.all():
            ids, further = self.beyond.scores_of(asked[~known])
            scores.update(zip(ids.tolist(), further.tolist(), strict=True))
        return scores

    def background(self) -> Background:
        """How the scores of everything this leg can find are spread."""
        return _spread(self.scores, len(self.scores)) if self.beyond is None else self.beyond.background()


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
    found = [_NO_IDS]
    found += map(store.fulltext.ids_with_substring, forms(query.excluded, spelled=False))
    found += map(store.fulltext.ids_with_words, forms(query.excluded_words, spelled=True))
    return united(*found)


def vector_leg(store: Store, query: Vectors, who: Population, depth: int, *, minimum: float = -1.0) -> Leg:
    """Chunks by the cosine of their best window; the ``depth`` nearest are its candidates.

    A chunk of low quality is no candidate, but has its score, for when the full-text leg brings it.
    """
    if store.vectors.is_large():
        return _large_vector_leg(store, query, who, depth, minimum)
    ids, cosines = store.vectors.scores(query)
    ids, cosines = without(ids, cosines, allowed=who.allowed, held_back=who.excluded)
    near, near_cosines = without(ids, cosines, allowed=None, held_back=who.low_quality)
    return Leg(candidates=best(store.database, near, near_cosines, depth), ids=ids, scores=cosines, minimum=minimum)


def _large_vector_leg(store: Store, query: Vectors, who: Population, depth: int, minimum: float) -> Leg:
    held_back = united(who.excluded, who.low_quality)
    ids, cosines = store.vectors.near(query, depth, allowed=who.allowed, held_back=held_back)
    near = best(store.database, ids, cosines, depth)
    return Leg(candidates=near, ids=ids, scores=cosines, beyond=_Cosines(store, query, who), minimum=minimum)


@dataclass(frozen=True, slots=True)
class _Cosines:
    """The cosines of a query in a large index, as they are asked for."""

    store: Store
    query: Vectors
    who: Population

    def scores_of(self, ids: Ids) -> tuple[Ids, Scores]:
        ids, cosines = self.store.vectors.scores_of(self.query, ids)
        return without(ids, cosines, allowed=self.who.allowed, held_back=self.who.excluded)

    def background(self) -> Background:
        """Estimated from the exact cosines of some chunks spread over the population, always the same ones."""
        sample = self.store.vectors.sample(self.who.allowed, self.who.excluded)
        return _spread(sample.cosines(self.query), sample.population)


def _spread(scores: Scores, count: int) -> Background:
    if not len(scores):
        return Background(mean=0.0, deviation=0.0, count=0)
    return Background(mean=float(scores.mean()), deviation=float(scores.std()), count=count)


def fulltext_leg(store: Store, query: CompiledQuery, who: Population, depth: int, weights: ColumnWeights) -> Leg:
    """Chunks that match the query's words and phrases; the ``depth`` best are its candidates.

    A chunk's score is its BM25 in the word table plus :data:`SUBSTRING_WEIGHT` times what it has for substrings, so
    that stemmed words rank and a substring is still found where no word matches.
    """
    ids, columns = fulltext_scores(store, query, (weights,))
    ids, scores = without(ids, columns[:, 0], allowed=who.allowed, held_back=united(who.excluded, who.boilerplate))
    return Leg(candidates=best(store.database, ids, scores, depth), ids=ids, scores=scores)


def fulltext_scores(store: Store, query: CompiledQuery, weightings: Sequence[ColumnWeights]) -> tuple[Ids, Scores]:
    """Everything that matches, ascending, and its scores: one row a chunk, one column a weighting.

    Which chunks match does not depend on the weighting.
    """
    words = store.fulltext.of_words(forms(query.words, spelled=True), weightings)
    substrings = store.fulltext.of_substrings(forms(query.phrases, spelled=False), weightings)
    ids = np.flatnonzero(words.found | substrings.found)
    return ids, (words.scores[:, ids] + SUBSTRING_WEIGHT * substrings.scores[:, ids]).T
