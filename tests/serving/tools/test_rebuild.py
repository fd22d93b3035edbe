from __future__ import annotations

import json
import threading
import time

import anyio
import pytest
from grooveseek.indexing.events import Started
from grooveseek.serving.tools import rebuild
from jsonschema import Draft202012Validator
from tests.conftest import write_files

PATIENCE = 60.0


@pytest.fixture
def served(kb, serve):
    served = serve(kb, start=True)
    deadline = time.monotonic() + PATIENCE
    while not served.keeper.is_idle:
        assert time.monotonic() < deadline, "the start-up run"
        time.sleep(0.01)
    return served


def test_a_run_says_what_it_did(served, tool, kb):
    write_files(kb.root, {"new.md": "# New\n", "bad.md": b"\xff\xfe\x00"})
    (kb.root / "notes.txt").unlink()
    answer = tool("rebuild_index")
    Draft202012Validator(rebuild.OUTPUT).validate(answer)
    assert (answer["indexed"], answer["deleted"], answer["skipped_total"]) == (1, 1, 1)
    assert answer["skipped"][0]["path"] == "bad.md"
    assert tool("rebuild_index", force=True)["updated"] == 7


def test_progress_comes_to_who_asked_for_it_and_only_rises(served, talk, monkeypatch):
    from grooveseek.serving import server

    monkeypatch.setattr(server, "_PROGRESS_SECONDS", 0.0)
    seen: list[tuple[float, float | None, str | None]] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        seen.append((done, total, message))

    async def body(client):
        return await client.call_tool("rebuild_index", {"force": True}, progress_callback=note)

    result = talk(served, body)
    assert not result.is_error
    assert seen
    assert [done for done, _, _ in seen] == sorted({done for done, _, _ in seen})
    assert all(total is None or done <= total for done, total, _ in seen)
    assert any("looked at" in (message or "") for _, _, message in seen) or seen[0][1] is not None


def test_a_second_call_is_refused_and_searches_answer_while_the_first_runs(served, talk):
    going, go_on = threading.Event(), threading.Event()
    index = served.kb.index

    def held(*, listener, **options):
        def hold(event):
            listener(event)
            if isinstance(event, Started):
                going.set()
                assert go_on.wait(PATIENCE)

        return index(listener=hold, **options)

    served.kb.index = held

    async def body(client):
        results = {}

        async def first():
            results["first"] = await client.call_tool("rebuild_index", {"force": True})

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(first)
            assert await anyio.to_thread.run_sync(going.wait, PATIENCE)
            results["second"] = await client.call_tool("rebuild_index", {})
            results["search"] = await client.call_tool("search", {"query": "okapi"})
            go_on.set()
        return results

    results = talk(served, body)
    assert "running already, for" in json.loads(results["second"].content[0].text)["error"]
    assert results["search"].structured_content["results"][0]["path"] == "guide/use/daily.md"
    assert results["first"].structured_content["updated"] == 7


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_call_that_is_cancelled_stops_the_run_and_the_old_index_serves(served, talk, mode):
    going = threading.Event()
    index = served.kb.index
    outcome = []

    def observed(*, listener, cancel, **options):
        def note(event):
            listener(event)
            going.set()
            if not outcome:
                outcome.append(cancel)
                deadline = 0
                while not cancel.cancelled and deadline < PATIENCE * 100:
                    threading.Event().wait(0.01)
                    deadline += 1

        return index(listener=note, cancel=cancel, **options)

    served.kb.index = observed

    async def body(client):
        with anyio.move_on_after(PATIENCE) as scope:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "rebuild_index", {"force": True})
                assert await anyio.to_thread.run_sync(going.wait, PATIENCE)
                tasks.cancel_scope.cancel()
        assert not scope.cancelled_caught
        return await client.call_tool("search", {"query": "okapi"})

    result = talk(served, body, mode)
    assert outcome[0].cancelled
    assert result.structured_content["results"][0]["path"] == "guide/use/daily.md"


def test_a_call_during_another_run_says_what_it_waits_for(kb, serve, talk):
    served = serve(kb, watch=True)
    going, go_on = threading.Event(), threading.Event()
    index = served.kb.index

    def held(**options):
        going.set()
        assert go_on.wait(PATIENCE)
        return index(**options)

    served.kb.index = held
    served.keeper.start()
    assert going.wait(PATIENCE)
    seen: list[str | None] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        seen.append(message)
        go_on.set()

    async def body(client):
        return await client.call_tool("rebuild_index", {}, progress_callback=note)

    assert talk(served, body).structured_content["unchanged"] == 7
    assert seen[0] == "waiting for the run before it: bringing the index up to date, looking through the folder"
