"""Embedding beside parsing and writing: one thread reads and writes, another runs the model, little is held between."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from grooveseek.embedding.protocol import Embedder, PatientEmbedder, Vectors
from grooveseek.errors import BadVector
from grooveseek.indexing.prepare import PreparedChunk, PreparedDocument
from grooveseek.store.records import ChunkRecord

BATCH_WINDOWS = 64
"""Windows to embed that are gathered in a batch: enough to keep several threads busy, little enough to hold."""
BATCH_HELD = 4 * BATCH_WINDOWS
"""Windows a batch holds in all, those with a vector already included."""
_BATCHES_IN_FLIGHT = 2
_STEP_WINDOWS = 64
"""Windows embedded between two looks at whether to stop."""

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
    """Takes prepared documents, gives them back with vectors, in the same order and in batches: lists of documents
    that are worth writing together.

    Holds at most four batches: one being gathered, two on their way, one being given back. Once ``should_stop`` says
    so, it embeds no further and gives back only what is complete.
    """

    def __init__(self, embedder: Embedder, reuse: Reuse, should_stop: Callable[[], bool] = lambda: False) -> None:
        self._embedder = embedder
        self._reuse = reuse
        self._should_stop = should_stop
        self._gathered: list[_Waiting] = []
        self._to_embed = self._held = 0
        self._in_flight: deque[Future[list[EmbeddedDocument]]] = deque()
        self._abandoned = threading.Event()
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="groove-embed")

    def __enter__(self) -> EmbeddingPipeline:
        return self

    def __exit__(self, *_: object) -> None:
        self._abandoned.set()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def add(self, prepared: PreparedDocument) -> Iterator[list[EmbeddedDocument]]:
        """Take one document; give back the batches that are ready by now. Raises what the model raised."""
        waiting = _Waiting(prepared=prepared, known=self._reuse([c.input_hash for c in prepared.chunks if c.windows]))
        self._gathered.append(waiting)
        self._to_embed += sum(len(chunk.windows) for chunk in waiting.missing().values())
        self._held += sum(len(chunk.windows) for chunk in prepared.chunks)
        if self._to_embed >= BATCH_WINDOWS or self._held >= BATCH_HELD or len(self._gathered) >= BATCH_WINDOWS:
            self._submit()
        while len(self._in_flight) > _BATCHES_IN_FLIGHT or (self._in_flight and self._in_flight[0].done()):
            yield self._in_flight.popleft().result()

    def finish(self) -> Iterator[list[EmbeddedDocument]]:
        """Give back everything still on its way. Raises what the model raised."""
        self._submit()
        while self._in_flight:
            yield self._in_flight.popleft().result()

    def abandon(self) -> Iterator[list[EmbeddedDocument]]:
        """Begin nothing more, and give back what is complete: nothing has to be embedded twice for having stopped."""
        self._abandoned.set()
        self._gathered, self._to_embed, self._held = [], 0, 0
        while self._in_flight:
            batch = self._in_flight.popleft()
            if not batch.cancel():
                yield batch.result()

    def _submit(self) -> None:
        if self._gathered:
            self._in_flight.append(self._executor.submit(self._embed_batch, self._gathered))
        self._gathered, self._to_embed, self._held = [], 0, 0

    # -- in the other thread ---------------------------------------------------------------------------------------

    def _embed_batch(self, batch: Sequence[_Waiting]) -> list[EmbeddedDocument]:
        missing = {input_hash: chunk for waiting in batch for input_hash, chunk in waiting.missing().items()}
        try:
            fresh = self._embed(missing)
        except BadVector:
            return [document for waiting in batch for document in self._embed_alone(waiting)]
        return [
            _finish(self._embedder, waiting, fresh) for waiting in batch if waiting.missing().keys() <= fresh.keys()
        ]

    def _embed_alone(self, waiting: _Waiting) -> list[EmbeddedDocument]:
        """One text has no usable vector: its document is skipped, the others of its batch are not."""
        missing = waiting.missing()
        try:
            fresh = self._embed(missing)
        except BadVector as error:
            return [EmbeddedDocument(prepared=waiting.prepared, failure=str(error))]
        return [_finish(self._embedder, waiting, fresh)] if missing.keys() <= fresh.keys() else []

    def _embed(self, chunks: Mapping[bytes, PreparedChunk]) -> dict[bytes, Vectors]:
        """The vectors of each; of the first ones only when the work was stopped on the way."""
        texts = [window for chunk in chunks.values() for window in chunk.windows]
        vectors = np.empty((len(texts), self._embedder.dimension), dtype=np.float32)
        done = 0
        while done < len(texts) and not self._stopping():
            fresh = self._embed_step(texts[done : done + _STEP_WINDOWS])
            vectors[done : done + len(fresh)] = fresh
            done += len(fresh)
        return _shared_out(chunks, vectors[:done])

    def _embed_step(self, texts: Sequence[str]) -> Vectors:
        if isinstance(self._embedder, PatientEmbedder):
            return self._embedder.embed_documents_until(texts, self._stopping)
        return self._embedder.embed_documents(texts)

    def _stopping(self) -> bool:
        return self._abandoned.is_set() or self._should_stop()


def _shared_out(chunks: Mapping[bytes, PreparedChunk], vectors: Vectors) -> dict[bytes, Vectors]:
    """The vectors that stand in a row, to the chunks they belong to, as far as they go."""
    shared: dict[bytes, Vectors] = {}
    start = 0
    for input_hash, chunk in chunks.items():
        end = start + len(chunk.windows)
        if end > len(vectors):
            break
        shared[input_hash] = vectors[start:end]
        start = end
    return shared


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
