"""Vectors to search in: clustered ones, real ones, and mixtures of real ones for sizes nobody wants to embed for a
benchmark.

Real ones are made by the bundled model from the documents of Cranfield and CACM (read beside the repository, in
../shared/collections) and from docstrings of the installed Python packages; the queries are the collections' own.
"""

from __future__ import annotations

import json
import os
import random
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from grooveseek.embedding.factory import build_embedder
from grooveseek.settings.sections import Settings

Vectors = npt.NDArray[np.float32]

COLLECTIONS = Path(__file__).resolve().parents[2].parent / "shared" / "collections"
DIMENSION = 384
STEP = 20_000
_DOCSTRING = re.compile(r'"""(.{120,}?)"""', re.DOTALL)
_TEXT_LENGTH = 300
_FROM_A_FILE = 12
_FILES = 4_000


def clustered(count: int, seed: int) -> Iterator[Vectors]:
    """Unit vectors around one centre for every 200 of them, as far from it as it is from the origin."""
    chance = np.random.default_rng(seed)
    centres = unit(chance.standard_normal((max(64, count // 200), DIMENSION)))
    for start in range(0, count, STEP):
        rows = min(STEP, count - start)
        noise = unit(chance.standard_normal((rows, DIMENSION)))
        yield unit(centres[chance.integers(0, len(centres), rows)] + noise)


def mixed(real: Vectors, count: int, seed: int) -> Iterator[Vectors]:
    """The real vectors first, then points between two of them with noise of a third of their own deviation."""
    chance = np.random.default_rng(seed)
    yield real[:count]
    deviation = real.std(axis=0)
    for start in range(len(real), count, STEP):
        rows = min(STEP, count - start)
        share = chance.uniform(0.5, 1.0, (rows, 1))
        one, other = real[chance.integers(0, len(real), rows)], real[chance.integers(0, len(real), rows)]
        yield unit(share * one + (1 - share) * other + 0.3 * deviation * chance.standard_normal((rows, DIMENSION)))


def clustered_queries(count: int, size: int, seed: int) -> Vectors:
    """Queries near vectors of ``clustered(size, seed)``."""
    chance = np.random.default_rng(seed + 1)
    return unit(next(clustered(size, seed))[:count] + 0.5 * unit(chance.standard_normal((count, DIMENSION))))


def real(work: Path, count: int) -> tuple[Vectors, Vectors]:
    """(vectors, queries) of real texts; embedded once and kept in ``work``."""
    kept, queries = work / f"real-{count}.npy", work / "queries.npy"
    if not kept.exists():
        model = build_embedder(Settings(), environ=os.environ)
        np.save(queries, np.stack([model.embed_query(text) for text in collection_texts("queries.jsonl")]))
        np.save(
            kept, np.asarray(model.embed_documents([t[:_TEXT_LENGTH] for t in real_texts(count)]), dtype=np.float32)
        )
    return np.load(kept), np.load(queries)


def unit(rows: npt.NDArray[np.floating]) -> Vectors:
    """Rows of length one, float32."""
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def real_texts(count: int) -> list[str]:
    """Documents of the two collections, then docstrings; ``count`` in all, if there are so many."""
    texts = collection_texts("docs.jsonl")
    return [*texts, *_docstrings(max(0, count - len(texts)))][:count]


def collection_texts(name: str) -> list[str]:
    """The texts of one file of both collections: ``docs.jsonl`` or ``queries.jsonl``."""
    return [
        json.loads(line)["text"] or json.loads(line).get("title") or "untitled"
        for collection in ("cacm", "cranfield")
        for line in (COLLECTIONS / collection / name).read_text(encoding="utf-8").splitlines()
    ]


def collection_titles() -> list[str]:
    """The titles of the documents of both collections; some have none, some share one."""
    return [
        json.loads(line).get("title") or ""
        for collection in ("cacm", "cranfield")
        for line in (COLLECTIONS / collection / "docs.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def _docstrings(count: int) -> list[str]:
    folders = (Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("stdlib")))
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    random.Random(0).shuffle(files)
    found: dict[str, None] = {}
    for path in files[:_FILES]:
        text = path.read_text(encoding="utf-8", errors="replace")
        found.update((" ".join(one.split()), None) for one in _DOCSTRING.findall(text)[:_FROM_A_FILE])
        if len(found) >= count:
            break
    return list(found)[:count]
