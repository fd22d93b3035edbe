from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from grooveseek.store.fulltext import ColumnWeights
from grooveseek.store.memory import Cache, Kept, Revision
from grooveseek.store.store import Memory, Store
from tests.store.conftest import chunk, chunks, document

BUILD = (1, 0)
WEIGHTS = (ColumnWeights(),)


def revision(last: int, count: int, build: tuple[int, int] = BUILD) -> Revision:
    return Revision(build=build, last=last, count=count)


@pytest.mark.parametrize(
    ("earlier", "later", "grew"),
    [
        (revision(3, 3), revision(3, 3), True),
        (revision(3, 3), revision(3, 2), True),  # one went
        (revision(3, 2), revision(3, 3), False),
        (revision(3, 3), revision(5, 1), True),  # two came, four went
        (revision(5, 1), revision(3, 3), False),
        (revision(3, 3), revision(5, 5, build=(2, 0)), False),  # ids began anew
    ],
)
def test_a_state_grows_into_those_after_it_in_its_build(earlier: Revision, later: Revision, grew: bool) -> None:
    assert earlier.grew_into(later) is grew


def test_a_kept_value_is_made_once_and_from_the_one_before() -> None:
    kept: Kept[list[int]] = Kept()
    made: list[list[int] | None] = []

    def make(known: list[int] | None) -> list[int]:
        made.append(known)
        return [*(known or []), len(made)]

    assert kept.at(revision(1, 1), None, make) == [1]
    assert kept.at(revision(1, 1), None, make) == [1]
    assert kept.at(revision(2, 2), None, make) == [1, 2]
    assert made == [None, [1]]


def test_a_reader_of_an_older_state_gets_its_own_and_spoils_nothing() -> None:
    kept: Kept[str] = Kept()
    assert kept.at(revision(9, 9), None, lambda _: "new") == "new"
    seen: list[str | None] = []
    assert kept.at(revision(5, 5), None, lambda known: seen.append(known) or "old") == "old"  # type: ignore[func-returns-value]
    assert kept.at(revision(5, 4), (revision(5, 5), "old"), lambda known: f"{known}, less one") == "old, less one"
    assert seen == [None]  # not made from what came later
    assert kept.at(revision(9, 9), None, lambda _: "again") == "new"


def test_threads_that_ask_together_make_it_once() -> None:
    kept: Kept[int] = Kept()
    made: list[int] = []
    begin = threading.Barrier(8)

    def ask() -> None:
        begin.wait()
        kept.at(revision(1, 1), None, lambda _: made.append(1) or 7)  # type: ignore[func-returns-value]

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


def test_a_cache_forgets_what_was_not_asked_for_longest() -> None:
    cache: Cache[np.ndarray] = Cache(limit=16)
    made: list[str] = []

    def ask(key: str, size: int = 1) -> None:
        cache.get(key, revision(1, 1), lambda *_: made.append(key) or np.zeros(size, dtype=np.int64))  # type: ignore[func-returns-value]

    ask("a")
    ask("b")
    ask("a")
    ask("c")  # b goes
    ask("a")
    assert made == ["a", "b", "c"]
    ask("b")
    assert made == ["a", "b", "c", "b"]
    ask("large", 100)  # more than there is room for: kept alone, as long as nothing else is
    ask("large", 100)
    ask("a")
    assert made == ["a", "b", "c", "b", "large", "a"]


def test_readers_with_one_memory_share_what_they_read(store: Store, index: Path) -> None:
    store.documents.put(document(), chunks("tide pump", "tide"))
    memory = Memory()
    with Store.open_for_reading(index, memory) as one, Store.open_for_reading(index, memory) as other:
        first = one.fulltext._postings.of_words("tide")
        assert other.fulltext._postings.of_words("tide") is first
        assert other.fulltext._postings.population() is one.fulltext._postings.population()
        store.documents.put(document("b.md"), chunks("tide"))
        assert other.fulltext.ids_with_words("tide").tolist() == [1, 2, 3]
        assert one.fulltext._postings.of_words("tide") is other.fulltext._postings.of_words("tide")
        assert first.ids.tolist() == [1, 2]  # what was handed out stays as it was


def test_an_index_whose_content_was_replaced_is_read_anew(store: Store, index: Path, tmp_path: Path) -> None:
    store.documents.put(document(), chunks("tide pump", "tide"))
    with Store.open_for_reading(index) as reader, Store.open_for_writing(tmp_path / "other.db") as other:
        assert reader.fulltext.ids_with_words("pump").tolist() == [1]
        other.documents.put(document(), chunks("pump", "pump"))  # the same last id and the same count
        store.database.replace_content_with(other.database)
        assert reader.fulltext.ids_with_words("pump").tolist() == [1, 2]
        assert store.fulltext.ids_with_words("pump").tolist() == [1, 2]


# -- what the lists say ---------------------------------------------------------------------------------------------


def test_a_common_word_is_not_looked_for_inside_other_words(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grooveseek.store.fulltext.COMMON", 3)
    store.documents.put(document("a.md"), chunks("port", "port of call", "airport"))
    assert np.flatnonzero(store.fulltext.of_substrings(["port"], WEIGHTS).found).tolist() == [1, 2, 3]
    store.documents.put(document("b.md"), chunks("the old port"))
    assert np.flatnonzero(store.fulltext.of_substrings(["port"], WEIGHTS).found).tolist() == [1, 2, 4]
    assert np.flatnonzero(store.fulltext.of_substrings(["ort"], WEIGHTS).found).tolist() == [1, 2, 3, 4]


def test_a_substring_counts_as_often_as_the_word_does(store: Store) -> None:
    contents = ("gale gale", "gale warning", "gales of", "nightingale sings")
    store.documents.put(document("a.md"), chunks("first", *contents, *[f"calm {number}" for number in range(9)]))
    scores = store.fulltext.of_substrings(["gale"], WEIGHTS).scores[0, 2:6]
    assert scores[0] > scores[1] == scores[2] == scores[3] > 0


def test_a_phrase_is_found_where_its_words_stand_in_a_row_in_one_column(store: Store) -> None:
    piece = chunk("low tide and tide low tide", indexed_context="high", windows=0)
    store.documents.put(document("a.md", title="water at low"), [piece])
    posting = store.fulltext._postings.of_words("low tide")
    assert (posting.ids.tolist(), posting.counts.tolist()) == ([1], [[0], [0], [2]])
    assert store.fulltext._postings.of_words("low high").ids.tolist() == []  # two columns
    assert store.fulltext._postings.of_words("tide tide").ids.tolist() == []
    assert store.fulltext._postings.of_words("tides lows").ids.tolist() == [1]  # stemmed, as what was written


def test_a_query_is_split_as_the_word_table_splits() -> None:
    from grooveseek.store.schema import SCHEMA, WORD_TOKENIZER

    name, arguments = WORD_TOKENIZER
    written = " ".join(f"'{part}'" if " " in part else part for part in (name, *arguments))
    assert f'tokenize = "{written}"' in SCHEMA
