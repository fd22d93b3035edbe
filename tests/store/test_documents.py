"""Documents as they come back, and the vectors that are used again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from grooveseek.model.document import Chunk, Notice, TableRow
from grooveseek.store.documents import indexed_heading, pack, table_rows_that_fit, unpack
from grooveseek.store.store import Store
from tests.store.conftest import chunk, chunks, document
from tests.support.indexes import assert_whole, sql

FULL = document(
    "boats/hull.md",
    title="Hull",
    category="boats",
    topic="paint",
    depth="deep",
    date="2026-03-14",
    tags=("paint", "冬"),
    parser_tags=("parse:too-deep",),
    frontmatter_unparsed=True,
    tags_unparseable=True,
    is_source=True,
    notices=(Notice(message="a duplicate key", line=3), Notice(message="something")),
    fields={"status": ("done",), "tags": ("paint", "冬")},
)
FULL_CHUNK = Chunk(
    index=0,
    content="a | b\nü | c",
    heading="Rows",
    heading_path=("Top", "Rows"),
    level=2,
    context="boats > Hull",
    start_line=4,
    end_line=5,
    start_byte=20,
    end_byte=32,
    symbol_kind="function",
    scope="Hull.paint",
    language="rust",
    table_rows=(TableRow(table=0, row=0, start=0, end=5), TableRow(table=0, row=1, start=6, end=12)),
)


def test_a_document_comes_back_as_it_went_in(store: Store):
    store.documents.put(FULL, [chunk("", chunk=FULL_CHUNK, token_count=7, quality=0.25)])
    assert store.documents.get("boats/hull.md") == FULL
    (stored,) = store.documents.chunks_of("boats/hull.md")
    assert (stored.chunk, stored.token_count, stored.quality) == (FULL_CHUNK, 7, 0.25)
    assert stored.document.path == "boats/hull.md"


def test_replacing_a_document_leaves_nothing_of_the_old_one(store: Store, index: Path):
    store.documents.put(FULL, [chunk("anchor " * 5, 0, windows=3), chunk("buoy", 1)])
    store.documents.put(document("boats/hull.md", title="New"), chunks("compass"))
    assert store.documents.get("boats/hull.md") == document("boats/hull.md", title="New")
    assert [each.chunk.content for each in store.documents.chunks_of("boats/hull.md")] == ["compass"]
    for table, count in {"chunks": 1, "chunk_vectors": 1, "document_fields": 0, "documents": 1}.items():
        assert sql(index, f"SELECT count(*) FROM {table}") == [(count,)], table
    for word in ("anchor", "buoy", "paint"):
        assert len(store.fulltext.ids_with_words(word)) == 0, word
        assert len(store.fulltext.ids_with_substring(word)) == 0, word
    assert_whole(index)


def test_deleting_a_document_takes_everything_and_leaves_the_others(store: Store, index: Path):
    store.documents.put(FULL, chunks("shared clause", "own"))
    store.documents.put(document("b.md"), chunks("shared clause"))
    assert store.documents.delete("boats/hull.md")
    assert list(store.documents.states()) == ["b.md"]
    assert len(store.fulltext.ids_with_substring("shared clause")) == 1
    assert sql(index, "SELECT count(*) FROM chunk_vectors") == [(1,)]
    assert_whole(index)


def test_ids_are_not_used_twice(store: Store, index: Path):
    store.documents.put(document("a.md"), chunks("one", "two"))
    (before,) = sql(index, "SELECT max(id) FROM chunks")[0]
    store.documents.delete("a.md")
    store.documents.put(document("a.md"), chunks("one"))
    assert sql(index, "SELECT min(id) FROM chunks")[0][0] > before


def test_vectors_are_found_by_what_they_were_made_from(store: Store):
    several = chunk("long text", 0, windows=3)
    store.documents.put(document("a.md"), [several, chunk("short", 1), chunk("…", 2, windows=0)])
    store.documents.put(document("b.md"), [chunk("short", 0), chunk("other", 1)])
    wanted = [several.input_hash, chunk("short").input_hash, chunk("…").input_hash, b"\0" * 32]
    found = store.documents.vectors_by_input(iter(wanted * 2))
    assert set(found) == set(wanted[:2])
    assert found[several.input_hash].shape == (3, 4)
    np.testing.assert_allclose(found[several.input_hash], several.vectors, atol=1e-3)
    assert store.documents.vectors_by_input([]) == {}


def test_vectors_with_a_gap_are_not_handed_on(store: Store, index: Path):
    several = chunk("long text", 0, windows=3)
    store.documents.put(document("a.md"), [several])
    sql(index, "DELETE FROM chunk_vectors WHERE window = 1")
    assert store.documents.vectors_by_input([several.input_hash]) == {}


def test_marks_count_in_words(store: Store):
    """SQLite's tokenizer would take a vowel sign for a space, and find two words that share their consonants."""
    store.documents.put(document("a.md"), chunks("हिन्दी"))
    assert len(store.fulltext.ids_with_words("हिन्दी")) == 1
    assert len(store.fulltext.ids_with_words("हन")) == 0
    assert len(store.fulltext.ids_with_words("हनद")) == 0


