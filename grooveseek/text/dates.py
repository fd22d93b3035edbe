"""Dates as documents and filters write them: ``YYYY-MM-DD``, or RFC 3339 with a time."""

from __future__ import annotations

import datetime as dt
import re
from functools import lru_cache

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?)([Zz]|[+-][0-9]{2}:[0-9]{2})?"
)


@lru_cache(maxsize=4096)
def parse_date(text: str) -> dt.date | dt.datetime | None:
    """The date, or the moment (with its offset; UTC where none is written). ``None`` for anything else.

    A blank may stand for the ``T`` (RFC 3339, section 5.6). What is finer than a microsecond is cut off.
    """
    try:
        if _DAY.fullmatch(text):
            return dt.date.fromisoformat(text)
        moment = _MOMENT.fullmatch(text)
        if moment is None:
            return None
        day, time, offset = moment.groups(default="Z")
        return dt.datetime.fromisoformat(f"{day}T{time}{offset.upper()}")
    except ValueError:
        return None


def in_range(date: str, earliest: str | None, latest: str | None) -> bool:
    """Whether a document's date lies within both bounds, which belong to the range.

    Two moments are compared as moments. Where either side is a plain date, the calendar day as written decides. A text
    that is no date lies in no range, and nothing lies within a bound that is none.
    """
    value = parse_date(date)
    if value is None:
        return False
    return (earliest is None or _compare(value, earliest) in (0, 1)) and (
        latest is None or _compare(value, latest) in (-1, 0)
    )


def _compare(value: dt.date | dt.datetime, bound_text: str) -> int | None:
    """-1, 0 or 1; ``None`` when the bound is no date."""
    bound = parse_date(bound_text)
    if bound is None:
        return None
    if isinstance(value, dt.datetime) and isinstance(bound, dt.datetime):
        return (value > bound) - (value < bound)
    day, bound_day = value.isoformat()[:10], bound.isoformat()[:10]
    return (day > bound_day) - (day < bound_day)
