"""``groove index`` stopped while it waits for an embedding server. A real server, process and signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import write_files
from tests.support.embedding_server import DIMENSION, EmbeddingServer, Reply, embedding_server
from tests.support.indexes import assert_whole

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")

PAUSE = 60
"""Seconds the server asks for, twice what a test waits: a run that waits the pause out fails."""
BUSY = Reply(status=503, headers={"Retry-After": str(PAUSE)})


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as serving:
        yield serving


@pytest.fixture
def indexing(tmp_path: Path, server: EmbeddingServer) -> Iterator[subprocess.Popen[bytes]]:
    """``groove index`` on eighty notes of one window, of which the first batch gets its vectors."""
    write_files(tmp_path / "kb", {f"{n:02}.md": f"# Note {n}\n\nThe walrus of note {n}.\n" for n in range(80)})
    (tmp_path / "groove.toml").write_text(
        f'[embedding]\nprovider = "openai"\nbase_url = "{server.url}"\nmodel = "fake-64"\ndimension = {DIMENSION}\n'
    )
    server.answers.append(lambda good: good)
    server.always = BUSY
    command = [sys.executable, "-m", "grooveseek", "index", "--quiet", "--kb-path", "kb", "--config", "groove.toml"]
    with (tmp_path / "told").open("wb") as told, subprocess.Popen(command, cwd=tmp_path, stderr=told) as process:
        yield process
        process.kill()


def wait_for(told: Path, words: str, process: subprocess.Popen[bytes]) -> None:
    while words not in told.read_text():
        assert process.poll() is None, told.read_text()
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_pause_before_another_attempt_ends_with_the_interrupt(
    tmp_path: Path, server: EmbeddingServer, indexing: subprocess.Popen[bytes], number: signal.Signals
):
    told = tmp_path / "told"
    wait_for(told, "trying again in 60 s", indexing)
    indexing.send_signal(number)
    assert indexing.wait(PAUSE / 2) == 130
    assert "Stopped in" in told.read_text()
    assert "64 new" in told.read_text()
    assert "Traceback" not in told.read_text()
    assert len(server.requests) == 2
    assert_whole(tmp_path / ".groove.db")


def test_a_server_that_does_not_answer_does_not_hold_up_the_stop(
    tmp_path: Path, server: EmbeddingServer, indexing: subprocess.Popen[bytes]
):
    answer = threading.Event()
    server.always = Reply(wait=answer)
    while len(server.requests) < 2:
        assert indexing.poll() is None
        time.sleep(0.01)
    indexing.send_signal(signal.SIGINT)
    assert indexing.wait(PAUSE / 2) == 130  # the limit on an answer is 60 s
    assert "64 new" in (tmp_path / "told").read_text()
    assert_whole(tmp_path / ".groove.db")
    answer.set()


def test_an_answer_that_comes_right_after_the_interrupt_is_kept(
    tmp_path: Path, server: EmbeddingServer, indexing: subprocess.Popen[bytes]
):
    asked = threading.Event()
    stopping = threading.Event()

    def late(good: dict[str, Any]) -> dict[str, Any]:
        asked.set()
        assert stopping.wait(PAUSE)
        return good

    server.always = late
    assert asked.wait(PAUSE)
    indexing.send_signal(signal.SIGINT)
    wait_for(tmp_path / "told", "Stopping", indexing)
    stopping.set()
    assert indexing.wait(PAUSE / 2) == 130
    assert "80 new" in (tmp_path / "told").read_text()


def test_what_was_complete_is_not_sent_again(
    tmp_path: Path, server: EmbeddingServer, indexing: subprocess.Popen[bytes]
):
    wait_for(tmp_path / "told", "trying again in 60 s", indexing)
    indexing.send_signal(signal.SIGINT)
    assert indexing.wait(PAUSE / 2) == 130
    server.always = None
    server.requests.clear()
    again = subprocess.run(list(indexing.args), cwd=tmp_path, capture_output=True, text=True, check=True)  # type: ignore[call-overload]  # a list, as given above
    assert "16 new, 64 unchanged" in again.stderr
    assert len(server.texts) == 16
