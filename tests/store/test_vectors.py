"""Nearest chunks in a large index: the funnel against the whole scan, filters inside it, changes seen at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from grooveseek.model.query import Filters, Mode, SearchRequest
from grooveseek.retrieval.answer import answer_as_json
from grooveseek.retrieval.legs import Leg, Population, vector_leg
from grooveseek.store import signs, vectors
from grooveseek.store.records import Candidates, Ids
from grooveseek.store.store import Store
from tests.conftest import OpenKb
from tests.support.vector_store import Piece, write_store

NONE: Ids = np.zeros(0, dtype=np.int64)
Vector = npt.NDArray[np.float32]


def unit(random: np.random.Generator, count: int, dimension: int = 70) -> Vector:
    rows = random.standard_normal((count, dimension))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def pieces(rows: Vector, windows: int = 1) -> list[Piece]:
    """A chunk for every ``windows`` rows."""
    return [
        Piece(windows=tuple(map(tuple, rows[start : start + windows].tolist())))
        for start in range(0, len(rows), windows)
    ]


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture
def index(tmp_path: Path, random: np.random.Generator) -> Path:
    """300 chunks in three documents; ids 1 to 300."""
    path = tmp_path / "index.db"
    write_store(path, {f"{name}.md": pieces(unit(random, 100)) for name in "abc"})
    return path


@pytest.fixture
def store(index: Path) -> Iterator[Store]:
    with Store.open_for_reading(index) as opened:
        yield opened


@pytest.fixture
def funnel(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Turns every index into a large one, of many small segments."""

    def turn_on() -> None:
        monkeypatch.setattr(vectors, "KEPT_IN_MEMORY", 0)
        monkeypatch.setattr(vectors, "FEW_ALLOWED", 0)
        monkeypatch.setattr(signs, "SEGMENT", 48)
        monkeypatch.setattr(signs, "_BATCH", 20)

    return turn_on


def shrink(monkeypatch: pytest.MonkeyPatch, *, coarse: int, fine: int) -> None:
    for name, value in (
        ("COARSE", coarse),
        ("COARSE_A_RESULT", 1),
        ("FINE", fine),
        ("FINE_A_RESULT", 1),
        ("COARSE_SHARE", 10**9),
        ("FINE_SHARE", 10**9),
    ):
        monkeypatch.setattr(vectors, name, value)


def pairs(found: Candidates) -> list[tuple[int, float]]:
    return list(zip(found.ids.tolist(), found.scores.tolist(), strict=True))


def nearest(store: Store, query: Vector, k: int = 10, allowed: Ids | None = None, held_back: Ids = NONE) -> Candidates:
    return store.vectors.nearest(query, k, allowed=allowed, held_back=held_back)


def test_a_funnel_wide_enough_gives_what_the_whole_scan_gives(
    store: Store, random: np.random.Generator, funnel: Callable[[], None]
) -> None:
    queries = unit(random, 5)
    exact = [pairs(nearest(store, query, k)) for query in queries for k in (1, 10, 300, 1000)]
    funnel()
    assert [pairs(nearest(store, query, k)) for query in queries for k in (1, 10, 300, 1000)] == exact


