"""The two legs: what a query finds by meaning, and what it finds by words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from grooveseek.embedding.protocol import Vectors
from grooveseek.model.query import Filters
from grooveseek.retrieval.query import CompiledQuery, any_of
from grooveseek.store.fulltext import ColumnWeights
from grooveseek.store.ranking import best, without
from grooveseek.store.records import Candidates, Ids, Scores
from grooveseek.store.store import Store

Degraded = Literal["vector_only", "fulltext_only"]

_NO_IDS: Ids = np.zeros(0, dtype=np.int64)
_NO_SCORES: Scores = np.zeros(0, dtype=np.float64)
NOTHING = Candidates(ids=_NO_IDS, scores=_NO_SCORES)

SUBSTRING_WEIGHT = 0.5
"""What a trigram match adds beside a word match (chosen by measurement: eval/README.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """The chunks a search may answer with: ``allowed`` by filters (``None``: all), less what each leg holds back."""

    allowed: Ids | None
    held_back_from_vector: Ids
    held_back_from_fulltext: Ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """How a query's cosines are spread over everything it may find: what a best cosine is measured against."""

    mean: float
    deviation: float
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorLeg:
    """The vector leg's candidates, best first, and the spread of all cosines."""

    candidates: Candidates
    background: Background


@dataclass(frozen=True, slots=True, kw_only=True)
class LegReport:
    """What each leg did. A count is ``None`` when the leg did not run."""

    vector_candidates: int | None = None
    fulltext_candidates: int | None = None
    dropped_terms: tuple[str, ...] = ()
    degraded: Degraded | None = None
    reason: str | None = field(default=None)


def population(store: Store, filters: Filters, query: CompiledQuery, *, quality_threshold: float | None) -> Population:
    """Work out what both legs may look at. ``quality_threshold`` is ``None`` when the quality rule is off."""
    excluded = excluded_ids(store, query)
    allowed = store.selection.chunk_ids(filters)
    if quality_threshold is None:
        return Population(allowed=allowed, held_back_from_vector=excluded, held_back_from_fulltext=excluded)
    low = store.selection.low_quality_ids(quality_threshold, boilerplate_only=False)
    boilerplate = store.selection.low_quality_ids(quality_threshold, boilerplate_only=True)
    return Population(
        allowed=allowed,
        held_back_from_vector=np.union1d(excluded, low),
        held_back_from_fulltext=np.union1d(excluded, boilerplate),
    )


def excluded_ids(store: Store, query: CompiledQuery) -> Ids:
    """Chunks that hold something the query excludes, ascending."""
    phrases = any_of(query.excluded, spelled=False)
    words = any_of(query.excluded_words, spelled=True)
    by_phrase = store.fulltext.ids("fts_trigram", phrases.text) if phrases else _NO_IDS
    by_word = store.fulltext.ids("fts_words", words.text) if words else _NO_IDS
    return np.union1d(by_phrase, by_word)


def vector_leg(store: Store, query: Vectors, who: Population, depth: int) -> VectorLeg:
    """The ``depth`` chunks nearest to the query vector."""
    ids, cosines = store.vectors.scores(query)
    ids, cosines = without(ids, cosines, allowed=who.allowed, held_back=who.held_back_from_vector)
    background = Background(
        mean=float(cosines.mean()) if len(cosines) else 0.0,
        deviation=float(cosines.std()) if len(cosines) else 0.0,
        count=len(cosines),
    )
    return VectorLeg(candidates=best(store.database, ids, cosines, depth), background=background)


def fulltext_leg(store: Store, query: CompiledQuery, who: Population, depth: int, weights: ColumnWeights) -> Candidates:
    """The ``depth`` chunks that match the query's words and phrases best.

    A chunk's score is its BM25 in the word table plus :data:`SUBSTRING_WEIGHT` times its BM25 in the trigram table, so
    that stemmed words rank and a substring is still found where no word matches.
    """
    ids, scores = _sum_of_tables(store, query, weights)
    ids, scores = without(ids, scores, allowed=who.allowed, held_back=who.held_back_from_fulltext)
    return best(store.database, ids, scores, depth)


def _sum_of_tables(store: Store, query: CompiledQuery, weights: ColumnWeights) -> tuple[Ids, Scores]:
    words = any_of(query.words, spelled=True)
    phrases = any_of(query.phrases, spelled=False)
    parts: list[tuple[Ids, Scores]] = []
    if words is not None:
        parts.append(store.fulltext.matches("fts_words", words.text, weights))
    if phrases is not None:
        ids, scores = store.fulltext.matches("fts_trigram", phrases.text, weights)
        parts.append((ids, scores * SUBSTRING_WEIGHT))
    if not parts:
        return _NO_IDS, _NO_SCORES
    every = np.unique(np.concatenate([ids for ids, _ in parts]))
    total = np.zeros(len(every), dtype=np.float64)
    for ids, scores in parts:
        total[np.searchsorted(every, ids)] += scores
    return every, total
