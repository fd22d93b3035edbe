from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from grooveseek._version import __version__
from grooveseek.errors import UsageError
from grooveseek.serving.http import Endpoint, exposure_warnings, listen
from tests.conftest import write_files
from tests.serving.conftest import FILES, changed
from tests.support.http_server import JSON_HEADERS, MODERN, HttpServer, ask, initialize, modern_call, rpc
from tests.support.index_rows import rows
from tests.support.rpc import HELLO, groove_command

PATIENCE = 60.0
ENDED = 15.0
"""Three times the promise, for a busy machine."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("http")
    write_files(folder, {f"kb/{path}": text for path, text in FILES.items()})
    (folder / "groove.toml").write_text('model = "fake"\n[parsers]\nenabled = ["md", "txt"]\n')
    return folder


def command(folder: Path, *options: str) -> list[str]:
    config = ["--config", str(folder / "groove.toml"), "--kb-path", str(folder / "kb")]
    return groove_command("serve", *config, "--transport", "http", "--port", "0", *options)


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[HttpServer]:
    with HttpServer(command(folder)) as server:
        server.when_indexed(7)
        yield server


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Callable[..., HttpServer]]:
    """A server of this test alone."""
    with contextlib.ExitStack() as stack:

        def run(*options: str, http: str = "") -> HttpServer:
            if not (tmp_path / "kb").exists():
                write_files(tmp_path, {f"kb/{path}": text for path, text in FILES.items()})
            (tmp_path / "groove.toml").write_text(
                f'model = "fake"\n[parsers]\nenabled = ["md", "txt"]\n[transport.http]\n{http}\n'
            )
            return stack.enter_context(HttpServer(command(tmp_path, *options)))

        yield run


def session(port: int) -> tuple[str, str]:
    """Open a session; the header that names it."""
    opened = initialize(port)
    assert opened.status == 200
    header = ("Mcp-Session-Id", opened.headers["mcp-session-id"])
    assert rpc(port, {"jsonrpc": "2.0", "method": "notifications/initialized"}, header).status == 202
    return header


def call(port: int, name: str, arguments: dict[str, Any], header: tuple[str, str], owner: int = 2) -> Any:
    message = {"jsonrpc": "2.0", "id": owner, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    return rpc(port, message, header).message


def test_the_health_check_and_the_page_answer(server: HttpServer):
    health = ask(server.port, "/healthz")
    assert (health.status, health.json) == (200, {"status": "ok"})
    page = ask(server.port, "/ui")
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert ask(server.port, "/ui", method="POST").status == 405


def test_the_status_has_the_promised_shape_and_no_path_of_this_machine(server: HttpServer, folder: Path):
    reply = ask(server.port, "/api/admin/status")
    status = reply.json
    assert status["daemon"].keys() == {"version", "pid", "uptime_secs", "started_at"}
    assert status["daemon"]["version"] == __version__
    assert status["daemon"]["pid"] == server.process.pid
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", status["daemon"]["started_at"])
    assert status["indexing"] == {"active": False, "started_at": None, "progress": None}
    assert status["watcher"] == {"active": True, "debounce_ms": 500}
    assert status["kb"] == {"documents": 7, "chunks": 12, "model": "fake"}
    assert status["config_source"] == "named"
    assert str(folder).encode() not in reply.body
    assert not any(value.startswith("/") for value in re.findall(r'"([^"]*)"', reply.body.decode()))


def test_both_eras_search(server: HttpServer):
    modern = modern_call(server.port, "search", {"query": "okapi"})
    assert modern.headers["content-type"] == "application/json"
    legacy = call(server.port, "search", {"query": "okapi"}, session(server.port))
    for message in (modern.json, legacy):
        assert message["result"]["structuredContent"]["results"][0]["path"] == "guide/use/daily.md"


@pytest.mark.parametrize(
    ("asked", "given"), [("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2099-01-01", "2025-11-25")]
)
def test_a_version_is_one_the_server_speaks(server: HttpServer, asked: str, given: str):
    """C53 (1)."""
    params = {**HELLO, "protocolVersion": asked}
    reply = rpc(server.port, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    assert reply.message["result"]["protocolVersion"] == given


def test_sessions_that_are_unknown_missing_or_ended_are_told_apart(server: HttpServer):
    """C53 (2)."""
    port = server.port
    lists = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    assert rpc(port, lists, ("Mcp-Session-Id", "made-up")).status == 404
    assert rpc(port, lists).status == 400
    assert rpc(port, lists, ("MCP-Protocol-Version", "1999-01-01")).status == 400
    header = session(port)
    assert rpc(port, lists, header).status == 200
    assert ask(port, "/mcp", method="DELETE", headers=(header,)).status == 200
    assert rpc(port, lists, header).status == 404
    assert rpc(port, {"jsonrpc": "2.0", "id": 3, "method": "initialize"}).status < 500


def test_sessions_do_not_see_one_another(server: HttpServer):
    """C53 (3): the same request id in two sessions; a cancel in one leaves the other's call alone."""
    one, other = session(server.port), session(server.port)
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}
    answers: list[Any] = []
    calling = threading.Thread(
        target=lambda: answers.append(call(server.port, "rebuild_index", {"force": True}, one, owner=9))
    )
    calling.start()
    assert rpc(server.port, cancel, other).status == 202
    calling.join(PATIENCE)
    assert (
        answers[0]["result"]["structuredContent"]["indexed"] + answers[0]["result"]["structuredContent"]["updated"] == 7
    )


