from __future__ import annotations

import asyncio
import json
import logging
import threading
from dataclasses import replace

import anyio
import mcp_types as t
import pytest
from grooveseek.errors import QueryError
from grooveseek.serving.server import INSTRUCTIONS, build_server
from grooveseek.serving.tools.spec import in_worker
from grooveseek.serving.tools.table import TOOLS
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

BOTH_ERAS = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])


@BOTH_ERAS
def test_everything_is_listed_with_titles_and_hints(served, talk, mode):
    async def body(client):
        return (
            (await client.list_tools()).tools,
            (await client.list_prompts()).prompts,
            (await client.list_resources()).resources,
            (await client.list_resource_templates()).resource_templates,
        )

    tools, prompts, resources, templates = talk(served, body, mode)
    assert [tool.name for tool in tools] == [tool.name for tool in TOOLS]
    for tool in tools:
        assert tool.title
        assert tool.output_schema
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (tool.name != "rebuild_index")
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.open_world_hint is False
    assert [prompt.name for prompt in prompts] == ["summarize_topic", "deep_dive", "whats_new", "find_gaps"]
    assert [(a.name, a.required) for a in prompts[0].arguments or ()] == [("topic", True)]
    assert resources[0].uri == "kb://topic/"
    assert [template.uri_template for template in templates] == ["kb://doc/{+path}", "kb://topic/{+topic}"]


@BOTH_ERAS
def test_resources_prompts_and_completion_answer(served, talk, mode):
    async def body(client):
        document = await client.read_resource("kb://doc/guide/use/daily.md")
        prompt = await client.get_prompt("summarize_topic", {"topic": "fog"})
        reference = t.ResourceTemplateReference(uri="kb://doc/{+path}")
        completion = await client.complete(reference, {"name": "path", "value": "guide/use"})
        return document.contents[0], prompt.messages[0], completion.completion

    content, message, completion = talk(served, body, mode)
    assert "okapi" in content.text
    assert content.mime_type == "text/markdown"
    assert "fog" in message.content.text
    assert completion.values == ["guide/use/daily.md", "guide/use/deep/rare.md"]
    assert completion.has_more is False


@BOTH_ERAS
@pytest.mark.parametrize(
    ("ask", "complaint"),
    [
        (lambda c: c.call_tool("no_such_tool", {}), "Unknown tool: no_such_tool"),
        (lambda c: c.read_resource("kb://doc/none.md"), "Resource not found"),
        (lambda c: c.read_resource("file:///etc/passwd"), "Resource not found"),
        (lambda c: c.get_prompt("none"), "Unknown prompt: none"),
        (lambda c: c.get_prompt("deep_dive"), "needs the argument question"),
        (lambda c: c.get_prompt("whats_new", {"since": "soon"}), "YYYY-MM-DD"),
        (lambda c: c.list_resources(cursor="nonsense!"), "cursor"),
    ],
)
def test_what_is_not_there_is_a_plain_error(served, talk, mode, ask, complaint):
    async def body(client):
        with pytest.raises(MCPError) as caught:
            await ask(client)
        return caught.value

    error = talk(served, body, mode)
    assert complaint in error.error.message


def test_a_missing_resource_has_the_code_of_its_era(served, talk):
    async def body(client):
        with pytest.raises(MCPError) as caught:
            await client.read_resource("kb://doc/none.md")
        return caught.value.error.code

    assert talk(served, body, "legacy") == -32002
    assert talk(served, body, "2026-07-28") == t.INVALID_PARAMS


@BOTH_ERAS
def test_a_fault_of_the_server_is_logged_and_not_shown(served, talk, mode, monkeypatch, caplog):
    def fail(*_: object) -> None:
        raise ZeroDivisionError("a secret detail")

    monkeypatch.setattr(served.catalog, "topics", fail)

    async def body(client):
        with pytest.raises(MCPError) as caught:
            await client.call_tool("list_topics", {})
        return caught.value.error

    error = talk(served, body, mode)
    assert error.code == t.INTERNAL_ERROR
    assert "secret" not in str(error)
    assert "a secret detail" in caplog.text


@BOTH_ERAS
def test_a_lone_surrogate_in_an_answer_is_replaced_in_text_and_data_alike(served, mode):
    value = {
        "results": [],
        "low_confidence": False,
        "confidence": 0.0,
        "legs": {"degraded": None},
        "filter_applied": {},
        "notes": ["half \ud800 a pair"],
    }
    tool = replace(TOOLS[0], run=in_worker(lambda *_: value))
    failing = replace(TOOLS[2], run=in_worker(_raise_with_surrogate))

    async def go():
        async with Client(build_server(served, (tool, failing)), mode=mode) as client:
            return await client.call_tool("search", {"query": "x"}), await client.call_tool("list_topics", {})

    answer, failure = asyncio.run(go())
    assert json.loads(answer.content[0].text) == answer.structured_content
    assert answer.structured_content["notes"] == ["half ? a pair"]
    assert json.loads(failure.content[0].text) == {"error": "bad ? text"}


def _raise_with_surrogate(*_: object) -> dict[str, object]:
    raise QueryError("bad \ud800 text")


def test_calls_run_at_once_and_the_loop_stays_free(served):
    """Two calls that wait for one another can only end when both run; a third answers meanwhile."""
    barrier = threading.Barrier(2, timeout=30)
    slow = replace(TOOLS[2], run=in_worker(lambda *_: {"documents": barrier.wait() * 0, "categories": []}))

    async def go():
        async with (
            Client(build_server(served, (TOOLS[0], slow)), mode="legacy") as client,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(client.call_tool, "list_topics", {})
            await client.session.send_ping()
            await client.call_tool("search", {"query": "okapi"})
            tasks.start_soon(client.call_tool, "list_topics", {})

    asyncio.run(go())


def test_the_server_says_who_it_is_and_how_to_use_it(served, talk):
    async def body(client):
        return client.server_info, client.instructions

    info, instructions = talk(served, body)
    assert (info.name, info.title) == ("groove", "GrooveSeek")
    assert instructions == INSTRUCTIONS
    for tool in ("search", "list_topics", "get_document", "get_connection_graph"):
        assert tool in INSTRUCTIONS


def test_nothing_is_logged_when_all_is_well(served, talk, caplog):
    caplog.set_level(logging.WARNING)
    talk(served, lambda client: client.call_tool("search", {"query": "okapi"}))
    assert caplog.records == []