def test_a_narrow_funnel_finds_nearly_all_of_the_ten_nearest(
    tmp_path: Path, random: np.random.Generator, funnel: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    centres = unit(random, 40, 384)
    rows = centres[random.integers(0, 40, 3000)] + unit(random, 3000, 384)
    write_store(tmp_path / "i.db", {"a.md": pieces(rows.astype(np.float32))})
    queries = centres[:20] + 0.5 * unit(random, 20, 384)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    with Store.open_for_reading(tmp_path / "i.db") as store:
        exact = [set(nearest(store, query).ids.tolist()) for query in queries]
        funnel()
        shrink(monkeypatch, coarse=400, fine=40)
        found = [set(nearest(store, query).ids.tolist()) for query in queries]
    shared = sum(len(one & other) for one, other in zip(exact, found, strict=True))
    assert shared >= 0.95 * 200
    assert exact != found  # the funnel is narrow enough to miss something: else this says nothing of it


@pytest.mark.parametrize("few_allowed", [0, 4096])
def test_a_filter_that_keeps_three_gives_those_three(
    store: Store,
    random: np.random.Generator,
    funnel: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    few_allowed: int,
) -> None:
    query = unit(random, 1)[0]
    funnel()
    shrink(monkeypatch, coarse=5, fine=5)
    monkeypatch.setattr(vectors, "FEW_ALLOWED", few_allowed)
    furthest = np.sort(nearest(store, -query, 5).ids)[:3]
    assert set(nearest(store, query, allowed=furthest).ids.tolist()) == set(furthest.tolist())


def test_what_is_held_back_takes_no_place(
    store: Store, random: np.random.Generator, funnel: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    query = unit(random, 1)[0]
    ordered = nearest(store, query, 300).ids
    funnel()
    shrink(monkeypatch, coarse=60, fine=40)
    held_back = np.sort(ordered[:200])
    found = nearest(store, query, 5, held_back=held_back).ids.tolist()
    assert len(found) == 5
    assert not set(found) & set(held_back.tolist())


def test_ids_beyond_the_last_vector_filter_nothing(
    store: Store, random: np.random.Generator, funnel: Callable[[], None]
) -> None:
    query = unit(random, 1)[0]
    funnel()
    far = np.array([5000], dtype=np.int64)
    assert pairs(nearest(store, query, held_back=far)) == pairs(nearest(store, query))
    assert len(nearest(store, query, allowed=far)) == 0


def test_chunks_of_many_windows_do_not_crowd_the_others_out(
    tmp_path: Path, random: np.random.Generator, funnel: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    query = unit(random, 1)[0]
    crowd = query + 0.05 * unit(random, 120)
    write_store(tmp_path / "i.db", {"a.md": pieces(crowd, windows=60), "b.md": pieces(unit(random, 60))})
    with Store.open_for_reading(tmp_path / "i.db") as store:
        exact = pairs(nearest(store, query, 8))
        funnel()
        shrink(monkeypatch, coarse=50, fine=60)
        found = pairs(nearest(store, query, 8))
    assert len(found) == 8
    assert found[:2] == exact[:2]


@pytest.mark.parametrize("by_another_connection", [False, True])
def test_changes_are_seen_at_once(
    index: Path, random: np.random.Generator, funnel: Callable[[], None], by_another_connection: bool
) -> None:
    funnel()
    query = unit(random, 1)[0]
    with Store.open_for_writing(index) as store:
        before = nearest(store, query, 300)
        near = (query + 0.1 * unit(random, 1)).astype(np.float32)
        write_store(index, {"new.md": pieces(near)})
        assert nearest(store, query, 1).ids.tolist() == [301]
        writer = Store.open_for_writing(index) if by_another_connection else store
        writer.documents.delete("b.md")
        writer.documents.delete("new.md")
        if by_another_connection:
            writer.close()
        kept = [pair for pair in pairs(before) if not 101 <= pair[0] <= 200]
        assert pairs(nearest(store, query, 300)) == kept
        write_store(index, {"c.md": pieces(near)})
        assert set(nearest(store, query, 300).ids.tolist()) == {*range(1, 101), 302}


def test_a_change_reads_only_what_is_new(
    index: Path, random: np.random.Generator, funnel: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    funnel()
    query = unit(random, 1)[0]
    read: list[int] = []
    batches = signs.SignCodes._batches

    def counted(self: signs.SignCodes, after: int, last: int) -> Iterator[tuple[Ids, signs.Words]]:
        for ids, words in batches(self, after, last):
            read.append(len(ids))
            yield ids, words

    monkeypatch.setattr(signs.SignCodes, "_batches", counted)
    with Store.open_for_writing(index) as store:
        nearest(store, query)
        assert sum(read) == 300
        store.documents.delete("a.md")
        write_store(index, {"new.md": pieces(unit(random, 3))})
        nearest(store, query)
        assert sum(read) == 303


def test_a_replaced_index_with_the_same_ids_is_read_anew(
    index: Path,
    tmp_path: Path,
    random: np.random.Generator,
    funnel: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    funnel()
    shrink(monkeypatch, coarse=5, fine=5)
    query = unit(random, 1)[0]
    rows = unit(random, 300)
    rows[150] = query
    write_store(tmp_path / "other.db", {"a.md": pieces(rows)})
    with Store.open_for_writing(index) as live, Store.open_for_reading(index) as reader:
        nearest(live, query)
        nearest(reader, query)
        with Store.open_for_reading(tmp_path / "other.db") as other:
            live.database.replace_content_with(other.database)
        assert nearest(live, query, 1).ids.tolist() == [151]
        assert nearest(reader, query, 1).ids.tolist() == [151]


def test_many_small_changes_do_not_leave_many_segments(
    tmp_path: Path, random: np.random.Generator, funnel: Callable[[], None]
) -> None:
    funnel()
    with Store.open_for_writing(tmp_path / "i.db") as store:
        for number in range(30):
            write_store(tmp_path / "i.db", {f"{number}.md": pieces(unit(random, 2))})
            assert len(nearest(store, unit(random, 1)[0], 100)) == 2 * (number + 1)
        assert len(store.vectors._signs._codes.current()) == 2  # 60 rows, 48 to a segment


def test_an_index_without_vectors_has_no_neighbours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "KEPT_IN_MEMORY", -1)
    with Store.open_for_writing(tmp_path / "i.db") as store:
        assert len(nearest(store, np.ones(70, dtype=np.float32))) == 0
        sample = store.vectors.sample(None, NONE)
        assert (sample.population, len(sample.cosines(np.ones(70, dtype=np.float32)))) == (0, 0)


def test_the_leg_of_a_large_index_knows_what_that_of_a_small_one_knows(
    store: Store, random: np.random.Generator, funnel: Callable[[], None]
) -> None:
    query = unit(random, 1)[0]
    who = Population(
        allowed=np.arange(1, 280, dtype=np.int64),
        excluded=np.array([3, 7], dtype=np.int64),
        low_quality=np.array([20, 21], dtype=np.int64),
        boilerplate=NONE,
    )

    def seen(leg: Leg) -> tuple[object, ...]:
        return pairs(leg.candidates), leg.scores_of(range(1, 301)), leg.background()

    small = vector_leg(store, query, who, 25)
    expected = seen(small)
    funnel()
    large = vector_leg(store, query, who, 25)
    assert large.beyond is not None
    assert seen(large) == expected
    assert not {3, 7} & large.scores_of(range(1, 301)).keys()
    assert {20, 21} <= large.scores_of(range(1, 301)).keys()


def test_a_sample_is_even_and_names_what_it_stands_for(
    store: Store, funnel: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    funnel()
    monkeypatch.setattr(vectors, "SAMPLE", 10)
    sample = store.vectors.sample(None, np.array([1], dtype=np.int64))
    assert sample.block[0].tolist() == [2, 31, 61, 91, 121, 151, 181, 211, 241, 271]
    assert sample.population == 299


def test_what_is_of_low_quality_is_asked_anew_after_a_change(index: Path) -> None:
    bad = Piece(windows=((1.0,) + (0.0,) * 69,), quality=0.1)
    with Store.open_for_reading(index) as reader:
        assert reader.selection.low_quality_ids(0.3, boilerplate_only=False).tolist() == []
        write_store(index, {"bad.md": [bad, bad]})
        assert reader.selection.low_quality_ids(0.3, boilerplate_only=False).tolist() == [301, 302]
        assert reader.selection.low_quality_ids(0.3, boilerplate_only=True).tolist() == []
        assert reader.selection.low_quality_ids(0.05, boilerplate_only=False).tolist() == []


def test_deleted_chunks_take_no_place_in_the_funnel(
    tmp_path: Path, random: np.random.Generator, funnel: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    funnel()
    shrink(monkeypatch, coarse=30, fine=20)
    query = unit(random, 1)[0]
    crowd = query + 0.1 * unit(random, 100)
    write_store(tmp_path / "i.db", {"crowd.md": pieces(crowd), "others.md": pieces(unit(random, 100))})
    with Store.open_for_writing(tmp_path / "i.db") as store:
        assert max(nearest(store, query, 5).ids) <= 100
        store.documents.delete("crowd.md")
        assert len(nearest(store, query, 5)) == 5


@pytest.mark.parametrize("dimension", [3, 64, 70, 130])
def test_the_estimate_sets_the_query_against_signs_and_sizes(random: np.random.Generator, dimension: int) -> None:
    vectors = unit(random, 50, dimension).astype("<f2")
    query = unit(random, 1, dimension)[0].astype(np.float32)
    got = signs._estimate(signs._code_table(query), signs._codes(vectors.view("<u2")))
    expected = []
    for vector in vectors.astype(np.float64):
        large = np.abs(vector) > 0.6745 / np.sqrt(dimension)
        expected.append(sum(query * np.where(vector > 0, 1, -1) * np.where(large, 3.915, 1)))
    assert got == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_a_segment_never_parts_a_chunk(tmp_path: Path, random: np.random.Generator, funnel: Callable[[], None]) -> None:
    funnel()
    write_store(tmp_path / "i.db", {"a.md": pieces(unit(random, 210), windows=7)})
    with Store.open_for_reading(tmp_path / "i.db") as store:
        nearest(store, unit(random, 1)[0])
        segments = store.vectors._signs._codes.current()
    assert len(segments) > 3
    assert sum(len(segment.ids) for segment in segments) == 210
    assert all(before.ids[-1] < after.ids[0] for before, after in itertools.pairwise(segments))


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_a_whole_answer_is_the_same_whichever_way_it_was_found(
    open_kb: OpenKb, funnel: Callable[[], None], mode: str
) -> None:
    words = ["tide", "pump", "radio", "crane", "fog", "ice", "leave", "ticket", "ramp", "engine"]
    files: dict[str, str | bytes] = {
        f"n{number}.md": f"# Note {number}\n\nThe {one} by the {other} is looked after on day {number} of the month.\n"
        for number, (one, other) in enumerate(itertools.product(words, words))
    }
    kb = open_kb(files=files)
    kb.index()
    filters = Filters(path_globs=("n?*[05].md",)) if mode == "semantic" else Filters()
    request = SearchRequest(query="fog pump -ramp", mode=Mode(mode), filters=filters, explain=True)
    small = repr(answer_as_json(kb.search(request)))
    assert small.count("score") > 5
    funnel()
    assert repr(answer_as_json(kb.search(request))) == small