def test_beyond_the_cap_new_sessions_wait_and_established_ones_go_on(own):
    server = own(http="max_sessions = 3")
    server.when_indexed(7)
    headers = [session(server.port) for _ in range(3)]
    full = initialize(server.port)
    assert full.status == 429
    assert int(full.headers["retry-after"]) > 0
    for header in headers:
        assert "result" in call(server.port, "list_topics", {}, header)
    assert modern_call(server.port, "list_topics", {}).status == 200, "the era without sessions takes no seat"
    assert rpc(server.port, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, ("Mcp-Session-Id", "made-up")).status == 404
    assert ask(server.port, "/mcp", method="DELETE", headers=(headers[0],)).status == 200
    assert initialize(server.port).status == 200
    assert server.stderr.count("max_sessions") == 1


def test_what_opens_no_session_takes_no_seat(own):
    server = own(http="max_sessions = 2")
    server.when_indexed(7)
    for _ in range(20):
        assert rpc(server.port, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status == 400
        assert ask(server.port, "/mcp", method="POST", headers=JSON_HEADERS, body=b"nonsense").status == 400
    assert [initialize(server.port).status for _ in range(3)] == [200, 200, 429]


def test_no_cap_is_no_cap(own):
    server = own(http="max_sessions = 0")
    assert {initialize(server.port).status for _ in range(30)} == {200}


@pytest.mark.parametrize("size", [1 << 20, (1 << 20) + 1, 5_000_000])
def test_bodies_over_a_mebibyte_are_refused(server: HttpServer, size: int):
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {**HELLO, "x": ""}}
    body = json.dumps(message)
    message["params"] = {**HELLO, "x": "x" * (size - len(body))}
    reply = rpc(server.port, message)
    assert reply.status == (200 if size <= 1 << 20 else 413)


def test_a_thousand_malformed_messages_have_an_error_each_and_the_server_lives(server: HttpServer):
    rng = random.Random(11)
    port = server.port
    header = session(port)
    modern = (("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/call"), ("Mcp-Name", "search"))
    whole = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "search"}}).encode()
    statuses = []
    for number in range(1000):
        body = whole[: rng.randrange(len(whole))] if number % 2 else bytes(rng.randrange(256) for _ in range(40))
        extra = ((), (header,), modern)[number % 3]
        statuses.append(ask(port, "/mcp", method="POST", headers=(*JSON_HEADERS, *extra), body=body).status)
    assert set(statuses) <= {400, 404, 406, 415}
    for body in (b"[]", b"{}", b"5", b"[" * 100_000):
        reply = ask(port, "/mcp", method="POST", headers=(*JSON_HEADERS, header), body=body)
        assert 400 <= reply.status < 500
    assert "result" in call(port, "list_topics", {}, header)


WRONG_IDS = [[1], {"a": 1}, None, True, 1.5, []]


