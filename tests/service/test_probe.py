from __future__ import annotations

import json
import socket

import pytest
from grooveseek.service.probe import ServerStatus, ask_status, is_free
from tests.support.status_server import StatusServer, status_body


def test_a_status_is_understood_and_asked_for_as_this_machine():
    with StatusServer() as server:
        server.answer(pid=77, indexing=True)
        assert ask_status(server.bind) == ServerStatus(
            version="0.1.0", pid=77, uptime=61, indexing=True, documents=3, chunks=9
        )
        assert ask_status(f"0.0.0.0:{server.port}") is not None
        assert server.hosts == [f"localhost:{server.port}"] * 2


@pytest.mark.parametrize(
    "body",
    [b"", b"nonsense", b"[]", b"{}", b"[" * 60_000, json.dumps({**status_body(), "kb": None}).encode()]
    + [json.dumps(status_body(pid=pid)).encode() for pid in (0, 1, -5, True, "7", None)],  # type: ignore[arg-type]
)
def test_the_answer_of_another_program_is_no_status(body: bytes):
    with StatusServer() as server:
        server.body = body
        assert ask_status(server.bind) is None


@pytest.mark.parametrize("code", [403, 404, 302, 500])
def test_a_refusal_is_no_status(code: int):
    with StatusServer() as server:
        server.code = code
        assert ask_status(server.bind) is None


def test_nobody_there_and_nobody_who_speaks_are_no_status():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        bind = f"127.0.0.1:{silent.getsockname()[1]}"
        assert ask_status(bind, seconds=0.2) is None
        assert not is_free(bind)
    assert ask_status(bind, seconds=0.2) is None
    assert is_free(bind)


def test_an_address_of_no_machine_is_not_free():
    assert not is_free("no.such.host.invalid:3100")
