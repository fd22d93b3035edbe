"""Real processes on one index: killed, interrupted, side by side."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.indexing.build import building_path
from grooveseek.settings.sections import Settings
from tests.support.index_rows import fresh_rows, rows
from tests.support.indexes import assert_whole, everything, sql

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="signals")]

FORBIDDEN = re.compile(r"locked|malformed|Traceback|Error:|a fault in groove", re.IGNORECASE)
MOMENTS = 20

SEARCH_AGAIN_AND_AGAIN = """
import sys
from dataclasses import replace
from pathlib import Path
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.errors import NoIndex
from grooveseek.settings.sections import Settings
for number in range(20):
    try:
        with KnowledgeBase(replace(Settings(), kb_path=Path(sys.argv[1])), embedder=FakeEmbedder()) as kb:
            for mode in ("keyword", "hybrid"):
                hits = kb.search("common words", mode=mode).hits
                assert all("common" in hit.chunk.content for hit in hits)
            print("hits", len(hits), flush=True)
    except NoIndex:
        print("none yet", flush=True)
"""


def command(root: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "grooveseek", "index", "--kb-path", str(root), "--model", "fake", "--quiet", *options]


class Running:
    """A ``groove`` process whose stderr is read as it comes."""

    def __init__(self, *argv: str) -> None:
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines: list[str] = []
        self._found = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.lines.append(line)
            if line.startswith("Found "):
                self._found.set()
        self._found.set()

    def wait_for_work(self) -> None:
        """Until the scan is over and documents are being written."""
        assert self._found.wait(60)

    def end(self) -> tuple[int, str]:
        """Its exit code and stderr."""
        code = self.process.wait(60)
        self._reader.join(10)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        return code, "".join(self.lines)


def write_version(root: Path, version: str, documents: int = 80) -> None:
    """Every document says in every chunk which version it is of."""
    for number in range(documents):
        sections = [
            f"## Part {part}\n\nversion{version}q document {number} part {part} has common words\n" for part in range(6)
        ]
        (root / f"{number:03d}.md").write_text("\n".join(sections))


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    """Eighty documents of six chunks, not indexed yet."""
    root = tmp_path / "kb"
    root.mkdir()
    write_version(root, "0")
    with KnowledgeBase(replace(Settings(), kb_path=root), embedder=FakeEmbedder()) as opened:
        yield opened


def seconds_of_work(root: Path, *options: str) -> float:
    running = Running(*command(root, *options))
    running.wait_for_work()
    began = time.monotonic()
    code, told = running.end()
    assert code == 0, told
    return time.monotonic() - began


def kill_at(root: Path, seconds: float, *options: str) -> bool:
    """Kill a run so long after it began to work; whether it was still at it."""
    running = Running(*command(root, *options))
    running.wait_for_work()
    time.sleep(seconds)
    running.process.kill()
    code, _ = running.end()
    return code == -signal.SIGKILL


def versions_of_documents(index: Path) -> list[set[str]]:
    contents: dict[str, set[str]] = {}
    for path, content in sql(index, "SELECT d.path, c.content FROM chunks c JOIN documents d ON d.id = c.document_id"):
        contents.setdefault(path, set()).update(re.findall(r"version(\d+)q", content))
    return list(contents.values())


def test_a_run_killed_at_any_moment_leaves_every_document_whole(kb: KnowledgeBase, tmp_path: Path):
    work = seconds_of_work(kb.root)
    moments = random.Random(7)
    killed = 0
    for number in range(1, MOMENTS + 1):
        write_version(kb.root, str(number))
        killed += kill_at(kb.root, moments.uniform(0, work))
        assert_whole(kb.index_path)
        assert all(len(versions) == 1 for versions in versions_of_documents(kb.index_path))
        for mode in ("keyword", "hybrid"):
            answer = kb.search(f"version{number}q common words", mode=mode, limit=5)
            assert len(answer.hits) == 5
    assert killed >= MOMENTS // 2  # else this would have tested nothing
    kb.close()
    code, told = Running(*command(kb.root)).end()
    assert code == 0, told
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)
    assert_whole(kb.index_path)


def test_a_first_run_killed_at_any_moment_is_gone_on_with(kb: KnowledgeBase, tmp_path: Path):
    code, _ = Running(*command(kb.root)).end()
    assert code == 0
    moments = random.Random(8)
    for _ in range(2):
        for file in tmp_path.glob(".groove.db*"):
            file.unlink()
        while kill_at(kb.root, moments.uniform(0, 0.3)):
            assert_whole(kb.index_path)
        assert rows(kb.index_path) == fresh_rows(kb, tmp_path)


def test_a_forced_build_killed_at_any_moment_leaves_the_old_index(kb: KnowledgeBase, tmp_path: Path):
    seconds_of_work(kb.root)
    work = seconds_of_work(kb.root, "--force")
    write_version(kb.root, "1")
    before = everything(kb.index_path)
    moments = random.Random(9)
    killed = 0
    for _ in range(MOMENTS):
        still_at_it = kill_at(kb.root, moments.uniform(0, work), "--force")
        killed += still_at_it
        now = everything(kb.index_path)
        assert_whole(kb.index_path)
        if now != before:  # it came to its end: begin again
            assert {frozenset(versions) for versions in versions_of_documents(kb.index_path)} == {frozenset({"1"})}
            write_version(kb.root, "0")
            kb.index(force=True)
            write_version(kb.root, "1")
            before = everything(kb.index_path)
            continue
        assert len(kb.search("version0q common words", mode="keyword", limit=5).hits) == 5
        assert kb.search("version1q", mode="keyword").hits == ()
        if building_path(kb.index_path).exists():
            assert_whole(building_path(kb.index_path))
    assert killed >= MOMENTS // 2
    code, told = Running(*command(kb.root, "--force")).end()
    assert code == 0, told
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)
    assert_whole(kb.index_path)
    assert not building_path(kb.index_path).exists()


# -- stopping on request -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_cleanly_and_what_is_done_stays_done(
    kb: KnowledgeBase, tmp_path: Path, number: signal.Signals
):
    write_version(kb.root, "0", documents=500)
    running = Running(*command(kb.root))
    running.wait_for_work()
    time.sleep(0.2)
    running.process.send_signal(number)
    code, told = running.end()
    assert code == 130, told
    assert "Stopping after what is being embedded now" in told
    stopped = re.search(
        r"Stopped in [\d.]+ s: (\d+) new\nThe index holds (\d+) documents in (\d+) chunks; (\d+) embedded", told
    )
    assert stopped, told
    done, held, _, embedded = map(int, stopped.groups())
    assert 0 < done == held < 500
    assert_whole(kb.index_path)
    summary = kb.index()
    assert (summary.indexed, summary.unchanged) == (500 - done, done)
    assert summary.embedded + embedded == 500 * 6
    assert_whole(kb.index_path)


def test_a_second_interrupt_ends_at_once(kb: KnowledgeBase):
    write_version(kb.root, "0", documents=600)
    running = Running(*command(kb.root))
    running.wait_for_work()
    running.process.send_signal(signal.SIGINT)
    while not any("press Ctrl-C again" in line for line in running.lines):
        time.sleep(0.001)
    running.process.send_signal(signal.SIGINT)
    code, told = running.end()
    assert code == 130
    assert not FORBIDDEN.search(told)
    assert_whole(kb.index_path)


def test_interrupting_a_forced_build_says_that_the_old_index_goes_on(kb: KnowledgeBase):
    kb.index()
    before = everything(kb.index_path)
    write_version(kb.root, "1", documents=500)
    running = Running(*command(kb.root, "--force"))
    running.wait_for_work()
    running.process.send_signal(signal.SIGINT)
    code, told = running.end()
    assert code == 130, told
    assert "Searches go on in the old index" in told
    assert everything(kb.index_path) == before


# -- side by side --------------------------------------------------------------------------------------------------


def test_searches_beside_a_writer_answer_and_never_speak_of_locks(kb: KnowledgeBase, tmp_path: Path):
    """Four searching processes from before the index exists until after it is complete, a forced build included."""
    write_version(kb.root, "0", documents=150)
    searching = [
        subprocess.Popen(
            [sys.executable, "-c", SEARCH_AGAIN_AND_AGAIN, str(kb.root)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for options in ((), ("--force",), ("--reembed",)):
        code, told = Running(*command(kb.root, *options)).end()
        assert code == 0, told
        assert not FORBIDDEN.search(told)
    for process in searching:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, "")
        assert len(out.splitlines()) == 20
        assert not FORBIDDEN.search(out)
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)
    assert_whole(kb.index_path)


@contextmanager
def a_run_going_on(kb: KnowledgeBase) -> Iterator[Callable[[], None]]:
    """A run in this process that stands still; the function given lets it go on."""
    release, begun = threading.Event(), threading.Event()

    def stand_still(_: object) -> None:
        begun.set()
        release.wait(60)

    writer = threading.Thread(target=lambda: kb.index(listener=stand_still))
    writer.start()
    try:
        assert begun.wait(30)
        yield release.set
    finally:
        release.set()
        writer.join()


def wait_until_waiting(running: Running) -> None:
    while not any(line.startswith("Waiting for ") for line in running.lines):
        assert running.process.poll() is None
        time.sleep(0.01)


def test_of_two_runs_at_once_one_works_and_the_other_says_so(kb: KnowledgeBase, tmp_path: Path):
    with a_run_going_on(kb):
        code, told = Running(*command(kb.root)).end()
    assert code == 1
    assert f"process {os.getpid()} (groove index, since " in told
    assert f"is writing to {kb.index_path}. Wait for it to end, or use --wait" in told
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)


def test_a_run_that_waits_works_after_the_other(kb: KnowledgeBase, tmp_path: Path):
    with a_run_going_on(kb) as let_it_go_on:
        second = Running(*command(kb.root, "--wait"))
        wait_until_waiting(second)
        let_it_go_on()
        code, told = second.end()
    assert code == 0, told
    assert f"Waiting for process {os.getpid()} (groove index, since " in told
    assert re.search(r"Done in [\d.]+ s: 80 unchanged", told), told
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)


def test_a_waiting_run_can_be_interrupted(kb: KnowledgeBase):
    with a_run_going_on(kb):
        second = Running(*command(kb.root, "--wait"))
        wait_until_waiting(second)
        second.process.send_signal(signal.SIGINT)
        code, told = second.end()
    assert code == 130, told
    assert "Stopped in" in told


def test_many_runs_at_once_end_with_a_complete_index(kb: KnowledgeBase, tmp_path: Path):
    runs = [Running(*command(kb.root, *(("--wait",) if number % 2 else ()))) for number in range(6)]
    outcomes = [run.end() for run in runs]
    assert {code for code, _ in outcomes} <= {0, 1}
    assert any(code == 0 for code, _ in outcomes)
    assert not any(FORBIDDEN.search(told) for _, told in outcomes)
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)
    assert_whole(kb.index_path)
