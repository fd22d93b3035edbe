"""Read the planners' spreadsheet export into departures, complaining about every bad row at once."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

WEEKDAYS = "MTWTFSS"
REQUIRED = ("ship", "from", "to", "leaves", "days", "first", "last")


class BadTimetableError(ValueError):
    """Carries all problems, one line each, so that the planner fixes them in one go."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Pattern:
    """A line of the timetable: some days of the week between two dates."""

    ship: str
    origin: str
    destination: str
    leaves: time
    days: frozenset[int]
    first: date
    last: date

    def departures(self) -> Iterator[datetime]:
        """Every sailing of the pattern, in order of time."""
        day = self.first
        while day <= self.last:
            if day.weekday() in self.days:
                yield datetime.combine(day, self.leaves)
            day += timedelta(days=1)


def parse_days(mask: str) -> frozenset[int]:
    """``MT-T---`` style masks; a dash means that the ship does not run on that day."""
    if len(mask) != 7:
        raise ValueError(f"seven characters needed for the days, found {mask!r}")
    for letter, expected in zip(mask, WEEKDAYS, strict=True):
        if letter not in (expected, "-"):
            raise ValueError(f"{letter!r} stands where {expected!r} or '-' belongs")
    return frozenset(index for index, letter in enumerate(mask) if letter != "-")


def read_patterns(text: str) -> list[Pattern]:
    """Parse a whole file; raises BadTimetableError with the row numbers."""
    reader = csv.DictReader(io.StringIO(text), delimiter=";")
    missing = [name for name in REQUIRED if name not in (reader.fieldnames or [])]
    if missing:
        raise BadTimetableError([f"column {name} is missing" for name in missing])
    patterns, problems = [], []
    for number, row in enumerate(reader, start=2):
        try:
            patterns.append(_pattern(row))
        except ValueError as error:
            problems.append(f"row {number}: {error}")
    if problems:
        raise BadTimetableError(problems)
    return patterns


def _pattern(row: dict[str, str]) -> Pattern:
    return Pattern(
        ship=row["ship"].strip(),
        origin=row["from"].strip(),
        destination=row["to"].strip(),
        leaves=time.fromisoformat(row["leaves"]),
        days=parse_days(row["days"]),
        first=date.fromisoformat(row["first"]),
        last=date.fromisoformat(row["last"]),
    )
