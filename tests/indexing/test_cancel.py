"""Where a run looks at the token, and what is left when it stops there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.indexing.events import (
    Cancelled,
    CancelToken,
    Deleted,
    Event,
    Finished,
    Indexed,
    Renamed,
    Scanning,
    Started,
    Unchanged,
    Waiting,
)
from grooveseek.store.lock import writer_lock
from tests.conftest import write_files
from tests.indexing.conftest import Open, Told, counts
from tests.support.embedders import WatchedEmbedder
from tests.support.index_rows import fresh_rows, rows
from tests.support.indexes import assert_whole, everything

FILES = {f"{name}.md": f"# {name}\n\n{name} words\n\n## Two\n\nmore of {name}\n" for name in ("a", "b", "c", "d", "e")}


@pytest.fixture
def kb(open_base: Open, embedder: WatchedEmbedder) -> KnowledgeBase:
    """Five documents, indexed; then two changed, one new, one moved, one deleted."""
    made = open_base(FILES)
    made.index()
    write_files(
        made.root, {"a.md": "# a\n\nchanged a\n", "b.md": "# b\n\nchanged b\n", "new.md": "# new\n\nnew words\n"}
    )
    (made.root / "c.md").rename(made.root / "moved.md")
    (made.root / "d.md").unlink()
    embedder.forget()
    return made


def first(kind: type) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, kind)


def run(kb: KnowledgeBase, told: Told, *, force: bool = False):
    return kb.index(listener=told, cancel=told.cancel, force=force)


POINTS: dict[str, tuple[Callable[[Event], bool], list[str]]] = {
    "after a scanned file": (lambda event: event == Scanning(done=2, total=5), []),
    "before the renames": (first(Started), ["Started", "Unchanged e.md"]),
    "before the renames, once what is unchanged was told": (first(Unchanged), ["Started", "Unchanged e.md"]),
}


@pytest.mark.parametrize("point", POINTS)
def test_stopping_before_anything_is_written(kb: KnowledgeBase, embedder: WatchedEmbedder, point: str):
    stop_at, lines = POINTS[point]
    before = everything(kb.index_path)
    told = Told(stop_at=stop_at)
    summary = run(kb, told)
    assert told.lines() == [*lines, "Cancelled"]
    assert everything(kb.index_path) == before
    assert embedder.texts == []
    assert (summary.cancelled, summary.documents, summary.indexed) == (True, 5, 0)
    (cancelled,) = told.of(Cancelled)
    assert cancelled == Cancelled(done=len(lines[1:]), total=6 if lines else 0, summary=summary)


def test_a_token_given_up_beforehand_stops_at_the_first_file(kb: KnowledgeBase):
    told = Told()
    told.cancel.cancel()
    run(kb, told)
    assert told.events[0] == Scanning(done=1, total=5)
    assert told.lines() == ["Cancelled"]


@pytest.mark.parametrize("stop_at", [first(Renamed), first(Indexed)])
def test_stopping_at_a_document_keeps_those_that_were_written(
    kb: KnowledgeBase, tmp_path: Path, stop_at: Callable[[Event], bool]
):
    told = Told(stop_at=stop_at)
    summary = run(kb, told)
    assert told.of(Finished) == []
    assert told.of(Deleted) == []
    (cancelled,) = told.of(Cancelled)
    written = {event.path for event in told.of(Indexed, Renamed)}
    assert (cancelled.done, cancelled.total) == (1 + len(written), 6)
    assert_whole(kb.index_path)
    states = kb.store().documents.states()
    assert written <= set(states)
    assert "d.md" in states  # not deleted: that comes last
    assert summary.documents == len(states)
    kb.index()
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)


@pytest.mark.parametrize(("documents", "when"), [(25, 1), (25, 2), (25, 4), (60, 1), (60, 3), (60, 8)])
def test_stopping_in_the_middle_of_embedding_writes_what_is_complete_and_nothing_twice(
    open_base: Open, tmp_path: Path, documents: int, when: int
):
    """Ten windows a document, less than a batch or several: some were embedded when the token is given up, and those
    are not embedded again.
    """
    files = {f"{n:02d}.md": "".join(f"# H{m}\n\nwords {n} {m}\n\n" for m in range(10)) for n in range(documents)}
    cancel = CancelToken()
    calls: list[int] = []

    def before(texts: object) -> None:
        calls.append(1)
        if len(calls) == when:
            cancel.cancel()

    embedder = WatchedEmbedder(before=before)
    kb = open_base(files, embedder=embedder)
    summary = kb.index(cancel=cancel)
    assert summary.cancelled
    assert_whole(kb.index_path)
    assert len(embedder.texts) <= 64 * when  # the step in which it was asked is the last
    assert kb.store().meta.counts() == (summary.documents, summary.chunks)
    assert summary.documents >= len(embedder.texts) // 10 - 1  # all but the document that was cut
    first_texts = set(embedder.texts)
    embedder.forget()
    kb.index()
    assert len(first_texts & set(embedder.texts)) < 10
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)


def test_once_the_deletions_began_the_run_completes(kb: KnowledgeBase, tmp_path: Path):
    (kb.root / "e.md").unlink()
    told = Told(stop_at=first(Deleted))
    summary = run(kb, told)
    assert [event.path for event in told.of(Deleted)] == ["d.md", "e.md"]
    assert told.of(Cancelled) == []
    assert (summary.cancelled, summary.deleted) == (False, 2)
    assert told.events[-1] == Finished(summary=summary)
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)


def test_stopping_just_before_the_deletions(kb: KnowledgeBase):
    told = Told()

    def stop_at_the_last_document(event: Event) -> bool:
        return len(told.of(Indexed)) == 3

    told.stop_at = stop_at_the_last_document
    summary = run(kb, told)
    assert summary.cancelled
    assert counts(summary) == {"indexed": 1, "updated": 2, "unchanged": 1, "renamed": 1, "embedded": 3, "reused": 2}
    assert "d.md" in kb.store().documents.states()


def test_there_is_one_last_event_and_it_is_the_last(kb: KnowledgeBase):
    total = Told()
    run(kb, total)
    write_files(kb.root, FILES)
    for number in range(len(total.events)):
        told = Told(stop_at=lambda _: len(told.events) > number)  # noqa: B023 - called within this round
        run(kb, told)
        assert isinstance(told.events[-1], Finished | Cancelled)
        assert len(told.of(Finished, Cancelled)) == 1
        assert_whole(kb.index_path)


def test_single_paths_stop_the_same_way(kb: KnowledgeBase):
    before = everything(kb.index_path)
    told = Told(stop_at=first(Started))
    summary = kb.index_paths(["a.md", "d.md"], listener=told, cancel=told.cancel)
    assert summary.cancelled
    assert told.lines() == ["Started", "Cancelled"]
    assert everything(kb.index_path) == before


def test_waiting_for_another_writer_can_be_given_up(kb: KnowledgeBase):
    told = Told(stop_at=first(Waiting))
    release, held = threading.Event(), threading.Event()

    def hold() -> None:
        with writer_lock(kb.index_path, wait=False, command="groove serve"):
            held.set()
            release.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(10)
    try:
        summary = kb.index(wait=True, listener=told, cancel=told.cancel)
    finally:
        release.set()
        thread.join()
    assert told.lines() == ["Waiting", "Cancelled"]
    (waiting,) = told.of(Waiting)
    assert "groove serve" in waiting.holder
    assert (summary.cancelled, summary.documents, summary.chunks) == (True, 5, 10)


def test_a_listener_that_raises_ends_the_run_and_leaves_documents_whole(kb: KnowledgeBase, tmp_path: Path):
    class Broken(Exception):  # noqa: N818 - a caller's own
        pass

    def listen(event: Event) -> None:
        if isinstance(event, Indexed):
            raise Broken

    with pytest.raises(Broken):
        kb.index(listener=listen)
    assert_whole(kb.index_path)
    kb.index()
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)


def test_stopping_when_nothing_is_complete_yet_deletes_nothing(open_base: Open):
    """One long document, cut in the middle: there is no document after which the run could look at the token."""
    cancel = CancelToken()
    embedder = WatchedEmbedder()
    kb = open_base({"gone.md": "# Gone\n\ngone\n"}, embedder=embedder)
    kb.index()
    (kb.root / "gone.md").unlink()
    write_files(kb.root, {"long.md": "".join(f"# H{n}\n\nwords {n}\n\n" for n in range(200))})
    embedder.before = lambda _: cancel.cancel()
    summary = kb.index(cancel=cancel)
    assert (summary.cancelled, summary.indexed, summary.deleted) == (True, 0, 0)
    assert list(kb.store().documents.states()) == ["gone.md"]
    assert_whole(kb.index_path)