@pytest.mark.parametrize("owner", WRONG_IDS, ids=repr)
def test_a_request_whose_id_no_request_may_have_is_an_error_and_not_acknowledged(server: HttpServer, owner: Any):
    header = session(server.port)
    for extra, method in (((header,), "tools/list"), ((), "initialize"), ((("MCP-Protocol-Version", MODERN),), "ping")):
        reply = rpc(server.port, {"jsonrpc": "2.0", "id": owner, "method": method}, *extra)
        assert (reply.status, reply.headers["content-type"]) == (400, "application/json")
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.json["jsonrpc"] == "2.0"
        assert reply.json["id"] is None
        assert reply.json["error"] == {"code": -32600, "message": "The id must be a text or a whole number"}
    assert "result" in call(server.port, "list_topics", {}, header)


@pytest.mark.parametrize("owner", [0, -1, 2**53, "", "a b"], ids=repr)
def test_a_request_with_an_unusual_id_has_its_answer(server: HttpServer, owner: Any):
    assert call(server.port, "list_topics", {}, session(server.port), owner)["id"] == owner


def test_a_request_with_a_wrong_id_takes_no_seat(own):
    server = own(http="max_sessions = 1")
    for _ in range(3):
        assert rpc(server.port, {"jsonrpc": "2.0", "id": [1], "method": "initialize", "params": HELLO}).status == 400
    assert initialize(server.port).status == 200


def test_a_lone_surrogate_in_a_request_does_no_harm(server: HttpServer):
    for query in ("\ud800 okapi", "okapi \udfff"):
        reply = modern_call(server.port, "search", {"query": query})
        assert reply.status in (200, 400)
    assert modern_call(server.port, "get_document", {"path": "\ud800.md"}).status in (200, 400)
    assert modern_call(server.port, "list_topics", {}).status == 200


def test_a_connection_that_drops_in_the_middle_of_a_call_harms_nothing(server: HttpServer):
    """C51: over HTTP."""
    header = session(server.port)
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    body = json.dumps({**message, "params": {"name": "rebuild_index", "arguments": {"force": True}}}).encode()
    head = ["POST /mcp HTTP/1.1", "Host: localhost", *(f"{n}: {v}" for n, v in (*JSON_HEADERS, header))]
    raw = "\r\n".join([*head, f"Content-Length: {len(body)}", "", ""]).encode() + body
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(raw)
        assert "result" in call(server.port, "search", {"query": "okapi"}, header)
    assert server.process.poll() is None


