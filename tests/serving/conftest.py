from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.serving.served import Served, open_served
from grooveseek.serving.server import build_server
from grooveseek.settings.sections import ParserSettings, Settings

SETUP = """\
---
title: Setting up
tags: [start, tools]
topic: setup
category: guide
date: 2026-01-15
status: draft
---

# Setting up

The zebu installs the pump valve.

## Steps

First the quince, then the medlar.
"""
DAILY = "# Daily use\n\nThe okapi reads the pump pressure every day.\n\n## Checks\n\nLook at the gauge.\n"
PYTHON = """\
# Python

Introduction to it.

## Errors

Raise early.

### Detail

More on that.

## Tests

Write them.
"""
FILES = {
    "guide/setup.md": SETUP,
    "guide/use/daily.md": DAILY,
    "guide/use/deep/rare.md": "# Rare use\n\nThe tapir resets the counter.\n",
    "harbour/fog.md": "---\ntags: [weather]\n---\n\n# Fog\n\nIn fog the harbour master rings the bell.\n",
    "readme.md": "# Read me\n\nThis is about pumps and harbours.\n",
    "notes.txt": "Plain notes about a walrus.\n",
    "best/python.md": PYTHON,
}


@pytest.fixture
def settings() -> Settings:
    return Settings(parsers=ParserSettings(enabled=("md", "txt")), model="fake")


@pytest.fixture
def kb(open_kb: Callable[..., KnowledgeBase], settings: Settings) -> KnowledgeBase:
    kb = open_kb(files=FILES, settings=settings)
    kb.index()
    return kb


@pytest.fixture
def serve() -> Iterator[Callable[..., Served]]:
    """Put a server's parts together over a knowledge base; all of it comes to rest at the end."""
    opened: list[Served] = []

    def open_(kb: KnowledgeBase, *, watch: bool = False, start: bool = False) -> Served:
        served = open_served(kb, watch=watch, config_source="none")
        opened.append(served)
        if start:
            served.keeper.start()
        return served

    yield open_
    for served in opened:
        assert served.keeper.stop(30)
        served.workers.close()


@pytest.fixture
def served(kb: KnowledgeBase, serve: Callable[..., Served]) -> Served:
    return serve(kb)


Body = Callable[[Any], Awaitable[Any]]


@pytest.fixture
def talk() -> Callable[..., Any]:
    """Run ``body(client)`` against a server in this process, over JSON-RPC or in the 2026 era."""
    from mcp.client.client import Client

    def run(served: Served, body: Body, mode: str = "legacy") -> Any:
        async def go() -> Any:
            async with Client(build_server(served), mode=mode) as client:
                return await body(client)

        return asyncio.run(go())

    return run


@pytest.fixture
def tool(request: pytest.FixtureRequest, talk: Callable[..., Any]) -> Callable[..., Any]:
    """Call one tool (of ``served``, or of another server): its structured content, or the text of its error."""

    def call(name: str, /, on: Served | None = None, **arguments: Any) -> Any:
        server = on or request.getfixturevalue("served")
        result = talk(server, lambda client: client.call_tool(name, arguments))
        value = json.loads(result.content[0].text)
        if result.is_error:
            assert list(value) == ["error"]
            assert result.structured_content is None
            return value["error"]
        assert value == result.structured_content
        return value

    return call


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A trusted groove.toml for a server process: the fake model, Markdown and text."""
    path = tmp_path / "groove.toml"
    path.write_text('model = "fake"\n[parsers]\nenabled = ["md", "txt"]\n')
    return path


def changed(settings: Settings, **http: Any) -> Settings:
    """The settings with another [transport.http]."""
    return replace(settings, transport=replace(settings.transport, http=replace(settings.transport.http, **http)))
