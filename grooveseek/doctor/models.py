"""The models' files: are those the settings name on this machine? Nothing is loaded, and nothing is downloaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grooveseek.doctor.findings import Finding, Severity, about
from grooveseek.doctor.patient import Patient
from grooveseek.embedding.bundle import bundled_card
from grooveseek.embedding.cache import resolve_cache_dir
from grooveseek.embedding.catalog import HubFiles, ModelSpec, RerankerSpec, resolve_model, resolve_reranker
from grooveseek.embedding.factory import FAKE
from grooveseek.embedding.files import check_hash
from grooveseek.embedding.hub import find_cached
from grooveseek.embedding.local import find_files
from grooveseek.embedding.multilingual import find_built, multilingual_card
from grooveseek.embedding.runner import ModelCard
from grooveseek.errors import EmbeddingError, ModelUnavailable

_LOCAL_PROVIDERS = ("local", "fastembed")


def model_files(patient: Patient) -> Iterator[Finding]:
    """Whether the embedding model and the reranker can be loaded without a network."""
    problems = []
    for kind, name, resolve in (
        ("model", patient.settings.model, resolve_model),
        ("reranker", patient.settings.reranker, resolve_reranker),
    ):
        if name in ("none", FAKE) or (kind == "model" and not uses_local_model(patient)):
            continue
        try:
            _check_files(resolve(name), patient)
        except EmbeddingError as error:
            problems.append(f"{kind} {name}: {error}")
    yield from about(
        "model-files",
        Severity.ERROR,
        "{n} model{s} whose files are missing or damaged",
        problems,
        remedy="Run `groove index` with a network to download or build it, or name another in `model` or `reranker` "
        "(docs/models.md)",
    )


def uses_local_model(patient: Patient) -> bool:
    """Whether the vectors are made on this machine."""
    return patient.settings.embedding.provider in _LOCAL_PROVIDERS


def is_at_hand(patient: Patient) -> bool:
    """Whether the embedding model can be asked who it is without a download."""
    if patient.settings.model == FAKE or not uses_local_model(patient):
        return True
    try:
        _check_files(resolve_model(patient.settings.model), patient)
    except EmbeddingError:
        return False
    return True


def _check_files(found: ModelSpec | RerankerSpec | Path, patient: Patient) -> None:
    """Raise EmbeddingError unless the files are there; hashes known beforehand are compared."""
    if isinstance(found, Path):
        find_files(found)
        return
    files: HubFiles | None = found.files
    if files is None and not (isinstance(found, ModelSpec) and found.extra):
        _check_hashes(bundled_card())
        return
    cache_dir = resolve_cache_dir(patient.settings.fastembed_cache_dir, patient.environ)
    if (find_built(cache_dir) if files is None else find_cached(cache_dir, files)) is None:
        raise ModelUnavailable(f"it is not in {cache_dir}")
    if files is None:
        _check_hashes(multilingual_card(cache_dir))


def _check_hashes(card: ModelCard) -> None:
    for path, expected in card.sha256.items():
        check_hash(path, expected, card.remedy)
