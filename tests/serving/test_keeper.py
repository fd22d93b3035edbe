from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.errors import WriterBusy
from grooveseek.indexing.events import CancelToken, Event, Started
from grooveseek.knowledge_base.watch import EVERYTHING, Changes
from grooveseek.serving import keeper as keeping
from grooveseek.serving.keeper import Activity, IndexKeeper
from grooveseek.serving.served import Served
from grooveseek.store.lock import writer_lock
from tests.support.index_rows import fresh_rows, rows

C23 = Path(__file__).parents[1] / "cases" / "C23"
PATIENCE = 60.0


def act(root: Path, step: str) -> None:
    subprocess.run([sys.executable, str(C23 / "act.py"), str(root), step], check=True)


def until(condition: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def found(kb: KnowledgeBase, word: str) -> list[str]:
    return sorted({hit.path for hit in kb.search(word, mode="keyword").hits if word in hit.chunk.content})


def in_step(kb: KnowledgeBase, scratch: Path) -> bool:
    return rows(kb.index_path) == fresh_rows(kb, scratch)


@pytest.fixture
def watched(open_kb, serve, settings) -> Callable[[], tuple[KnowledgeBase, Served]]:
    def start(**files: str) -> tuple[KnowledgeBase, Served]:
        kb = open_kb(files={f"{name}.md": text for name, text in files.items()}, settings=settings)
        served = serve(kb, watch=True, start=True)
        until(lambda: served.keeper.is_idle and served.keeper.watching, "the start-up run")
        return kb, served

    return start


def test_the_watcher_case(open_kb, serve, settings, tmp_path: Path):
    """C23: atomic saves, renames, a branch switch, a swap; and searches all the while."""
    kb = open_kb(settings=settings)
    act(kb.root, "init")
    served = serve(kb, watch=True, start=True)
    until(lambda: served.keeper.is_idle and served.keeper.watching, "the start-up run")
    former = "oldlapse"
    for step, word in [
        ("replace", "newreplace"),
        ("vim", "newvim"),
        ("delete_recreate", "newrecreate"),
        ("foreign_ext", "newforeign"),
    ]:
        act(kb.root, step)
        until(lambda word=word: found(kb, word) == ["note.md"], step)
        assert found(kb, former) == []
        former = word
    act(kb.root, "rename")
    until(lambda: found(kb, former) == ["renamed.md"], "rename")
    act(kb.root, "rename_dir")
    until(lambda: found(kb, "branchone000q") == ["moved00/f000.md"], "rename_dir")
    answers = []
    act(kb.root, "burst")
    while not (found(kb, "brandnew49q") and found(kb, "branchtwo299q") and served.keeper.is_idle):
        answers.append(kb.search("branch").hits)
    assert answers
    assert all(answers), "every search has an answer"
    act(kb.root, "swap")
    until(lambda: found(kb, "brandnew00q") == ["fresh/g1.md"] and served.keeper.is_idle, "swap")
    on_disk = sorted(str(path.relative_to(kb.root)) for path in kb.root.rglob("*.md"))
    until(lambda: sorted(kb.store().documents.states()) == on_disk, "the same files")
    assert len(on_disk) == 451
    assert found(kb, "branchtwo000q")
    assert not found(kb, "branchone000q")
    assert found(kb, "branchone450q") == ["moved/f450.md"]
    assert in_step(kb, tmp_path)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_checkout_of_two_thousand_files(open_kb, serve, settings, tmp_path: Path):
    kb = open_kb(settings=settings)

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "gc.auto=0"]
        subprocess.run(["git", *identity, *arguments], cwd=kb.root, check=True, capture_output=True)

    def write(branch: str, count: int) -> None:
        for number in range(count):
            file = kb.root / f"{branch if number % 3 else 'both'}{number % 40}" / f"f{number}.md"
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"# F{number}\n\nword: {branch}{number}q\n")

    git("init", "-q", "-b", "one")
    write("one", 2000)
    git("add", "-A")
    git("commit", "-qm", "one")
    git("checkout", "-q", "--orphan", "two")
    git("rm", "-rfq", ".")
    write("two", 2000)
    git("add", "-A")
    git("commit", "-qm", "two")
    served = serve(kb, watch=True, start=True)
    until(lambda: served.keeper.is_idle and served.keeper.watching, "the start-up run")
    git("checkout", "-q", "one")
    until(lambda: served.keeper.is_idle and found(kb, "one1999q"), "the checkout")
    until(lambda: sorted(kb.store().documents.states()) == sorted(
        str(path.relative_to(kb.root)) for path in kb.root.rglob("*.md")
    ) and served.keeper.is_idle, "all of the checkout")  # fmt: skip
    assert in_step(kb, tmp_path)
    assert not found(kb, "two1999q")


