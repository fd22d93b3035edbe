"""One examination: every check, each on its own, whatever the others find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from grooveseek.doctor import chunker, freshness, integrity, servability, surroundings
from grooveseek.doctor.duplicates import near_duplicates
from grooveseek.doctor.findings import Finding, NotRun, Report, Severity, about
from grooveseek.doctor.models import model_files
from grooveseek.doctor.patient import Patient
from grooveseek.errors import CorruptIndex, GrooveError, NewerSchema, StoreError
from grooveseek.store import schema
from grooveseek.store.database import Database
from grooveseek.store.store import Store

Check = Callable[[Patient], Iterable[Finding]]

CHECKS: Mapping[str, Check] = {
    "structure": integrity.structure,
    "chunks-without-vectors": integrity.chunks_without_vectors,
    "chunks-without-fulltext": integrity.chunks_without_fulltext,
    "orphan-fulltext": integrity.fulltext_without_chunks,
    "orphans": integrity.orphans,
    "vectors": integrity.vectors,
    "table-rows": integrity.table_rows,
    "chunk-text": integrity.chunk_texts,
    "ready": integrity.ready,
    "model": surroundings.model,
    "model-files": model_files,
    "other-folder": surroundings.root,
    "context-mode": surroundings.context_mode,
    "withheld": servability.withheld,
    "chunked-without-definitions": chunker.chunked_without_definitions,
    "chunking-policy": chunker.chunking_policy,
    "files": freshness.files,
    "files-skipped": freshness.unusable_files,
    "names": freshness.declined_names,
    "run-incomplete": freshness.last_run,
    "document-notices": freshness.document_notices,
    "exclusion-rules": freshness.ignore_file,
    "schema-file": freshness.schema_file,
    "stale-lock": surroundings.stale_lock,
    "leftover-building": surroundings.leftover_building,
}
DEEP_CHECKS: Mapping[str, Check] = {"near-duplicates": near_duplicates}


def examine(index_path: Path, admit: Callable[[Store], Patient], *, deep: bool) -> Report:
    """Make every check on one state of the index.

    ``admit`` makes the patient of its opened store. An index that cannot be opened for what it holds is a finding; one
    that is not there, or that the operating system refuses, raises NoIndex or StoreError.
    """
    refusal = why_not_opened(index_path)
    if refusal is not None:
        left = [check for check in CHECKS if check != refusal.check]
        return Report(
            documents=None,
            chunks=None,
            deep=deep,
            checks=(refusal.check, *left),
            findings=(refusal,),
            not_run=tuple(NotRun(check=check, reason="the index cannot be opened") for check in left),
        )
    with Store.open_for_reading(index_path) as store, store.snapshot():
        return _examine(admit(store), deep=deep)


def why_not_opened(index_path: Path) -> Finding | None:
    """What keeps an index from being opened, if it is something in the file. Raises NoIndex when there is none."""
    try:
        Store.open_for_reading(index_path).close()
    except NewerSchema as error:
        return _refusal(
            "schema-version", str(error), "Upgrade groove, or move the index file away and run `groove index`"
        )
    except CorruptIndex as error:
        return _refusal("structure", str(error), integrity.START_ANEW)
    except StoreError as error:
        if not _is_older(index_path):
            raise
        return _refusal("schema-version", str(error), "groove index")
    return None


def _is_older(index_path: Path) -> bool:
    database = Database(index_path, read_only=True)
    try:
        return schema.check(database) < schema.SCHEMA_VERSION
    finally:
        database.close()


def _refusal(check: str, problem: str, remedy: str) -> Finding:
    summary = "The index is damaged" if check == "structure" else "The index has another schema version"
    return about(check, Severity.ERROR, summary, [problem], remedy=remedy)[0]


def _examine(patient: Patient, *, deep: bool) -> Report:
    checks = {**CHECKS, **DEEP_CHECKS} if deep else CHECKS
    findings: list[Finding] = []
    not_run: list[NotRun] = []
    for name, check in checks.items():
        try:
            findings += check(patient)
        except GrooveError as error:
            not_run.append(NotRun(check=name, reason=str(error)))
        except Exception as error:  # noqa: BLE001 - a damaged row can upset anything; the other checks go on, and it is said
            not_run.append(NotRun(check=name, reason=f"it failed ({type(error).__name__}: {error})"))
    documents, chunks = _counts(patient.store)
    return Report(
        documents=documents,
        chunks=chunks,
        deep=deep,
        checks=tuple(checks),
        findings=tuple(findings),
        not_run=tuple(not_run),
    )


def _counts(store: Store) -> tuple[int | None, int | None]:
    try:
        return store.meta.counts()
    except StoreError:
        return None, None
