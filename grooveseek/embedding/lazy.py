"""A value made on first use, once, whichever thread asks first."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Generic, TypeVar

T = TypeVar("T")


class Lazy(Generic[T]):
    """``value`` is what ``make`` returned. When ``make`` raises, the next use tries again."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: list[T] = []
        self._lock = RLock()

    @property
    def value(self) -> T:
        """The value, made now if it was not before. Raises what ``make`` raises."""
        if not self._made:
            with self._lock:
                if not self._made:
                    self._made.append(self._make())
        return self._made[0]
