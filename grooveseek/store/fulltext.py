"""The full-text leg's two tables: what a phrase matches, and how well.

A word counts by BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) with FTS5's constants and
FTS5's way of weighting columns, so a score is what ``bm25()`` would say with its sign turned. A substring counts by
the same formula; only how often it stands in a chunk is not looked up, but taken to be as often as the word that is
spelled like it does, and at least once (adr/0014).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grooveseek.store.database import Database
from grooveseek.store.memory import Revisions
from grooveseek.store.postings import NOWHERE, ChunkIds, Population, PostingMemory, Postings, WordPosting
from grooveseek.store.ranking import contains
from grooveseek.store.records import Ids, Scores
from grooveseek.text.words import spell

_K1, _B = 1.2, 0.75
COMMON = 2_000
"""Chunks in which a word must stand for its substring matches to be left aside: among so many that hold the word
itself, one that holds it inside another word ranks nowhere, and looking for those takes longer than all the rest."""
_LEAST_IDF = 1e-6
"""FTS5's: what a phrase counts that stands in half of all chunks or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnWeights:
    """What a word counts in each column."""

    heading: float = 2.0
    context: float = 1.0
    content: float = 1.0


@dataclass(frozen=True, slots=True)
class Tally:
    """What some phrases match: a column stands for the chunk with its number as id, from 0 to the last id ever given.

    ``scores`` is float64 [weightings, columns], 0 where nothing matches; ``found`` says where something does, whatever
    the weights.
    """

    found: npt.NDArray[np.bool_]
    scores: Scores


class FullText:
    """Matches in the two full-text tables of one index."""

    def __init__(self, database: Database, revisions: Revisions, memory: PostingMemory) -> None:
        self._postings = Postings(database, revisions, memory)

    def of_words(self, phrases: Iterable[str], weightings: Sequence[ColumnWeights]) -> Tally:
        """Phrases of the word table (see :func:`grooveseek.text.words.spell`), their BM25 added up."""
        population = self._postings.population()
        tally = _blank(population, len(weightings))
        for phrase in phrases:
            posting = self._postings.of_words(phrase)
            often = (_weighted(posting, weights) for weights in weightings)
            _count(tally, posting.ids, often, population)
        return tally

    def of_substrings(self, phrases: Iterable[str], weightings: Sequence[ColumnWeights]) -> Tally:
        """Folded texts of three characters or more, for the trigram table.

        One that is a word and stands as such in :data:`COMMON` chunks or more is not looked for inside other words:
        those chunks are its matches.
        """
        population = self._postings.population()
        tally = _blank(population, len(weightings))
        for phrase in phrases:
            word = self._postings.of_words(phrase) if spell(phrase) == phrase and " " not in phrase else NOWHERE
            ids = word.ids if len(word.ids) >= COMMON else self._postings.of_substring(phrase)
            often = (np.maximum(1.0, _at(ids, word, _weighted(word, weights))) for weights in weightings)
            _count(tally, ids, often, population)
        return tally

    def chunk_count(self) -> int:
        """How many chunks there are."""
        return self._postings.population().count

    def present(self, ids: Ids) -> npt.NDArray[np.bool_]:
        """For each id whether there is such a chunk, as there is in an index that is not damaged."""
        alive = self._postings.population().alive
        return alive[np.minimum(ids, len(alive) - 1)] & (ids < len(alive))

    def ids_with_words(self, phrase: str) -> Ids:
        """Every chunk in which a phrase of the word table stands, ascending."""
        return self._postings.of_words(phrase).ids.astype(np.int64)

    def ids_with_substring(self, phrase: str) -> Ids:
        """Every chunk that holds a phrase of the trigram table, ascending."""
        return self._postings.of_substring(phrase).astype(np.int64)


def _blank(population: Population, weightings: int) -> Tally:
    columns = len(population.alive)
    return Tally(np.zeros(columns, dtype=np.bool_), np.zeros((weightings, columns), dtype=np.float64))


def _count(tally: Tally, ids: ChunkIds, often: Iterable[Scores], population: Population) -> None:
    """Add the BM25 of one phrase: its chunks, and how often it stands in each under each weighting."""
    places = ids.astype(np.intp)
    tally.found[places] = True
    idf = _idf(len(ids), population.count)
    norms = _K1 * (1.0 - _B + _B * np.take(population.relative_lengths, places))
    for scores, frequencies in zip(tally.scores, often, strict=True):
        scores[places] += idf * (frequencies * (_K1 + 1.0)) / (frequencies + norms)


def _at(ids: ChunkIds, posting: WordPosting, values: Scores) -> Scores:
    """The values of those of a posting's chunks that are among ``ids``, 0 for the rest of them."""
    if ids is posting.ids:
        return values
    found = np.zeros(len(ids), dtype=np.float64)
    known = contains(posting.ids, ids)
    found[known] = values[np.searchsorted(posting.ids, ids[known])]
    return found


def _idf(matching: int, chunks: int) -> float:
    """FTS5's: ln((N - n + 0.5) / (n + 0.5)), and next to nothing where that is not positive."""
    idf = math.log((chunks - matching + 0.5) / (matching + 0.5))
    return idf if idf > 0.0 else _LEAST_IDF


def _weighted(posting: WordPosting, weights: ColumnWeights) -> Scores:
    heading, context, content = posting.counts
    often: Scores = heading * weights.heading + context * weights.context + content * weights.content
    return often
