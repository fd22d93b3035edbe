from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import pytest
from grooveseek.store import make_ready, upkeep
from grooveseek.store.ready import Ready
from grooveseek.store.store import Store
from tests.store.conftest import chunks, document
from tests.support.ready import make_ready_for_any_size


def write(store: Store, documents: int = 40) -> None:
    for number in range(documents):
        store.documents.put(document(f"{number}.md"), chunks(f"tide {number}", "pump and tide"))


def kinds(store: Store) -> dict[str, int]:
    return dict(store.database.all("SELECT kind, count(*) FROM ready GROUP BY kind"))  # type: ignore[arg-type]


def test_a_small_index_has_nothing_ready(store: Store) -> None:
    write(store)
    store.tidy()
    assert kinds(store) == {}


def test_an_index_that_shrinks_loses_what_it_had_ready(store: Store) -> None:
    write(store)
    make_ready_for_any_size(store)
    assert kinds(store)["lengths"] == kinds(store)["codes"] == 1
    make_ready.make_ready(store.database)
    assert kinds(store) == {}


def test_a_run_that_changed_much_writes_it_and_one_that_changed_little_does_not(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_ready, "LARGE", 50)
    monkeypatch.setattr(upkeep, "LARGE", 50)
    monkeypatch.setattr(make_ready, "LEAST_COMMON", 30)
    write(store)
    store.tidy()
    assert Ready(store.database).keys("words") == ["and", "md", "pump", "tide"]  # "md": of the file names
    piece = Ready(store.database).piece("words", "tide")
    assert piece is not None
    assert (piece.last, piece.count, piece.ids.tolist()) == (80, 80, list(range(1, 81)))
    store.documents.put(document("new.md"), chunks("tide"))
    store.tidy()
    again = Ready(store.database).piece("words", "tide")
    assert again is not None
    assert again.last == 80
    assert store.fulltext.ids_with_words("tide").tolist() == list(range(1, 82))


def test_an_index_of_an_earlier_version_gets_it_with_the_next_run(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store)
    store.tidy()  # merged, and nothing ready: as an index was before there was such a table
    monkeypatch.setattr(make_ready, "LARGE", 50)
    monkeypatch.setattr(upkeep, "LARGE", 50)
    store.tidy()
    assert kinds(store)["lengths"] == 1


def test_what_was_stopped_half_way_stays_as_it_was(store: Store, index: Path) -> None:
    write(store)
    make_ready_for_any_size(store)
    words = Ready(store.database).keys("words")
    store.documents.put(document("new.md"), chunks("ebb"))
    asked = count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(make_ready, "LARGE", 0)
        patch.setattr(make_ready, "LEAST_COMMON", 1)
        make_ready.make_ready(store.database, should_stop=lambda: next(asked) >= 6)
    assert Ready(store.database).keys("words") == words  # begun, and taken back
    lengths = Ready(store.database).piece("lengths", "")
    assert lengths is not None
    assert lengths.last == 81
    assert list(make_ready.differing(store.database)) == []
    with Store.open_for_reading(index) as reader:
        assert reader.fulltext.ids_with_words("ebb").tolist() == [81]


def test_a_reader_begins_with_what_is_ready(store: Store, index: Path) -> None:
    write(store)
    make_ready_for_any_size(store)
    with store.transaction():  # another list than the table's, to see which one is read
        piece = Ready(store.database).piece("words", "tide")
        assert piece is not None
        ids = np.array([2, 4], dtype="<i4").tobytes()
        store.database.execute("UPDATE ready SET ids = ?, data = zeroblob(6) WHERE key = 'tide'", (ids,))
    with Store.open_for_reading(index) as reader:
        assert reader.fulltext.ids_with_words("tide").tolist() == [2, 4]
