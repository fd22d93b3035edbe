"""Nearest chunks, fast path against slow: whatever was written and deleted, in whatever order, both tell the same."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest
from grooveseek.store import signs, vectors
from grooveseek.store.records import Ids
from grooveseek.store.store import Store
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.ready import make_ready_for_any_size
from tests.support.vector_store import Piece, write_store

DIMENSIONS = (1, 3, 8, 64, 65, 130)

changes = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 5), st.lists(st.integers(0, 3), max_size=8)),
        st.tuples(st.just("delete"), st.integers(0, 5), st.just([])),
        st.tuples(st.just("ask"), st.integers(1, 40), st.just([])),
        st.tuples(st.just("ready"), st.integers(1, 40), st.just([])),
    ),
    max_size=12,
)


@contextmanager
def large() -> Iterator[None]:
    """Every index goes through the funnel, in segments of a few rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "KEPT_IN_MEMORY", -1)
        patch.setattr(vectors, "FEW_ALLOWED", 2)
        patch.setattr(signs, "SEGMENT", 8)
        patch.setattr(signs, "_BATCH", 3)
        yield


@settings(max_examples=60)
@given(
    steps=changes,
    dimension=st.sampled_from(DIMENSIONS),
    seed=st.integers(0, 2**32 - 1),
    allowed=st.none() | st.sets(st.integers(1, 60)),
    held_back=st.sets(st.integers(1, 60)),
)
def test_the_funnel_follows_every_change_and_agrees_with_the_whole_scan(
    steps: list[tuple[str, int, list[int]]],
    dimension: int,
    seed: int,
    allowed: set[int] | None,
    held_back: set[int],
) -> None:
    random = np.random.default_rng(seed)
    may = None if allowed is None else _ids(allowed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "i.db"
        write_store(path, {"first.md": [Piece(windows=(tuple(random.standard_normal(dimension)),))]})
        with ExitStack() as opened:
            store = opened.enter_context(Store.open_for_writing(path))
            other = opened.enter_context(Store.open_for_reading(path))
            for what, number, windows in [*steps, ("ask", 10, [])]:
                if what == "put":
                    chunks = [
                        Piece(windows=tuple(map(tuple, random.standard_normal((count, dimension)).tolist())))
                        for count in windows
                    ]
                    chunks.append(Piece(windows=(tuple(random.standard_normal(dimension)),)))
                    write_store(path, {f"{number}.md": chunks})
                elif what == "delete":
                    store.documents.delete(f"{number}.md")
                else:
                    if what == "ready":  # and a reader that begins with what is there
                        with large():
                            make_ready_for_any_size(store)
                        other = opened.enter_context(Store.open_for_reading(path))
                    query = random.standard_normal(dimension).astype(np.float32)
                    query /= np.linalg.norm(query)
                    slow = store.vectors.nearest(query, number, allowed=may, held_back=_ids(held_back))
                    with large():
                        fast = other.vectors.nearest(query, number, allowed=may, held_back=_ids(held_back))
                    assert fast.ids.tolist() == slow.ids.tolist()
                    assert fast.scores.tolist() == slow.scores.tolist()


def _ids(values: set[int]) -> Ids:
    return np.array(sorted(values), dtype=np.int64)


@given(data=st.data(), wanted=st.integers(1, 50))
def test_the_smallest_distances_are_kept(data: st.DataObject, wanted: int) -> None:
    distances = np.array(data.draw(st.lists(st.integers(0, 40), max_size=200)), dtype=np.uint16)
    places = signs._smallest(distances, wanted)
    assert sorted(set(places.tolist())) == places.tolist()
    assert sorted(distances[places].tolist()) == sorted(distances.tolist())[: len(places)]
    assert len(places) == min(wanted, len(distances))
