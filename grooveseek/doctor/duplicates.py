"""Near-duplicates: documents that say the same in nearly the same words, and crowd each other out of an answer.

Documents are compared by their sets of five-word runs (shingles; Broder, "On the resemblance and containment of
documents", 1997). MinHash signatures in bands find the pairs worth comparing; the resemblance said is the exact one.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from grooveseek.doctor.findings import Finding, Severity, about
from grooveseek.doctor.patient import Patient
from grooveseek.store import audit

RESEMBLANCE = 0.8
"""Least share of shingles in common (Jaccard) of a pair that is reported."""

_SHINGLE = 5
_LEAST_SHINGLES = 20
_BANDS, _ROWS = 16, 4
"""A pair at the threshold shares a band with probability 1 - (1 - .8^4)^16 = .9998."""
_CROWD = 50
"""Documents in one band beyond which they are compared with the first of them only: a boilerplate stub repeated a
thousand times is one matter, not half a million."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_WORD = re.compile(r"\w+")
Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two documents and the share of shingles they have in common."""

    first: str
    second: str
    resemblance: float


def near_duplicates(patient: Patient) -> list[Finding]:
    """Pairs of documents, the most alike first."""
    pairs = find_pairs(audit.document_texts(patient.store.database))
    return about(
        "near-duplicates",
        Severity.NOTE,
        "{n} pair{s} of documents that say nearly the same",
        [f"{pair.first} and {pair.second}: {pair.resemblance:.0%}" for pair in pairs],
        remedy="Keep one of each pair, or list the other in .grooveignore; then run `groove index`",
    )


def find_pairs(documents: Iterable[tuple[str, list[str]]]) -> list[Pair]:
    """Pairs whose resemblance is :data:`RESEMBLANCE` or more, the highest first, then by path.

    ``documents`` are paths with their texts. Those of fewer than 20 different shingles are left out: what so little
    text has in common says nothing.
    """
    shingles = {path: found for path, texts in documents if len(found := _shingles(texts)) >= _LEAST_SHINGLES}
    pairs = [
        Pair(first=first, second=second, resemblance=resemblance)
        for first, second in sorted(_candidates(shingles))
        if (resemblance := _jaccard(shingles[first], shingles[second])) >= RESEMBLANCE
    ]
    return sorted(pairs, key=lambda pair: (-pair.resemblance, pair.first, pair.second))


def _shingles(texts: list[str]) -> Hashes:
    """A document's distinct shingles as hashes, ascending. None runs over from one chunk to the next."""
    parts = []
    for text in texts:
        words = np.array([zlib.crc32(word.encode()) for word in _WORD.findall(text.casefold())], dtype=np.uint64)
        if len(words) >= _SHINGLE:
            runs = np.lib.stride_tricks.sliding_window_view(words, _SHINGLE)
            parts.append(_mix(runs @ _odd(_SHINGLE, seed=1)))
    return np.unique(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.uint64)


def _candidates(shingles: dict[str, Hashes]) -> set[tuple[str, str]]:
    """Pairs that share at least one band of their signatures."""
    buckets: dict[tuple[int, bytes], list[str]] = {}
    factors = _odd(_BANDS * _ROWS, seed=2)
    for path, hashes in shingles.items():
        signature = np.array([_mix(hashes * factor).min() for factor in factors], dtype=np.uint64)
        for band, rows in enumerate(signature.reshape(_BANDS, _ROWS)):
            buckets.setdefault((band, rows.tobytes()), []).append(path)
    return {(min(pair), max(pair)) for paths in buckets.values() for pair in _pairs(paths)}


def _pairs(paths: list[str]) -> Iterator[tuple[str, str]]:
    if len(paths) <= _CROWD:
        return combinations(paths, 2)
    return ((paths[0], other) for other in paths[1:])


def _jaccard(first: Hashes, second: Hashes) -> float:
    common = len(np.intersect1d(first, second, assume_unique=True))
    return common / (len(first) + len(second) - common)


def _odd(count: int, *, seed: int) -> Hashes:
    """Odd 64-bit factors, always the same ones."""
    return np.random.default_rng(seed).integers(0, 2**63, size=count, dtype=np.uint64) * 2 + 1


def _mix(values: Hashes) -> Hashes:
    """Spread a difference in any bit over all the others: multiply by the golden ratio's fraction, fold, twice."""
    for _ in range(2):
        values = (values ^ (values >> np.uint64(32))) * _GOLDEN
    return values ^ (values >> np.uint64(29))
