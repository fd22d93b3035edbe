from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.cli import search_process
from grooveseek.embedding.session import available_cores
from grooveseek.errors import QueryError
from grooveseek.indexing.build import open_index
from grooveseek.parsing.process_limits import resident_bytes
from grooveseek.serving.searchers import Searchers
from grooveseek.serving.served import Served
from grooveseek.serving.tools.search import search, search_anywhere
from tests.support.http_server import HttpServer, modern_call
from tests.support.rpc import groove_command

FOG = {"query": "fog"}


@pytest.fixture
def opening(kb: KnowledgeBase) -> bytes:
    return search_process.opening(kb.settings)


@pytest.fixture
def running(opening: bytes) -> Callable[..., Any]:
    """Run ``body(searchers)`` with processes that are started as soon as two searches meet."""

    def run(body: Callable[[Searchers], Awaitable[Any]], **options: Any) -> Any:
        async def go() -> Any:
            searchers = Searchers(
                options.pop("command", search_process.command()),
                opening,
                most=options.pop("most", 2),
                **{"crowded_seconds": 0.0, **options},
            )
            try:
                return await body(searchers)
            finally:
                await searchers.close()

        return asyncio.run(asyncio.wait_for(go(), 120))

    return run


async def nothing() -> dict[str, Any]:
    return {"by": "the server"}


async def slow() -> dict[str, Any]:
    await asyncio.sleep(0.05)
    return {"by": "the server"}


async def crowd(searchers: Searchers, count: int = 1) -> None:
    """Let searches meet until there are ``count`` processes."""
    while len(searchers.pids) < count:
        await asyncio.gather(*(searchers.answer(FOG, slow) for _ in range(count + 2)))
        await asyncio.sleep(0.05)


def test_one_client_alone_starts_no_process(running: Callable[..., Any]):
    async def body(searchers: Searchers) -> tuple[int, ...]:
        for _ in range(5):
            assert await searchers.answer(FOG, nothing) == {"by": "the server"}
        await asyncio.sleep(0.2)
        return searchers.pids

    assert running(body) == ()


def test_searches_that_meet_seldom_start_no_process(running: Callable[..., Any]):
    async def body(searchers: Searchers) -> tuple[int, ...]:
        await asyncio.gather(*(searchers.answer(FOG, slow) for _ in range(5)))
        await asyncio.sleep(0.2)
        return searchers.pids

    assert running(body, crowded_seconds=60.0) == ()


def test_a_process_gives_the_answer_of_the_server(running: Callable[..., Any], served: Served):
    questions = [{"query": "pump", "limit": 2}, {"query": "walrus \ud800"}, {"query": "fog", "tags_any": ["weather"]}]

    async def body(searchers: Searchers) -> list[Any]:
        await crowd(searchers)
        served.searchers = searchers
        return [await search_anywhere(served, question, lambda *_: None) for question in questions]

    answers = running(body)
    assert answers == [search(served, question) for question in questions]
    assert [result["path"] for result in answers[2]["results"]] == ["harbour/fog.md"]


def test_no_more_processes_are_started_than_allowed(running: Callable[..., Any]):
    async def body(searchers: Searchers) -> int:
        await crowd(searchers, 2)
        for _ in range(20):
            await asyncio.gather(*(searchers.answer(FOG, nothing) for _ in range(9)))
        return len(searchers.pids)

    assert running(body) == 2


def test_what_a_process_refuses_the_server_answers(running: Callable[..., Any], served: Served):
    async def body(searchers: Searchers) -> None:
        await crowd(searchers)
        served.searchers = searchers
        await search_anywhere(served, {"query": "x" * 5000}, lambda *_: None)

    with pytest.raises(QueryError, match="query"):
        running(body)


def test_an_unfinished_index_is_left_to_the_server(running: Callable[..., Any], kb: KnowledgeBase):
    async def body(searchers: Searchers) -> Any:
        await crowd(searchers)
        with open_index(kb.index_job()) as store:
            store.meta.remove("last_run")
        return await searchers.answer(FOG, nothing)

    assert running(body) == {"by": "the server"}


def test_a_process_sees_what_was_indexed_after_its_start(running: Callable[..., Any], kb: KnowledgeBase):
    async def body(searchers: Searchers) -> Any:
        await crowd(searchers)
        (kb.root / "new.md").write_text("# Gnu\n\nThe gnu was indexed later.\n")
        await asyncio.to_thread(kb.index)
        return await searchers.answer({"query": "gnu"}, nothing)

    assert running(body)["results"][0]["path"] == "new.md"


