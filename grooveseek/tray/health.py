"""What the dot shows: a state machine over polls, without clock, network or screen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from grooveseek.service.probe import ServerStatus

PERIOD = 5.0
"""Seconds between two polls."""

PATIENCE = 12
"""Failed polls in a row, a minute's worth, after which the server counts as down."""


class Dot(StrEnum):
    """``gray``: nothing is known yet, or the user stopped it; ``yellow``: it is indexing; ``red``: it is down."""

    GRAY = "gray"
    GREEN = "green"
    YELLOW = "yellow"
    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What the polls so far amount to. ``failures`` in a row; ``status`` of the last poll, if it was answered.

    ``stopped``: the user stopped it, so that silence is what is expected.
    """

    failures: int = 0
    status: ServerStatus | None = None
    stopped: bool = False

    def polled(self, status: ServerStatus | None) -> Health:
        """After one more poll."""
        if status is not None:
            return Health(status=status)
        return replace(self, failures=min(self.failures + 1, PATIENCE), status=None)

    def told_to_start(self) -> Health:
        """After a start: a minute's patience anew."""
        return Health()

    def told_to_stop(self) -> Health:
        """After a stop that succeeded."""
        return Health(stopped=True)

    @property
    def dot(self) -> Dot:
        """The colour."""
        if self.status is not None:
            return Dot.YELLOW if self.status.indexing else Dot.GREEN
        return Dot.RED if self.failures >= PATIENCE and not self.stopped else Dot.GRAY

    def sentence(self, name: str) -> str:
        """The same in words, for the menu and whoever does not tell colours apart."""
        status = self.status
        if status is not None:
            work = "indexing" if status.indexing else "running"
            return f"{name}: {work}, {status.documents} documents"
        if self.stopped:
            return f"{name}: stopped"
        return f"{name}: down" if self.dot is Dot.RED else f"{name}: no answer yet"