def test_a_renamed_folder_keeps_its_vectors_and_a_file_made_again_is_seen(watched, tmp_path: Path, monkeypatch):
    kb, served = watched(a="# A\n\nalpha\n")
    (kb.root / "sub").mkdir()
    (kb.root / "sub" / "b.md").write_text("# B\n\nbeta\n")
    until(lambda: found(kb, "beta") == ["sub/b.md"], "new folder")
    until(lambda: served.keeper.is_idle, "idle")
    embedded: list[str] = []
    embed = kb.embedder.embed_documents
    monkeypatch.setattr(kb.embedder, "embed_documents", lambda texts: (embedded.extend(texts), embed(texts))[1])
    (kb.root / "sub").rename(kb.root / "renamed")
    until(lambda: found(kb, "beta") == ["renamed/b.md"], "renamed")
    assert embedded == []
    (kb.root / "a.md").unlink()
    until(lambda: not found(kb, "alpha"), "deleted")
    (kb.root / "a.md").write_text("# A\n\nalpha again\n")
    until(lambda: found(kb, "alpha") == ["a.md"], "made again")
    until(lambda: served.keeper.is_idle, "idle")
    assert in_step(kb, tmp_path)


def test_edits_of_the_ignore_file_take_effect(watched, tmp_path: Path):
    kb, served = watched(a="# A\n\nalpha\n", b="# B\n\nbeta\n")
    (kb.root / ".grooveignore").write_text("a.md\n")
    until(lambda: not found(kb, "alpha"), "ignored")
    (kb.root / "a.md").write_text("# A\n\nalpha, changed while ignored\n")
    (kb.root / ".grooveignore").write_text("b.md\n")
    until(lambda: found(kb, "changed") == ["a.md"] and not found(kb, "beta"), "the other one ignored")
    (kb.root / ".grooveignore").unlink()
    until(lambda: found(kb, "beta") == ["b.md"], "none ignored")
    until(lambda: served.keeper.is_idle, "idle")
    assert in_step(kb, tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="hard links are counted differently there")
def test_a_second_name_for_a_file_and_its_end_bear_on_the_first(watched, tmp_path: Path):
    kb, served = watched(a="# A\n\nalpha\n", b="# B\n\nbeta\n")
    os.link(kb.root / "a.md", kb.root / "hard.md")
    until(lambda: not found(kb, "alpha"), "two names")
    (kb.root / "hard.md").unlink()
    until(lambda: found(kb, "alpha") == ["a.md"], "one name")
    until(lambda: served.keeper.is_idle, "idle")
    assert in_step(kb, tmp_path)


def test_one_edited_file_is_one_path_and_no_look_at_the_folder(watched, monkeypatch):
    kb, served = watched(a="# A\n\nalpha\n", b="# B\n\nbeta\n")
    monkeypatch.setattr(kb, "index", lambda **_: pytest.fail("a run over the whole folder"))
    asked: list[frozenset[str]] = []
    index_paths = kb.index_paths
    monkeypatch.setattr(kb, "index_paths", lambda paths, **k: (asked.append(paths), index_paths(paths, **k))[1])
    (kb.root / "a.md").write_text("# A\n\ngamma\n")
    until(lambda: found(kb, "gamma") == ["a.md"] and served.keeper.is_idle, "edited")
    assert set(asked) == {frozenset({"a.md"})}


def test_more_changes_than_fit_bring_one_run_over_the_folder(kb, serve, monkeypatch):
    served = serve(kb)
    runs: list[str] = []
    index = kb.index
    monkeypatch.setattr(kb, "index", lambda **k: (runs.append("all"), index(**k))[1])
    monkeypatch.setattr(kb, "index_paths", lambda *_, **__: pytest.fail("single paths"))
    for number in range(70):
        served.keeper._note(Changes(paths=frozenset({f"{number}.md"})))
    served.keeper.start()
    until(lambda: runs and served.keeper.is_idle, "the run")
    assert runs == ["all"]


