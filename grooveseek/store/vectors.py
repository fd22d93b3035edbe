"""The vector leg: cosine of a query against every window, best window a chunk.

A small index is scanned whole. A large one goes through a funnel: the windows whose signs differ least from the
query's (:mod:`grooveseek.store.signs`), the best of them by a finer estimate, and of those the stored vectors. Every
cosine that is given out is exact; what a funnel can do is miss a chunk (docs/performance.md says how seldom).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from grooveseek.store.database import Database
from grooveseek.store.documents import unpack
from grooveseek.store.ranking import best, without
from grooveseek.store.records import Candidates, Ids, Scores
from grooveseek.store.signs import SignCodes, best_by_chunk

_BLOCK = 4096
KEPT_IN_MEMORY = 20_000
"""Windows up to this number stay in memory between queries (30 MB at 384 dimensions); larger indexes are
searched through the funnel."""
COARSE, COARSE_A_RESULT, COARSE_SHARE = 16_000, 60, 40
"""Windows that pass the count of differing signs: so many, so many for each result asked for, or one of so many that
there are, whichever is most."""
FINE, FINE_A_RESULT, FINE_SHARE = 1_000, 8, 500
"""Chunks whose stored vectors are read, likewise."""
FEW_ALLOWED = 4_096
"""A filter that leaves no more chunks than this has all of them read: exact, and as quick as the funnel."""
SAMPLE = 1_024
"""Chunks that stand for a large index where the spread of a query's cosines is wanted."""

Block = tuple[Ids, npt.NDArray[np.float32]]


class VectorIndex:
    """Nearest chunks by cosine, exact."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._stamp: tuple[int, int, int] | None = None
        self._kept: list[Block] | None = None
        self._count = 0
        self._counted_at: tuple[int, int, int] | None = None
        self._signs = SignCodes(database)

    def is_large(self) -> bool:
        """Whether searches go through the funnel, and :meth:`scores` is slow."""
        stamp = self._db.version_stamp()
        if stamp != self._counted_at:
            self._count = int(self._db.value("SELECT count(*) FROM chunk_vectors"))
            self._counted_at = stamp
        return self._count > KEPT_IN_MEMORY

    def nearest(self, query: npt.NDArray[np.float32], k: int, *, allowed: Ids | None, held_back: Ids) -> Candidates:
        """The ``k`` chunks nearest to ``query`` (unit length, float32 [dimension]) among those allowed.

        ``allowed`` and ``held_back`` are ascending. Exact for a small index and for few allowed chunks.
        """
        ids, scores = self._near(query, k, allowed, held_back)
        ids, scores = without(ids, scores, allowed=allowed, held_back=held_back)
        return best(self._db, ids, scores, k)

    def _near(self, query: npt.NDArray[np.float32], k: int, allowed: Ids | None, held_back: Ids) -> tuple[Ids, Scores]:
        if not self.is_large():
            return self.scores(query)
        if allowed is not None and len(allowed) <= FEW_ALLOWED:
            return self.scores_of(query, allowed)
        coarse = max(COARSE, COARSE_A_RESULT * k, self._count // COARSE_SHARE)
        fine = max(FINE, FINE_A_RESULT * k, self._count // FINE_SHARE)
        permitted = self._signs.permitted(allowed, held_back)
        while True:
            estimates = self._signs.nearest(query, coarse, permitted)
            chosen = best_by_chunk(estimates, fine)
            if len(chosen) >= k or len(estimates.ids) < coarse // 2:
                return self.scores_of(query, chosen)
            coarse *= 4  # chunks of many windows: few chunks among the windows that passed

    def scores_of(self, query: npt.NDArray[np.float32], chunk_ids: Ids) -> tuple[Ids, Scores]:
        """Those of ``chunk_ids`` that have a vector, with their best window's cosine; ids ascending."""
        rows = self._db.all(
            "SELECT chunk_id, vector FROM chunk_vectors WHERE chunk_id IN (SELECT value FROM json_each(?)) "
            "ORDER BY chunk_id",
            (json.dumps(chunk_ids.tolist()),),
        )
        if not rows:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float64)
        ids = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
        return _best_window(ids, _cosines(unpack([row[1] for row in rows]), query))

    def sample(self, allowed: Ids | None, held_back: Ids) -> tuple[Ids, int]:
        """Chunks spread evenly over what a search may find in a large index, always the same ones, and the number
        of all they stand for."""
        ids = self._signs.ids()
        permitted = self._signs.permitted(allowed, held_back)
        if permitted is not None:
            ids = ids[permitted[ids]]
        ids = ids[np.diff(ids, prepend=-1) != 0]
        places = np.arange(min(SAMPLE, len(ids))) * len(ids) // max(1, min(SAMPLE, len(ids)))
        return ids[places], len(ids)

    def scores(self, query: npt.NDArray[np.float32]) -> tuple[Ids, Scores]:
        """Every chunk that has a vector, with its best window's cosine; ids ascending."""
        id_parts: list[Ids] = []
        score_parts: list[Scores] = []
        for chunk_ids, vectors in self._blocks():
            id_parts.append(chunk_ids)
            score_parts.append(_cosines(vectors, query))
        if not id_parts:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float64)
        return _best_window(np.concatenate(id_parts), np.concatenate(score_parts))

    def of(self, chunk_ids: Iterable[int]) -> dict[int, npt.NDArray[np.float32]]:
        """float32 [windows, dimension] for each chunk that has vectors."""
        rows = self._db.execute(
            "SELECT chunk_id, vector FROM chunk_vectors WHERE chunk_id IN (SELECT value FROM json_each(?)) "
            "ORDER BY chunk_id, window",
            (json.dumps([int(chunk_id) for chunk_id in chunk_ids]),),
        )
        blobs: dict[int, list[bytes]] = {}
        for chunk_id, blob in rows:
            blobs.setdefault(chunk_id, []).append(blob)
        return {chunk_id: unpack(parts) for chunk_id, parts in blobs.items()}

    def _blocks(self) -> Iterator[Block]:
        stamp = self._db.version_stamp()
        if self._kept is not None and stamp == self._stamp:
            yield from self._kept
            return
        self._kept = None
        small = not self.is_large()
        read: list[Block] = []
        for block in self._read_blocks():
            if small:
                read.append(block)
            yield block
        if small:
            self._kept, self._stamp = read, stamp

    def _read_blocks(self) -> Iterator[Block]:
        """Blocks of whole rows in the order of (chunk, window)."""
        ids: list[int] = []
        blobs: list[bytes] = []
        for chunk_id, blob in self._db.execute("SELECT chunk_id, vector FROM chunk_vectors ORDER BY chunk_id, window"):
            ids.append(chunk_id)
            blobs.append(blob)
            if len(ids) == _BLOCK:
                yield np.array(ids, dtype=np.int64), unpack(blobs)
                ids, blobs = [], []
        if ids:
            yield np.array(ids, dtype=np.int64), unpack(blobs)


def _cosines(vectors: npt.NDArray[np.float32], query: npt.NDArray[np.float32]) -> Scores:
    # einsum, not @: a matrix product of this size wakes the BLAS threads, which cost more than they bring
    cosines: Scores = np.einsum("ij,j->i", vectors, query).astype(np.float64)
    return cosines


def _best_window(ids: Ids, scores: Scores) -> tuple[Ids, Scores]:
    """One entry a chunk, its windows standing together in ``ids``."""
    firsts = np.flatnonzero(np.r_[True, ids[1:] != ids[:-1]])
    return ids[firsts], np.maximum.reduceat(scores, firsts)
