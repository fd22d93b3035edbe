"""What searches of a large index keep in memory, ready in the file: read at once instead of made from every row.

A piece was made from one state of the index and says from which. Ids are never used again and nothing that hangs on a
chunk ever changes, so a piece of an earlier state lacks what came since and holds what went since, and that is all:
readers take it from there. :mod:`grooveseek.store.make_ready` writes the pieces, after a run that changed much.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from grooveseek.store.database import Database

Kind = Literal["lengths", "codes", "words"]

_ID = np.dtype("<i4")


@dataclass(frozen=True, slots=True)
class Piece:
    """Chunks, ascending (int32), and what there is to know of them, as the state with this ``last`` chunk id and this
    ``count`` of chunks had them.
    """

    key: str
    last: int
    count: int
    ids: npt.NDArray[np.int32]
    data: bytes


class Ready:
    """The pieces of one index."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def piece(self, kind: Kind, key: str) -> Piece | None:
        """One piece, if it is there."""
        row = self._db.one("SELECT key, last, count, ids, data FROM ready WHERE kind = ? AND key = ?", (kind, key))
        return None if row is None else _piece(*row)

    def pieces(self, kind: Kind) -> list[Piece]:
        """All pieces of a kind, by key."""
        rows = self._db.all("SELECT key, last, count, ids, data FROM ready WHERE kind = ? ORDER BY key", (kind,))
        return [_piece(*row) for row in rows]

    def keys(self, kind: Kind) -> list[str]:
        """What there are pieces of."""
        return [row[0] for row in self._db.all("SELECT key FROM ready WHERE kind = ? ORDER BY key", (kind,))]

    def replace(self, kind: Kind, pieces: Iterable[Piece]) -> None:
        """Make these all pieces of a kind."""
        with self._db.transaction():
            self._db.execute("DELETE FROM ready WHERE kind = ?", (kind,))
            self._db.execute_many(
                "INSERT INTO ready (kind, key, last, count, ids, data) VALUES (?, ?, ?, ?, ?, ?)",
                ((kind, p.key, p.last, p.count, p.ids.astype(_ID).tobytes(), p.data) for p in pieces),
            )


def _piece(key: str, last: int, count: int, ids: bytes, data: bytes) -> Piece:
    return Piece(key=key, last=last, count=count, ids=np.frombuffer(ids, dtype=_ID), data=data)
