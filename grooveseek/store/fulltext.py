"""The full-text leg's two tables: every match of a MATCH expression with its BM25 score.

The score is FTS5's ``bm25()`` (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009; k1 = 1.2,
b = 0.75) with its sign turned, so that higher is better. Expressions come from the query compiler only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from grooveseek.store.database import Database
from grooveseek.store.records import Ids, Scores

Table = Literal["fts_trigram", "fts_words"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnWeights:
    """What a word counts in each column."""

    heading: float = 2.0
    context: float = 1.0
    content: float = 1.0


class FullText:
    """Matches in the two full-text tables of one index."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def matches(self, table: Table, expression: str, weights: ColumnWeights) -> tuple[Ids, Scores]:
        """Every chunk that matches, with its score; ids ascending."""
        ids, scores = self.matches_under(table, expression, (weights,))
        return ids, scores[:, 0]

    def matches_under(self, table: Table, expression: str, weightings: Sequence[ColumnWeights]) -> tuple[Ids, Scores]:
        """Every chunk that matches, ascending, and its scores: one row a chunk, one column a weighting.

        One walk over the matches serves every weighting. SQLite allows a statement 2,000 columns.
        """
        columns = ", ".join([f"-bm25({table}, ?, ?, ?)"] * len(weightings))
        weights = [weight for w in weightings for weight in (w.heading, w.context, w.content)]
        rows = self._db.all(
            f"SELECT rowid, {columns} FROM {table} WHERE {table} MATCH ? ORDER BY rowid", (*weights, expression)
        )
        ids = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
        scores = np.array([row[1:] for row in rows], dtype=np.float64).reshape(len(rows), len(weightings))
        return ids, scores

    def ids(self, table: Table, expression: str) -> Ids:
        """Every chunk that matches, ascending, without a score."""
        rows = self._db.all(f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid", (expression,))
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))

    def count(self, table: Table, expression: str) -> int:
        """How many chunks match."""
        return int(self._db.value(f"SELECT count(*) FROM {table} WHERE {table} MATCH ?", (expression,)))

    def among(self, table: Table, expression: str, ids: Iterable[int]) -> set[int]:
        """Those of a few chunks that match, looked up one by one rather than found among all that do."""
        sql = f"SELECT 1 FROM {table} WHERE {table} MATCH ? AND rowid = ?"
        return {id_ for id_ in ids if self._db.value(sql, (expression, id_)) is not None}
