from __future__ import annotations

from pathlib import Path

import pytest
from grooveseek.store.records import DocumentRecord
from grooveseek.store.store import Store

PATHS = ("a.md", "a/b.md", "a/b/c.md", "a-b.md", "a0.md", "ab/c.md", "Ä/ü.md", "100%/x_.md", "z.md")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store.open_for_writing(tmp_path / "index.db")
    for number, path in enumerate(PATHS):
        category = None if number % 3 == 0 else f"c{number % 3}"
        store.documents.put(
            DocumentRecord(
                path=path, title=path, content_hash=bytes([number]), size_bytes=number, mtime_ns=1, parser="md",
                category=category, topic="t" if number % 2 else None,
            ),
            [],
        )  # fmt: skip
    return store


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        (["a.md"], ["a.md"]),
        (["a"], ["a/b.md", "a/b/c.md"]),
        (["a", "a/b.md"], ["a/b.md", "a/b/c.md"]),
        (["a/b"], ["a/b/c.md"]),
        (["Ä", "100%"], ["100%/x_.md", "Ä/ü.md"]),
        (["_", "%", "nothing"], []),
        ([], []),
    ],
)
def test_documents_at_and_below_paths(store: Store, asked: list[str], answered: list[str]):
    assert list(store.documents.states_at(asked)) == answered


def test_states_are_those_of_the_whole_list(store: Store):
    everything = store.documents.states()
    assert store.documents.states_at(PATHS) == everything
    assert store.documents.states_at(["a.md"])["a.md"] == everything["a.md"]


def test_every_document_is_counted_under_its_category_and_topic(store: Store):
    topics = store.documents.topics()
    assert sum(count for _, _, count in topics) == len(PATHS)
    assert topics[0][:2] == (None, None)
    assert ("c1", "t", 2) in topics
