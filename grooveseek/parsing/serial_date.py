"""Spreadsheet dates: days since an epoch, with the time as the fraction (ISO/IEC 29500-1, 18.17.4)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import lru_cache

_EPOCH_1900 = datetime(1899, 12, 30)  # a spreadsheet's time has no zone
_EPOCH_1904 = datetime(1904, 1, 1)
_LEAP_BUG = 60  # the serial of 1900-02-29, a day that never was; serials below it are one day short of the epoch
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_TOKEN = re.compile(
    r"""(?P<quoted>"[^"]*"?) | (?P<escaped>[\\_*].)
      | (?P<elapsed>\[(?:h+|m+|s+)\]) | (?P<bracket>\[[^\]]*\])
      | (?P<halfday>AM/PM|A/P) | (?P<fraction>\.0+)
      | (?P<field>y+|m+|d+|h+|s+|e+|g+|b\d?) | (?P<other>.)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


@lru_cache(maxsize=1024)
def is_date_code(code: str) -> bool:
    """Whether a section of a format code shows a date or a time: it has a field letter outside literals."""
    if "general" in code.lower():
        return False
    kinds = [match.lastgroup for match in _TOKEN.finditer(_without_exponent(code))]
    return "field" in kinds or "elapsed" in kinds


def format_iso(serial: float, *, from_1904: bool) -> str:
    """``YYYY-MM-DD``, with ``HH:MM`` or ``HH:MM:SS`` when there is a time of day. Raises ValueError out of range."""
    moment = _moment(serial, from_1904)
    day = moment.date().isoformat()
    if moment.hour == moment.minute == moment.second == 0:
        return day
    time = f"{moment:%H:%M}" if moment.second == 0 else f"{moment:%H:%M:%S}"
    return time if 0 <= serial < 1 else f"{day} {time}"


def format_date(serial: float, code: str, *, from_1904: bool) -> str:
    """The serial as a date code shows it; a code that counts years by era gives ISO. Raises ValueError out of range."""
    tokens = _tokens(code)
    fields = [match["field"].lower() for match in tokens if match["field"]]
    if any(field[0] in "egb" for field in fields):
        return format_iso(serial, from_1904=from_1904)
    places = max((len(match[0]) - 1 for match in tokens if match["fraction"]), default=0)
    moment = _moment(serial, from_1904, places)
    twelve = any(match["halfday"] for match in tokens)
    shown = [_shown(tokens, number, serial, moment, twelve) for number in range(len(tokens))]
    return " ".join("".join(shown).split())


@lru_cache(maxsize=1024)
def _tokens(code: str) -> list[re.Match[str]]:
    return list(_TOKEN.finditer(code))


def _without_exponent(code: str) -> str:
    return re.sub(r"[Ee][+-](?=[0#?])", "", code)


def _moment(serial: float, from_1904: bool, places: int = 0) -> datetime:
    """The date and time, rounded to ``places`` decimals of a second: a serial is not exact to the second."""
    seconds = round(serial * 86400, places)
    days = 0 if from_1904 or serial >= _LEAP_BUG else 1 if serial >= 1 else 0
    try:
        return (_EPOCH_1904 if from_1904 else _EPOCH_1900) + timedelta(days=days, seconds=seconds)
    except OverflowError as error:
        raise ValueError(f"{serial} is no date") from error


def _shown(tokens: list[re.Match[str]], number: int, serial: float, moment: datetime, twelve: bool) -> str:
    match = tokens[number]
    kind, text = match.lastgroup, match[0]
    if kind == "quoted":
        return text.strip('"')
    if kind == "escaped":
        return text[1] if text[0] == "\\" else " " if text[0] == "_" else ""
    if kind == "elapsed":
        return _elapsed(serial, text[1:-1].lower())
    if kind == "bracket":
        return ""
    if kind == "halfday":
        half = "AM" if moment.hour < 12 else "PM"
        return half if len(text) > 3 else half[0]
    if kind == "fraction":
        return f"{moment.microsecond / 1e6:.{len(text) - 1}f}"[1:]
    if kind == "field":
        return _field(text.lower(), moment, minutes=_is_minutes(tokens, number), twelve=twelve)
    return text


def _elapsed(serial: float, field: str) -> str:
    unit = {"h": 3600, "m": 60, "s": 1}[field[0]]
    return str(int(round(serial * 86400) // unit)).rjust(len(field), "0")


def _is_minutes(tokens: list[re.Match[str]], number: int) -> bool:
    """``m`` is minutes next after hours or next before seconds."""
    if len(tokens[number][0]) > 2:
        return False
    before = _nearest(tokens[:number][::-1])
    after = _nearest(tokens[number + 1 :])
    return before.startswith("h") or after.startswith("s")


def _nearest(tokens: list[re.Match[str]]) -> str:
    for match in tokens:
        if match["field"] or match["elapsed"]:
            return match[0].strip("[]").lower()
    return ""


def _field(field: str, moment: datetime, *, minutes: bool, twelve: bool) -> str:
    letter, length = field[0], len(field)
    if letter == "y":
        return f"{moment.year:04d}" if length > 2 else f"{moment.year % 100:02d}"
    if letter == "m" and not minutes and length > 2:
        name = _MONTHS[moment.month - 1]
        return {3: name[:3], 5: name[:1]}.get(length, name)
    if letter == "d" and length > 2:
        name = _DAYS[moment.weekday()]
        return name[:3] if length == 3 else name
    hour = (moment.hour % 12 or 12) if twelve else moment.hour
    value = {"m": moment.minute if minutes else moment.month, "d": moment.day, "h": hour, "s": moment.second}[letter]
    return f"{value:02d}" if length > 1 else str(value)
