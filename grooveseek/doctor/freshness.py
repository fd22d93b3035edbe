"""Freshness: files that changed, came or went since the last run, and files that no run can index."""

from __future__ import annotations

from collections.abc import Iterator

from grooveseek.doctor.findings import Finding, Severity, about
from grooveseek.doctor.patient import Patient
from grooveseek.errors import SchemaError
from grooveseek.knowledge_base.addressing import is_addressable
from grooveseek.validation.schema import SCHEMA_FILE, declared_fields

UPDATE = "groove index"
_LEAVE_OUT = "or list it in .grooveignore"


def files(patient: Patient) -> Iterator[Finding]:
    """Files that the next run would index, index again, or drop."""
    disk = patient.disk
    warning = Severity.WARNING
    yield from about("files-changed", warning, "{n} file{s} changed since the last run", disk.changed, remedy=UPDATE)
    yield from about("files-added", warning, "{n} file{s} not in the index yet", disk.added, remedy=UPDATE)
    gone = "{n} document{s} whose file is gone or out of bounds"
    yield from about("files-gone", warning, gone, disk.gone, remedy=UPDATE)


def unusable_files(patient: Patient) -> Iterator[Finding]:
    """Files that a run skips; what the index holds of them is of an earlier state."""
    yield from about(
        "files-skipped",
        Severity.WARNING,
        "{n} file{s} that cannot be indexed",
        [f"{path}: {reason}" for path, reason in patient.disk.unusable.items()],
        remedy=f"Repair the file {_LEAVE_OUT}; then run `groove index`",
    )


def declined_names(patient: Patient) -> Iterator[Finding]:
    """Names that no index can hold, links, and what the operating system does not show."""
    names, refused, unreadable = [], [], []
    for entry in patient.disk.declined:
        said = f"{entry.path}: {entry.reason}"
        if entry.unreadable:
            unreadable.append(said)
        elif is_addressable(entry.path):
            refused.append(said)
        else:  # printable() has escaped what makes it so, with a backslash
            names.append(said)
    yield from about(
        "names-unaddressable",
        Severity.WARNING,
        "{n} file{s} left out because of the name",
        names,
        remedy="Rename the file, then run `groove index`",
    )
    yield from about(
        "files-refused",
        Severity.NOTE,
        "{n} file{s} left out, because links and special files are never indexed",
        refused,
        remedy=f"Put the file itself in the place of the link {_LEAVE_OUT}; then run `groove index`",
    )
    yield from about(
        "files-unreadable",
        Severity.WARNING,
        "{n} path{s} that the operating system does not let groove read",
        unreadable,
        remedy=f"Give this user the right to read it {_LEAVE_OUT}; then run `groove index`",
    )


def last_run(patient: Patient) -> list[Finding]:
    """An index that no run has completed."""
    if patient.store.meta.last_run is not None or not patient.states:
        return []
    return about("run-incomplete", Severity.WARNING, "No indexing run has come to its end", [], count=1, remedy=UPDATE)


def document_notices(patient: Patient) -> list[Finding]:
    """What the parsers had to say of documents that they could read: frontmatter that is none, keys given twice.

    Source code is left to :mod:`grooveseek.doctor.chunker`, which knows what to do about it.
    """
    said = [
        f"{document.path}{f':{notice.line}' if notice.line else ''}: {notice.message}"
        for document in patient.store.documents.iterate()
        if not document.is_source
        for notice in document.notices
    ]
    return about(
        "document-notices",
        Severity.NOTE,
        "{n} remark{s} on documents that are indexed",
        said,
        remedy="Correct the files at the lines named, then run `groove index`",
    )


def ignore_file(patient: Patient) -> list[Finding]:
    """Exclusion rules that do not hold."""
    return about(
        "exclusion-rules",
        Severity.WARNING,
        "{n} part{s} of the exclusion rules without effect",
        patient.rules.warnings,
        remedy="Correct the lines named in .grooveignore or exclude_dirs, then run `groove index`",
    )


def schema_file(patient: Patient) -> list[Finding]:
    """A schema that cannot be used, or that declares other fields than the index was made with."""
    try:
        declared = declared_fields(patient.root)
    except SchemaError as error:
        return about(
            "schema-file",
            Severity.ERROR,
            f"{SCHEMA_FILE} cannot be used, and no run indexes anything until it can",
            [str(error)],
            remedy=f"Correct {SCHEMA_FILE} at the line named",
        )
    recorded = patient.store.meta.declared_fields
    if set(declared) == set(recorded) or patient.store.meta.last_run is None:
        return []
    return about(
        "declared-fields",
        Severity.WARNING,
        "{n} field{s} declared otherwise than at the last run, so filters on them are refused or out of date",
        sorted(set(declared) ^ set(recorded)),
        remedy=UPDATE,
    )
