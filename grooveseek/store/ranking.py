"""The order of a leg's candidates: score, then path, then position, so that equal scores come in the same order
always.
"""

from __future__ import annotations

import json

import numpy as np

from grooveseek.store.database import Database
from grooveseek.store.records import Candidates, Ids, Scores

_DECIMALS = 7
"""Scores are rounded before they are compared: less is noise of float arithmetic, and noise must not order equals."""


def as_ranked(scores: Scores) -> Scores:
    """A leg's scores as they are compared."""
    return np.round(scores, _DECIMALS)


def best(database: Database, ids: Ids, scores: Scores, k: int) -> Candidates:
    """The ``k`` best of all ``ids``, in order. ``k`` may exceed their number."""
    scores = as_ranked(scores)
    if len(ids) > k > 0:
        kth = np.partition(scores, len(scores) - k)[len(scores) - k]
        kept = scores >= kth  # the whole tie at the edge takes part, whatever its size
        ids, scores = ids[kept], scores[kept]
    places = places_of(database, ids)
    order = sorted(range(len(ids)), key=lambda i: (-scores[i], places[int(ids[i])]))[: max(k, 0)]
    return Candidates(ids=ids[order], scores=scores[order])


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
    keep = ~_contains(held_back, ids)
    if allowed is not None:
        keep &= _contains(allowed, ids)
    return ids[keep], scores[keep]


def _contains(ascending: Ids, values: Ids) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    if len(ascending) == 0:
        return np.zeros(len(values), dtype=np.bool_)
    places = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = ascending[places] == values
    return found
