"""Places kept for a customer who is still typing in card details."""

from __future__ import annotations

import heapq
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

HOLD_SECONDS = 8 * 60


class SoldOutError(Exception):
    """Fewer places are free than were asked for."""


@dataclass(order=True)
class Hold:
    """Seats set aside; ordered by the moment they fall free again."""

    expires_at: float
    token: str = field(compare=False)
    seats: int = field(compare=False)


class SeatHolds:
    """Counts free places of one departure; a hold that is not confirmed in time gives its places back.

    Expiry is lazy: nothing runs in the background, every public method first drops what has run out.
    """

    def __init__(self, capacity: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._free = capacity
        self._clock = clock
        self._queue: list[Hold] = []
        self._active: dict[str, Hold] = {}

    def place(self, seats: int) -> str:
        """Set seats aside and return the token that confirms them."""
        self._release_expired()
        if seats > self._free:
            raise SoldOutError(f"{seats} wanted, {self._free} left")
        hold = Hold(self._clock() + HOLD_SECONDS, secrets.token_urlsafe(12), seats)
        heapq.heappush(self._queue, hold)
        self._active[hold.token] = hold
        self._free -= seats
        return hold.token

    def confirm(self, token: str) -> int:
        """Turn the hold into a sale. KeyError when it ran out in the meantime."""
        self._release_expired()
        return self._active.pop(token).seats

    def cancel(self, token: str) -> None:
        """Give the places back at once; an unknown token is ignored."""
        self._release_expired()
        hold = self._active.pop(token, None)
        if hold is not None:
            self._free += hold.seats

    def free(self) -> int:
        """Places that can still be sold."""
        self._release_expired()
        return self._free

    def _release_expired(self) -> None:
        now = self._clock()
        while self._queue and self._queue[0].expires_at <= now:
            hold = heapq.heappop(self._queue)
            if self._active.pop(hold.token, None) is not None:
                self._free += hold.seats
