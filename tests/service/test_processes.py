from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from grooveseek.errors import ServiceError
from grooveseek.service.launch import server_command, tray_command
from grooveseek.service.processes import command_line, end_process, is_groove_server, stop_server, windows_words
from tests.support.http_server import HttpServer, ask
from tests.support.status_server import StatusServer

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")


@pytest.mark.parametrize(
    "command",
    [
        ["groove", "serve"],
        ["/usr/bin/groove", "--no-color", "serve", "--transport", "http"],
        ["/opt/my venv/bin/python3.11", "-P", "-m", "grooveseek", "serve", "--config", "x"],
        ["/v/bin/python", "/v/bin/groove", "serve"],
        ["C:\\v\\groove-svc.exe", "--config", "C:\\x y\\groove.toml"],
        ["C:\\v\\pythonw.exe", "C:\\v\\Scripts\\groove-svc.exe", "--config", "x"],
        ["C:\\v\\pythonw.exe", "-P", "-m", "grooveseek.cli.launcher", "--config", "x"],
        ["/Users/Ann", "Lee/v/bin/python", "-P", "-m", "grooveseek", "serve", "--config", "/Users/Ann", "Lee/x"],
    ],
)
def test_a_server_is_recognised_by_its_command_line(command: list[str]):
    assert is_groove_server(command)


@pytest.mark.parametrize(
    "command",
    [
        [],
        [""],
        ["/bin/sleep", "60"],
        ["vim", "groove", "serve"],
        ["python", "other.py", "groove", "serve"],
        ["python", "-c", "pass", "-m", "grooveseek", "serve"],
        ["python", "-m", "grooveseeker", "serve"],
        ["python", "-m"],
        ["python", "-m", "grooveseek", "search", "lamp"],
        ["groove", "index"],
        ["grep", "-m", "grooveseek", "serve"],
        ["python", "-P", "-m", "grooveseek.tray", "--service-name", "serve"],
    ],
)
def test_other_programs_are_not_servers(command: list[str]):
    assert not is_groove_server(command)


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_what_the_service_starts_is_recognised_and_the_tray_is_not(platform: str):
    for exists in (lambda _: True, lambda _: False):
        executable = "C:\\my venv\\python.exe" if platform == "win32" else "/opt/my venv/bin/python3"
        assert is_groove_server(server_command("/x/groove.toml", platform, executable, exists))
        assert not is_groove_server(tray_command("a", "/x/groove.toml", platform, executable, exists))


def test_a_windows_command_line_is_cut_at_blanks_outside_quotes():
    line = '"C:\\my venv\\groove-svc.exe"  --config "C:\\x y\\groove.toml"\r\n'
    assert windows_words(line) == ["C:\\my venv\\groove-svc.exe", "--config", "C:\\x y\\groove.toml"]


@posix_only
@pytest.mark.parametrize("platform", sorted({"linux", "darwin"} if sys.platform == "linux" else {sys.platform}))
def test_a_process_tells_its_command_line(platform: str):
    command = [sys.executable, "-c", "import time; print(flush=True); time.sleep(60)", "one", "two"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()  # until the program runs, its command line is not there to be read
        found = command_line(process.pid, platform=platform)
        assert " ".join(found) == " ".join(command)
    finally:
        process.kill()
        process.communicate()
    with pytest.raises(ProcessLookupError):
        command_line(process.pid, platform=platform)


@posix_only
def test_a_process_that_took_over_the_id_is_left_alone():
    """The status says a pid that belongs to another program by now."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", "groove", "serve"])
    try:
        with StatusServer() as server:
            server.answer(pid=process.pid)
            with pytest.raises(ServiceError, match=rf"Process {process.pid} is not a groove server"):
                stop_server(server.bind)
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


def test_this_process_is_never_ended():
    with pytest.raises(ServiceError, match="this very program"):
        end_process(os.getpid())


@posix_only
def test_a_process_that_has_ended_is_no_error():
    process = subprocess.Popen(["true"])
    process.wait()
    end_process(process.pid)


def test_without_an_answer_nothing_is_ended():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        bind = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ServiceError, match="No groove answers"):
            stop_server(bind, ask=lambda _: None)


def test_an_address_that_stays_taken_is_told():
    ended: list[int] = []
    with StatusServer() as server, pytest.raises(ServiceError, match="still taken"):
        stop_server(server.bind, end=ended.append, seconds=0.3)
    assert ended == [4242]


@posix_only
def test_a_real_server_is_stopped_and_its_address_free(tmp_path: Path):
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "a.md").write_text("# A\n\nText.\n")
    (tmp_path / "groove.toml").write_text(f'model = "fake"\nkb_path = {json.dumps(str(tmp_path / "kb"))}\n')
    config = str(tmp_path / "groove.toml")
    command = [*server_command(config, "linux", sys.executable, os.path.isfile), "--port", "0"]
    with HttpServer(command, environ={"PYTHONPATH": str(Path(__file__).parents[2])}) as server:
        assert ask(server.port, "/healthz").status == 200
        bind = f"127.0.0.1:{server.port}"
        assert stop_server(bind) == server.process.pid
        assert server.process.wait(30) == 0
        with socket.create_server(("127.0.0.1", server.port)):
            pass
