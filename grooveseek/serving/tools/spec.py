"""What a tool is: its schemas, and a function from checked arguments to the JSON value it answers with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from grooveseek.serving.schemas import Schema
from grooveseek.serving.served import Served

Json = dict[str, Any]


Report = Callable[[float, float | None, str], None]
"""Tells the client how far a call has come: done, total, in words. From any thread; nothing happens without a token."""


Run = Callable[[Served, Mapping[str, Any], Report], Awaitable[Json]]
Work = Callable[[Served, Mapping[str, Any]], Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """One tool. ``run`` raises GrooveError for what the caller should hear of as the tool's own failure."""

    name: str
    title: str
    description: str
    input_schema: Schema
    output_schema: Schema
    run: Run
    read_only: bool = True


def in_worker(work: Work) -> Run:
    """A tool whose work blocks: it runs in one of the server's threads."""

    async def run(served: Served, arguments: Mapping[str, Any], report: Report) -> Json:
        return await served.workers.run(work, served, arguments)

    return run
