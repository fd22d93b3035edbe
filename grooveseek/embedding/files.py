"""Model files: what identifies them, and what their bytes give away."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from grooveseek.errors import EmbeddingError

_MIB = 1 << 20
_WHOLE_BYTES = 64 * _MIB
_SAMPLES = 64
_DYNAMIC_OPERATOR = b"DynamicQuantize"


@dataclass(frozen=True, slots=True)
class Scan:
    """What one reading of a file tells. ``dynamic``: the graph quantises activations as it runs."""

    digest: str
    dynamic: bool


def scan(path: Path, remedy: str) -> Scan:
    """Read a model file once. The digest is the file's SHA-256 up to 64 MiB.

    Of a larger file it covers the size and 64 blocks of 1 MiB spread evenly from the first byte to the last: two sets
    of weights that differ at all differ nearly everywhere, and reading gigabytes at each start would not do.
    Raises EmbeddingError for a file that is missing or cannot be read.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            if size <= _WHOLE_BYTES:
                file.seek(0)
                data = file.read()
                return Scan(hashlib.sha256(data).hexdigest(), _DYNAMIC_OPERATOR in data)
            digest, dynamic = hashlib.sha256(str(size).encode()), False
            for sample in range(_SAMPLES):
                file.seek((size - _MIB) * sample // (_SAMPLES - 1))
                block = file.read(_MIB)
                digest.update(block)
                dynamic = dynamic or _DYNAMIC_OPERATOR in block
            return Scan(digest.hexdigest(), dynamic)
    except OSError as error:
        raise EmbeddingError(f"the model file {path} cannot be read ({error.strerror}): {remedy}") from error


def revision(*digests: str) -> str:
    """16 hexadecimal digits that stand for all the files a vector depends on, in the order given."""
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()[:16]


def check_hash(path: Path, expected: str, remedy: str) -> None:
    """Raise EmbeddingError unless the file is there and has exactly this SHA-256."""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbeddingError(f"the model file {path} cannot be read ({error.strerror}): {remedy}") from error
    if found != expected:
        raise EmbeddingError(f"the model file {path} is damaged (its SHA-256 is {found}, not {expected}): {remedy}")
