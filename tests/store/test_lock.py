"""One writer at a time, between real processes."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from grooveseek.errors import StoreError, WriterBusy
from grooveseek.store.lock import describe_holder, holder_path, lock_path, writer_lock

HOLD = """
import sys
from pathlib import Path
from grooveseek.store.lock import writer_lock
with writer_lock(Path(sys.argv[1]), wait=False, command="groove index"):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_elsewhere(index: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(index)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def test_a_second_writer_is_told_who_the_first_is(index: Path):
    with held_elsewhere(index) as other:
        with pytest.raises(WriterBusy) as caught, writer_lock(index, wait=False, command="groove serve"):
            raise AssertionError
        assert f"process {other.pid} (groove index, since 20" in str(caught.value)
        assert f"is writing to {index}" in str(caught.value)
        assert "--wait" in str(caught.value)
        assert caught.value.exit_code == 1
    with writer_lock(index, wait=False, command="groove serve") as held:
        assert held


def test_the_lock_of_a_killed_process_is_free_although_its_note_lies_there(index: Path):
    with held_elsewhere(index) as other:
        other.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        other.wait()
        assert holder_path(index).exists()
        with writer_lock(index, wait=False, command="groove index") as held:
            assert held
            assert str(os.getpid()) in describe_holder(index)
    assert not holder_path(index).exists()


def test_waiting_begins_with_a_word_and_ends_when_the_other_ends(index: Path):
    told: list[str] = []
    with held_elsewhere(index) as other:
        assert other.stdin
        stdin = other.stdin

        def on_wait(holder: str) -> None:
            told.append(holder)
            stdin.close()

        with writer_lock(index, wait=True, command="groove index", on_wait=on_wait) as held:
            assert held
            assert other.wait(10) == 0
    assert len(told) == 1
    assert told[0].startswith(f"process {other.pid} ")


def test_waiting_can_be_given_up(index: Path):
    with held_elsewhere(index) as other:
        stop = threading.Event()
        with writer_lock(index, wait=True, command="x", on_wait=lambda _: stop.set(), should_stop=stop.is_set) as held:
            assert not held
        assert str(other.pid) in describe_holder(index)  # the other's note is not ours to remove


def test_two_threads_exclude_each_other_too(index: Path):
    with writer_lock(index, wait=False, command="first"):
        outcome: list[object] = []

        def second() -> None:
            try:
                with writer_lock(index, wait=False, command="second"):
                    outcome.append("held")
            except WriterBusy as error:
                outcome.append(error)

        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
        assert isinstance(outcome[0], WriterBusy)
        with pytest.raises(WriterBusy), writer_lock(index, wait=False, command="again"):
            raise AssertionError


@pytest.mark.parametrize("note", ["", "{", "[]", '{"pid": "x", "command": "c", "since": "s"}', '{"pid": 1}', "\ud800"])
def test_a_note_that_makes_no_sense_is_another_process(index: Path, note: str):
    assert describe_holder(index) == "another process"
    holder_path(index).write_bytes(note.encode("utf-8", "surrogatepass"))
    assert describe_holder(index) == "another process"


@pytest.mark.skipif(os.name != "posix", reason="POSIX file modes and links")
def test_lock_and_note_are_private_and_no_link_is_followed(index: Path):
    target = index.with_name("precious")
    target.write_text("text")
    holder_path(index).symlink_to(target)
    before = os.umask(0)
    try:
        with writer_lock(index, wait=False, command="groove index"):
            assert stat.S_IMODE(lock_path(index).stat().st_mode) == 0o600
    finally:
        os.umask(before)
    assert target.read_text() == "text"
    with writer_lock(index, wait=False, command="groove index"):
        assert stat.S_IMODE(holder_path(index).stat().st_mode) == 0o600


@pytest.mark.skipif(os.name != "posix", reason="POSIX file modes")
def test_a_folder_that_cannot_be_written_is_named_with_the_way_out(locked_out: Path):
    locked_out.chmod(0o500)
    with (
        pytest.raises(StoreError, match=r"cannot be written \(Permission denied\), and the index goes there") as caught,
        writer_lock(locked_out / "index.db", wait=False, command="groove index"),
    ):
        raise AssertionError
    assert str(locked_out) in str(caught.value)
    assert "[index].path" in str(caught.value)
