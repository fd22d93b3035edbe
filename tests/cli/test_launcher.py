from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from grooveseek.cli.launcher import LARGEST_LOG, main, named_config, open_log
from grooveseek.service.processes import stop_server
from tests.support.http_server import SECONDS


@pytest.mark.parametrize(
    ("arguments", "config"),
    [
        (["--config", "a b"], "a b"),
        (["--port", "0", "--config=x"], "x"),
        (["--config"], None),
        (["--config="], None),
        ([], None),
    ],
)
def test_the_settings_are_named_by_either_spelling(arguments: list[str], config: str | None):
    assert named_config(arguments) == config


def test_without_settings_it_does_not_start(capsys: pytest.CaptureFixture[str]):
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err


def test_a_log_grows_and_is_set_aside_when_it_is_large(tmp_path: Path):
    path = tmp_path / "groove.log"
    for line in ("one\n", "two\n"):
        with open_log(path) as log:
            log.write(line)
    assert path.read_text() == "one\ntwo\n"
    path.write_bytes(b"x" * (LARGEST_LOG + 1))
    with open_log(path) as log:
        log.write("new \udcff\n")
    assert path.read_text() == "new \\udcff\n"
    assert (tmp_path / "groove.log.1").stat().st_size == LARGEST_LOG + 1


@pytest.mark.skipif(sys.platform == "win32", reason="ends the server by a signal")
def test_it_serves_with_every_stream_closed_and_keeps_its_log(tmp_path: Path):
    """As pythonw.exe starts: no stdin, no stdout, no stderr."""
    import socket
    import time

    with socket.create_server(("127.0.0.1", 0)) as taken:
        bind = f"127.0.0.1:{taken.getsockname()[1]}"
    (tmp_path / "kb").mkdir()
    config = tmp_path / "groove.toml"
    config.write_text(
        f'model = "fake"\nkb_path = {json.dumps(str(tmp_path / "kb"))}\n[transport.http]\nbind = "{bind}"\n'
    )
    program = (
        "import os, sys; [os.close(fd) for fd in (0, 1, 2)]; "
        "os.execv(sys.executable, [sys.executable, '-m', 'grooveseek.cli.launcher', '--config', sys.argv[1]])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(config)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    try:
        deadline = time.monotonic() + SECONDS
        log = tmp_path / "groove.log"
        while not log.exists() or "listening on http://" not in log.read_text():
            assert process.poll() is None, log.read_text() if log.exists() else "no log"
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert stop_server(bind) == process.pid
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
