"""Catalogue models from a Hugging Face hub: found in the cache without network, downloaded with a word about it.

The cache has the layout huggingface_hub and fastembed write, so one filled by either is used as it is.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from grooveseek.embedding.catalog import HubFiles, ModelSpec
from grooveseek.embedding.files import revision, scan
from grooveseek.embedding.runner import ModelCard
from grooveseek.embedding.session import first_line
from grooveseek.errors import ModelUnavailable

TOKENIZER = "tokenizer.json"
PUBLIC_HUB = "https://huggingface.co"

_REACH_SECONDS = 4.0
"""How long the hub may take to answer at all. Left alone, the library retries a dead one for 40 to 70 seconds."""
_CONFIGS = ("config.json", "tokenizer_config.json", "special_tokens_map.json")
_logger = logging.getLogger(__name__)


def hub_card(spec: ModelSpec, files: HubFiles, *, cache_dir: Path, environ: Mapping[str, str]) -> ModelCard:
    """Describe a catalogue model, downloading it first when the cache does not have it.

    Raises ModelUnavailable when it cannot be had, EmbeddingError when its files cannot be read.
    """
    instead = 'use the model that comes with groove (model = "all-minilm-l6-v2")'
    directory = fetch(spec.name, files, cache_dir=cache_dir, environ=environ, instead=instead)
    remedy = redownload(directory)
    names = (files.model, TOKENIZER, *files.data)
    digests = [scan(directory / name, remedy).digest for name in names]
    return ModelCard(
        identity=spec.identity(revision(*digests)),
        model=loadable(directory, files),
        tokenizer=directory / TOKENIZER,
        scripts=spec.scripts,
        lowest_cosine=spec.lowest_cosine,
        one_at_a_time=spec.one_at_a_time,
        remedy=remedy,
    )


def redownload(snapshot: Path) -> str:
    """What to tell a person whose downloaded copy is damaged."""
    return f"delete the folder {snapshot.parent.parent} and run groove again to download it anew"


def find_cached(cache_dir: Path, files: HubFiles) -> Path | None:
    """The snapshot folder that holds all files the model needs; None when there is none. No network."""
    repo = cache_dir / ("models--" + files.repo.replace("/", "--"))
    commits: list[str] = []
    with suppress(OSError):
        commits.append((repo / "refs" / "main").read_text(encoding="utf-8").strip())
    with suppress(OSError):
        commits.extend(sorted(path.name for path in (repo / "snapshots").iterdir()))
    snapshots = (repo / "snapshots" / commit for commit in commits if commit)
    needed = (files.model, TOKENIZER, *files.data)
    return next((path for path in snapshots if all((path / name).is_file() for name in needed)), None)


def fetch(name: str, files: HubFiles, *, cache_dir: Path, environ: Mapping[str, str], instead: str) -> Path:
    """The folder with the model's files, from the cache or else the hub (HF_ENDPOINT, default the public one).

    Says what is downloaded and how large it is; the library shows progress. Raises ModelUnavailable within seconds
    when the hub does not answer, with the ways out; ``instead`` is the first of them.
    """
    if cached := find_cached(cache_dir, files):
        return cached
    endpoint = (environ.get("HF_ENDPOINT") or PUBLIC_HUB).rstrip("/")

    def unavailable(reason: str) -> ModelUnavailable:
        return ModelUnavailable(
            f'the model "{name}" is not in {cache_dir} and cannot be had from {endpoint} ({reason}). Either {instead}, '
            "or put a cache that holds it there (FASTEMBED_CACHE_DIR names another place), or name a directory with "
            "the model's files; HF_ENDPOINT names a mirror of the hub."
        )

    if environ.get("HF_HUB_OFFLINE", "").strip().upper() in {"1", "TRUE", "YES", "ON"}:
        raise unavailable("HF_HUB_OFFLINE is set")
    try:
        _download(name, files, cache_dir, endpoint)
    except Exception as error:  # the library's errors, its HTTP client's and the system's, different in each release
        raise unavailable(first_line(error)) from error
    if downloaded := find_cached(cache_dir, files):
        return downloaded
    raise unavailable(f"the repository {files.repo} there lacks some of {', '.join((files.model, *files.data))}")


def _download(name: str, files: HubFiles, cache_dir: Path, endpoint: str) -> None:
    from huggingface_hub import HfApi, snapshot_download

    HfApi(endpoint=endpoint).model_info(files.repo, timeout=_REACH_SECONDS)
    _logger.warning("Downloading the model %s (%s) from %s to %s", name, size(files.gigabytes), endpoint, cache_dir)
    snapshot_download(
        files.repo,
        cache_dir=cache_dir,
        endpoint=endpoint,
        allow_patterns=[files.model, TOKENIZER, *files.data, *_CONFIGS],
    )


def size(gigabytes: float) -> str:
    """A download's size as a person reads it: ``67 MB``, ``2.27 GB``."""
    return f"{gigabytes:.2f} GB" if gigabytes >= 1 else f"{gigabytes * 1000:.0f} MB"


def loadable(directory: Path, files: HubFiles) -> Path:
    """The model file to open.

    onnxruntime refuses weights that a cache's symbolic links take to another folder than the model's (from 1.24 on;
    from 1.32 on it knows huggingface_hub's own layout). fastembed then links both into one folder.
    """
    if not files.data:
        return directory / files.model
    # An older fastembed does not have it, a read-only cache cannot be linked in: then onnxruntime says what it refuses.
    with suppress(OSError, ImportError):
        from fastembed.common.onnx_external_data import link_external_data

        return Path(link_external_data(directory, files.model, list(files.data)))
    return directory / files.model
