"""Embedding beside parsing and writing: one thread reads and writes, another runs the model, little is held between."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from grooveseek.embedding.protocol import Embedder, Vectors
from grooveseek.errors import BadVector
from grooveseek.indexing.prepare import PreparedChunk, PreparedDocument
from grooveseek.store.records import ChunkRecord

BATCH_WINDOWS = 256
"""Windows gathered before they are embedded: enough to sort by length, little enough to hold."""
_BATCHES_IN_FLIGHT = 2

Reuse = Callable[[Sequence[bytes]], Mapping[bytes, Vectors]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedDocument:
    """A document whose chunks have their vectors; or ``failure`` says why it has none and must be skipped."""

    prepared: PreparedDocument
    chunks: tuple[ChunkRecord, ...] = ()
    embedded: int = 0
    reused: int = 0
    failure: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    prepared: PreparedDocument
    known: Mapping[bytes, Vectors]

    def missing(self) -> dict[bytes, PreparedChunk]:
        return {c.input_hash: c for c in self.prepared.chunks if c.windows and c.input_hash not in self.known}


class EmbeddingPipeline:
    """Takes prepared documents, gives them back with vectors, in the same order."""

    def __init__(self, embedder: Embedder, reuse: Reuse) -> None:
        self._embedder = embedder
        self._reuse = reuse
        self._gathered: list[_Waiting] = []
        self._windows = 0
        self._in_flight: deque[Future[list[EmbeddedDocument]]] = deque()
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="groove-embed")

    def __enter__(self) -> EmbeddingPipeline:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)

    def add(self, prepared: PreparedDocument) -> Iterator[EmbeddedDocument]:
        """Take one document; give back those that are ready by now."""
        waiting = _Waiting(prepared=prepared, known=self._reuse([c.input_hash for c in prepared.chunks if c.windows]))
        self._gathered.append(waiting)
        self._windows += sum(len(chunk.windows) for chunk in waiting.missing().values())
        if self._windows >= BATCH_WINDOWS or len(self._gathered) >= BATCH_WINDOWS:
            self._submit()
        while len(self._in_flight) > _BATCHES_IN_FLIGHT or (self._in_flight and self._in_flight[0].done()):
            yield from self._in_flight.popleft().result()

    def drain(self, *, only_begun: bool = False) -> Iterator[EmbeddedDocument]:
        """Give back everything still on its way. ``only_begun``: leave out what no embedding was started for."""
        if only_begun:
            self._gathered, self._windows = [], 0
            self._in_flight = deque(batch for batch in self._in_flight if not batch.cancel())
        self._submit()
        while self._in_flight:
            yield from self._in_flight.popleft().result()

    def _submit(self) -> None:
        if self._gathered:
            self._in_flight.append(self._executor.submit(_embed_batch, self._embedder, self._gathered))
        self._gathered, self._windows = [], 0


def _embed_batch(embedder: Embedder, batch: Sequence[_Waiting]) -> list[EmbeddedDocument]:
    missing = {input_hash: chunk for waiting in batch for input_hash, chunk in waiting.missing().items()}
    try:
        fresh = _embed(embedder, missing)
    except BadVector:
        return [_embed_alone(embedder, waiting) for waiting in batch]
    return [_finish(embedder, waiting, fresh) for waiting in batch]


def _embed_alone(embedder: Embedder, waiting: _Waiting) -> EmbeddedDocument:
    """One text has no usable vector: its document is skipped, the others of its batch are not."""
    try:
        return _finish(embedder, waiting, _embed(embedder, waiting.missing()))
    except BadVector as error:
        return EmbeddedDocument(prepared=waiting.prepared, failure=str(error))


def _embed(embedder: Embedder, chunks: Mapping[bytes, PreparedChunk]) -> dict[bytes, Vectors]:
    texts = [window for chunk in chunks.values() for window in chunk.windows]
    if not texts:
        return {}
    vectors = embedder.embed_documents(texts)
    ends = np.cumsum([len(chunk.windows) for chunk in chunks.values()])[:-1]
    return dict(zip(chunks, np.split(vectors, ends), strict=True))


def _finish(embedder: Embedder, waiting: _Waiting, fresh: Mapping[bytes, Vectors]) -> EmbeddedDocument:
    nothing = np.zeros((0, embedder.dimension), dtype=np.float32)
    chunks = waiting.prepared.chunks
    vectors = [
        (waiting.known.get(c.input_hash, fresh.get(c.input_hash, nothing)) if c.windows else nothing) for c in chunks
    ]
    reused = sum(1 for chunk in chunks if chunk.windows and chunk.input_hash in waiting.known)
    return EmbeddedDocument(
        prepared=waiting.prepared,
        chunks=tuple(map(_record, chunks, vectors)),
        embedded=sum(1 for chunk in chunks if chunk.windows) - reused,
        reused=reused,
    )


def _record(prepared: PreparedChunk, vectors: Vectors) -> ChunkRecord:
    return ChunkRecord(
        chunk=prepared.chunk,
        token_count=prepared.token_count,
        quality=prepared.quality,
        is_boilerplate=prepared.is_boilerplate,
        letters=prepared.letters,
        readable=prepared.readable,
        input_hash=prepared.input_hash,
        vectors=vectors,
        indexed_context=prepared.indexed_context,
    )
