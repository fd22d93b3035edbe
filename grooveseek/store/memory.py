"""What is kept of an index in memory between searches, shared by the threads of a process.

The file is the truth. Everything here was made from one state of it, is never changed once made, and can be made
again; a thread that sees a later state of the file makes what that state needs from what there was.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from grooveseek.store.database import Database


@dataclass(frozen=True, slots=True)
class Revision:
    """Which chunks a state of the file holds.

    No id is used twice within a build, and what hangs on a chunk never changes; so the last id ever given and the
    number of chunks that are left say which they are: between two states with the same last id chunks can only have
    gone. Unlike SQLite's own counters it means the same on every connection.
    """

    build: tuple[int, int]
    last: int
    count: int

    def grew_into(self, later: Revision) -> bool:
        """Whether ``later`` is this state or one that came after it in the same build."""
        return self.build == later.build and (self.last, -self.count) <= (later.last, -later.count)


class Revisions:
    """The revision one connection sees."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._stamp: tuple[int, int, int] | None = None
        self._revision = Revision((0, 0), 0, 0)

    def current(self) -> Revision:
        """The revision of the connection's present snapshot. Costs a count of the chunks after a change."""
        stamp = self._db.version_stamp()
        if stamp != self._stamp:
            last = self._db.value("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'") or 0
            count = self._db.value("SELECT count(*) FROM chunks")
            build = (self._db.build(), self._db.rollbacks)
            self._revision, self._stamp = Revision(build=build, last=int(last), count=int(count)), stamp
        return self._revision


T = TypeVar("T")


class Kept(Generic[T]):
    """A value made from the index, the latest one for all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest: tuple[Revision, T] | None = None

    def at(self, revision: Revision, own: tuple[Revision, T] | None, make: Callable[[T | None], T]) -> T:
        """The value of ``revision``. ``make`` gets the nearest earlier one to start from: of any thread, or the
        caller's ``own``.

        One thread makes it while others wait for it. A thread whose snapshot is older than the latest value gets one
        of its own.
        """
        with self._lock:
            latest = self._latest
            if latest is not None and latest[0] == revision:
                return latest[1]
            earlier = [known for known in (latest, own) if known is not None and known[0].grew_into(revision)]
            value = make(max(earlier, key=lambda known: (known[0].last, -known[0].count))[1] if earlier else None)
            if latest is None or not revision.grew_into(latest[0]):
                self._latest = (revision, value)
            return value


class Follower(Generic[T]):
    """One connection's view of a :class:`Kept` value."""

    def __init__(self, kept: Kept[T], revisions: Revisions, make: Callable[[T | None], T]) -> None:
        self._kept = kept
        self._revisions = revisions
        self._make = make
        self._own: tuple[Revision, T] | None = None

    def current(self) -> T:
        """The value of the connection's present snapshot."""
        revision = self._revisions.current()
        if self._own is None or self._own[0] != revision:
            self._own = (revision, self._kept.at(revision, self._own, self._make))
        return self._own[1]


class Sized(Protocol):
    """Something that knows how much memory it takes."""

    @property
    def nbytes(self) -> int:
        """Bytes."""
        ...


S = TypeVar("S", bound=Sized)


class Cache(Generic[S]):
    """Values by key and the revision they were made of, those least recently used thrown away first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._held = 0
        self._entries: OrderedDict[Hashable, tuple[Revision, S]] = OrderedDict()

    def get(self, key: Hashable, revision: Revision, make: Callable[[Revision | None, S | None], S]) -> S:
        """The value of ``key`` at ``revision``. ``make`` gets the nearest earlier one and its revision."""
        with self._lock:
            known = self._entries.get(key)
            if known is not None:
                self._entries.move_to_end(key)
                if known[0] == revision:
                    return known[1]
        value = make(*known) if known is not None and known[0].grew_into(revision) else make(None, None)
        with self._lock:
            known = self._entries.get(key)
            if known is None or not revision.grew_into(known[0]):
                self._put(key, revision, value)
        return value

    def _put(self, key: Hashable, revision: Revision, value: S) -> None:
        replaced = self._entries.pop(key, None)
        self._held += value.nbytes - (0 if replaced is None else replaced[1].nbytes)
        self._entries[key] = (revision, value)
        while self._held > self._limit and len(self._entries) > 1:
            _, (_, oldest) = self._entries.popitem(last=False)
            self._held -= oldest.nbytes
