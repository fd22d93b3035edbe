"""Every writer of the store, through one and the same trial."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import pytest
from grooveseek.errors import StoreError
from grooveseek.store.documents import Documents
from grooveseek.store.fulltext import FullText
from grooveseek.store.meta import LastRun, Meta
from grooveseek.store.store import Store
from tests.store.conftest import chunks, document
from tests.support.indexes import assert_whole, everything, sql

Write = Callable[[Store], object]

RUN = LastRun(finished_at="2026-03-14T09:30:00Z", seconds=1.0, documents=2, chunks=4, skipped=0)

WRITERS: dict[str, Write] = {
    "Documents.put a new one": lambda store: store.documents.put(
        document("new.md", tags=("x",), fields={"status": ("open", "late")}), chunks("fog horn", "倉庫係 with words")
    ),
    "Documents.put in place of one": lambda store: store.documents.put(
        document("a.md", title="Another"), chunks("quite other text", "second", "third")
    ),
    "Documents.put without a chunk": lambda store: store.documents.put(document("a.md"), []),
    "Documents.delete": lambda store: store.documents.delete("a.md"),
    "Documents.rename": lambda store: store.documents.rename("a.md", "z.md"),
    "Documents.touch": lambda store: store.documents.touch("a.md", size_bytes=7, mtime_ns=8),
    "Meta.set a new fact": lambda store: store.meta.set("declared_fields", ["status"]),
    "Meta.set a known fact": lambda store: store.meta.set("contextual", True),
    "Meta.remove": lambda store: store.meta.remove("contextual"),
    "Meta.record_run": lambda store: store.meta.record_run(RUN, ["status"]),
}
UPKEEP: dict[str, Write] = {
    "Store.tidy": lambda store: store.tidy(),
}
"""These change nothing that can be read."""


@pytest.fixture
def filled(store: Store) -> Store:
    store.documents.put(document("a.md", fields={"status": ("done",)}), chunks("anchor chain", "buoy and bell"))
    store.documents.put(document("b.md"), chunks("compass", "deck\0log", "engine"))
    store.meta.set("contextual", False)
    return store


class _Undone(Exception):  # noqa: N818 - no error, only a way to end a transaction
    pass


def write_and_undo(store: Store, write: Write) -> None:
    with store.transaction():
        write(store)
        raise _Undone


def state(store: Store) -> object:
    return everything(store.database.path), sql(store.database.path, "SELECT size_bytes, mtime_ns FROM documents")


@pytest.mark.parametrize("name", WRITERS)
def test_what_is_written_is_there_for_the_next_to_open(filled: Store, index: Path, name: str):
    before = state(filled)
    WRITERS[name](filled)
    assert_whole(index)
    after = state(filled)
    assert after != before
    filled.close()
    with Store.open_for_reading(index) as reader:
        assert state(reader) == after


@pytest.mark.parametrize("name", WRITERS)
def test_writing_inside_a_transaction_writes_the_same(filled: Store, tmp_path: Path, name: str):
    with filled.transaction():
        filled.meta.set("root_name", "kb")
        WRITERS[name](filled)
    with Store.open_for_writing(tmp_path / "other.db") as other:
        other.documents.put(document("a.md", fields={"status": ("done",)}), chunks("anchor chain", "buoy and bell"))
        other.documents.put(document("b.md"), chunks("compass", "deck\0log", "engine"))
        other.meta.set("contextual", False)
        other.meta.set("root_name", "kb")
        WRITERS[name](other)
        assert state(filled) == state(other)


@pytest.mark.parametrize("name", {**WRITERS, **UPKEEP})
def test_what_was_rolled_back_never_happened(filled: Store, index: Path, name: str):
    before = state(filled)
    with pytest.raises(_Undone):
        write_and_undo(filled, {**WRITERS, **UPKEEP}[name])
    assert state(filled) == before
    assert_whole(index)
    WRITERS["Documents.put a new one"](filled)  # and the next one may write
    assert_whole(index)


@pytest.mark.parametrize("name", WRITERS)
def test_rolling_back_an_inner_transaction_leaves_the_outer_one(filled: Store, index: Path, name: str):
    before = state(filled)
    with filled.transaction():
        filled.meta.set("root_name", "kb")
        with pytest.raises(_Undone):
            write_and_undo(filled, WRITERS[name])
    assert filled.meta.get("root_name") == "kb"
    filled.meta.remove("root_name")
    assert state(filled) == before
    assert_whole(index)


@pytest.mark.parametrize("name", WRITERS)
def test_a_second_reader_sees_it_when_it_is_committed_and_not_before(filled: Store, index: Path, name: str):
    def seen(reader: Store) -> object:
        db = reader.database
        return (
            reader.documents.states(),
            [db.all(f"SELECT * FROM {table}") for table in ("index_meta", "document_fields", "chunks")],
            [db.all(f"SELECT rowid FROM {table}") for table in ("fts_trigram", "fts_words", "chunk_vectors")],
        )

    with Store.open_for_reading(index) as reader:
        before = seen(reader)
        with filled.transaction():
            WRITERS[name](filled)
            assert seen(reader) == before
        after = seen(reader)
        assert after != before
        with reader.snapshot():
            assert seen(reader) == after
            filled.meta.set("root_name", "meanwhile")
            filled.documents.delete("b.md")
            assert seen(reader) == after
        assert seen(reader) != after


@pytest.mark.parametrize("name", UPKEEP)
def test_upkeep_changes_nothing_that_can_be_read(filled: Store, index: Path, name: str):
    for number in range(80):
        filled.documents.put(document("c.md"), chunks(f"text {number}"))
    before = state(filled)
    UPKEEP[name](filled)
    assert state(filled) == before
    assert_whole(index)


def test_no_writer_is_forgotten_here():
    writing = {
        f"{owner.__name__}.{name}"
        for owner in (Documents, FullText, Meta)
        for name, method in inspect.getmembers(owner, inspect.isfunction)
        if "transaction()" in inspect.getsource(method)
    }
    tried = {" ".join(name.split(" ")[:1]) for name in (*WRITERS, *UPKEEP)}
    assert writing <= tried


def test_a_reader_cannot_write(filled: Store, index: Path):
    with Store.open_for_reading(index) as reader, pytest.raises(StoreError, match="cannot be written"):
        reader.meta.set("contextual", True)


def test_renaming_or_touching_what_is_not_there_changes_nothing(filled: Store):
    before = state(filled)
    filled.documents.rename("nowhere.md", "z.md")
    filled.documents.touch("nowhere.md", size_bytes=1, mtime_ns=1)
    assert not filled.documents.delete("nowhere.md")
    filled.meta.remove("nothing")
    assert state(filled) == before
