"""The vector leg: cosine of a query against every window, best window a chunk.

A small index is scanned whole. A large one goes through a funnel: the windows whose signs differ least from the
query's (:mod:`grooveseek.store.signs`), the best of them by a finer estimate, and of those the stored vectors. Every
cosine that is given out is exact; what a funnel can do is miss a chunk (docs/performance.md says how seldom).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grooveseek.store.database import Database
from grooveseek.store.documents import unpack
from grooveseek.store.memory import Follower, Kept, Revisions
from grooveseek.store.ranking import best, without
from grooveseek.store.records import Candidates, Ids, Scores
from grooveseek.store.signs import Segment, SignCodes, best_by_chunk

_BLOCK = 4096
KEPT_IN_MEMORY = 20_000
"""Windows up to this number stay in memory between queries (30 MB at 384 dimensions); larger indexes are
searched through the funnel."""
COARSE, COARSE_A_RESULT, COARSE_SHARE = 16_000, 60, 40
"""Windows that pass the count of differing signs: so many, so many for each result asked for, or one of so many that
there are, whichever is most."""
FINE, FINE_A_RESULT, FINE_SHARE = 800, 5, 800
"""Chunks whose stored vectors are read, likewise."""
FEW_ALLOWED = 4_096
"""A filter that leaves no more chunks than this has all of them read: exact, and as quick as the funnel."""
SAMPLE = 1_024
"""Chunks that stand for a large index where the spread of a query's cosines is wanted."""

Block = tuple[Ids, npt.NDArray[np.float32]]
"""Windows: the chunk of each, ascending, and float32 [windows, dimension]."""

_NO_IDS: Ids = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Sample:
    """Chunks that stand for all a search may find: their windows as a block, and how many chunks they stand for."""

    block: Block
    population: int

    def cosines(self, query: npt.NDArray[np.float32]) -> Scores:
        """The cosine of each chunk's best window."""
        return _scored([self.block], query)[1]


class VectorMemory:
    """What is kept of the vectors of one index file: all of a small one, the signs of a large one."""

    def __init__(self) -> None:
        self.count: Kept[int] = Kept()
        self.blocks: Kept[list[Block]] = Kept()
        self.codes: Kept[list[Segment]] = Kept()
        self.sample: Kept[Sample] = Kept()


