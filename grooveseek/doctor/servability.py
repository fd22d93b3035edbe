"""Servability: which indexed documents the server does not hand out, and why, asked of the server's own predicate."""

from __future__ import annotations

from collections.abc import Iterator

from grooveseek.doctor.findings import Finding, Severity, about
from grooveseek.doctor.patient import Patient
from grooveseek.knowledge_base.servable import Withheld

_SUMMARIES: dict[Withheld, tuple[str, str]] = {
    Withheld.EXTENSION: (
        "{n} document{s} of a kind that no enabled parser reads",
        "Name the parser in [parsers].enabled again, or run `groove index` to drop them",
    ),
    Withheld.SIZE: (
        "{n} document{s} too large to be read back",
        "Split the files, then run `groove index`. Searches find them all the same",
    ),
    Withheld.SIZE_UNKNOWN: ("{n} document{s} whose size was never recorded", "groove index"),
    Withheld.NAME: (
        "{n} document{s} whose name cannot be addressed",
        "Rename the files, then run `groove index`",
    ),
}


def withheld(patient: Patient) -> Iterator[Finding]:
    """Documents that are found but not offered as resources, by the reason."""
    reasons: dict[Withheld, list[str]] = {}
    for state in patient.states.values():
        reason = patient.servable.why_withheld(state.path, state.size_bytes)
        if reason is not None:
            shown = f"{state.path} ({state.size_bytes:,} bytes)" if reason is Withheld.SIZE else state.path
            reasons.setdefault(reason, []).append(shown)
    for reason, (summary, remedy) in _SUMMARIES.items():
        yield from about(f"withheld-{reason.value}", Severity.WARNING, summary, reasons.get(reason, ()), remedy=remedy)
