"""Descriptors handed to ``groove serve`` the way systemd does: the id is set between the fork and the exec."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from grooveseek.service.probe import ask_status
from grooveseek.service.processes import stop_server
from tests.support.http_server import HttpServer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="systemd is Linux's")
ROOT = Path(__file__).parents[2]

_CHILD = """\
import os, sys
count, of_whom, *handed = sys.argv[1].split(",")
for number, descriptor in enumerate(handed):
    os.dup2(int(descriptor), 3 + number, inheritable=True)
os.environ["LISTEN_FDS"] = count
os.environ["LISTEN_PID"] = str(os.getpid() if of_whom == "own" else os.getppid())
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.fixture
def serve_command(tmp_path: Path) -> list[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        bind = f"127.0.0.1:{free.getsockname()[1]}"
    (tmp_path / "kb").mkdir()
    config = tmp_path / "groove.toml"
    config.write_text(
        f'model = "fake"\nkb_path = {json.dumps(str(tmp_path / "kb"))}\n[transport.http]\nbind = "{bind}"\n'
    )
    return [sys.executable, "-m", "grooveseek", "serve", "--transport", "http", "--config", str(config)]


def handing(command: list[str], *sockets: socket.socket, count: int | None = None, own: bool = True) -> list[str]:
    """The command line of the child that execs the server; sockets sit above 10, clear of where they are going to."""
    numbers = [str(made.fileno()) for made in sockets]
    shown = str(len(sockets) if count is None else count)
    return [sys.executable, "-c", _CHILD, ",".join([shown, "own" if own else "parent", *numbers]), *command]


def high(made: socket.socket) -> socket.socket:
    """The same socket on a descriptor above 10."""
    import fcntl

    with made:
        return socket.socket(fileno=fcntl.fcntl(made.fileno(), fcntl.F_DUPFD, 20))


def listening() -> socket.socket:
    return high(socket.create_server(("127.0.0.1", 0)))


def test_the_socket_of_the_parent_is_served(serve_command: list[str]):
    with listening() as made:
        port = made.getsockname()[1]
        environ = {"PYTHONPATH": str(ROOT)}
        with HttpServer(handing(serve_command, made), environ=environ, pass_fds=[made.fileno()]) as server:
            assert server.port == port
            status = ask_status(f"127.0.0.1:{port}")
            assert status is not None
            held = [str(entry.readlink()) for entry in Path(f"/proc/{status.pid}/fd").iterdir()]
            assert held.count(f"socket:[{os.fstat(made.fileno()).st_ino}]") == 2  # adopted, and the one passed above 20
            made.close()
            stop_server(f"127.0.0.1:{port}")
            assert server.process.wait(30) == 0


def test_a_socket_for_another_process_is_not_touched(serve_command: list[str]):
    with listening() as made:
        environ = {"PYTHONPATH": str(ROOT)}
        with HttpServer(handing(serve_command, made, own=False), environ=environ, pass_fds=[made.fileno()]) as server:
            assert server.port != made.getsockname()[1]
            assert "LISTEN_PID" in server.stderr
            stop_server(f"127.0.0.1:{server.port}")
            server.process.wait(30)


def datagram() -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind(("127.0.0.1", 0))
    return high(made)


def bound_only() -> socket.socket:
    made = socket.socket()
    made.bind(("127.0.0.1", 0))
    return high(made)


@pytest.mark.parametrize(
    ("make", "count", "said"),
    [
        ([listening, listening], None, "systemd handed over 2 sockets"),
        ([datagram], None, "is not a stream socket"),
        ([bound_only], None, "does not listen"),
        ([], 1, "is no socket"),
    ],
)
def test_anything_but_one_listening_socket_is_refused_by_name(
    serve_command: list[str], make: list[Callable[[], socket.socket]], count: int | None, said: str
):
    made = [kind() for kind in make]
    try:
        done = subprocess.run(
            handing(serve_command, *made, count=count),
            pass_fds=[one.fileno() for one in made],
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
    finally:
        for one in made:
            one.close()
    assert said in done.stderr
    assert "fault in groove" not in done.stderr
    assert "listening on" not in done.stderr
