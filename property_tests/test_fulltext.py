"""Full text against FTS5 itself: whatever was written, deleted and undone, and whoever asked before, each connection
scores what it sees as ``bm25()`` would.
"""

from __future__ import annotations

import contextlib
import math
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from grooveseek.store.fulltext import ColumnWeights
from grooveseek.store.postings import _varints, quoted
from grooveseek.store.store import Memory, Store
from grooveseek.text.fold import fold
from grooveseek.text.words import spell
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.conftest import chunk, document
from tests.support.ready import make_ready_for_any_size

WORDS = ("tide", "tides", "tidal", "pump", "the", "倉庫", "倉庫係", "naïve", "c++", "x")
QUERIES = ("tide", "tide pump", "pump tide pump", "倉庫", "倉庫係", "naive", "x", "c", "absent", "the the")
SUBSTRINGS = ("tid", "tide", "ide", "e pum", "倉庫係", "c++", 'a"b', "absent")

texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 4), st.lists(st.tuples(texts, texts), max_size=4)),
        st.tuples(st.just("undo"), st.integers(0, 4), st.lists(st.tuples(texts, texts), max_size=4)),
        st.tuples(st.just("delete"), st.integers(0, 4), st.just([])),
        st.tuples(st.just("ask"), st.integers(0, 2), st.just([])),
        st.tuples(st.just("ready"), st.just(0), st.just([])),
        st.tuples(st.just("anew"), st.just(0), st.just([])),
    ),
    max_size=14,
)
weightings = st.lists(
    st.builds(ColumnWeights, **dict.fromkeys(("heading", "context", "content"), st.sampled_from((0.0, 0.5, 1.0, 2.0)))),
    min_size=1,
    max_size=3,
)


class _Undone(Exception):  # noqa: N818 - only a way to end a transaction
    pass


@settings(max_examples=60)
@given(steps=steps, under=weightings)
def test_every_connection_scores_what_it_sees_as_fts5_does(
    steps: list[tuple[str, int, list[tuple[str, str]]]], under: list[ColumnWeights]
) -> None:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path, memory = Path(folder) / "i.db", Memory()
        writer = stack.enter_context(Store.open_for_writing(path))
        _put(writer, 9, [("tide pump", "the tide")])
        readers = [stack.enter_context(Store.open_for_reading(path, memory)) for _ in range(3)]
        stack.enter_context(readers[2].snapshot())
        assert readers[2].meta.counts() == (1, 1)  # from here on the third sees this state only
        last = [("ask", number, []) for number in (0, 2, 1)]
        for what, number, pieces in [*steps, *last, ("anew", 0, [])]:
            if what == "put":
                _put(writer, number, pieces)
            elif what == "undo":
                with contextlib.suppress(_Undone):
                    _put_and_undo(writer, number, pieces, under)
            elif what == "delete":
                writer.documents.delete(f"{number}.md")
            elif what == "ready":
                make_ready_for_any_size(writer)
            elif what == "anew":
                with Store.open_for_reading(path) as reader:
                    _assert_as_fts5(reader, under)
            else:
                _assert_as_fts5(readers[number], under)
        _assert_as_fts5(writer, under)


def _put(store: Store, number: int, pieces: Sequence[tuple[str, str]]) -> None:
    records = [
        chunk(content, index, indexed_context=context, windows=0) for index, (content, context) in enumerate(pieces)
    ]
    store.documents.put(document(f"{number}.md"), records)


def _put_and_undo(store: Store, number: int, pieces: Sequence[tuple[str, str]], under: Sequence[ColumnWeights]) -> None:
    with store.transaction():
        _put(store, number, pieces)
        _assert_as_fts5(store, under)
        raise _Undone


def _assert_as_fts5(store: Store, under: Sequence[ColumnWeights]) -> None:
    forms = [spell(query) for query in QUERIES]
    with store.snapshot():
        for asked in (*([form] for form in forms), forms):
            tally = store.fulltext.of_words(asked, under)
            for column, weights in enumerate(under):
                expected = _bm25(store, asked, weights)
                assert np.flatnonzero(tally.found).tolist() == sorted(expected)
                got = {chunk_id: tally.scores[column, chunk_id] for chunk_id in expected}
                assert got == pytest.approx(expected, rel=1e-12, abs=1e-15)
        tally = store.fulltext.of_substrings([fold(text) for text in SUBSTRINGS], under)
        for column, weights in enumerate(under):
            expected = _by_presence(store, weights)
            assert np.flatnonzero(tally.found).tolist() == sorted(expected)
            assert {id_: tally.scores[column, id_] for id_ in expected} == pytest.approx(expected, rel=1e-12)
        assert store.fulltext.chunk_count() == store.meta.counts()[1]


def _bm25(store: Store, forms: Sequence[str], weights: ColumnWeights) -> dict[int, float]:
    sql = "SELECT rowid, -bm25(fts_words, ?, ?, ?) FROM fts_words WHERE fts_words MATCH ?"
    together = " OR ".join(map(quoted, forms))
    return dict(store.database.all(sql, (weights.heading, weights.context, weights.content, together)))  # type: ignore[arg-type]


def _by_presence(store: Store, weights: ColumnWeights) -> dict[int, float]:
    """What substrings count: FTS5's own matches and sizes, and the formula."""
    sizes = {row[0]: sum(_decoded(row[1])) for row in store.database.all("SELECT id, sz FROM fts_words_docsize")}
    mean = sum(sizes.values()) / len(sizes) if sizes else 1.0
    scores: dict[int, float] = {}
    for text in map(fold, SUBSTRINGS):
        sql = "SELECT rowid FROM fts_trigram WHERE fts_trigram MATCH ?"
        holding = [row[0] for row in store.database.all(sql, (quoted(text),))]
        idf = math.log((len(sizes) - len(holding) + 0.5) / (len(holding) + 0.5))
        for id_ in holding:
            often = max(1.0, _weighted_count(store, id_, text, weights)) if text.isalpha() and text.isascii() else 1.0
            damped = 2.2 * often / (often + 1.2 * (0.25 + 0.75 * sizes[id_] / mean))
            scores[id_] = scores.get(id_, 0.0) + (idf if idf > 0 else 1e-6) * damped
    return scores


def _weighted_count(store: Store, chunk_id: int, word: str, weights: ColumnWeights) -> float:
    """How often a word stands in each column, weighted."""
    store.database.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.seen USING fts5vocab('main', 'fts_words', 'instance')"
    )
    sql = "SELECT col, count(*) FROM temp.seen WHERE doc = ? AND term = ? GROUP BY col"
    counts = dict(store.database.all(sql, (chunk_id, {"ide": "id"}.get(word, word))))
    return sum(counts.get(name, 0) * getattr(weights, name) for name in ("heading", "context", "content"))


def _decoded(data: bytes) -> list[int]:
    """SQLite's variable-length numbers, a byte at a time."""
    numbers, value = [], 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(value)
            value = 0
    return numbers


@given(st.lists(st.integers(0, 2**50), max_size=50))
def test_variable_length_numbers_are_read_as_they_are_written(numbers: list[int]) -> None:
    data = b"".join(_encoded(number) for number in numbers)
    assert _varints(data).tolist() == numbers == _decoded(data)


def _encoded(number: int) -> bytes:
    groups = [number & 0x7F]
    while number := number >> 7:
        groups.append(number & 0x7F | 0x80)
    return bytes(reversed(groups))
