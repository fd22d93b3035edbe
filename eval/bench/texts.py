"""An index of any number of chunks with the words and phrases of real texts: sentences of Cranfield, CACM and
docstrings, put together at random.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from embeddings import DIMENSION, real_texts
from grooveseek.model.document import Chunk
from grooveseek.store.records import ChunkRecord, DocumentRecord
from grooveseek.store.store import Store

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_SENTENCES_A_CHUNK = 6
_CHUNKS_A_DOCUMENT = 50
_SOURCE_TEXTS = 16_000
_NO_VECTORS = np.zeros((0, DIMENSION), dtype=np.float32)


def sentences() -> list[str]:
    """Sentences of real texts, in a fixed order."""
    found = (sentence for text in real_texts(_SOURCE_TEXTS) for sentence in _SENTENCE_END.split(text))
    return [sentence for sentence in found if len(sentence) > 20]


def build(path: Path, chunks: int) -> None:
    """An index at ``path``, unless it is there."""
    if path.exists():
        return
    made = path.with_name(path.name + ".new")
    made.unlink(missing_ok=True)
    with Store.open_for_writing(made) as store:
        with store.transaction():
            rows = _chunks(chunks)
            for start in range(0, chunks, _CHUNKS_A_DOCUMENT):
                count = min(_CHUNKS_A_DOCUMENT, chunks - start)
                store.documents.put(_document(start), [_record(index, next(rows)) for index in range(count)])
        store.tidy()
        store.database.checkpoint()
    made.rename(path)


def _chunks(count: int) -> Iterator[str]:
    chance, every = random.Random(1), sentences()
    for _ in range(count):
        yield " ".join(chance.choices(every, k=_SENTENCES_A_CHUNK))


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


def _record(index: int, content: str) -> ChunkRecord:
    return ChunkRecord(
        chunk=Chunk(index=index, content=content, start_line=index + 1, end_line=index + 1),
        token_count=len(content) // 4,
        quality=1.0,
        is_boilerplate=False,
        letters=1,
        readable=1,
        input_hash=hashlib.sha256(content.encode()).digest(),
        vectors=_NO_VECTORS,
    )
