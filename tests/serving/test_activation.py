from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator

import pytest
from grooveseek.errors import ConfigError
from grooveseek.serving.activation import inherited_socket

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="descriptors are POSIX's")


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


def environment(**changes: str) -> dict[str, str]:
    return {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1", "LISTEN_FDNAMES": "x", "OTHER": "stays", **changes}


def test_a_listening_socket_is_taken_over_and_not_inherited(listening: socket.socket):
    environ = environment()
    handed = inherited_socket(environ, first=os.dup(listening.fileno()))
    assert handed is not None
    with handed:
        assert handed.getsockname() == listening.getsockname()
        assert not os.get_inheritable(handed.fileno())
    assert environ == {"OTHER": "stays"}


@pytest.mark.parametrize("pid", ["", "1", "x"])
def test_variables_meant_for_another_process_are_looked_at_no_further(pid: str):
    environ = environment(LISTEN_PID=pid, LISTEN_FDS="nonsense")
    assert inherited_socket(environ, first=10_000) is None
    assert environ == {"OTHER": "stays"}


@pytest.mark.parametrize("count", ["", "0", "2", "x"])
def test_exactly_one_socket_is_taken(count: str, listening: socket.socket):
    with pytest.raises(ConfigError, match="serves exactly one"):
        inherited_socket(environment(LISTEN_FDS=count), first=listening.fileno())


@pytest.mark.parametrize(
    ("family", "kind", "reason"),
    [
        (socket.AF_INET, socket.SOCK_DGRAM, "is not a stream socket"),
        (socket.AF_INET, socket.SOCK_STREAM, "does not listen"),
        (getattr(socket, "AF_UNIX", None), socket.SOCK_STREAM, "is not a TCP socket"),
    ],
)
def test_another_kind_of_socket_is_refused_by_name(family, kind, reason):
    with socket.socket(family, kind) as wrong, pytest.raises(ConfigError, match=reason):
        inherited_socket(environment(), first=os.dup(wrong.fileno()))
