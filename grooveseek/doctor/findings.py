"""What an examination says: findings, and checks that could not be made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

EXAMPLES = 5
"""Most examples a finding has."""


class Severity(StrEnum):
    """``error``: searches miss something or answer wrongly. ``warning``: something is not served, or not up to date.
    ``note``: worth knowing.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is not as it should be. ``check`` is its stable name, ``remedy`` the command or change that ends
    it.
    """

    check: str
    severity: Severity
    summary: str
    count: int
    remedy: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRun:
    """A check that could not be made, which is neither a finding nor a clean bill."""

    check: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """An examination's result. ``documents`` and ``chunks`` are ``None`` when the index could not be read.

    ``checks`` are the names of all that were made or tried.
    """

    documents: int | None
    chunks: int | None
    deep: bool
    checks: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    not_run: tuple[NotRun, ...] = ()


def about(
    check: str, severity: Severity, summary: str, things: Iterable[str], *, remedy: str, count: int | None = None
) -> list[Finding]:
    """A finding about these things, which are its examples; none when there are none.

    ``{n}`` in the summary stands for their number, ``{s}`` for an s unless there is one. ``count`` is the number when
    only some of them are given.
    """
    listed = list(things)
    number = len(listed) if count is None else count
    if number == 0:
        return []
    text = summary.replace("{n}", str(number)).replace("{s}", "" if number == 1 else "s")
    examples = tuple(listed[:EXAMPLES])
    return [Finding(check=check, severity=severity, summary=text, count=number, remedy=remedy, examples=examples)]
