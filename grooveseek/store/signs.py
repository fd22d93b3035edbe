"""Codes of all stored vectors, in memory: a coarse picture that tells which few vectors are worth reading.

A vector becomes two bits a dimension, 96 bytes at 384 dimensions: its sign (1: positive), and whether its size is among
the larger half. The fewer signs differ between two unit vectors the larger their cosine tends to be (Charikar,
"Similarity Estimation Techniques from Rounding Algorithms", STOC 2002). So the nearest by that count, a generous number
of them, hold nearly all that are nearest by cosine; among them a second, finer estimate sets the query's own numbers
against a number for each of the four codes (the levels of Max, "Quantizing for Minimum Distortion", IRE 1960, for
numbers that are spread normally).

The database is the truth. These codes are made from it when first needed, or read where an index has them ready, and
follow it: a change costs one count of rows a segment, and the reading of what is new.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grooveseek.store.database import Database
from grooveseek.store.memory import Follower, Kept, Revisions
from grooveseek.store.ranking import contains
from grooveseek.store.ready import Piece, Ready
from grooveseek.store.records import Ids

SEGMENT = 32_768
"""Rows compared at once: what a segment needs stays within a processor's second-level cache."""
_BATCH = 4_096
_WORD_BITS = 64
_NEVER = np.iinfo(np.uint16).max
"""The distance of what a filter leaves out; no vector has so many dimensions."""
_LAST = 2**63 - 1
"""The largest id SQLite has."""
_HIGH, _LOW, _HALF = np.uint64(0xF0F0F0F0F0F0F0F0), np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(4)
_SAMPLE = 65_536
_MARGIN = 1.3
_MEDIAN = 0.6745
"""The size that half of normally spread numbers exceed, in standard deviations; a unit vector's is 1 / sqrt(n)."""
_LARGE = 3.915
"""The mean size of the larger half as a multiple of that of the smaller half: 1.2711 / 0.3247."""