class VectorIndex:
    """Nearest chunks by cosine, exact."""

    def __init__(self, database: Database, revisions: Revisions, memory: VectorMemory) -> None:
        self._db = database
        self._signs = SignCodes(database, revisions, memory.codes)
        self._count = Follower(memory.count, revisions, self._read_count)
        self._blocks = Follower(memory.blocks, revisions, lambda _: list(self._read_blocks()))
        self._sample = Follower(memory.sample, revisions, lambda _: self._read_sample(None, _NO_IDS))

    def is_large(self) -> bool:
        """Whether searches go through the funnel, and :meth:`scores` is slow."""
        return self._count.current() > KEPT_IN_MEMORY

    def _read_count(self, _: int | None) -> int:
        return int(self._db.value("SELECT count(*) FROM chunk_vectors"))

    def nearest(self, query: npt.NDArray[np.float32], k: int, *, allowed: Ids | None, held_back: Ids) -> Candidates:
        """The ``k`` chunks nearest to ``query`` (unit length, float32 [dimension]) among those allowed.

        ``allowed`` and ``held_back`` are ascending. Exact for a small index and for few allowed chunks.
        """
        return best(self._db, *self.near(query, k, allowed=allowed, held_back=held_back), k)

    def near(
        self, query: npt.NDArray[np.float32], k: int, *, allowed: Ids | None, held_back: Ids
    ) -> tuple[Ids, Scores]:
        """Chunks among which the ``k`` nearest are, ascending, with their cosines."""
        ids, scores = self._near(query, k, allowed, held_back)
        return without(ids, scores, allowed=allowed, held_back=held_back)

    def _near(self, query: npt.NDArray[np.float32], k: int, allowed: Ids | None, held_back: Ids) -> tuple[Ids, Scores]:
        if not self.is_large():
            return self.scores(query)
        if allowed is not None and len(allowed) <= FEW_ALLOWED:
            return self.scores_of(query, allowed)
        count = self._count.current()
        coarse = max(COARSE, COARSE_A_RESULT * k, count // COARSE_SHARE)
        fine = max(FINE, FINE_A_RESULT * k, count // FINE_SHARE)
        permitted = self._signs.permitted(allowed, held_back)
        while True:
            estimates = self._signs.nearest(query, coarse, permitted)
            chosen = best_by_chunk(estimates, fine)
            if len(chosen) >= k or len(estimates.ids) < coarse // 2:
                return self.scores_of(query, chosen)
            coarse *= 4  # chunks of many windows: few chunks among the windows that passed

    def scores_of(self, query: npt.NDArray[np.float32], chunk_ids: Ids) -> tuple[Ids, Scores]:
        """Those of ``chunk_ids`` that have a vector, with their best window's cosine; ids ascending."""
        return _scored([self._block_of(chunk_ids)], query)

    def scores(self, query: npt.NDArray[np.float32]) -> tuple[Ids, Scores]:
        """Every chunk that has a vector, with its best window's cosine; ids ascending."""
        return _scored(self._read_blocks() if self.is_large() else self._blocks.current(), query)

    def sample(self, allowed: Ids | None, held_back: Ids) -> Sample:
        """Chunks spread evenly over what a search may find in a large index, always the same ones."""
        everything = allowed is None and not len(held_back)
        return self._sample.current() if everything else self._read_sample(allowed, held_back)

    def _read_sample(self, allowed: Ids | None, held_back: Ids) -> Sample:
        ids = self._signs.ids()
        permitted = self._signs.permitted(allowed, held_back)
        if permitted is not None:
            ids = ids[permitted[ids]]
        ids = ids[np.diff(ids, prepend=-1) != 0]
        places = np.arange(min(SAMPLE, len(ids))) * len(ids) // max(1, min(SAMPLE, len(ids)))
        return Sample(block=self._block_of(ids[places]), population=len(ids))

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

    def _block_of(self, chunk_ids: Ids) -> Block:
        """The windows of some chunks, in the order of the chunks: a cross join is walked as it is written."""
        rows = self._db.all(
            "SELECT v.chunk_id, v.vector FROM json_each(?) j CROSS JOIN chunk_vectors v ON v.chunk_id = j.value",
            (json.dumps(np.sort(chunk_ids).tolist()),),
        )
        ids = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
        return ids, unpack([row[1] for row in rows])

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


def _scored(blocks: Iterable[Block], query: npt.NDArray[np.float32]) -> tuple[Ids, Scores]:
    """The chunks of some blocks, and the cosine of the best window of each."""
    ids, cosines = [_NO_IDS], [np.zeros(0, dtype=np.float64)]
    for block_ids, vectors in blocks:
        if len(block_ids):
            ids.append(block_ids)
            cosines.append(_cosines(vectors, query))
    return _best_window(np.concatenate(ids), np.concatenate(cosines))


def _cosines(vectors: npt.NDArray[np.float32], query: npt.NDArray[np.float32]) -> Scores:
    # einsum, not @: a matrix product of this size wakes the BLAS threads, which cost more than they bring
    cosines: Scores = np.einsum("ij,j->i", vectors, query).astype(np.float64)
    return cosines


def _best_window(ids: Ids, scores: Scores) -> tuple[Ids, Scores]:
    """One entry a chunk, its windows standing together in ``ids``."""
    if not len(ids):
        return ids, scores
    firsts = np.flatnonzero(np.diff(ids, prepend=-1))
    return ids[firsts], np.maximum.reduceat(scores, firsts)
