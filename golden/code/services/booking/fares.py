"""What a ticket costs: base tariff, the one best reduction, and rounding to the coin."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum

SMALLEST_COIN = Decimal("0.05")
MAX_GROUP_DISCOUNT = Decimal("0.20")


class Category(Enum):
    """Who travels; the value is the share of the full fare."""

    ADULT = Decimal("1.00")
    CHILD = Decimal("0.50")
    STUDENT = Decimal("0.70")
    RESIDENT = Decimal("0.45")
    INFANT = Decimal("0.00")


class UnknownLegError(KeyError):
    """There is no tariff between the two harbours."""


@dataclass(frozen=True)
class Leg:
    """One crossing, direction matters not for the price."""

    origin: str
    destination: str

    def key(self) -> tuple[str, str]:
        """The two harbours in alphabetical order."""
        first, second = sorted((self.origin, self.destination))
        return first, second


class Tariff:
    """Full fares by pair of harbours."""

    def __init__(self, prices: dict[tuple[str, str], Decimal]) -> None:
        self._prices = {Leg(*pair).key(): price for pair, price in prices.items()}

    def full_fare(self, leg: Leg) -> Decimal:
        """What an adult pays who travels alone."""
        try:
            return self._prices[leg.key()]
        except KeyError:
            raise UnknownLegError(f"{leg.origin} - {leg.destination}") from None


def group_discount(size: int) -> Decimal:
    """Nothing under twelve people, then a tenth, and a fifth from fifty."""
    if size < 12:
        return Decimal(0)
    if size < 25:
        return Decimal("0.10")
    return MAX_GROUP_DISCOUNT if size >= 50 else Decimal("0.15")


def round_to_coin(amount: Decimal) -> Decimal:
    """Nearest multiple of the smallest coin, halves away from zero."""
    coins = (amount / SMALLEST_COIN).quantize(Decimal(1), rounding=ROUND_HALF_UP)
    return coins * SMALLEST_COIN


def ticket_price(tariff: Tariff, leg: Leg, category: Category, group_size: int = 1) -> Decimal:
    """Reductions do not add up: the traveller gets whichever is better."""
    share = min(category.value, 1 - group_discount(group_size))
    return round_to_coin(tariff.full_fare(leg) * share)
