"""Surroundings: what the index was made with, and what interrupted runs left beside it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from filelock import FileLock, Timeout

from grooveseek.doctor.findings import Finding, Severity, about
from grooveseek.doctor.integrity import REBUILD
from grooveseek.doctor.models import is_at_hand
from grooveseek.doctor.patient import Patient
from grooveseek.errors import ModelUnavailable
from grooveseek.indexing.build import building_path
from grooveseek.store.lock import describe_holder, holder_path, lock_path


def root(patient: Patient) -> list[Finding]:
    """An index of another folder: two folders side by side want the same file."""
    recorded = patient.store.meta.get("root_name")
    if recorded in (None, patient.root.name):
        return []
    return about(
        "other-folder",
        Severity.ERROR,
        f"The index belongs to the folder {recorded!r}, not to {patient.root.name!r}",
        [str(recorded)],
        remedy="Give this folder an index of its own with [index].path, or run `groove index --force` if the folder "
        "was renamed",
    )


def model(patient: Patient) -> list[Finding]:
    """An index made with another model than the settings name. Raises ModelUnavailable when that one is not here."""
    recorded = patient.store.meta.model_identity
    if recorded is None:
        return about(
            "model-unrecorded",
            Severity.ERROR,
            "The index does not say which model made its vectors",
            [],
            count=1 if patient.states else 0,
            remedy=REBUILD,
        )
    if not is_at_hand(patient):
        raise ModelUnavailable("the model that the settings name is not on this machine, so it cannot be compared")
    current = asdict(patient.identity())
    differing = [
        f"{name}: {recorded.get(name)!r} in the index, {value!r} now"
        for name, value in current.items()
        if recorded.get(name) != value
    ]
    return about(
        "model-mismatch",
        Severity.ERROR,
        f"The index was made with the model {recorded.get('name')!r}, and the settings name {current['name']!r}",
        differing,
        remedy="Set `model` back, or run `groove index --force`",
    )


def context_mode(patient: Patient) -> list[Finding]:
    """Settings that ask for another context mode than the index has."""
    wanted, is_on = patient.settings.contextual.enabled, patient.store.meta.contextual
    return about(
        "context-mode",
        Severity.NOTE,
        f"[contextual].enabled is {str(wanted).lower()}, and the index was made with {str(is_on).lower()}, which holds",
        [],
        count=int(wanted != is_on and bool(patient.states)),
        remedy=f"{REBUILD} (or set [contextual].enabled back)",
    )


def stale_lock(patient: Patient) -> list[Finding]:
    """A note of a writer that no longer runs. The lock itself went with its process."""
    note = holder_path(patient.index_path)
    if not note.exists() or is_being_written(patient.index_path):
        return []
    return about(
        "stale-lock",
        Severity.WARNING,
        "A run ended without tidying up, and may have left work undone",
        [f"{note.name}: {describe_holder(patient.index_path)}"],
        remedy="groove index",
    )


def leftover_building(patient: Patient) -> list[Finding]:
    """The half-built index of a forced rebuild that did not end."""
    leftover = building_path(patient.index_path)
    if not leftover.exists() or is_being_written(patient.index_path):
        return []
    return about(
        "leftover-building",
        Severity.WARNING,
        "A forced rebuild was interrupted; the old index still answers",
        [f"{leftover.name} ({_size(leftover)})"],
        remedy=f"{REBUILD} (which goes on from there), or delete {leftover.name}",
    )


def is_being_written(index_path: Path) -> bool:
    """Whether a process holds the writer's lock now. Asks by taking it for a moment, and never creates the file."""
    path = lock_path(index_path)
    if not path.exists():
        return False
    lock = FileLock(path, timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        return True
    lock.release()
    return False


def _size(path: Path) -> str:
    return f"{path.stat().st_size / 1024 / 1024:.1f} MiB"
