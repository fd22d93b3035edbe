"""What an indexing run tells its caller while it goes on, and the token that stops it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Another writer, described by ``holder``, has the index; the run begins when it is done. Only with ``wait``."""

    holder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanning:
    """One more file was looked at. ``total`` is every file found or declined."""

    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The scan is over. ``found`` documents are in the folder; ``total`` will be reported, those that are gone too."""

    total: int
    found: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """A document was written. ``chunks`` it has now; ``embedded`` of them had no vector to reuse. ``is_new``: searches
    did not find it before.
    """

    path: str
    chunks: int
    embedded: int
    is_new: bool
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """A document's file is as it was."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """A document's file has another name and the same bytes."""

    path: str
    previous_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """A document's file is gone, or no longer in scope."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A file could not be indexed. ``kept``: what was indexed of it before is still there. ``declined``: it was not
    opened, since it is a link or the like, or the system would not say what it is.
    """

    path: str
    reason: str
    kept: bool
    declined: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a run did. ``documents`` and ``chunks`` are what the index holds now: after a forced build that was
    cancelled, the old one.
    """

    indexed: int = 0
    updated: int = 0
    unchanged: int = 0
    renamed: int = 0
    deleted: int = 0
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    documents: int = 0
    chunks: int = 0
    embedded: int = 0
    reused: int = 0
    seconds: float = 0.0
    cancelled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The run came to its end."""

    summary: Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """The run stopped where it was asked to. ``done`` of ``total`` documents had been reported."""

    done: int
    total: int
    summary: Summary


Event = Waiting | Scanning | Started | Indexed | Unchanged | Renamed | Deleted | Skipped | Finished | Cancelled
Listener = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class CancelToken:
    """Ask a run to stop, from any thread. It stops before its next document, not in the middle of one.

    A run looks at the token while it waits for another writer, after each scanned file, before the renames, before each
    document, and before what is gone is deleted. After that the run completes.
    """

    _event: threading.Event = field(default_factory=threading.Event)

    def cancel(self) -> None:
        """Ask for the stop."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """Whether the stop was asked for."""
        return self._event.is_set()
