"""The order of a leg's candidates: score, then path, then position, so that equal scores come in the same order
always.
"""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt

from grooveseek.store.database import Database
from grooveseek.store.records import Candidates, Ids, Scores

_DECIMALS = 7
"""Scores are rounded before they are compared: less is noise of float arithmetic, and noise must not order equals."""
_TIE = 2 * 10.0**-_DECIMALS
"""No two scores further apart than this are rounded to the same."""
_NOWHERE = ("", -1)
"""The place of what a damaged index holds of a chunk that is not there."""


def as_ranked(scores: Scores) -> Scores:
    """A leg's scores as they are compared."""
    return np.round(scores, _DECIMALS)


def best(database: Database, ids: Ids, scores: Scores, k: int) -> Candidates:
    """The ``k`` best of all ``ids``, in order. ``k`` may exceed their number."""
    if len(ids) > k > 0:
        kth = np.partition(scores, len(scores) - k)[len(scores) - k]
        kept = scores >= kth - _TIE  # the whole tie at the edge takes part, whatever its size
        ids, scores = ids[kept], scores[kept]
    order = in_order(database, ids, as_ranked(scores))[: max(k, 0)]
    return Candidates(ids=ids[order], scores=as_ranked(scores[order]))


def in_order(database: Database, ids: Ids, ranked: Scores) -> npt.NDArray[np.intp]:
    """The order of ``ids`` by score, best first, and of equals by path and position. Only equals are looked up."""
    order = np.argsort(-ranked, kind="stable")
    ordered = ranked[order]
    equal = np.zeros(len(order) + 1, dtype=np.bool_)
    equal[1:-1] = ordered[1:] == ordered[:-1]
    tied = np.flatnonzero(equal[1:] | equal[:-1])
    if len(tied):
        places = places_of(database, ids[order[tied]])
        by_place = sorted(order[tied].tolist(), key=lambda i: (-ranked[i], places.get(int(ids[i]), _NOWHERE)))
        order[tied] = by_place
    return order


def places_of(database: Database, ids: Ids) -> dict[int, tuple[str, int]]:
    """(path, index in the document) of each chunk: the order of equals."""
    rows = database.execute(
        "SELECT c.id, d.path, c.idx FROM chunks c JOIN documents d ON d.id = c.document_id "
        "WHERE c.id IN (SELECT value FROM json_each(?))",
        (json.dumps(ids.tolist()),),
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def labels_of(database: Database, ids: Ids) -> dict[int, tuple[str, int, str | None]]:
    """(path, index in the document, heading) of each chunk: what a judgment can name."""
    rows = database.execute(
        "SELECT c.id, d.path, c.idx, c.heading FROM chunks c JOIN documents d ON d.id = c.document_id "
        "WHERE c.id IN (SELECT value FROM json_each(?))",
        (json.dumps(ids.tolist()),),
    )
    return {row[0]: (row[1], row[2], row[3]) for row in rows}


def without(ids: Ids, scores: Scores, *, allowed: Ids | None, held_back: Ids) -> tuple[Ids, Scores]:
    """Keep what is allowed and not held back. ``allowed`` and ``held_back`` are ascending."""
    keep = ~contains(held_back, ids)
    if allowed is not None:
        keep &= contains(allowed, ids)
    return ids[keep], scores[keep]


def united(*several: Ids) -> Ids:
    """The ids of all, ascending, each once. (``np.unique`` imports a package that takes 10 ms.)"""
    every = np.sort(np.concatenate(several))
    kept = np.ones(len(every), dtype=np.bool_)
    kept[1:] = every[1:] != every[:-1]
    return every[kept]


def contains(ascending: npt.NDArray[np.signedinteger], values: npt.NDArray[np.signedinteger]) -> npt.NDArray[np.bool_]:
    """For each of ``values`` whether it is among ``ascending``."""
    if len(ascending) == 0:
        return np.zeros(len(values), dtype=np.bool_)
    places = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    found: npt.NDArray[np.bool_] = ascending[places] == values
    return found
