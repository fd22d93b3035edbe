"""Embedding beside the rest: the order of documents, what is held at a time, and failures."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest
from grooveseek.errors import EmbeddingError
from grooveseek.indexing.events import Indexed
from grooveseek.indexing.pipeline import BATCH_HELD, BATCH_WINDOWS, EmbeddedDocument, EmbeddingPipeline
from grooveseek.indexing.prepare import PreparedChunk, PreparedDocument
from grooveseek.model.document import Chunk
from tests.conftest import write_files
from tests.indexing.conftest import Open
from tests.store.conftest import document
from tests.support.embedders import InstantEmbedder, WatchedEmbedder, refuse_poison


def prepared(path: str, *texts: str | tuple[str, ...]) -> PreparedDocument:
    """A document of one chunk a text; a tuple is a chunk of several windows, "" one of none."""
    chunks = []
    for index, text in enumerate(texts):
        windows = text if isinstance(text, tuple) else (text,) if text else ()
        chunks.append(
            PreparedChunk(
                chunk=Chunk(index=index, content=" ".join(windows)),
                token_count=1,
                quality=1.0,
                is_boilerplate=False,
                letters=1,
                readable=1,
                input_hash="|".join(windows).encode(),
                windows=windows,
                indexed_context="",
            )
        )
    return PreparedDocument(record=document(path), chunks=tuple(chunks))


def nothing_known(_: Sequence[bytes]) -> dict[bytes, np.ndarray]:
    return {}


def all_of(pipeline: EmbeddingPipeline, documents: Sequence[PreparedDocument]) -> list[EmbeddedDocument]:
    with pipeline:
        given = [done for each in documents for batch in pipeline.add(each) for done in batch]
        return [*given, *(done for batch in pipeline.finish() for done in batch)]


def paths(given: Sequence[EmbeddedDocument]) -> list[str]:
    return [each.prepared.record.path for each in given]


def test_documents_come_back_in_their_order_with_a_vector_a_window():
    embedder = WatchedEmbedder()
    given = all_of(
        EmbeddingPipeline(embedder, nothing_known),
        [prepared("a", "one", ("two", "three"), ""), prepared("b"), prepared("c", "one")],
    )
    assert paths(given) == ["a", "b", "c"]
    assert [[record.vectors.shape for record in each.chunks] for each in given] == [
        [(1, 64), (2, 64), (0, 64)],
        [],
        [(1, 64)],
    ]
    assert [(each.embedded, each.reused) for each in given] == [(2, 0), (0, 0), (1, 0)]
    assert embedder.texts == ["one", "two", "three"]
    for text, vector in (("one", given[0].chunks[0].vectors[0]), ("three", given[0].chunks[1].vectors[1])):
        np.testing.assert_array_equal(vector, embedder.embed_query(text))


def test_known_vectors_are_used():
    known = {b"one": np.full((1, 64), 0.125, dtype=np.float32)}
    embedder = WatchedEmbedder()
    (given,) = all_of(
        EmbeddingPipeline(embedder, lambda hashes: {h: known[h] for h in hashes if h in known}),
        [prepared("a", "one", "two")],
    )
    assert embedder.texts == ["two"]
    assert (given.embedded, given.reused) == (1, 1)
    np.testing.assert_array_equal(given.chunks[0].vectors, known[b"one"])


def test_a_text_without_a_usable_vector_costs_its_document_and_no_other():
    documents = [prepared(str(number), f"text {number}", "poison" if number == 3 else "") for number in range(6)]
    given = all_of(EmbeddingPipeline(WatchedEmbedder(before=refuse_poison), nothing_known), documents)
    assert paths(given) == list("012345")
    assert [each.failure is not None for each in given] == [False, False, False, True, False, False]
    assert "not finite" in str(given[3].failure)
    assert given[3].chunks == ()


def test_another_error_of_the_model_is_the_callers():
    def fail(_: Sequence[str]) -> None:
        raise EmbeddingError("gone")

    with pytest.raises(EmbeddingError, match="gone"):
        all_of(EmbeddingPipeline(WatchedEmbedder(before=fail), nothing_known), [prepared("a", "one")])


def test_leaving_early_waits_for_no_batch_that_was_not_begun():
    begun = threading.Event()
    go_on = threading.Event()

    def hold(_: Sequence[str]) -> None:
        begun.set()
        go_on.wait(10)

    embedder = WatchedEmbedder(before=hold)
    with EmbeddingPipeline(embedder, nothing_known) as pipeline:
        for number in range(3):
            list(
                pipeline.add(prepared(str(number), *(f"{number} {n}" for n in range(BATCH_WINDOWS))))
                if number < 2
                else ()
            )
        assert begun.wait(10)
        go_on.set()
    assert len(embedder.texts) <= BATCH_WINDOWS


@pytest.mark.parametrize("known", [False, True])
def test_no_more_than_a_few_batches_are_held(known: bool):
    """Documents taken and not given back, counted while the model lags behind, with vectors to make or to reuse."""
    windows_each, most = 4, 0
    taken = given = 0
    vectors = np.ones((1, 64), dtype=np.float32)
    pipeline = EmbeddingPipeline(
        WatchedEmbedder(), (lambda hashes: dict.fromkeys(hashes, vectors)) if known else nothing_known
    )
    with pipeline:
        for number in range(2000):
            taken += 1
            given += sum(
                len(batch)
                for batch in pipeline.add(prepared(str(number), *(f"{number} {n}" for n in range(windows_each))))
            )
            most = max(most, taken - given)
        given += sum(len(batch) for batch in pipeline.finish())
    assert given == 2000
    assert most * windows_each <= 4 * (BATCH_HELD if known else BATCH_WINDOWS)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_documents(open_base: Open):
    """2,000 documents of 3 KB: what is held when the last tenth was written is what was held after the second."""
    text = "a line of some words that stand in a note, and then another one\n" * 45
    files = {f"{number // 100:02d}/{number:04d}.md": f"# T{number}\n\n{number} {text}\n" for number in range(2000)}
    kb = open_base(files, embedder=InstantEmbedder())
    held: list[int] = []
    written = 0

    def listen(event: object) -> None:
        nonlocal written
        if isinstance(event, Indexed):
            written += 1
            if written % 200 == 0:
                gc.collect()
                held.append(tracemalloc.get_traced_memory()[0])

    tracemalloc.start()
    try:
        kb.index(listener=listen)
    finally:
        tracemalloc.stop()
    assert len(held) == 10
    assert max(held) - held[1] < 2000 * len(text) / 2


@pytest.mark.slow
def test_one_huge_file_is_held_a_few_times_over_and_not_more(open_base: Open):
    """4 MB of text: the peak is a small multiple of it, and the memory is free again afterwards."""
    section = "## Section\n\n" + "some words of a long report that goes on and on, line after line\n" * 12
    text = "# Report\n\n" + section * (4_000_000 // len(section))
    kb = open_base({"small.md": "# Small\n\nsmall\n"}, embedder=InstantEmbedder())
    kb.index()
    write_files(kb.root, {"huge.md": text})
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        kb.index()
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (peak - before) / len(text) < 12
    gc.collect()
    assert (after - before) / len(text) < 1
