"""How long `groove doctor`'s checks of the index take: synthetic rows, a folder without files.

python -m eval.bench.doctor [--chunks 100000] [--deep]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
from grooveseek.doctor.examine import CHECKS, DEEP_CHECKS
from grooveseek.doctor.patient import Patient
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.indexing.prepare import embedding_input
from grooveseek.model.document import Chunk
from grooveseek.parsing.registry import Registry
from grooveseek.settings.sections import Settings
from grooveseek.store.records import ChunkRecord, DocumentRecord
from grooveseek.store.store import Store

DIMENSION = 384
CHUNKS_A_DOCUMENT = 20
WORDS_A_CHUNK = 130
VOCABULARY = 20_000


def main() -> None:
    """Build the index, then time each check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--deep", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "kb"
        root.mkdir()
        path = Path(folder) / ".groove.db"
        started = time.perf_counter()
        build(path, options.chunks)
        size = path.stat().st_size / 1024 / 1024
        print(f"built {options.chunks} chunks, {size:.0f} MiB, in {time.perf_counter() - started:.0f} s")
        measure(root, path, deep=options.deep)


def measure(root: Path, path: Path, *, deep: bool) -> None:
    """Each check's seconds, in the order of an examination."""
    settings = Settings(kb_path=root, model="fake")
    total = total_cpu = 0.0
    with Store.open_for_reading(path) as store, store.snapshot():
        patient = Patient(
            root=root,
            index_path=path,
            store=store,
            settings=settings,
            registry=Registry.from_settings(settings),
            identity=lambda: FakeEmbedder(DIMENSION).identity,
            environ=os.environ,
            deep=deep,
        )
        for name, check in ({**CHECKS, **DEEP_CHECKS} if deep else CHECKS).items():
            started, worked = time.perf_counter(), time.process_time()
            found = list(check(patient))
            seconds, cpu = time.perf_counter() - started, time.process_time() - worked
            total, total_cpu = total + seconds, total_cpu + cpu
            said = "".join(f"  {finding.check}: {finding.count}" for finding in found)
            print(f"{seconds:8.3f} s {cpu:8.3f} s CPU  {name}{said}")
    print(f"{total:8.3f} s {total_cpu:8.3f} s CPU  in all")


def build(path: Path, chunks: int) -> None:
    """An index of random words and random unit vectors."""
    random = np.random.default_rng(0)
    with Store.open_for_writing(path) as store:
        with store.transaction():
            store.meta.set("model_identity", asdict(FakeEmbedder(DIMENSION).identity))
            store.meta.set("root_name", "kb")
            store.meta.set("contextual", Settings().contextual.enabled)
            for document in range(0, chunks, CHUNKS_A_DOCUMENT):
                store.documents.put(
                    _document(document), list(_chunks(random, min(CHUNKS_A_DOCUMENT, chunks - document)))
                )
        store.tidy()
        store.database.checkpoint()


def _document(number: int) -> DocumentRecord:
    name = f"d{number:07}.md"
    return DocumentRecord(
        path=name,
        title=name,
        content_hash=hashlib.sha256(name.encode()).digest(),
        size_bytes=1,
        mtime_ns=1,
        parser="md",
    )


def _chunks(random: np.random.Generator, count: int) -> Iterator[ChunkRecord]:
    for index in range(count):
        # word frequencies fall as they do in a language (Zipf), so that the full-text tables have their usual shape
        ranks = np.minimum(random.zipf(1.3, WORDS_A_CHUNK), VOCABULARY)
        content = " ".join(f"w{rank:x}{rank * 7919 % 4096:x}" for rank in ranks)
        chunk = Chunk(index=index, content=content, heading=f"Part {index}", start_line=index + 1, end_line=index + 1)
        text = embedding_input(chunk, contextual=Settings().contextual.enabled)
        vector = random.standard_normal((1, DIMENSION)).astype(np.float32)
        yield ChunkRecord(
            chunk=chunk,
            token_count=WORDS_A_CHUNK,
            quality=1.0,
            is_boilerplate=False,
            letters=1,
            readable=1,
            input_hash=hashlib.sha256(text.encode()).digest(),
            vectors=vector / np.linalg.norm(vector),
        )


if __name__ == "__main__":
    main()