def test_two_servers_on_one_index_do_not_undo_each_other(open_kb, serve, settings, tmp_path: Path):
    """C47 (c): both watch; who holds the writer's lock writes, and the other finds the work done."""
    kbs = [open_kb(settings=settings), open_kb(settings=settings)]
    root = kbs[0].root
    act(root, "init")
    keepers = [serve(kb, watch=True, start=True).keeper for kb in kbs]
    until(lambda: all(keeper.is_idle and keeper.watching for keeper in keepers), "both started")
    act(root, "burst")
    on_disk = sorted(str(path.relative_to(root)) for path in root.rglob("*.md"))
    until(
        lambda: all(keeper.is_idle for keeper in keepers) and sorted(kbs[0].store().documents.states()) == on_disk,
        "in step",
    )
    assert in_step(kbs[0], tmp_path)
    stamp = kbs[0].store().database.value("PRAGMA data_version")
    time.sleep(1.5)
    assert kbs[0].store().database.value("PRAGMA data_version") == stamp, "all is quiet"


def test_a_writer_elsewhere_is_waited_for_without_a_word(kb, serve, caplog: pytest.LogCaptureFixture):
    served = serve(kb, watch=True)
    caplog.set_level(logging.INFO, "grooveseek")
    with writer_lock(kb.index_path, wait=False, command="a test"):
        (kb.root / "readme.md").write_text("# Read me\n\nchanged while locked\n")
        served.keeper.start()
        until(lambda: served.keeper.watching and not served.keeper.activity, "trying")
        time.sleep(0.2)
        assert not found(kb, "locked")
    until(lambda: found(kb, "locked"), "its turn")
    assert [record for record in caplog.records if record.levelno > logging.INFO] == []


def test_a_failure_is_told_once_tried_again_and_ends_nothing(kb, serve, monkeypatch, caplog: pytest.LogCaptureFixture):
    monkeypatch.setattr(keeping, "_RETRY_SECONDS", (0.01,))
    served = serve(kb)
    tries = 0
    index = kb.index

    def fail_twice(**options: object) -> object:
        nonlocal tries
        tries += 1
        if tries <= 3:
            raise ZeroDivisionError("of all things")
        return index(**options)

    monkeypatch.setattr(kb, "index", fail_twice)
    (kb.root / "readme.md").write_text("# Read me\n\nrecovered\n")
    served.keeper._note(EVERYTHING)
    served.keeper.start()
    until(lambda: found(kb, "recovered"), "the fourth try")
    assert tries == 4
    assert caplog.text.count("indexing failed") == 1


