from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from grooveseek.serving.stdio import MAX_LINE_BYTES, read_lines, understand
from tests.conftest import write_files
from tests.serving.conftest import FILES
from tests.support.index_rows import rows
from tests.support.rpc import HELLO, StdioServer, groove_command

NOISE = Path(__file__).with_name("noise")
"""A folder on PYTHONPATH whose sitecustomize makes every part of the server print, warn and log."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "kb"
    root.mkdir()
    write_files(root, FILES)
    return root


@pytest.fixture
def command(root: Path, config: Path) -> list[str]:
    return groove_command("serve", "--config", str(config), "--kb-path", str(root))


def make(case: str, root: Path) -> None:
    """Write the files of a case into a folder."""
    script = Path(__file__).parents[1] / "cases" / case / "make.py"
    subprocess.run([sys.executable, str(script), str(root)], check=True)


def all_json_rpc(server: StdioServer) -> None:
    for line in server.lines:
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        assert line.endswith(b"\n")


# -- lines ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("blocks", "lines"),
    [
        ([b"a\nb\n"], [b"a", b"b"]),
        ([b"a", b"b\n", b"c"], [b"ab", b"c"]),
        ([b"\n\n"], [b"", b""]),
        ([b"x" * MAX_LINE_BYTES + b"\n"], [b"x" * MAX_LINE_BYTES]),
        ([b"x" * (MAX_LINE_BYTES + 1) + b"\nnext\n"], [None, b"next"]),
        ([b"x" * MAX_LINE_BYTES, b"x" * MAX_LINE_BYTES, b"x\nnext\n"], [None, b"next"]),
        ([b"x" * (MAX_LINE_BYTES + 1)], [None]),
        ([], []),
    ],
)
def test_lines_are_bounded_and_an_overlong_one_costs_itself_alone(blocks: list[bytes], lines: list[bytes | None]):
    stream = iter([*blocks, b""])
    assert list(read_lines(lambda: next(stream))) == lines


def test_a_pipe_that_breaks_is_an_end():
    def broken() -> bytes:
        raise OSError("gone")

    assert list(read_lines(broken)) == []


@pytest.mark.parametrize(
    ("line", "code", "owner"),
    [
        (b"nonsense", -32700, None),
        (b"{", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"q":"\\ud800"}}', -32700, None),
        (b"5", -32600, None),
        (b"null", -32600, None),
        (b"[]", -32600, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc":"2.0","id":7}', -32600, 7),
        (b'{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, "a"),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":2,"method":"ping","params":[1]}', -32600, 2),
        (b'{"jsonrpc":"2.0","id":3,"method":4}', -32600, 3),
        (None, -32600, None),
    ],
)
def test_a_line_that_is_no_message_has_its_error(line: bytes | None, code: int, owner: object):
    answer = json.loads(understand(line))
    assert answer["error"]["code"] == code
    assert answer["id"] == owner


@pytest.mark.parametrize("line", [b"", b"   ", b"\r"])
def test_a_blank_line_is_nothing(line: bytes):
    assert understand(line) is None


# -- the process ---------------------------------------------------------------------------------------------------


def test_it_answers_before_there_is_an_index_then_from_it(command: list[str]):
    with StdioServer(command) as server:
        assert server.initialize()["serverInfo"]["name"] == "groove"
        early = server.tool("search", query="okapi")
        assert early["isError"] is True or early["structuredContent"]["results"]
        server.when_indexed(documents=7)
        assert server.tool("search", query="okapi")["structuredContent"]["results"][0]["path"] == "guide/use/daily.md"
        assert server.close_stdin() == 0
        all_json_rpc(server)


@pytest.mark.parametrize(
    ("asked", "given"), [("2024-11-05", "2024-11-05"), ("2025-11-25", "2025-11-25"), ("2099-01-01", "2025-11-25")]
)
def test_a_version_is_one_the_server_speaks(command: list[str], asked: str, given: str):
    """C53 (1)."""
    with StdioServer(command) as server:
        assert server.initialize(protocolVersion=asked)["protocolVersion"] == given


def test_malformed_messages_and_overlong_lines_have_an_error_each_and_the_server_lives(command: list[str]):
    rng = random.Random(7)
    with StdioServer(command) as server:
        server.initialize()
        whole = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": {}}).encode()
        wrong = [b"nonsense", b"[]", b"{}", b"\xff\xfe{", b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', b"[" * 5000]
        wrong += [whole[: rng.randrange(1, len(whole) - 1)] for _ in range(490)]
        wrong += [b'"' + bytes(rng.randrange(32, 256) for _ in range(rng.randrange(1, 200))) for _ in range(500)]
        wrong += [b'{"x": "' + b"x" * 5_000_000 + b'"}', b"y" * (MAX_LINE_BYTES + 1)]
        sent = 0
        for line in wrong:
            server.send_raw(line)
            server.send_raw(b"")
            sent += 1
            if sent % 50 == 0:
                _errors(server, 50)
        _errors(server, sent % 50)
        assert server.request("ping")["result"] == {}
        assert len(wrong) >= 998
        all_json_rpc(server)


def _errors(server: StdioServer, count: int) -> None:
    for _ in range(count):
        answer = server.receive()
        assert answer["id"] is None
        assert answer["error"]["code"] in (-32700, -32600)


@pytest.mark.parametrize(
    "params", [{}, {"name": 5}, {"name": "search", "arguments": []}, {"name": "search", "x": "\x00"}]
)
def test_requests_with_wrong_parameters_have_an_error(command: list[str], params: dict[str, object]):
    with StdioServer(command) as server:
        server.initialize()
        answer = server.request("tools/call", params)
        assert "error" in answer or answer["result"]["isError"]
        assert server.request("no/such/method")["error"]["code"] == -32601


def test_requests_before_the_handshake_are_answered(command: list[str]):
    """C53 (3)."""
    with StdioServer(command) as server:
        answer = server.request("tools/list")
        assert "error" in answer or "result" in answer
        assert server.initialize()["serverInfo"]["name"] == "groove"


def test_nothing_but_messages_reaches_stdout_while_everything_prints_warns_and_logs(root: Path, config: Path):
    """C49: every tool, prompt, resource and error path, with prints in each, warnings on, and debug logging."""
    pdf_and_office = ["md", "txt", "pdf", "docx", "xlsx"]
    config.write_text(f'model = "fake"\n[parsers]\nenabled = {json.dumps(pdf_and_office)}\n')
    make("C33", root)
    make("C37", root)
    environ = {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(NOISE), os.environ.get("PYTHONPATH", "")])),
        "PYTHONWARNINGS": "always",
        "GROOVE_LOG": "debug,mcp=debug,asyncio=debug",
        "PYTHONUNBUFFERED": "1",
    }
    command = groove_command("serve", "--config", str(config), "--kb-path", str(root))
    with StdioServer(command, environ=environ) as server:
        server.initialize()
        server.tool("search", query="okapi")
        server.when_indexed()
        for name, arguments in [
            ("search", {"query": "okapi"}),
            ("search", {"query": "倉庫"}),
            ("search", {"query": "x", "limit": 0}),
            ("search", {"query": "x", "date_from": "never"}),
            ("get_document", {"path": "guide/setup.md", "start_line": 2, "end_line": 3}),
            ("get_document", {"path": "hyphen.pdf"}),
            ("get_document", {"path": "book.xlsx"}),
            ("get_document", {"path": "../kb/readme.md"}),
            ("list_topics", {}),
            ("get_best_practice", {"target": "x"}),
            ("get_connection_graph", {"start": "guide/setup.md"}),
            ("get_connection_graph", {"start": "none.md"}),
            ("rebuild_index", {}),
            ("rebuild_index", {"force": True}),
            ("rebuild_index", {"force": "yes"}),
            ("no_such_tool", {}),
        ]:
            server.request("tools/call", {"name": name, "arguments": arguments, "_meta": {"progressToken": name}})
        for method, params in [
            ("tools/list", {}),
            ("prompts/list", {}),
            ("prompts/get", {"name": "deep_dive", "arguments": {"question": "why"}}),
            ("prompts/get", {"name": "deep_dive"}),
            ("prompts/get", {"name": "none"}),
            ("resources/list", {}),
            ("resources/list", {"cursor": "nonsense!"}),
            ("resources/templates/list", {}),
            ("resources/read", {"uri": "kb://topic/"}),
            ("resources/read", {"uri": "kb://doc/guide/setup.md"}),
            ("resources/read", {"uri": "kb://doc/none.md"}),
            (
                "completion/complete",
                {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "topic", "value": "g"}},
            ),
            ("no/such/method", {}),
            ("ping", {}),
        ]:
            server.request(method, params)
        server.send_raw(b"not json")
        server.send_raw(b"")
        server.send_raw(b"z" * 5_000_000)
        assert server.receive()["error"]["code"] == -32700
        assert server.receive()["error"]["code"] == -32600
        (root / "late.md").write_text("# Late\n\nlatecomer\n")
        deadline = time.monotonic() + 60
        while "late.md" not in json.dumps(server.tool("search", query="latecomer")):
            assert time.monotonic() < deadline
        assert server.request("ping")["result"] == {}
        assert server.close_stdin() == 0
        all_json_rpc(server)
        assert any(note["method"] == "notifications/progress" for note in server.notes)
        for noise in (b"noise: print", b"noise: descriptor 1", b"noise: child", b"noise: warning", b"noise: log"):
            assert noise in server.stderr, noise.decode()


# -- the end -------------------------------------------------------------------------------------------------------


def children_of(pid: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if f"\nPPid:\t{pid}\n" in status.read_text():
                found.append(int(status.parent.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for children in /proc")
def test_when_stdin_closes_it_ends_and_leaves_no_child(root: Path, config: Path):
    """C49 (3)."""
    config.write_text('model = "fake"\n[parsers]\nenabled = ["md", "pdf"]\n')
    make("C37", root)
    with StdioServer(groove_command("serve", "--config", str(config), "--kb-path", str(root))) as server:
        server.initialize()
        server.when_indexed()
        assert not server.tool("get_document", path="hyphen.pdf")["isError"]
        children = children_of(server.process.pid)
        assert children, "a PDF is read by a process of its own"
        assert server.close_stdin() == 0
        deadline = time.monotonic() + 10
        while any(Path(f"/proc/{child}").exists() for child in children):
            assert time.monotonic() < deadline
            time.sleep(0.05)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_it_in_order_though_stdin_stays_open(command: list[str], root: Path, number: int, code: int):
    with StdioServer(command) as server:
        server.initialize()
        server.when_indexed(documents=7)
        server.process.send_signal(number)
        assert server.process.wait(30) == code
    index = root.parent / ".groove.db"
    assert len(rows(index)["documents"]) == 7
    assert sqlite3.connect(index).execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_client_that_does_not_read_cannot_keep_it_from_ending(command: list[str]):
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
        process.stdin.write(json.dumps(hello).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 0
        lists = b"".join(b'{"jsonrpc":"2.0","id":%d,"method":"tools/list"}\n' % number for number in range(1, 60))
        process.stdin.write(lists)  # the answers are many times what a pipe holds
        process.stdin.flush()
        time.sleep(0.5)
        process.terminate()
        assert process.wait(15) == 0
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_killed_while_it_writes_it_serves_again_at_once_and_catches_up(command: list[str], root: Path):
    index = root.parent / ".groove.db"
    for attempt in range(3):
        for number in range(150):
            (root / f"n{number}.md").write_text(f"# N{number}\n\nword: round{attempt}number{number}q\n")
        with StdioServer(command) as server:
            server.initialize()
            deadline = time.monotonic() + 60
            while not _count(index, f"round{attempt}number"):
                assert time.monotonic() < deadline
                time.sleep(0.005)
            server.process.kill()
            server.process.wait()
    with StdioServer(command) as server:
        server.initialize()
        assert "result" in server.request("tools/call", {"name": "search", "arguments": {"query": "okapi"}})
        server.when_indexed(documents=157)
        deadline = time.monotonic() + 60
        while _count(index, "round2number") < 150:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        for number in (0, 77, 149):
            found = server.tool("search", query=f"round2number{number}q")["structuredContent"]["results"]
            assert found[0]["path"] == f"n{number}.md"
        assert server.close_stdin() == 0


def _count(index: Path, word: str) -> int:
    """Chunks that hold a word, straight from the file."""
    try:
        with sqlite3.connect(f"file:{index}?mode=ro", uri=True) as database:
            return int(
                database.execute("SELECT count(*) FROM chunks WHERE content LIKE ?", (f"%{word}%",)).fetchone()[0]
            )
    except sqlite3.Error:
        return 0


# -- cancelling ----------------------------------------------------------------------------------------------------


def test_cancelled_calls_are_never_answered_and_harm_nothing(command: list[str], root: Path):
    """C51: 50 rounds of a slow call that is cancelled, then a ping and a search; and cancels of nothing at all."""
    for number in range(120):
        (root / f"n{number}.md").write_text(f"# N{number}\n\nsome words about a heron {number}\n")
    with StdioServer(command) as server:
        server.initialize()
        server.when_indexed(documents=127)
        process = server.process.pid
        cancelled = []
        for round_ in range(50):
            owner = server.ask("tools/call", {"name": "rebuild_index", "arguments": {"force": True}})
            time.sleep(0.01 * (round_ % 6))
            for other in (owner, owner, 10_000 + round_, 1):
                server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": other}})
            cancelled.append(owner)
            assert server.request("ping")["result"] == {}
            assert server.tool("search", query="heron")["structuredContent"]["results"]
        deadline = time.monotonic() + 60
        while server.tool("rebuild_index").get("isError"):  # the last cancelled run may still be coming to rest
            assert time.monotonic() < deadline
        answered = [json.loads(line).get("id") for line in server.lines]
        finished = [owner for owner in cancelled if owner in answered]
        assert len(set(answered)) == len(answered)
        assert len(finished) < 50, "some calls were cancelled in time"
        assert server.process.pid == process
        assert len(rows(root.parent / ".groove.db")["documents"]) == 127


def test_calls_sent_without_waiting_are_all_answered(command: list[str]):
    """C47 (e)."""
    with StdioServer(command) as server:
        server.initialize()
        server.when_indexed(documents=7)
        owners = [server.ask("tools/call", {"name": "search", "arguments": {"query": f"pump {n}"}}) for n in range(10)]
        for owner in owners:
            assert server.answer(owner)["result"]["structuredContent"]["results"]


def test_the_handshake_is_the_one_the_tests_send():
    assert set(HELLO) == {"protocolVersion", "capabilities", "clientInfo"}
