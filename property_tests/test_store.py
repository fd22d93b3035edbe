"""What holds of the store for any sequence of writes and any filter."""

from __future__ import annotations

import datetime as dt
import fnmatch
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from grooveseek.model.document import Chunk
from grooveseek.model.query import Filters
from grooveseek.store.records import ChunkRecord, DocumentRecord
from grooveseek.store.store import Store
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.conftest import chunk, document
from tests.support.indexes import assert_same, assert_whole

PATHS = ("a.md", "b/a.md", "b/c.md", "b.md", "倉庫.md", "B.md")
TEXTS = ("fog horn", "Fog\0Horn ", "倉庫係は", "", "…", "the shared clause", "the shared clause ", "ẞtraße ﬁne e\u0301")

# -- any sequence of writes ----------------------------------------------------------------------------------------

records = st.builds(
    lambda path, title, tags, size, fields: document(path, title=title, tags=tags, size_bytes=size, fields=fields),
    st.sampled_from(PATHS),
    st.sampled_from(TEXTS),
    st.lists(st.sampled_from(("x", "y")), unique=True, max_size=2).map(tuple),
    st.integers(0, 3),
    st.dictionaries(st.sampled_from(("status", "owner")), st.tuples(st.sampled_from("pq")), max_size=2),
)
pieces = st.lists(st.tuples(st.sampled_from(TEXTS), st.integers(0, 2)), max_size=4)
steps = st.one_of(
    st.tuples(st.just("put"), records, pieces),
    st.tuples(st.just("delete"), st.sampled_from(PATHS)),
    st.tuples(st.just("move"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.just("tidy")),
    st.tuples(st.just("reopen")),
    st.tuples(st.just("undo"), records, pieces),
)


class _Undone(Exception):  # noqa: N818 - only a way to end a transaction
    pass


def chunks_of(made_of: list[tuple[str, int]]) -> list[ChunkRecord]:
    return [chunk(text, index, windows=windows) for index, (text, windows) in enumerate(made_of)]


@given(st.lists(steps, max_size=12))
@settings(max_examples=60)
def test_an_index_holds_what_was_written_last_and_nothing_else(sequence: list[tuple[object, ...]]):
    model: dict[str, tuple[DocumentRecord, list[tuple[str, int]]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        index, fresh = Path(folder) / "index.db", Path(folder) / "fresh.db"
        store = Store.open_for_writing(index)
        for step in sequence:
            store = take(step, store, model, index)
        store.close()
        with Store.open_for_writing(fresh) as other:
            for record, made_of in reversed(list(model.values())):
                other.documents.put(record, chunks_of(made_of))
        assert_whole(index)
        assert_same(index, fresh)


def take(step: tuple[object, ...], store: Store, model: dict, index: Path) -> Store:
    match step:
        case ("put", DocumentRecord() as record, list() as made_of):
            store.documents.put(record, chunks_of(made_of))
            model[record.path] = record, made_of
        case ("delete", str() as path):
            assert store.documents.delete(path) == (model.pop(path, None) is not None)
        case ("move", str() as old, str() as new):
            if old in model and new not in model:  # as a run renames: the new path, then the document anew
                record, made_of = model.pop(old)
                model[new] = replace(record, path=new), made_of
                with store.transaction():
                    store.documents.rename(old, new)
                    store.documents.put(model[new][0], chunks_of(made_of))
        case ("tidy",):
            store.tidy()
        case ("undo", DocumentRecord() as record, list() as made_of):
            with pytest.raises(_Undone):
                put_and_undo(store, record, made_of)
        case _:
            store.close()
            return Store.open_for_writing(index)
    return store


def put_and_undo(store: Store, record: DocumentRecord, made_of: list[tuple[str, int]]) -> None:
    with store.transaction():
        store.documents.put(record, chunks_of(made_of))
        raise _Undone


# -- filters -------------------------------------------------------------------------------------------------------

DATES = ("2026-03-13", "2026-03-14", "2026-03-14T00:30:00+09:00", "2026-03-14T12:00:00Z", None)
BOUNDS = tuple(date for date in DATES if date)
GLOBS = ("*.md", "*/a.md", "b/*", "[ab].md", "!b/*", "!*.md", "nothing*")


@st.composite
def corpora(draw: st.DrawFn) -> list[tuple[DocumentRecord, list[ChunkRecord]]]:
    made = []
    for path in draw(st.lists(st.sampled_from(PATHS), unique=True)):
        record = document(
            path,
            category=draw(st.sampled_from(("x", "y", None))),
            topic=draw(st.sampled_from(("t", None))),
            date=draw(st.sampled_from(DATES)),
            tags=draw(st.lists(st.sampled_from(("p", "q", "r", "P")), unique=True, max_size=3).map(tuple)),
            fields=draw(
                st.dictionaries(
                    st.sampled_from(("status", "owner")),
                    st.lists(st.sampled_from(("done", "open", "Done")), min_size=1, max_size=2, unique=True).map(tuple),
                )
            ),
        )
        listed = [
            chunk(
                "",
                chunk=Chunk(
                    index=index,
                    content=f"{path} {index}",
                    symbol_kind=draw(st.sampled_from(("function", None))),
                    language=draw(st.sampled_from(("rust", "python", None))),
                ),
                quality=draw(st.sampled_from((0.0, 0.25, 0.5, 1.0))),
                is_boilerplate=draw(st.booleans()),
            )
            for index in range(draw(st.integers(0, 3)))
        ]
        made.append((record, listed))
    return made


CONDITIONS: dict[str, st.SearchStrategy[object]] = {
    "category": st.sampled_from(("x", "y", "z")),
    "topic": st.just("t"),
    "path_globs": st.lists(st.sampled_from(GLOBS), min_size=1, max_size=3, unique=True).map(tuple),
    "tags_any": st.lists(st.sampled_from(("p", "q", "s")), max_size=2).map(tuple),
    "tags_all": st.lists(st.sampled_from(("p", "q", "s")), max_size=2).map(tuple),
    "date_from": st.sampled_from(BOUNDS),
    "date_to": st.sampled_from(BOUNDS),
    "fields": st.dictionaries(
        st.sampled_from(("status", "owner")), st.lists(st.sampled_from(("done", "open")), min_size=1).map(tuple)
    ),
    "min_quality": st.sampled_from((0.0, 0.25, 0.3, 1.0)),
    "symbol_kind": st.just("function"),
    "language": st.sampled_from(("rust", "go")),
}


@st.composite
def filters(draw: st.DrawFn) -> Filters:
    """A few conditions at a time: with all of them nothing would ever be left."""
    names = draw(st.lists(st.sampled_from(tuple(CONDITIONS)), max_size=3, unique=True))
    return Filters(**{name: draw(CONDITIONS[name]) for name in names}, include_low_quality=draw(st.booleans()))


def allowed(record: DocumentRecord, each: ChunkRecord, wanted: Filters) -> bool:
    """Every condition by itself, as the documentation words it."""
    return all(
        (
            wanted.category in (None, record.category),
            wanted.topic in (None, record.topic),
            wanted.path_globs is None or in_globs(record.path, wanted.path_globs),
            not wanted.tags_any or bool(set(wanted.tags_any) & set(record.tags)),
            set(wanted.tags_all) <= set(record.tags),
            not (wanted.date_from or wanted.date_to) or in_dates(record.date, wanted.date_from, wanted.date_to),
            all(set(values) & set(record.fields.get(name, ())) for name, values in wanted.fields.items()),
            wanted.min_quality is None or wanted.include_low_quality or each.quality >= wanted.min_quality,
            wanted.symbol_kind in (None, each.chunk.symbol_kind),
            wanted.language in (None, each.chunk.language),
        )
    )


def in_globs(path: str, globs: tuple[str, ...]) -> bool:
    def one(glob: str) -> bool:
        parts, wanted = path.split("/"), glob.split("/")
        return len(parts) == len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))

    including = [glob for glob in globs if glob[0] != "!"]
    return (not including or any(map(one, including))) and not any(one(glob[1:]) for glob in globs if glob[0] == "!")


def in_dates(date: str | None, earliest: str | None, latest: str | None) -> bool:
    def order(bound: str) -> int:
        assert date
        if len(date) == 10 or len(bound) == 10:
            return (date[:10] > bound[:10]) - (date[:10] < bound[:10])
        mine, theirs = dt.datetime.fromisoformat(date), dt.datetime.fromisoformat(bound)
        return (mine > theirs) - (mine < theirs)

    return date is not None and (not earliest or order(earliest) >= 0) and (not latest or order(latest) <= 0)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open_for_writing(tmp_path_factory.mktemp("store") / "index.db") as opened:
        yield opened


def put_all(store: Store, corpus: list[tuple[DocumentRecord, list[ChunkRecord]]]) -> dict[int, tuple[str, int]]:
    """Replace what the store holds; each chunk's id with its path and place."""
    with store.transaction():
        for path in store.documents.states():
            store.documents.delete(path)
        for record, listed in corpus:
            store.documents.put(record, listed)
    rows = store.database.all("SELECT c.id, d.path, c.idx FROM chunks c JOIN documents d ON d.id = c.document_id")
    return {row[0]: (row[1], row[2]) for row in rows}


@given(corpora(), st.lists(filters(), min_size=1, max_size=6))
@settings(max_examples=120)
def test_filters_give_what_asking_every_chunk_gives(store: Store, corpus: list, several: list[Filters]):
    places = put_all(store, corpus)
    for wanted in several:
        ids = store.selection.chunk_ids(wanted)
        if ids is None:
            assert all(allowed(record, each, wanted) for record, listed in corpus for each in listed)
            continue
        assert ids.dtype == np.int64
        assert ids.tolist() == sorted(ids.tolist())
        expected = {
            (record.path, each.chunk.index)
            for record, listed in corpus
            for each in listed
            if allowed(record, each, wanted)
        }
        assert {places[chunk_id] for chunk_id in ids.tolist()} == expected
        assert len(ids) == len(expected)


@given(corpora(), st.sampled_from((0.0, 0.3, 0.5, 1.1)), st.booleans())
@settings(max_examples=40)
def test_low_quality_is_asked_of_every_chunk(store: Store, corpus: list, threshold: float, boilerplate_only: bool):
    places = put_all(store, corpus)
    ids = store.selection.low_quality_ids(threshold, boilerplate_only=boilerplate_only)
    assert ids.tolist() == sorted(ids.tolist())
    assert sorted(places[chunk_id] for chunk_id in ids.tolist()) == sorted(
        (record.path, each.chunk.index)
        for record, listed in corpus
        for each in listed
        if each.quality < threshold and (each.is_boilerplate or not boilerplate_only)
    )