Words = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive windows: the chunk of each (ascending) and their codes, uint64 [words, rows]: the signs' words, then
    as many of the sizes. Never parts a chunk.
    """

    ids: Ids
    words: Words


@dataclass(frozen=True, slots=True)
class Estimates:
    """Windows that may be near: the chunk of each, ascending, and an estimate that grows with the cosine."""

    ids: Ids
    scores: npt.NDArray[np.float32]


class SignCodes:
    """The codes of every row of ``chunk_vectors``, in the order of (chunk, window)."""

    def __init__(self, database: Database, revisions: Revisions, kept: Kept[list[Segment]]) -> None:
        self._db = database
        self._codes = Follower(kept, revisions, self._make)

    def segments(self) -> list[Segment]:
        """All codes, in the order of the chunks."""
        return self._codes.current()

    def ids(self) -> Ids:
        """The chunk of every window, ascending."""
        segments = self._codes.current()
        return np.concatenate([segment.ids for segment in segments]) if segments else _no_ids()

    def permitted(self, allowed: Ids | None, held_back: Ids) -> Flags | None:
        """One flag a chunk id, from 0 to the last: whether a search may find it; ``None`` when it may find all."""
        segments = self._codes.current()
        if (allowed is None and not len(held_back)) or not segments:
            return None
        size = int(segments[-1].ids[-1]) + 1
        flags = np.full(size, allowed is None, dtype=np.bool_)
        if allowed is not None:
            flags[allowed[: np.searchsorted(allowed, size)]] = True
        flags[held_back[: np.searchsorted(held_back, size)]] = False
        return flags

    def nearest(self, query: npt.NDArray[np.float32], rows: int, permitted: Flags | None) -> Estimates:
        """About the ``rows`` windows whose signs differ least from ``query``'s, of permitted chunks; all if fewer."""
        segments = self._codes.current()
        distances = _distances(segments, _pack(query[np.newaxis, :] > 0)[:, 0], permitted)
        places = _smallest(distances, rows)
        ids: list[Ids] = [_no_ids()]
        scores: list[npt.NDArray[np.float32]] = [np.zeros(0, dtype=np.float32)]
        table = _code_table(query)
        start = 0
        for segment in segments:
            end = start + len(segment.ids)
            here = places[np.searchsorted(places, start) : np.searchsorted(places, end)] - start
            ids.append(segment.ids[here])
            scores.append(_estimate(table, segment.words[:, here]))
            start = end
        return Estimates(np.concatenate(ids), np.concatenate(scores))

    # -- following the database ------------------------------------------------------------------------------------

    def _make(self, known: list[Segment] | None) -> list[Segment]:
        """The codes of the present snapshot, from those of an earlier one if there are any."""
        if known is None:
            known = [segment_of(piece) for piece in Ready(self._db).pieces("codes")]
        last = int(known[-1].ids[-1]) if known else 0
        kept = (part for segment in known for part in self._still_there(segment))
        return _joined([*kept, *self.read(last, _LAST)])

    def _still_there(self, segment: Segment) -> Iterable[Segment]:
        """The segment less its deleted chunks. Ids are never used again, so an equal count means nothing changed."""
        first, last = int(segment.ids[0]), int(segment.ids[-1])
        range_ = "FROM chunk_vectors WHERE chunk_id BETWEEN ? AND ?"
        if self._db.value(f"SELECT count(*) {range_}", (first, last)) == len(segment.ids):
            return [segment]
        rows = self._db.all(f"SELECT chunk_id {range_} ORDER BY chunk_id", (first, last))
        present = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
        keep = contains(present, segment.ids)
        if int(keep.sum()) != len(present):  # not a deletion of whole chunks: whatever it was, read it again
            return self.read(first - 1, last)
        return [Segment(segment.ids[keep], np.ascontiguousarray(segment.words[:, keep]))] if len(present) else []

    def read(self, after: int = 0, last: int = _LAST) -> Iterator[Segment]:
        """Segments made from the rows of the chunks after one and up to another."""
        ids: list[Ids] = []
        words: list[Words] = []
        held = 0
        for batch_ids, batch_words in self._batches(after, last):
            ids.append(batch_ids)
            words.append(batch_words)
            held += len(batch_ids)
            if held < SEGMENT:
                continue
            every, codes = np.concatenate(ids), np.concatenate(words, axis=1)
            whole = int(np.searchsorted(every, every[-1]))  # the last chunk may go on in the next batch
            if whole:
                yield Segment(every[:whole].copy(), np.ascontiguousarray(codes[:, :whole]))
            ids, words, held = [every[whole:]], [codes[:, whole:]], len(every) - whole
        if held:
            yield Segment(np.concatenate(ids), np.concatenate(words, axis=1))

    def _batches(self, after: int, last: int) -> Iterator[tuple[Ids, Words]]:
        chunk, window = after, _LAST
        while True:
            rows = self._db.all(
                "SELECT chunk_id, vector, window FROM chunk_vectors WHERE (chunk_id, window) > (?, ?) "
                "AND chunk_id <= ? ORDER BY chunk_id, window LIMIT ?",
                (chunk, window, last, _BATCH),
            )
            if not rows:
                return
            chunk, window = rows[-1][0], rows[-1][2]
            bits = np.frombuffer(b"".join([row[1] for row in rows]), dtype="<u2").reshape(len(rows), -1)
            yield np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows)), _codes(bits)


def best_by_chunk(estimates: Estimates, chunks: int) -> Ids:
    """The ``chunks`` chunks whose best window is estimated highest, ascending; all if there are fewer."""
    if not len(estimates.ids):
        return _no_ids()
    firsts = np.flatnonzero(np.diff(estimates.ids, prepend=-1))
    ids, scores = estimates.ids[firsts], np.maximum.reduceat(estimates.scores, firsts)
    if len(ids) <= chunks:
        return ids
    return np.sort(ids[np.argpartition(-scores, chunks - 1)[:chunks]])


def segment_of(piece: Piece) -> Segment:
    """The codes that a piece holds."""
    return Segment(piece.ids.astype(np.int64), np.frombuffer(piece.data, dtype="<u8").reshape(-1, len(piece.ids)))


def _distances(segments: Sequence[Segment], query: Words, permitted: Flags | None) -> npt.NDArray[np.uint16]:
    """How many signs of each window differ from the query's."""
    distances = np.zeros(sum(len(segment.ids) for segment in segments), dtype=np.uint16)
    longest = max((len(segment.ids) for segment in segments), default=0)
    differing, counted = np.empty(longest, dtype=np.uint64), np.empty(longest, dtype=np.uint8)
    start = 0
    for segment in segments:
        rows = len(segment.ids)
        total = distances[start : start + rows]
        for row, word in zip(segment.words, query, strict=False):  # the signs' words, which come first
            np.bitwise_xor(row, word, out=differing[:rows])
            np.bitwise_count(differing[:rows], out=counted[:rows])
            np.add(total, counted[:rows], out=total)
        if permitted is not None:
            total[~permitted[segment.ids]] = _NEVER
        start += rows
    return distances


