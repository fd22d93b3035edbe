from __future__ import annotations

import contextlib
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from grooveseek.knowledge_base import watch as watching
from grooveseek.knowledge_base.exclusion import ExclusionRules
from grooveseek.knowledge_base.watch import EVERYTHING, MAX_BATCHES, MAX_PATHS, NOTHING, Backlog, Changes, Watcher

PATIENCE = 20.0


class Seen:
    """The batches that came in."""

    def __init__(self) -> None:
        self.batches: list[Changes] = []
        self._condition = threading.Condition()

    def __call__(self, changes: Changes) -> None:
        with self._condition:
            self.batches.append(changes)
            self._condition.notify_all()

    def wait(self, wanted: Callable[[Changes], bool]) -> Changes:
        """All that came since the last call, once that is what is wanted."""
        deadline = time.monotonic() + PATIENCE
        with self._condition:
            while True:
                so_far = NOTHING
                for batch in self.batches:
                    so_far |= batch
                if wanted(so_far):
                    self.batches.clear()
                    return so_far
                left = deadline - time.monotonic()
                assert left > 0, f"only {so_far} came"
                self._condition.wait(left)

    def paths(self, *wanted: str) -> Changes:
        return self.wait(lambda changes: set(wanted) <= changes.paths)

    def everything(self) -> Changes:
        return self.wait(lambda changes: changes.everything)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = (tmp_path / "kb").resolve()
    (root / "sub").mkdir(parents=True)
    (root / "a.md").write_text("a")
    (root / "sub" / "b.md").write_text("b")
    return root


@contextlib.contextmanager
def watched(root: Path, **options: object) -> Iterator[Seen]:
    seen, stop, ready = Seen(), threading.Event(), threading.Event()
    watcher = Watcher(
        root,
        extensions=frozenset({"md"}),
        load_rules=lambda: ExclusionRules.load(root, ("target",)),
        debounce_ms=60,
        **options,  # type: ignore[arg-type]
    )
    thread = threading.Thread(target=watcher.run, args=(seen, stop, ready.set))
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield seen
    finally:
        stop.set()
        thread.join(PATIENCE)
        assert not thread.is_alive()
        assert not watcher.active


def test_new_changed_and_deleted_files_are_named(root: Path):
    with watched(root) as seen:
        (root / "new.md").write_text("new")
        seen.paths("new.md")
        (root / "sub" / "b.md").write_text("changed")
        seen.paths("sub/b.md")
        (root / "a.md").unlink()
        seen.paths("a.md")


def test_a_rename_names_both_ends(root: Path):
    with watched(root) as seen:
        (root / "a.md").rename(root / "sub" / "c.md")
        assert seen.paths("a.md", "sub/c.md").paths == {"a.md", "sub/c.md"}


def test_an_atomic_save_names_the_file_alone(root: Path):
    with watched(root) as seen:
        temporary = root / ".a.md.tmp123"
        temporary.write_text("newer")
        temporary.replace(root / "a.md")
        (root / "4913").write_text("")
        (root / "4913").unlink()
        (root / "a.md").rename(root / "a.md~")
        (root / "a.md").write_text("newest")
        (root / "a.md~").unlink()
        (root / "sub" / "b.md").write_text("and a last one")
        assert seen.paths("a.md", "sub/b.md").paths == {"a.md", "sub/b.md"}


def test_other_kinds_of_files_and_excluded_ones_are_passed_over(root: Path):
    with watched(root) as seen:
        for path in ("notes.txt", "target/x.md", "node_modules/deep/y.md", ".git/z.md"):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text("x")
        (root / "last.md").write_text("x")
        assert seen.paths("last.md").paths == {"last.md"}


def test_a_folder_that_comes_goes_or_moves_is_named_and_then_watched(root: Path):
    with watched(root) as seen:
        (root / "new" / "deep").mkdir(parents=True)
        seen.paths("new")
        (root / "new" / "deep" / "x.md").write_text("x")
        seen.paths("new/deep/x.md")
        (root / "new").rename(root / "moved")
        seen.paths("new", "moved")
        (root / "moved" / "deep" / "x.md").write_text("y")
        seen.paths("moved/deep/x.md")
        shutil.rmtree(root / "moved")
        seen.paths("moved")
        (root / "moved").mkdir()
        seen.paths("moved")
        (root / "moved" / "again.md").write_text("z")
        seen.paths("moved/again.md")


