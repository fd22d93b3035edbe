"""How much of a fare goes back, decided from the departure log alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Protocol


@dataclass(frozen=True)
class Journey:
    """What was bought and what happened to it."""

    fare: Decimal
    scheduled: datetime
    departed: datetime | None
    withdrawn_at: datetime | None = None

    @property
    def cancelled_by_operator(self) -> bool:
        """The ship never left, and the passenger had not pulled out before."""
        return self.departed is None and self.withdrawn_at is None

    @property
    def delay(self) -> timedelta:
        """Actual minus planned; zero for a ship that never left."""
        if self.departed is None:
            return timedelta(0)
        return self.departed - self.scheduled


class Rule(Protocol):
    """A rule answers with a share of the fare, or None when it has nothing to say."""

    def share(self, journey: Journey) -> Decimal | None:
        """Between 0 and 1."""
        ...


class OperatorCancelled:
    """Everything, whatever the reason was."""

    def share(self, journey: Journey) -> Decimal | None:
        """One or nothing to say."""
        return Decimal(1) if journey.cancelled_by_operator else None


class PassengerWithdrew:
    """All of it a day ahead, three quarters until the last hour, then nothing."""

    def share(self, journey: Journey) -> Decimal | None:
        """Depends on the hours between the withdrawal and the plan."""
        if journey.withdrawn_at is None:
            return None
        ahead = journey.scheduled - journey.withdrawn_at
        if ahead >= timedelta(hours=24):
            return Decimal(1)
        return Decimal("0.75") if ahead >= timedelta(hours=1) else Decimal(0)


class Late:
    """A quarter above one hour, half above two."""

    def share(self, journey: Journey) -> Decimal | None:
        """Depends on the delay alone."""
        if journey.delay > timedelta(hours=2):
            return Decimal("0.5")
        return Decimal("0.25") if journey.delay > timedelta(hours=1) else None


DEFAULT_RULES: tuple[Rule, ...] = (OperatorCancelled(), PassengerWithdrew(), Late())


def amount_due(journey: Journey, rules: tuple[Rule, ...] = DEFAULT_RULES) -> Decimal:
    """The first rule that applies wins; their order is the policy."""
    for rule in rules:
        share = rule.share(journey)
        if share is not None:
            return (journey.fare * share).quantize(Decimal("0.01"))
    return Decimal("0.00")
