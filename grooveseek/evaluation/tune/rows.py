"""Golden queries under the conditions of a grid: what :mod:`grooveseek.evaluation.tune.sweep` does, query by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grooveseek.errors import GrooveError, StoreError
from grooveseek.evaluation.golden import GoldenQuery
from grooveseek.evaluation.hits import Target
from grooveseek.evaluation.quotes import resolve_quotes
from grooveseek.evaluation.runner import Progress
from grooveseek.evaluation.tune.crossval import Floats
from grooveseek.evaluation.tune.grid import Condition
from grooveseek.evaluation.tune.request import TuneRequest
from grooveseek.evaluation.tune.sweep import credited_ranks, measure_ranks, pool_of, ranks_under
from grooveseek.retrieval.pipeline import LEG_DEPTH, Searcher
from grooveseek.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """One query that took part. ``failed``: why its search did; it then counts 0 under every condition."""

    id: str
    query: str
    fulltext_candidates: int = 0
    failed: str | None = None

    @property
    def effective(self) -> bool:
        """Whether fusion has anything to order: two candidates of the full-text leg."""
        return self.fulltext_candidates >= 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One query: its values, [measure, condition]."""

    swept: Swept
    values: Floats
    error: GrooveError | None = None


class Sweep:
    """Golden queries under every condition of a grid, each query's legs run once.

    Afterwards ``skipped`` has the ids of queries that expect nothing, ``stale`` of those whose quote is gone.
    """

    def __init__(self, request: TuneRequest, searcher: Searcher, store: Store, conditions: Sequence[Condition]) -> None:
        self._request = request
        self._searcher = searcher
        self._store = store
        self._conditions = conditions
        self._weightings = tuple(dict.fromkeys(condition.weights for condition in conditions))
        self._measures = request.measures
        self._indexed = frozenset(store.documents.states())
        self.skipped: list[str] = []
        self.stale: list[str] = []

    def run(self, queries: Sequence[GoldenQuery], progress: Progress | None) -> list[Row]:
        """One row for each query that expects something, in order. Raises the first failure when every query failed."""
        rows: list[Row] = []
        for done, query in enumerate(queries):
            if progress is not None:
                progress(done, len(queries))
            resolved = resolve_quotes(query, self._contents_of)
            if resolved.stale:
                self.stale.append(query.id)
            targets = [target for target in resolved.targets if target.relevance > 0]
            if targets:
                rows.append(self._query(query, targets))
            else:
                self.skipped.append(query.id)
        if progress is not None:
            progress(len(queries), len(queries))
        errors = [row.error for row in rows if row.error is not None]
        if errors and len(errors) == len(rows):
            raise errors[0]
        return rows

    def _query(self, query: GoldenQuery, targets: Sequence[Target]) -> Row:
        options = self._request.options
        try:
            legs = self._searcher.run_legs(options.request(query.query))
        except StoreError:
            raise
        except GrooveError as error:
            nothing = np.zeros((len(self._measures), len(self._conditions)))
            return Row(swept=Swept(id=query.id, query=query.query, failed=str(error)), values=nothing, error=error)
        pool = pool_of(self._store, legs, self._weightings, max(LEG_DEPTH, options.depth))
        credited = credited_ranks(pool, ranks_under(pool, self._conditions), targets, options.level)
        return Row(
            swept=Swept(id=query.id, query=query.query, fulltext_candidates=len(legs.fulltext.candidates)),
            values=measure_ranks(credited, targets, self._measures, options.depth),
        )

    def _contents_of(self, path: str) -> Mapping[int, str] | None:
        if path not in self._indexed:
            return None
        return {stored.chunk.index: stored.chunk.content for stored in self._store.documents.chunks_of(path)}
