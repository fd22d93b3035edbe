"""Whatever happens to a folder, runs that follow the changes end with the index that one run over it would make."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.indexing.events import Cancelled, CancelToken, Event, Finished
from grooveseek.indexing.plan import ScannedFile, make_plan
from grooveseek.settings.sections import ParserSettings, Settings
from grooveseek.store.records import DocumentState
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.indexes import assert_same, assert_whole

SETTINGS = Settings(parsers=ParserSettings(enabled=("md", "txt", "rs")))
FOLDERS = ("", "in/", "in/deep/", "other/")
NAMES = tuple(f"{folder}{name}" for folder in FOLDERS for name in ("a.md", "b.md", "c.txt", "d.rs"))
SHARED = "# Terms\n\nThe shared clause mentions thylacine once.\n"
TEXTS = (
    SHARED,
    "",
    "no heading\n",
    "---\ntitle: T\ntags: [x]\nstatus: done\n---\n\n" + SHARED,
    "---\ntitle: [broken\n---\n\ntext\n",
    "# One\n\n" + "first words " * 30 + "\n\n## Two\n\nsecond words\n",
    "# One\n\n" + "first words " * 30 + "\n\n## Two\n\nother words\n",
    "# 倉庫\n\n倉庫係は毎朝鍵を開ける。\r\n",
    "fn main() {}\n\nstruct S { a: u8 }\n",
    "\0\ufeffodd e\u0301 ㄱㅏ\n",
)

names = st.sampled_from(NAMES)
places = st.sampled_from((*NAMES, "in", "in/deep", "other", "new", "in/new"))
steps = st.one_of(
    st.tuples(st.just("write"), names, st.sampled_from(TEXTS)),
    st.tuples(st.just("write"), names, st.sampled_from(TEXTS)),
    st.tuples(st.just("remove"), places),
    st.tuples(st.just("move"), places, places),
    st.tuples(st.just("swap"), names, names),
    st.tuples(st.just("copy"), names, names),
    st.tuples(st.just("same size and time"), names),
    st.tuples(st.just("folder"), names),
    st.tuples(st.just("link"), names),
    st.tuples(st.just("age"), st.just("")),
    st.tuples(st.just("ignore"), st.sampled_from(("", "in/\n", "*.txt\n", "a.md\n!in/a.md\n"))),
    st.tuples(st.just("index"), st.just("")),
    st.tuples(st.just("index"), st.just("")),
    st.tuples(st.just("force"), st.just("")),
    st.tuples(st.just("stop"), st.integers(0, 12)),
    st.tuples(st.just("stop force"), st.integers(0, 12)),
)


@given(st.lists(steps, min_size=1, max_size=14))
@settings(max_examples=80)
@example(
    [
        ("write", "a.md", SHARED),
        ("write", "b.md", SHARED),
        ("index", ""),
        ("remove", "a.md"),
        ("move", "b.md", "in/b.md"),
    ]
)
@example([("write", "a.md", SHARED), ("index", ""), ("folder", "a.md"), ("index", ""), ("write", "b.md", SHARED)])
@example([("write", "d.rs", SHARED), ("index", ""), ("remove", "d.rs")])
def test_runs_that_follow_changes_end_where_one_run_would(sequence: list[tuple[str, ...]]):
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "kb"
        root.mkdir()
        with KnowledgeBase(replace(SETTINGS, kb_path=root), embedder=FakeEmbedder(dimension=16, window=24)) as kb:
            for step in sequence:
                take(kb, root, *step)
            summary = kb.index()
            assert not summary.cancelled
            assert_whole(kb.index_path)
            assert_same(kb.index_path, fresh_index(kb, Path(scratch)))


def fresh_index(kb: KnowledgeBase, scratch: Path) -> Path:
    index = scratch / "fresh.db"
    elsewhere = replace(kb.settings, index=replace(kb.settings.index, path=index))
    with KnowledgeBase(elsewhere, embedder=kb.embedder) as fresh:
        fresh.index()
    return index


def take(kb: KnowledgeBase, root: Path, action: str, *details: str | int) -> None:
    """One step. What cannot be done where things stand is left out."""
    match action, *details:
        case "index", _:
            kb.index()
        case "force", _:
            kb.index(force=True)
        case (("stop" | "stop force"), int(after)):
            stop_after(kb, after, force=action == "stop force")
        case "age", _:
            for path in root.rglob("*"):
                if not path.is_symlink():
                    os.utime(path, (1_700_000_000, 1_700_000_000))
        case "ignore", str(patterns):
            (root / ".grooveignore").write_text(patterns)
        case _:
            try:
                change_files(root, action, *map(str, details))
            except (OSError, shutil.Error):
                return


def stop_after(kb: KnowledgeBase, events: int, *, force: bool) -> None:
    cancel = CancelToken()
    told: list[Event] = []

    def listen(event: Event) -> None:
        told.append(event)
        if len(told) > events:
            cancel.cancel()

    summary = kb.index(force=force, listener=listen, cancel=cancel)
    assert isinstance(told[-1], Cancelled if summary.cancelled else Finished)
    assert_whole(kb.index_path)


def change_files(root: Path, action: str, name: str, other: str = "") -> None:
    path = root / name
    match action:
        case "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(other.encode())
        case "remove":
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        case "move":
            (root / other).parent.mkdir(parents=True, exist_ok=True)
            path.rename(root / other)
        case "swap":
            path.rename(root / "swapping")
            (root / other).rename(path)
            (root / "swapping").rename(root / other)
        case "copy":
            shutil.copy2(path, root / other)
        case (
            "same size and time"
        ):  # as a synchroniser that keeps times; groove tells by what it knows of the file's age
            before = path.stat()
            path.write_bytes(bytes(byte ^ 0x20 if chr(byte).isalpha() else byte for byte in path.read_bytes()))
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
        case "folder":
            path.unlink(missing_ok=True)
            path.mkdir(parents=True)
        case "link":
            path.unlink(missing_ok=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to("a.md")


# -- the plan alone ------------------------------------------------------------------------------------------------

few = st.sampled_from(("a", "b", "d/a", "d/b", "d/e/a"))
contents = st.sampled_from((b"x", b"y", b"z"))


@given(
    st.dictionaries(few, contents, max_size=5),
    st.dictionaries(few, contents, max_size=5),
    st.sets(st.sampled_from(("a", "d", "d/e")), max_size=2),
    st.booleans(),
)
def test_a_plan_names_every_path_once_and_takes_the_index_to_the_disk(
    on_disk: dict[str, bytes], indexed: dict[str, bytes], unreachable: set[str], reparse: bool
):
    readable = {
        path: content
        for path, content in on_disk.items()
        if not any(path == root or path.startswith(f"{root}/") for root in unreachable)
    }
    files = [
        ScannedFile(path=path, size_bytes=1, mtime_ns=1, parser="md", content_hash=content)
        for path, content in readable.items()
    ]
    states = {
        path: DocumentState(path=path, content_hash=content, size_bytes=1, mtime_ns=1, parser="md")
        for path, content in indexed.items()
    }
    plan = make_plan(files, states, unreachable, reparse=reparse)
    named = [file.path for file in (*plan.changed, *plan.unchanged, *(file for _, file in plan.renamed))]
    assert sorted(named) == sorted(readable)
    gone = [*plan.deleted, *(previous for previous, _ in plan.renamed)]
    assert len(set(gone)) == len(gone)
    assert not set(gone) & set(readable)
    after = dict(indexed)
    for previous, file in plan.renamed:
        assert file.path not in indexed
        assert after.pop(previous) == readable[file.path]
        after[file.path] = readable[file.path]
    for path in plan.deleted:
        del after[path]
    for file in plan.changed:
        assert reparse or indexed.get(file.path) != readable[file.path]
        after[file.path] = readable[file.path]
    kept = {
        path: content
        for path, content in indexed.items()
        if any(path == root or path.startswith(f"{root}/") for root in unreachable)
    }
    assert after == {**kept, **readable}
