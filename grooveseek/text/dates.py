"""Dates as documents and filters write them: ``YYYY-MM-DD``, or RFC 3339 with a time."""

from __future__ import annotations

import datetime as dt
from functools import lru_cache


@lru_cache(maxsize=4096)
def parse_date(text: str) -> dt.date | dt.datetime | None:
    """The date, or the moment (with its offset; UTC where none is written). ``None`` for anything else."""
    try:
        if len(text) == 10:
            return dt.date.fromisoformat(text) if text[4] == text[7] == "-" else None
        if len(text) < 19 or text[10] not in "Tt ":
            return None
        moment = dt.datetime.fromisoformat(text.replace(" ", "T", 1).upper())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


def in_range(date: str, earliest: str | None, latest: str | None) -> bool:
    """Whether a document's date lies within both bounds, which belong to the range.

    Two moments are compared as moments. Where either side is a plain date, the calendar day as written decides.
    """
    value = parse_date(date)
    if value is None:
        return False
    return (earliest is None or _compare(value, earliest) >= 0) and (latest is None or _compare(value, latest) <= 0)


def _compare(value: dt.date | dt.datetime, bound_text: str) -> int:
    bound = parse_date(bound_text)
    if isinstance(value, dt.datetime) and isinstance(bound, dt.datetime):
        return (value > bound) - (value < bound)
    day, bound_day = _day(value), _day(bound)
    return (day > bound_day) - (day < bound_day)


def _day(value: dt.date | dt.datetime | None) -> str:
    return value.isoformat()[:10] if value is not None else ""