def _codes(bits: npt.NDArray[np.uint16]) -> Words:
    """Vectors as float16 bits [rows, dimension] to codes [words, rows]."""
    median = np.float16(_MEDIAN / math.sqrt(bits.shape[1])).view(np.uint16)
    positive = (bits - 1) < 0x7FFF  # the sign bit clear, and not zero itself
    large = (bits & 0x7FFF) > median  # the bits of positive float16 numbers are in the order of the numbers
    return np.concatenate([_pack(positive), _pack(large)])


def _pack(flags: Flags) -> Words:
    """Flags [rows, dimension] to words [words, rows]; the last word is filled up with zeros."""
    packed = np.packbits(flags, axis=1)
    whole = -(-flags.shape[1] // _WORD_BITS) * (_WORD_BITS // 8)
    filled = np.zeros((len(packed), whole), dtype=np.uint8)
    filled[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(filled.view("<u8").T)


def _smallest(distances: npt.NDArray[np.uint16], wanted: int) -> npt.NDArray[np.intp]:
    """Places of about the ``wanted`` smallest distances, ascending.

    The bound is guessed from every so-manieth distance, which costs a tenth of partitioning all; a guess that is too
    wide is cut.
    """
    bound = int(_NEVER) - 1
    if len(distances) > wanted:
        sample = distances[:: max(1, len(distances) // _SAMPLE)]
        at = min(len(sample) - 1, int(wanted * _MARGIN * len(sample) / len(distances)) + 8)
        bound = min(bound, int(np.searchsorted(np.cumsum(np.bincount(sample)), at, side="right")))
    places = np.flatnonzero(distances <= bound)
    if len(places) > wanted:
        places = np.sort(places[np.argpartition(distances[places], wanted - 1)[:wanted]])
    return places


def _code_table(query: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """For each four dimensions, and each byte of their four signs and four sizes: what they add to the estimate."""
    filled = np.zeros(-(-len(query) // _WORD_BITS) * _WORD_BITS, dtype=np.float32)
    filled[: len(query)] = query
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1).astype(np.float32)
    levels = (2.0 * bits[:, :4] - 1.0) * (1.0 + (_LARGE - 1.0) * bits[:, 4:])
    table: npt.NDArray[np.float32] = np.einsum("bi,vi->bv", filled.reshape(-1, 4), levels.astype(np.float32))
    return table


def _estimate(table: npt.NDArray[np.float32], words: Words) -> npt.NDArray[np.float32]:
    """The table's numbers of each code, added up; a column at a time, which is twice as quick as all at once."""
    rows = words.shape[1]
    total, here = np.zeros(rows, dtype=np.float32), np.empty(rows, dtype=np.float32)
    values = iter(table)
    for signs, sizes in zip(words[: len(words) // 2], words[len(words) // 2 :], strict=True):
        firsts = (signs & _HIGH) | ((sizes >> _HALF) & _LOW)  # of each byte's eight dimensions the first four
        seconds = ((signs << _HALF) & _HIGH) | (sizes & _LOW)
        for codes in zip(_bytes(firsts), _bytes(seconds), strict=True):
            for code in codes:
                np.take(next(values), code, out=here, mode="clip")  # never out of range, and "raise" would buffer
                np.add(total, here, out=total)
    return total


def _bytes(words: Words) -> npt.NDArray[np.uint8]:
    """The bytes of each word, as they were packed: [8, rows]."""
    return words.view(np.uint8).reshape(len(words), 8).T


def _joined(segments: Iterable[Segment]) -> list[Segment]:
    """Neighbours that fit into one segment put together, so that many small changes do not leave many segments."""
    joined: list[Segment] = []
    for segment in segments:
        if joined and len(joined[-1].ids) + len(segment.ids) <= SEGMENT:
            before = joined.pop()
            segment = Segment(
                np.concatenate([before.ids, segment.ids]), np.concatenate([before.words, segment.words], axis=1)
            )
        joined.append(segment)
    return joined


def _no_ids() -> Ids:
    return np.zeros(0, dtype=np.int64)
