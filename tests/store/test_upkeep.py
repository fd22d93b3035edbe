"""After many changes the file is small again, and the full-text tables are merged."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw
from grooveseek.store.database import Database
from grooveseek.store.store import Store
from tests.store.conftest import chunks, document
from tests.support.indexes import assert_whole, everything, sql

DOCUMENTS = 120


def write(store: Store, version: str = "first") -> None:
    for number in range(DOCUMENTS):
        words = " ".join(f"{version}{number}x{place}" for place in range(300))
        store.documents.put(document(f"{number}.md"), chunks(words, f"another {version}"))


def postings_bytes(index: Path) -> int:
    return sum(
        sql(index, f"SELECT sum(length(block)) FROM {table}_data")[0][0] for table in ("fts_trigram", "fts_words")
    )


def segments(index: Path, table: str) -> int:
    return len(sql(index, f"SELECT DISTINCT segid FROM {table}_idx"))


def test_deleting_everything_gives_the_space_back(store: Store, index: Path):
    write(store)
    store.tidy()
    full = index.stat().st_size
    for number in range(DOCUMENTS):
        store.documents.delete(f"{number}.md")
    store.tidy()
    assert postings_bytes(index) < 10_000  # no tombstone left
    assert index.stat().st_size < full / 8
    assert sql(index, "PRAGMA freelist_count")[0][0] < 256
    assert index.with_name(index.name + "-wal").stat().st_size == 0
    assert_whole(index)


def test_tidying_merges_what_many_documents_left_in_pieces(store: Store, index: Path):
    write(store)
    assert segments(index, "fts_trigram") > 1
    before = everything(index)
    store.tidy()
    assert [segments(index, table) for table in ("fts_trigram", "fts_words")] == [1, 1]
    assert everything(index) == before
    assert_whole(index)


def test_few_changes_are_left_for_another_time(store: Store, index: Path):
    write(store)
    store.tidy()
    for number in range(3):
        store.documents.put(document(f"new{number}.md"), chunks("few words"))
        store.tidy()
    assert segments(index, "fts_words") > 1
    for number in range(30):  # with the three, 33 chunks of 273: not a fifth of them, not 64
        store.documents.put(document(f"more{number}.md"), chunks("few words"))
    store.tidy()
    assert segments(index, "fts_words") > 1
    for number in range(40):
        store.documents.put(document(f"even{number}.md"), chunks("few words"))
    store.tidy()
    assert segments(index, "fts_words") == 1


def test_replacing_the_same_document_again_and_again_does_not_grow_the_file(store: Store, index: Path):
    sizes = []
    for round_ in range(8):
        write(store, f"round{round_}x")
        store.tidy()
        sizes.append(index.stat().st_size)
    assert max(sizes) < 2 * sizes[0]
    assert_whole(index)


def test_what_was_stopped_is_done_the_next_time(store: Store, index: Path):
    write(store)
    for number in range(DOCUMENTS):
        store.documents.delete(f"{number}.md")
    looks = iter([False, True, True, True])
    store.tidy(should_stop=lambda: next(looks))
    assert_whole(index)
    assert store.meta.get("merged_at") is None
    big = index.stat().st_size
    store.tidy()
    assert store.meta.get("merged_at") == [2 * DOCUMENTS, 0]
    assert index.stat().st_size < big / 4


def test_a_reader_in_the_way_is_not_waited_for_and_not_disturbed(store: Store, index: Path):
    write(store)
    with Store.open_for_reading(index) as reader, reader.snapshot():
        assert reader.meta.counts() == (DOCUMENTS, 2 * DOCUMENTS)
        for number in range(DOCUMENTS):
            store.documents.delete(f"{number}.md")
        store.tidy()
        assert reader.meta.counts() == (DOCUMENTS, 2 * DOCUMENTS)
        assert len(reader.fulltext.ids_with_words("another")) == DOCUMENTS
    store.database.checkpoint()
    assert index.stat().st_size < 1_000_000


def test_a_file_made_without_giving_space_back_is_left_as_it_is(index: Path):
    with closing(apsw.Connection(str(index))) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.execute(
            "INSERT INTO t WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000) "
            "SELECT hex(randomblob(4000)) FROM n"
        )
        connection.execute("DELETE FROM t")
    database = Database(index)
    free = database.value("PRAGMA freelist_count")
    assert free > 1000
    database.give_back_free_pages()
    assert database.value("PRAGMA freelist_count") == free
    database.close()
