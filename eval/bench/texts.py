"""An index of any number of chunks with the words and phrases of real texts: sentences of Cranfield, CACM and
docstrings, put together at random.

Some documents at a time are a transaction, as ``groove index`` writes them, and a build that was interrupted goes on
where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice, repeat
from pathlib import Path

import numpy as np
from embeddings import DIMENSION, Vectors, clustered, collection_texts, real_texts
from grooveseek.app import INDEX_NAME
from grooveseek.model.document import Chunk
from grooveseek.store.meta import LastRun
from grooveseek.store.records import ChunkRecord, DocumentRecord
from grooveseek.store.store import Store

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_SENTENCES_A_CHUNK = 6
_CHUNKS_A_DOCUMENT = 50
_CHUNKS_A_TRANSACTION = 500
_SOURCE_TEXTS = 16_000
_PIECE = 10_000
"""Chunks between two notes of what the build took; whole documents."""
_SHORT = 12
_LONG_AGO = "2000-01-01T00:00:00Z"
SEED = 1
"""What the synthetic vectors are made from."""
_NO_VECTORS = np.zeros((0, DIMENSION), dtype=np.float32)


def sentences() -> list[str]:
    """Sentences of real texts, in a fixed order."""
    found = (sentence for text in real_texts(_SOURCE_TEXTS) for sentence in _SENTENCE_END.split(text))
    return [sentence for sentence in found if len(sentence) > 20]


def build(path: Path, chunks: int, *, vectors: bool = False) -> None:
    """An index at ``path``, unless it is there; ``vectors`` gives every chunk a synthetic one."""
    if path.exists():
        Store.open_for_writing(path).close()  # one of an older version is brought up to date
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    growing = path.with_name(path.name + ".new")
    with Store.open_for_writing(growing) as store:
        done = store.meta.counts()[1]
        rows = islice(zip(_chunks(chunks), _vectors(chunks, wanted=vectors), strict=False), done, None)
        for start in range(done, chunks, _PIECE):
            piece = list(islice(rows, min(_PIECE, chunks - start)))
            with _counted(path):
                _write(store, start, piece)
        with _counted(path):
            store.tidy()
            store.meta.record_run(LastRun(finished_at=_LONG_AGO, seconds=0, documents=1, chunks=chunks, skipped=0), ())
            store.database.checkpoint()
    growing.rename(path)


def knowledge_base(work: Path, chunks: int) -> tuple[Path, Path]:
    """A knowledge base of so many chunks with synthetic vectors, built in ``work`` unless it is there: its folder,
    which holds no files, and its index beside it."""
    folder = work / f"base-{chunks}" / "notes"
    folder.mkdir(parents=True, exist_ok=True)
    index = folder.parent / INDEX_NAME
    build(index, chunks, vectors=True)
    return folder, index


@dataclass(frozen=True, slots=True)
class Cost:
    """What a build took, its interruptions left out."""

    seconds: float = 0.0
    processor_seconds: float = 0.0


def cost(path: Path) -> Cost:
    """What the build of the index at ``path`` took so far."""
    kept = _cost_file(path)
    return Cost(**json.loads(kept.read_text(encoding="utf-8"))) if kept.exists() else Cost()


def short_questions() -> list[str]:
    """The collections' own queries of at most twelve words, in a fixed order, each once."""
    asked = list(dict.fromkeys(text for text in collection_texts("queries.jsonl") if len(text.split()) <= _SHORT))
    random.Random(0).shuffle(asked)
    return asked


@contextmanager
def _counted(path: Path) -> Iterator[None]:
    """Add what is done inside to the cost of the index at ``path``."""
    wall, processor = time.perf_counter(), time.process_time()
    yield
    before = cost(path)
    now = Cost(before.seconds + time.perf_counter() - wall, before.processor_seconds + time.process_time() - processor)
    _cost_file(path).write_text(json.dumps(asdict(now)), encoding="utf-8")


def _cost_file(path: Path) -> Path:
    return path.with_name(path.name + ".cost.json")


def _write(store: Store, start: int, rows: Sequence[tuple[str, Vectors]]) -> None:
    for first in range(0, len(rows), _CHUNKS_A_TRANSACTION):
        with store.transaction():
            _write_documents(store, start + first, rows[first : first + _CHUNKS_A_TRANSACTION])


def _write_documents(store: Store, start: int, rows: Sequence[tuple[str, Vectors]]) -> None:
    for first in range(0, len(rows), _CHUNKS_A_DOCUMENT):
        records = [record(index, *row) for index, row in enumerate(rows[first : first + _CHUNKS_A_DOCUMENT])]
        store.documents.put(document(f"d{start + first:07}.md"), records)


def _vectors(count: int, *, wanted: bool) -> Iterator[Vectors]:
    """float32 [windows, dimension] of each chunk."""
    if wanted:
        return (vector[np.newaxis] for block in clustered(count, SEED) for vector in block)
    return repeat(_NO_VECTORS)


def _chunks(count: int) -> Iterator[str]:
    chance, every = random.Random(1), sentences()
    for _ in range(count):
        yield " ".join(chance.choices(every, k=_SENTENCES_A_CHUNK))


def document(path: str) -> DocumentRecord:
    """A document that is nothing but its path."""
    return DocumentRecord(
        path=path,
        title=path,
        content_hash=hashlib.sha256(path.encode()).digest(),
        size_bytes=1,
        mtime_ns=1,
        parser="md",
    )


def record(index: int, content: str, vectors: Vectors) -> ChunkRecord:
    """A chunk that is nothing but its text, with float32 [windows, dimension]."""
    return ChunkRecord(
        chunk=Chunk(index=index, content=content, start_line=index + 1, end_line=index + 1),
        token_count=len(content) // 4,
        quality=1.0,
        is_boilerplate=False,
        letters=1,
        readable=1,
        input_hash=hashlib.sha256(content.encode()).digest(),
        vectors=vectors,
    )
