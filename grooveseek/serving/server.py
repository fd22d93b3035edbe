"""The MCP server: tools, prompts and resources on the SDK's low-level server, for both transports and both eras.

The high-level server is not used: it ignores unknown arguments and coerces wrong ones. The low-level one checks
nothing by itself, so arguments are checked here.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as t
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from grooveseek._version import __version__
from grooveseek.errors import GrooveError
from grooveseek.serving import resources
from grooveseek.serving.prompts import PROMPTS, render_prompt
from grooveseek.serving.schemas import Arguments
from grooveseek.serving.served import Served
from grooveseek.serving.tools.spec import Report, ToolSpec
from grooveseek.serving.tools.table import TOOLS

log = logging.getLogger(__name__)

INSTRUCTIONS = (
    "Search this knowledge base with the search tool before answering what it may cover, and cite the path and lines "
    "of what you use. list_topics shows what there is, get_document reads a document or some of its lines, "
    "get_connection_graph finds related documents. An answer marked low_confidence is uncertain; say so."
)
_RESOURCE_NOT_FOUND = -32002  # in the handshake eras; the 2026 one uses INVALID_PARAMS
_MODERN = "2026"
_PROGRESS_SECONDS = 0.1

Context = ServerRequestContext[Any, Any]


def build_server(served: Served, tools: tuple[ToolSpec, ...] = TOOLS) -> Server[Any]:
    """The server for one knowledge base. It holds no state of its own, so one serves any number of sessions."""
    handlers = _Handlers(served, tools)
    server: Server[Any] = Server(
        "groove",
        version=__version__,
        title="GrooveSeek",
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_completion=handlers.complete,
        get_tool_input_schema={tool.name: tool.input_schema for tool in tools}.get,
    )
    server.middleware[:] = [_guard]  # in place of the SDK's tracing
    return server


async def _guard(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Nothing unexpected reaches a client with its text: older ones would be shown ``str(exception)``."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except GrooveError as error:
        raise MCPError(t.INVALID_PARAMS, str(error)) from error
    except Exception:
        log.exception("%s failed", ctx.method)
        raise MCPError(t.INTERNAL_ERROR, "Internal error") from None


class _Handlers:
    def __init__(self, served: Served, tools: tuple[ToolSpec, ...]) -> None:
        self._served = served
        self._tools = {tool.name: tool for tool in tools}
        self._checks = {tool.name: Arguments(tool.input_schema) for tool in tools}
        self._listed = [_listed(tool) for tool in tools]
        self._prompts = {prompt.name: prompt for prompt in PROMPTS}

    # -- tools -----------------------------------------------------------------------------------------------------

    async def list_tools(self, ctx: Context, params: t.PaginatedRequestParams | None) -> t.ListToolsResult:
        return t.ListToolsResult(tools=self._listed)

    async def call_tool(self, ctx: Context, params: t.CallToolRequestParams) -> t.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(t.INVALID_PARAMS, f"Unknown tool: {params.name[:100]}")
        # null is how clients that must fill in every parameter leave one out
        arguments = {name: value for name, value in (params.arguments or {}).items() if value is not None}
        refusal = self._checks[tool.name].refusal(arguments)
        if refusal is not None:
            return _failure(refusal)
        try:
            value = await tool.run(self._served, arguments, _reporter(ctx))
        except GrooveError as error:
            return _failure(str(error))
        text, structured = _clean(value)
        return t.CallToolResult(content=[t.TextContent(text=text)], structured_content=structured)

    # -- resources -------------------------------------------------------------------------------------------------

    async def list_resources(self, ctx: Context, params: t.PaginatedRequestParams | None) -> t.ListResourcesResult:
        cursor = params.cursor if params else None
        groups, more = await self._served.workers.run(resources.list_groups, self._served, cursor)
        listed = [
            t.Resource(
                uri=group.uri,
                name=group.name,
                title=group.name,
                description=f"{group.documents} documents",
                mime_type="text/markdown",
            )
            for group in groups
        ]
        return t.ListResourcesResult(resources=listed, next_cursor=more)

    async def list_templates(
        self, ctx: Context, params: t.PaginatedRequestParams | None
    ) -> t.ListResourceTemplatesResult:
        return t.ListResourceTemplatesResult(
            resource_templates=[
                t.ResourceTemplate(
                    uri_template="kb://doc/{+path}",
                    name="document",
                    title="A document",
                    description="The text of a document by its path; / stays, everything else is percent-encoded.",
                ),
                t.ResourceTemplate(
                    uri_template="kb://topic/{+topic}",
                    name="topic",
                    title="A topic group",
                    description="The documents below the first one or two folders of a path, as a Markdown list.",
                    mime_type="text/markdown",
                ),
            ]
        )

    async def read_resource(self, ctx: Context, params: t.ReadResourceRequestParams) -> t.ReadResourceResult:
        content = await self._served.workers.run(resources.read, self._served, params.uri)
        if content is None:
            code = t.INVALID_PARAMS if ctx.protocol_version >= _MODERN else _RESOURCE_NOT_FOUND
            raise MCPError(code, "Resource not found", {"uri": params.uri})
        text = t.TextResourceContents(uri=params.uri, mime_type=content.media_type, text=_sendable(content.text))
        return t.ReadResourceResult(contents=[text])

    # -- prompts and completion ------------------------------------------------------------------------------------

    async def list_prompts(self, ctx: Context, params: t.PaginatedRequestParams | None) -> t.ListPromptsResult:
        return t.ListPromptsResult(
            prompts=[
                t.Prompt(
                    name=prompt.name,
                    title=prompt.title,
                    description=prompt.description,
                    arguments=[
                        t.PromptArgument(name=name, description=description, required=required)
                        for name, description, required in prompt.arguments
                    ],
                )
                for prompt in PROMPTS
            ]
        )

    async def get_prompt(self, ctx: Context, params: t.GetPromptRequestParams) -> t.GetPromptResult:
        prompt = self._prompts.get(params.name)
        if prompt is None:
            raise MCPError(t.INVALID_PARAMS, f"Unknown prompt: {params.name[:100]}")
        text = _sendable(render_prompt(prompt, params.arguments or {}))
        message = t.PromptMessage(role="user", content=t.TextContent(text=text))
        return t.GetPromptResult(description=prompt.description, messages=[message])

    async def complete(self, ctx: Context, params: t.CompleteRequestParams) -> t.CompleteResult:
        argument = params.argument
        found = await self._served.workers.run(resources.complete, self._served, argument.name, argument.value)
        most = resources.MOST_COMPLETIONS
        completion = t.Completion(values=found[:most], total=len(found), has_more=len(found) > most)
        return t.CompleteResult(completion=completion)


def _listed(tool: ToolSpec) -> t.Tool:
    return t.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=t.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def _failure(message: str) -> t.CallToolResult:
    """The tool's own failure, for the model to read. No structured content: that has the tool's output schema."""
    text = json.dumps({"error": _sendable(message)}, ensure_ascii=False)
    return t.CallToolResult(content=[t.TextContent(text=text)], is_error=True)


def _clean(value: Mapping[str, Any]) -> tuple[str, Any]:
    """The answer as text and as data, the same in both. Raises ValueError for what JSON has no number for."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    sendable = _sendable(text)
    return sendable, value if sendable == text else json.loads(sendable)


def _sendable(text: str) -> str:
    """Text without lone surrogates, which a request can hold as an escape and no answer can."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _reporter(ctx: Context) -> Report:
    if ctx.meta is None or "progress_token" not in ctx.meta:
        return lambda done, total, message: None
    return _Progress(ctx.session.report_progress)


class _Progress:
    """Sends progress from whatever thread does the work. What is reported faster than is worth sending is left out."""

    def __init__(self, send: Callable[[float, float | None, str | None], Awaitable[None]]) -> None:
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._last = float("-inf")
        self._sending: asyncio.Task[None] | None = None

    def __call__(self, done: float, total: float | None, message: str) -> None:
        now = time.monotonic()
        if now - self._last < _PROGRESS_SECONDS:
            return
        self._last = now
        with contextlib.suppress(RuntimeError):  # the loop is closed: the server is going down
            self._loop.call_soon_threadsafe(self._offer, done, total, _sendable(message))

    def _offer(self, done: float, total: float | None, message: str) -> None:
        if self._sending is None or self._sending.done():
            self._sending = self._loop.create_task(self._sent(done, total, message))

    async def _sent(self, done: float, total: float | None, message: str) -> None:
        await self._send(done, total, message)