def test_what_is_made_in_a_new_folder_at_once_is_not_lost(root: Path):
    """Its files may be there before the folder is watched; the folder itself is named, and all of it with it."""
    with watched(root) as seen:
        for number in range(30):
            folder = root / f"n{number}" / "m" / "l"
            folder.mkdir(parents=True)
            (folder / "x.md").write_text("x")
        changes = seen.paths(*(f"n{number}" for number in range(30)))
        assert not changes.everything


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_to_folders_above_and_outside_are_not_watched(root: Path, tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "up").symlink_to("..")
    (root / "sub" / "dot").symlink_to(".")
    (root / "everywhere").symlink_to("/")
    (root / "out").symlink_to(outside)
    with watched(root) as seen:
        (outside / "x.md").write_text("x")
        (root / "sub" / "b.md").write_text("changed")
        assert seen.paths("sub/b.md").paths == {"sub/b.md"}


def test_a_change_of_the_ignore_file_means_everything_and_holds_at_once(root: Path):
    with watched(root) as seen:
        (root / ".grooveignore").write_text("sub/\n")
        seen.everything()
        (root / "sub" / "b.md").write_text("ignored now")
        (root / "a.md").write_text("not ignored")
        assert seen.paths("a.md").paths == {"a.md"}
        (root / ".grooveignore").unlink()
        seen.everything()
        (root / "sub" / "b.md").write_text("back")
        seen.paths("sub/b.md")


def test_a_root_that_is_moved_away_and_back_means_everything(root: Path):
    with watched(root) as seen:
        root.rename(root.parent / "away")
        seen.everything()
        (root.parent / "away").rename(root)
        seen.everything()
        (root / "sub" / "b.md").write_text("seen again")
        seen.wait(lambda changes: "sub/b.md" in changes.paths or changes.everything)


def test_a_system_that_cannot_watch_is_told_once_and_everything_is_looked_at(
    root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def refuse(*_: object, **__: object) -> None:
        raise OSError("OS file watch limit reached.")

    monkeypatch.setattr(watching, "_RETRY_SECONDS", (0.01,))
    monkeypatch.setattr(Watcher, "_replace_native", refuse)
    with watched(root) as seen:
        seen.wait(lambda changes: len(seen.batches) > 3)
    assert [record.message for record in caplog.records] == [caplog.records[0].message]
    assert "OS file watch limit reached" in caplog.text
    assert "max_user_watches" in caplog.text


def test_one_watch_on_the_whole_tree_serves_where_links_are_not_followed(root: Path):
    """As on macOS and Windows."""
    with watched(root, folder_by_folder=False) as seen:
        (root / "sub" / "b.md").write_text("changed")
        seen.paths("sub/b.md")
        (root / "new").mkdir()
        seen.paths("new")
        (root / "sub").rename(root / "other")
        seen.paths("sub", "other")


def test_a_backlog_gives_back_everything_it_got_as_one_batch():
    backlog = Backlog()
    assert not backlog
    backlog.add(Changes(paths=frozenset({"a.md"})))
    backlog.add(Changes(paths=frozenset({"b.md", "a.md"})))
    assert backlog
    assert backlog.take() == Changes(paths=frozenset({"a.md", "b.md"}))
    assert not backlog
    assert backlog.take() == NOTHING


@pytest.mark.parametrize(("batches", "overflows"), [(MAX_BATCHES, False), (MAX_BATCHES + 1, True)])
def test_more_batches_than_fit_become_one_look_at_everything(batches: int, overflows: bool):
    backlog = Backlog()
    for number in range(batches):
        backlog.add(Changes(paths=frozenset({f"{number}.md"})))
    taken = backlog.take()
    assert taken.everything is overflows
    assert len(taken.paths) == (0 if overflows else batches)
    backlog.add(Changes(paths=frozenset({"later.md"})))
    assert backlog.take() == Changes(paths=frozenset({"later.md"})), "an overflow does not outlive itself"


def test_more_paths_than_fit_become_one_look_at_everything():
    backlog = Backlog()
    backlog.add(Changes(paths=frozenset(f"{number}.md" for number in range(MAX_PATHS))))
    backlog.add(Changes(paths=frozenset({"one-more.md"})))
    assert backlog.take() == EVERYTHING


def test_everything_swallows_single_paths():
    assert EVERYTHING | Changes(paths=frozenset({"a.md"})) == EVERYTHING
    assert Changes(paths=frozenset({"a.md"})) | EVERYTHING == EVERYTHING
