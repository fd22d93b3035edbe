"""Writes down what searches of a large index need in memory (see :mod:`grooveseek.store.ready`), and looks it over."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from grooveseek.store import vectors
from grooveseek.store.database import Database
from grooveseek.store.memory import Kept, Revisions
from grooveseek.store.postings import PostingMemory, Postings, word_counts
from grooveseek.store.ranking import contains
from grooveseek.store.ready import Kind, Piece, Ready
from grooveseek.store.records import Ids
from grooveseek.store.signs import SignCodes, segment_of

LARGE = 5_000
"""Chunks from which on it is worth its place: below, everything is read anew within some tens of milliseconds."""
LEAST_COMMON = 500
COMMON_SHARE = 100
"""Words that stand in so many chunks, and in one of so many, have their list written down; others are quickly read."""


class _Stopped(Exception):  # noqa: N818 - a way out of a transaction, not an error
    pass


def make_ready(database: Database, *, should_stop: Callable[[], bool] = lambda: False) -> None:
    """Write every piece anew, from what the index holds now; take them away from an index that is not large.

    When stopped, a kind of pieces that is not complete stays as it was.
    """
    makers: Mapping[Kind, Callable[[Database], Iterator[Piece]]] = {
        "lengths": _lengths,
        "codes": _codes,
        "words": _words,
    }
    large = database.value("SELECT count(*) FROM chunks") >= LARGE
    for kind, made in makers.items():
        with contextlib.suppress(_Stopped), database.transaction():  # so that what is read is of the state it names
            Ready(database).replace(kind, _unless_stopped(made(database) if large else iter(()), should_stop))


def _unless_stopped(pieces: Iterator[Piece], should_stop: Callable[[], bool]) -> Iterator[Piece]:
    while not should_stop():
        piece = next(pieces, None)
        if piece is None:
            return
        yield piece
    raise _Stopped


def _lengths(database: Database) -> Iterator[Piece]:
    revisions = Revisions(database)
    population = Postings(database, revisions, PostingMemory()).population()
    ids = np.flatnonzero(population.alive).astype(np.int32)
    now = revisions.current()
    yield Piece("", now.last, now.count, ids, population.lengths[ids].astype("<i4").tobytes())


def _codes(database: Database) -> Iterator[Piece]:
    if database.value("SELECT count(*) FROM chunk_vectors") <= vectors.KEPT_IN_MEMORY:
        return  # searches look at the vectors themselves
    revisions = Revisions(database)
    now = revisions.current()
    for number, segment in enumerate(SignCodes(database, revisions, Kept()).segments()):
        data = segment.words.astype("<u8").tobytes()
        yield Piece(f"{number:09}", now.last, now.count, segment.ids.astype(np.int32), data)


def _words(database: Database) -> Iterator[Piece]:
    revisions = Revisions(database)
    now = revisions.current()
    postings = Postings(database, revisions, PostingMemory())
    for stem in postings.stems_in(max(LEAST_COMMON, now.count // COMMON_SHARE)):
        posting = postings.read_words([stem])
        width = posting.counts.dtype.newbyteorder("<")
        yield Piece(stem, now.last, now.count, posting.ids, posting.counts.astype(width).tobytes())


def differing(database: Database) -> Iterator[str]:
    """The names of the pieces that say other than the tables do, of the chunks that are still there."""
    postings = Postings(database, Revisions(database), PostingMemory())
    rows = database.all("SELECT id FROM chunks ORDER BY id")
    alive = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
    ready = Ready(database)
    for piece in ready.pieces("lengths"):
        ids, lengths = postings.lengths_after(0)
        if not _agrees(
            piece, np.frombuffer(piece.data, dtype="<i4")[:, np.newaxis], ids, lengths[:, np.newaxis], alive
        ):
            yield "the lengths of the chunks"
    yield from _differing_codes(database, ready, alive)
    for stem in ready.keys("words"):
        posting = postings.read_words([stem])
        listed = ready.piece("words", stem)
        if listed is not None and not _agrees(listed, word_counts(listed).T, posting.ids, posting.counts.T, alive):
            yield f"the list of the word {stem!r}"


def _differing_codes(database: Database, ready: Ready, alive: Ids) -> Iterator[str]:
    pieces = ready.pieces("codes")
    if not pieces:
        return
    segments = list(SignCodes(database, Revisions(database), Kept()).read())
    whole = replace(pieces[0], ids=np.concatenate([piece.ids for piece in pieces]))
    kept = np.concatenate([segment_of(piece).words for piece in pieces], axis=1)
    ids = np.concatenate([segment.ids for segment in segments]) if segments else whole.ids[:0]
    words = np.concatenate([segment.words for segment in segments], axis=1) if segments else kept[:, :0]
    if not _agrees(whole, kept.T, ids, words.T, alive):
        yield "the signs of the vectors"


def _agrees(piece: Piece, kept: npt.NDArray[Any], ids: npt.NDArray[Any], made: npt.NDArray[Any], alive: Ids) -> bool:
    """Whether a piece's rows are those made anew: of the chunks that were there then and still are."""
    still = contains(alive, piece.ids)
    then = contains(alive, ids) & (ids <= piece.last)
    return np.array_equal(piece.ids[still], ids[then]) and np.array_equal(kept[still], made[then])
