"""The chunker: source files it could not cut at their definitions, and indexes that an older one has cut."""

from __future__ import annotations

from collections.abc import Iterator

from grooveseek.doctor.findings import Finding, Severity, about
from grooveseek.doctor.integrity import REBUILD
from grooveseek.doctor.patient import Patient
from grooveseek.indexing.policy import recorded_policy
from grooveseek.parsing.code import CHUNKING_POLICY
from grooveseek.parsing.code.chunker import TOO_DEEP, TOO_MANY_CHUNKS, TOO_TANGLED
from grooveseek.store import audit

_AGAIN = "then run `groove index`; indexing it again as it is changes nothing"
_TAGS: dict[str, tuple[str, str]] = {
    TOO_DEEP: ("definitions nest too deeply in it", f"Flatten the nesting in the file, {_AGAIN}"),
    TOO_MANY_CHUNKS: ("it has too many definitions", f"Split the file, {_AGAIN}"),
    TOO_TANGLED: ("its syntax is too broken to find definitions in", f"Correct the syntax of the file, {_AGAIN}"),
}


def chunked_without_definitions(patient: Patient) -> Iterator[Finding]:
    """Source files that are found by their text, but not by kind, name or scope of a definition."""
    for tag, (reason, remedy) in _TAGS.items():
        damage = audit.cut_by_lines(patient.store.database, tag)
        yield from about(
            "chunked-without-definitions",
            Severity.WARNING,
            f"{{n}} source file{{s}} cut by lines, because {reason} ({tag})",
            damage.examples,
            count=damage.count,
            remedy=remedy,
        )


def chunking_policy(patient: Patient) -> list[Finding]:
    """An index whose source files were cut by other rules than today's. A file that did not change is not cut again."""
    recorded = recorded_policy(patient.store)
    if recorded == CHUNKING_POLICY or (recorded is None and not audit.has_source(patient.store.database)):
        return []
    was = "nothing is recorded" if recorded is None else f"recorded is {recorded!r}"
    return about(
        "chunking-policy",
        Severity.WARNING,
        f"Source files may have been cut by older rules: {was}, today's is {CHUNKING_POLICY!r}",
        [str(recorded)] if recorded is not None else [],
        count=1,
        remedy=REBUILD,
    )