def test_concurrent_clients_search_while_a_forced_rebuild_runs(own, tmp_path: Path):
    write_files(tmp_path, {f"kb/n{number}.md": f"# N{number}\n\nheron words {number}\n" for number in range(300)})
    server = own()
    write_files(tmp_path, {f"kb/{path}": text for path, text in FILES.items()})
    server.when_indexed(307)
    done = threading.Event()
    rebuilt: list[Any] = []
    answers: list[int] = []
    errors: list[str] = []

    def rebuild() -> None:
        rebuilt.append(call(server.port, "rebuild_index", {"force": True}, session(server.port)))
        done.set()

    def search() -> None:
        while not done.is_set():
            result = modern_call(server.port, "search", {"query": "heron", "limit": 5}).json["result"]
            if result["isError"]:
                errors.append(result["content"][0]["text"])
            else:
                answers.append(len(result["structuredContent"]["results"]))

    threads = [threading.Thread(target=search) for _ in range(4)] + [threading.Thread(target=rebuild)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert done.is_set()
    assert errors == []
    assert set(answers) == {5}
    assert not rebuilt[0]["result"]["isError"]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_it_within_seconds_whatever_is_open(own, tmp_path: Path, number: int, code: int):
    server = own()
    server.when_indexed(7)
    header = session(server.port)
    stream = "\r\n".join(
        ["GET /mcp HTTP/1.1", "Host: localhost", "Accept: text/event-stream", f"{header[0]}: {header[1]}", "", ""]
    )
    with socket.create_connection(("127.0.0.1", server.port)) as listening:
        listening.sendall(stream.encode())
        assert listening.recv(1000).startswith(b"HTTP/1.1 200")
        server.process.send_signal(number)
        assert server.process.wait(ENDED) == code
    index = tmp_path / ".groove.db"
    assert len(rows(index)["documents"]) == 7
    assert sqlite3.connect(index).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert "Traceback" not in server.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_signal_in_the_middle_of_a_long_run_leaves_whole_documents(own, tmp_path: Path):
    write_files(tmp_path, {f"kb/n{number}.md": f"# N{number}\n\nwords {number}\n" * 20 for number in range(600)})
    server = own()
    deadline = time.monotonic() + PATIENCE
    while not ask(server.port, "/api/admin/status").json["kb"]["documents"]:
        assert time.monotonic() < deadline
    server.process.terminate()
    assert server.process.wait(ENDED) == 0
    half = rows(tmp_path / ".groove.db")
    assert {row[0] for row in half["chunks"]} == {row[0] for row in half["documents"]}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX signals")
def test_killed_while_it_writes_it_serves_again_at_once(own, tmp_path: Path):
    write_files(tmp_path, {f"kb/n{number}.md": f"# N{number}\n\nheron words {number}\n" for number in range(400)})
    server = own()
    deadline = time.monotonic() + PATIENCE
    while not ask(server.port, "/api/admin/status").json["kb"]["documents"]:
        assert time.monotonic() < deadline
    server.process.kill()
    server.process.wait()
    again = own()
    assert modern_call(again.port, "search", {"query": "heron"}).status == 200
    again.when_indexed(len(list((tmp_path / "kb").rglob("*.*"))))


def test_an_occupied_port_is_told_of(server: HttpServer):
    with pytest.raises(UsageError, match=rf"127\.0\.0\.1:{server.port} cannot be listened on"):
        listen(f"127.0.0.1:{server.port}")


@pytest.mark.parametrize("bind", ["no.such.host.invalid:80", "203.0.113.1:80"])
def test_an_address_that_is_not_ours_is_told_of(bind: str):
    with pytest.raises(UsageError, match="cannot be listened on"):
        listen(bind)


def test_an_endpoint_is_written_as_in_an_address():
    assert str(Endpoint("127.0.0.1", 80)) == "127.0.0.1:80"
    assert str(Endpoint("::1", 80)) == "[::1]:80"


@pytest.mark.parametrize(
    ("http", "host", "told"),
    [
        ({}, "127.0.0.1", []),
        ({}, "::1", []),
        ({"allowed_hosts": ()}, "127.0.0.1", ["every Host"]),
        ({"allowed_origins": ()}, "127.0.0.1", ["every Origin"]),
        ({}, "0.0.0.0", ["everyone who can reach it", "only names of this machine"]),
        ({"allowed_hosts": ("wiki.example",)}, "0.0.0.0", ["everyone who can reach it"]),
        ({"allowed_hosts": ()}, "192.168.1.5", ["every Host", "everyone who can reach it"]),
    ],
)
def test_whoever_starts_it_is_told_who_can_reach_it(kb, serve, http, host, told):
    kb.settings = changed(kb.settings, **http)
    warnings = exposure_warnings(serve(kb), host)
    assert len(warnings) == len(told)
    for warning, expected in zip(warnings, told, strict=True):
        assert expected in warning


# -- socket activation ---------------------------------------------------------------------------------------------


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="systemd is Linux's")
def test_a_socket_handed_over_by_systemd_is_served(folder: Path, tmp_path: Path):
    shutil.copytree(folder / "kb", tmp_path / "kb")
    shutil.copy(folder / "groove.toml", tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        launcher = (
            "import os, sys; fd = int(sys.argv[1]); os.dup2(fd, 3); os.set_inheritable(3, True); "
            "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1'); os.execv(sys.argv[2], sys.argv[2:])"
        )
        handed = [sys.executable, "-c", launcher, str(listening.fileno()), *command(tmp_path)]
        with HttpServer(handed, pass_fds=[listening.fileno()]) as server:
            assert server.port == port
            server.when_indexed(7)
            assert modern_call(port, "list_topics", {}).status == 200


def test_the_environment_is_not_handed_on():
    assert "LISTEN_FDS" not in os.environ