def test_an_accent_that_is_not_typed_is_no_obstacle(store: Store):
    store.documents.put(document("a.md"), chunks("A résumé, x\u030c and running."))
    for word in ("resume", "résumé", "x", "run"):
        assert len(store.fulltext.ids_with_words(word)) == 1, word


def test_nul_in_a_text_is_a_blank(store: Store):
    store.documents.put(document("a.md"), chunks("before\0after"))
    assert len(store.fulltext.ids_with_substring("before after")) == 1
    assert store.documents.chunks_of("a.md")[0].chunk.content == "before\0after"


def test_the_first_chunk_answers_for_the_document():
    told = document(
        "boats/hull-2.md", title="Hull", tags=("paint",), fields={"owner": ("Ada",), "date": ("2026-01-01",)}
    )
    first = indexed_heading(told, Chunk(index=0, content="x", heading="Top"))
    assert first.split("\n") == ["Hull", "Top", "hull-2", "paint", "Ada"]
    assert indexed_heading(told, Chunk(index=1, content="x", heading="Next")) == "Next"
    assert indexed_heading(told, Chunk(index=1, content="x")) == ""


def test_topics_are_counted(store: Store):
    for path, category, topic in (("a", None, None), ("b", "x", "t"), ("c", "x", "t"), ("d", "x", None)):
        store.documents.put(document(path, category=category, topic=topic), [])
    assert store.documents.topics() == [(None, None, 1), ("x", None, 1), ("x", "t", 2)]


def test_packing_vectors_keeps_them_to_half_precision():
    vectors = np.array([[0.6, -0.8], [1.0, 0.0]], dtype=np.float32)
    assert pack(vectors[0]) == b"\xcd8f\xba"  # 0.6 is 0x38cd and -0.8 is 0xba66 in IEEE 754 binary16
    np.testing.assert_allclose(unpack([pack(vector) for vector in vectors]), vectors, atol=5e-4)
    assert unpack([]).shape == (0, 0)


@pytest.mark.parametrize(
    ("stored", "fits"),
    [
        ("[[0,0,0,5]]", True),
        ("[]", True),
        ("[[0,0,3,2]]", False),
        ("[[0,0,-1,2]]", False),
        ("[[0,0,0,99]]", False),
        ("[[0,0,1,2]]", False),  # cuts the ü in two
        ("[[0,0,0]]", False),
        ("[[0,0,0,null]]", False),
        ("{}", True),
        ("not json", False),
    ],
)
def test_table_rows_that_cannot_be_cut_out_are_none(stored: str, fits: bool):
    assert (table_rows_that_fit(stored, "üabcd") is not None) == fits