@pytest.mark.skipif(sys.platform == "win32", reason="ends a process by a signal")
def test_a_process_that_dies_is_replaced_and_costs_no_answer(running: Callable[..., Any]):
    async def body(searchers: Searchers) -> tuple[Any, bool]:
        await crowd(searchers)
        (before,) = searchers.pids
        os.kill(before, signal.SIGKILL)
        answer = await searchers.answer(FOG, nothing)
        assert searchers.pids == ()
        await crowd(searchers)
        return answer, before in searchers.pids

    assert running(body, most=1) == ({"by": "the server"}, False)


def test_a_question_nobody_waits_for_leaves_no_answer_to_another(running: Callable[..., Any]):
    async def body(searchers: Searchers) -> Any:
        await crowd(searchers)
        given_up = asyncio.ensure_future(searchers.answer({"query": "pump"}, nothing))
        await asyncio.sleep(0)
        given_up.cancel()
        return await searchers.answer({"query": "walrus", "limit": 1}, nothing)

    assert [result["path"] for result in running(body, most=1)["results"]] == ["notes.txt"]


def test_processes_end_when_nobody_asks_at_once_any_more(running: Callable[..., Any]):
    async def body(searchers: Searchers) -> Any:
        await crowd(searchers, 2)
        pids = searchers.pids
        while searchers.pids:
            await asyncio.sleep(0.02)
        await until(lambda: not any(map(alive, pids)))
        return await searchers.answer(FOG, nothing)

    assert running(body, idle_seconds=0.3) == {"by": "the server"}


def test_closing_waits_for_processes_that_were_on_their_way_out(running: Callable[..., Any]):
    async def body(searchers: Searchers) -> tuple[int, ...]:
        await crowd(searchers, 2)
        pids = searchers.pids
        while searchers.pids:
            await asyncio.sleep(0)  # sees them leave before any has left
        assert any(map(alive, pids))
        await searchers.close()
        assert not any(map(alive, pids))
        return pids

    assert running(body, idle_seconds=0.3)


def test_closing_ends_the_processes(running: Callable[..., Any]):
    async def body(searchers: Searchers) -> tuple[int, ...]:
        await crowd(searchers, 2)
        return searchers.pids

    assert not any(map(alive, running(body)))


@pytest.mark.parametrize("code", ["raise SystemExit", "import time; time.sleep(60)"])
def test_what_cannot_be_started_is_tried_once(
    running: Callable[..., Any], code: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr("grooveseek.serving.searchers._START_SECONDS", 0.5)

    async def body(searchers: Searchers) -> tuple[int, ...]:
        for _ in range(4):
            await asyncio.gather(*(searchers.answer(FOG, slow) for _ in range(3)))
            await asyncio.sleep(0.4)
        return searchers.pids

    assert running(body, command=(sys.executable, "-c", code)) == ()
    assert len([record for record in caplog.records if "searches alone" in record.message]) == 1


def test_a_process_ends_with_the_server_that_started_it(kb: KnowledgeBase, opening: bytes):
    async def go() -> int:
        process = await asyncio.create_subprocess_exec(
            *search_process.command(), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        assert process.stdin is not None
        process.stdin.write(len(opening).to_bytes(8, "big") + opening)
        process.stdin.close()  # as the system does for a server that is gone
        return await asyncio.wait_for(process.wait(), 60)

    assert asyncio.run(go()) == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds a process's children in /proc")
@pytest.mark.skipif(available_cores() < 2, reason="one core needs no process beside the server")
def test_a_server_that_many_ask_at_once_answers_all_and_takes_its_processes_along(kb: KnowledgeBase, config: Path):
    options = ["--config", str(config), "--kb-path", str(kb.root), "--transport", "http", "--port", "0"]
    with HttpServer(groove_command("serve", *options)) as server:
        server.when_indexed(7)
        with ThreadPoolExecutor(8) as clients:
            children: set[int] = set()
            while not children:
                asked = [clients.submit(modern_call, server.port, "search", {"query": "fog"}) for _ in range(40)]
                answers = [reply.result().message["result"]["structuredContent"] for reply in asked]
                assert {answer["results"][0]["path"] for answer in answers} == {"harbour/fog.md"}
                children = children_of(server.process.pid)
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(30) == 130
        assert "ended by itself" not in server.stderr
    deadline = time.monotonic() + 30
    while any(map(alive, children)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(map(alive, children))


def children_of(pid: int) -> set[int]:
    listed = (Path("/proc") / str(pid) / "task").glob("*/children")
    return {int(child) for each in listed for child in each.read_text().split()}


def alive(pid: int) -> bool:
    return resident_bytes(pid) is not None


async def until(what: Callable[[], bool]) -> None:
    while not what():
        await asyncio.sleep(0.02)
