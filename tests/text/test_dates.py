from __future__ import annotations

import datetime as dt

import pytest
from grooveseek.text.dates import in_range, parse_date

EAST = dt.timezone(dt.timedelta(hours=9))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-14", dt.date(2026, 3, 14)),
        ("2024-02-29", dt.date(2024, 2, 29)),
        ("2026-03-14T09:30:00Z", dt.datetime(2026, 3, 14, 9, 30, tzinfo=dt.UTC)),
        ("2026-03-14t09:30:00z", dt.datetime(2026, 3, 14, 9, 30, tzinfo=dt.UTC)),
        ("2026-03-14 09:30:00", dt.datetime(2026, 3, 14, 9, 30, tzinfo=dt.UTC)),
        ("2026-03-14T09:30:00.25+09:00", dt.datetime(2026, 3, 14, 9, 30, 0, 250_000, tzinfo=EAST)),
        ("2026-03-14T09:30:00.1234567Z", dt.datetime(2026, 3, 14, 9, 30, 0, 123_456, tzinfo=dt.UTC)),
        ("2026-02-30", None),
        ("2023-02-29", None),
        ("2026-3-14", None),
        ("20260314", None),
        ("2026-W11-6", None),
        ("2026-W11-6T09:30:00", None),
        ("2026-03-14T09:30", None),
        ("2026-03-14T09:30:00+0900", None),
        ("2026-03-14T24:30:00Z", None),
        ("２０２６-03-14", None),
        ("14.03.2026", None),
        (" 2026-03-14", None),
        ("2026-03-14\n", None),
        ("", None),
    ],
)
def test_parse_date(text: str, expected: dt.date | None):
    assert parse_date(text) == expected


@pytest.mark.parametrize(
    ("date", "earliest", "latest", "inside"),
    [
        ("2026-03-14", "2026-03-14", "2026-03-14", True),
        ("2026-03-14", "2026-03-15", None, False),
        ("2026-03-14", None, "2026-03-13", False),
        ("2026-03-14", None, None, True),
        # the same moment, written in two places
        ("2026-03-14T00:30:00+09:00", "2026-03-13T15:30:00Z", "2026-03-13T15:30:00Z", True),
        # beside a plain day, the day as written
        ("2026-03-14T00:30:00+09:00", "2026-03-14", "2026-03-14", True),
        ("2026-03-14T00:30:00+09:00", None, "2026-03-13", False),
        ("2026-03-14", "2026-03-14T23:00:00Z", None, True),
        ("someday", None, None, False),
        ("2026-03-14", "someday", None, False),
        ("2026-03-14", None, "someday", False),
    ],
)
def test_in_range(date: str, earliest: str | None, latest: str | None, inside: bool):
    assert in_range(date, earliest, latest) is inside