def test_an_index_that_cannot_be_written_is_told_once_and_searched_all_the_same(
    kb, serve, monkeypatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(keeping, "_RETRY_SECONDS", (0.01,))
    lock = kb.index_path.with_name(kb.index_path.name + ".lock")
    lock.unlink(missing_ok=True)
    lock.mkdir()
    served = serve(kb)
    served.keeper._note(EVERYTHING)
    served.keeper.start()
    until(lambda: "could not be brought up to date" in caplog.text, "told")
    time.sleep(0.2)
    assert caplog.text.count("could not be brought up to date") == 1
    assert found(kb, "okapi") == ["guide/use/daily.md"]
    lock.rmdir()


def test_without_a_watcher_an_index_that_is_there_is_left_to_whoever_keeps_it(kb, serve):
    (kb.root / "readme.md").write_text("# Read me\n\nchanged\n")
    keeper = idle(serve(kb))
    assert keeper.is_idle
    assert not found(kb, "changed")
    assert keeper.rebuild(force=False, listener=lambda _: None, cancel=CancelToken()).result(PATIENCE).updated == 1


def test_without_a_watcher_an_index_that_is_not_there_is_built(open_kb, serve, settings):
    kb = open_kb(files={"a.md": "# A\n\nalpha\n"}, settings=settings)
    idle(serve(kb))
    assert found(kb, "alpha") == ["a.md"]


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are POSIX's")
def test_loops_of_links_second_names_and_pipes_are_lived_with(open_kb, serve, settings, tmp_path: Path):
    """C21, while the folder is watched."""
    script = C23.parent / "C21" / "make.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True)
    kb = open_kb(settings=settings)
    served = serve(kb, watch=True, start=True)
    until(lambda: served.keeper.is_idle and served.keeper.watching, "the start-up run")
    assert found(kb, "curlew") == ["sub/c.md"]
    assert found(kb, "avocet") == [], "a file with two names is not indexed"
    (kb.root / "a.md").unlink()
    until(lambda: found(kb, "avocet") == ["hard.md"], "the name that is left")
    (kb.root / "sub" / "c.md").write_text("# C\n\nword: dunlin\n")
    until(lambda: found(kb, "dunlin") == ["sub/c.md"] and served.keeper.is_idle, "an edit beside the links")
    assert in_step(kb, tmp_path)


# -- rebuilds ------------------------------------------------------------------------------------------------------


def idle(served: Served) -> IndexKeeper:
    served.keeper.start()
    until(lambda: served.keeper.is_idle, "the start-up run")
    return served.keeper


def test_one_rebuild_at_a_time(kb, serve):
    keeper = idle(serve(kb))
    going, go_on = threading.Event(), threading.Event()

    def hold(event: Event) -> None:
        if isinstance(event, Started):
            going.set()
            go_on.wait(PATIENCE)

    first = keeper.rebuild(force=True, listener=hold, cancel=CancelToken())
    assert going.wait(PATIENCE)
    assert keeper.activity is not None
    with pytest.raises(WriterBusy, match=r"for \d+ seconds"):
        keeper.rebuild(force=False, listener=lambda _: None, cancel=CancelToken())
    go_on.set()
    assert first.result(PATIENCE).updated == 7
    until(lambda: keeper.is_idle, "at rest")
    assert keeper.rebuild(force=False, listener=lambda _: None, cancel=CancelToken()).result(PATIENCE).unchanged == 7


def test_searches_go_on_without_waiting_during_a_forced_rebuild_and_see_the_old_index(kb, serve):
    keeper = idle(serve(kb))
    (kb.root / "readme.md").write_text("# Read me\n\nnew words\n")
    going, go_on = threading.Event(), threading.Event()

    def hold(event: Event) -> None:
        if isinstance(event, Started):
            going.set()
            assert go_on.wait(PATIENCE)

    result = keeper.rebuild(force=True, listener=hold, cancel=CancelToken())
    assert going.wait(PATIENCE)
    answers: list[list[str]] = []
    errors: list[BaseException] = []

    def ask() -> None:
        try:
            answers.extend(found(kb, "pumps") for _ in range(20))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert errors == []
    assert answers == [["readme.md"]] * 80, "the old index answers, and nobody waits for the held rebuild"
    go_on.set()
    result.result(PATIENCE)
    assert found(kb, "pumps") == []
    assert found(kb, "words") == ["readme.md"]


def test_a_cancelled_rebuild_leaves_the_old_index_serving(kb, serve):
    keeper = idle(serve(kb))
    before = rows(kb.index_path)
    for path in kb.root.rglob("*.md"):
        path.write_text("# Other\n\nall else\n")
    cancel = CancelToken()
    result = keeper.rebuild(force=True, listener=lambda event: cancel.cancel(), cancel=cancel)
    assert result.result(PATIENCE).cancelled
    assert rows(kb.index_path) == before
    assert found(kb, "okapi") == ["guide/use/daily.md"]


def test_the_error_of_a_rebuild_goes_to_who_asked(kb, serve):
    keeper = idle(serve(kb))
    with writer_lock(kb.index_path, wait=False, command="a test"):
        result = keeper.rebuild(force=False, listener=lambda _: None, cancel=CancelToken())
        with pytest.raises(WriterBusy, match="a test"):
            result.result(PATIENCE)


def test_the_end_cancels_what_waits_and_what_runs(kb, serve):
    served = serve(kb)
    keeper = idle(served)
    going = threading.Event()
    result = keeper.rebuild(force=True, listener=lambda _: going.set(), cancel=CancelToken())
    assert going.wait(PATIENCE)
    assert keeper.stop(PATIENCE)
    assert result.done()
    assert keeper.activity is None
    assert found(kb, "okapi") == ["guide/use/daily.md"]


def test_an_activity_says_how_far_it_is():
    assert Activity(what="a rebuild").describe() == "looking through the folder"
    assert Activity(what="a rebuild", done=3, total=9).describe() == "3 of 9 documents"
    assert Activity(what="a rebuild").seconds < 60
