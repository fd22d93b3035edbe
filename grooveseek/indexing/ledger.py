"""What a run has told its listener, counted: the summary is the sum of the events."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from grooveseek.indexing.events import (
    Cancelled,
    Deleted,
    Event,
    Finished,
    Indexed,
    Listener,
    Renamed,
    Skipped,
    Started,
    Summary,
    Unchanged,
)


@dataclass(slots=True, kw_only=True)
class Ledger:
    """Passes events on and counts them. ``embedded`` and ``reused`` are chunks, added to by whoever writes them."""

    listener: Listener
    warnings: tuple[str, ...] = ()
    embedded: int = 0
    reused: int = 0
    _counts: dict[type[Event] | str, int] = field(default_factory=dict)
    _skipped: list[Skipped] = field(default_factory=list)
    _total: int | None = None
    _reported: int = 0
    _began: float = field(default_factory=time.monotonic)

    def tell(self, event: Event) -> None:
        """Count one event and pass it on."""
        match event:
            case Started():
                self._total = event.total
            case Indexed():
                self._count("new" if event.is_new else "updated")
            case Renamed() | Unchanged() | Deleted():
                self._count(type(event))
            case Skipped():
                self._skipped.append(event)
                self._reported += self._total is not None  # one that could not be scanned is no planned document
            case _:
                pass
        self.listener(event)

    def finish(self, documents: int, chunks: int) -> Summary:
        """Tell of the run's end, with what the index holds now."""
        summary = self._summary(documents, chunks, cancelled=False)
        self.listener(Finished(summary=summary))
        return summary

    def cancel(self, documents: int, chunks: int) -> Summary:
        """Tell that the run was stopped, with what the index holds now."""
        summary = self._summary(documents, chunks, cancelled=True)
        self.listener(Cancelled(done=self._reported, total=self._total or 0, summary=summary))
        return summary

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Every file that was skipped so far."""
        return tuple(self._skipped)

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return time.monotonic() - self._began

    def _count(self, what: type[Event] | str) -> None:
        self._counts[what] = self._counts.get(what, 0) + 1
        self._reported += 1

    def _summary(self, documents: int, chunks: int, *, cancelled: bool) -> Summary:
        return Summary(
            indexed=self._counts.get("new", 0),
            updated=self._counts.get("updated", 0),
            unchanged=self._counts.get(Unchanged, 0),
            renamed=self._counts.get(Renamed, 0),
            deleted=self._counts.get(Deleted, 0),
            skipped=self.skipped,
            warnings=self.warnings,
            documents=documents,
            chunks=chunks,
            embedded=self.embedded,
            reused=self.reused,
            seconds=self.seconds,
            cancelled=cancelled,
        )
