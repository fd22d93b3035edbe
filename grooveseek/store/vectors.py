"""The vector leg: cosine of a query against every window, best window a chunk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from grooveseek.store.database import Database
from grooveseek.store.documents import unpack
from grooveseek.store.ranking import best, without
from grooveseek.store.records import Candidates, Ids, Scores

_BLOCK = 4096
KEPT_IN_MEMORY = 20_000
"""Windows up to this number stay in memory between queries (30 MB at 384 dimensions); more are read block by block."""

Block = tuple[Ids, npt.NDArray[np.float32]]


class VectorIndex:
    """Nearest chunks by cosine, exact."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._stamp: tuple[int, int] | None = None
        self._kept: list[Block] | None = None

    def nearest(self, query: npt.NDArray[np.float32], k: int, *, allowed: Ids | None, held_back: Ids) -> Candidates:
        """The ``k`` chunks nearest to ``query`` (unit length, float32 [dimension]) among those allowed."""
        ids, scores = self.scores(query)
        ids, scores = without(ids, scores, allowed=allowed, held_back=held_back)
        return best(self._db, ids, scores, k)

    def scores(self, query: npt.NDArray[np.float32]) -> tuple[Ids, Scores]:
        """Every chunk that has a vector, with its best window's cosine; ids ascending."""
        id_parts: list[Ids] = []
        score_parts: list[Scores] = []
        for chunk_ids, vectors in self._blocks():
            id_parts.append(chunk_ids)
            # einsum, not @: a matrix product of this size wakes the BLAS threads, which cost more than they bring
            score_parts.append(np.einsum("ij,j->i", vectors, query).astype(np.float64))
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
        small = int(self._db.value("SELECT count(*) FROM chunk_vectors")) <= KEPT_IN_MEMORY
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


def _best_window(ids: Ids, scores: Scores) -> tuple[Ids, Scores]:
    """One entry a chunk, its windows standing together in ``ids``."""
    firsts = np.flatnonzero(np.r_[True, ids[1:] != ids[:-1]])
    return ids[firsts], np.maximum.reduceat(scores, firsts)
