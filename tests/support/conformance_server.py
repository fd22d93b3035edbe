"""The product's HTTP stack with the fixtures that the MCP conformance suite asks for in place of its tools:
``python -m tests.support.conformance_server KB``. Says on stderr where it listens.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as t
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.serving.http import build_app, build_http_server, listen
from grooveseek.serving.served import open_served
from grooveseek.settings.sections import Settings
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.uri_template import UriTemplate

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
TEMPLATE = UriTemplate.parse("test://template/{id}/data")
NOTHING: dict[str, Any] = {"type": "object"}
SCHEMA_2020 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}
DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
OPTIONS = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
ENUMS = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}
PERSON = {
    "username": {"type": "string", "description": "User's response"},
    "email": {"type": "string", "description": "User's email address"},
}


def text(words: str) -> t.TextContent:
    return t.TextContent(text=words)


def image() -> t.ImageContent:
    return t.ImageContent(data=PNG, mime_type="image/png")


def embedded(uri: str, kind: str, words: str) -> t.EmbeddedResource:
    return t.EmbeddedResource(resource=t.TextResourceContents(uri=uri, mime_type=kind, text=words))


async def elicited(ctx: Any, message: str, properties: dict[str, Any]) -> list[Any]:
    schema = {"type": "object", "properties": properties, "required": []}
    answer = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
    return [text(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")]


async def logged(ctx: Any, _: dict[str, Any]) -> list[Any]:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message("info", words, related_request_id=ctx.request_id)
        await anyio.sleep(0.05)
    return [text("logged")]


async def progressed(ctx: Any, _: dict[str, Any]) -> list[Any]:
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100, f"Completed step {done} of 100")
        await anyio.sleep(0.05)
    return [text("done")]


async def sampled(ctx: Any, arguments: dict[str, Any]) -> list[Any]:
    message = t.SamplingMessage(role="user", content=text(arguments["prompt"]))
    answer = await ctx.session.create_message([message], max_tokens=100, related_request_id=ctx.request_id)
    return [text(f"LLM response: {answer.content.text}")]


async def reconnected(ctx: Any, _: dict[str, Any]) -> list[Any]:
    if ctx.close_sse_stream is not None:
        await ctx.close_sse_stream()
    await anyio.sleep(0.1)
    return [text("reconnected")]


def fixed(*content: Any) -> Any:
    async def answer(ctx: Any, arguments: dict[str, Any]) -> list[Any]:
        return list(content)

    return answer


TOOLS: dict[str, Any] = {
    "test_simple_text": fixed(text("This is a simple text response for testing.")),
    "test_image_content": fixed(image()),
    "test_audio_content": fixed(t.AudioContent(data=WAV, mime_type="audio/wav")),
    "test_embedded_resource": fixed(
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ),
    "test_multiple_content_types": fixed(
        text("Multiple content types test:"),
        image(),
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ),
    "test_tool_with_logging": logged,
    "test_tool_with_progress": progressed,
    "test_sampling": sampled,
    "test_elicitation": lambda ctx, arguments: elicited(ctx, arguments["message"], PERSON),
    "test_elicitation_sep1034_defaults": lambda ctx, _: elicited(ctx, "Review the values", DEFAULTS),
    "test_elicitation_sep1330_enums": lambda ctx, _: elicited(ctx, "Choose", ENUMS),
    "test_reconnection": reconnected,
    "json_schema_2020_12_tool": fixed(text("ok")),
}
PROMPTS: dict[str, Any] = {
    "test_simple_prompt": lambda _: [text("This is a simple prompt for testing.")],
    "test_prompt_with_arguments": lambda a: [text(f"Prompt with arguments: arg1='{a['arg1']}', arg2='{a['arg2']}'")],
    "test_prompt_with_embedded_resource": lambda a: [
        embedded(a["resourceUri"], "text/plain", "Embedded resource content for testing."),
        text("Please process the embedded resource above."),
    ],
    "test_prompt_with_image": lambda _: [image(), text("Please analyze the image above.")],
}
ARGUMENTS = {"test_prompt_with_arguments": ["arg1", "arg2"], "test_prompt_with_embedded_resource": ["resourceUri"]}


async def list_tools(ctx: Any, params: Any) -> t.ListToolsResult:
    schemas = {"json_schema_2020_12_tool": SCHEMA_2020}
    names = [*TOOLS, "test_error_handling"]
    return t.ListToolsResult(
        tools=[t.Tool(name=n, description=f"{n} fixture", input_schema=schemas.get(n, NOTHING)) for n in names]
    )


async def call_tool(ctx: Any, params: Any) -> t.CallToolResult:
    if params.name == "test_error_handling":
        return t.CallToolResult(content=[text("This tool intentionally returns an error for testing")], is_error=True)
    return t.CallToolResult(content=await TOOLS[params.name](ctx, params.arguments or {}))


async def list_resources(ctx: Any, params: Any) -> t.ListResourcesResult:
    kinds = {"test://static-text": "text/plain", "test://static-binary": "image/png"}
    return t.ListResourcesResult(
        resources=[t.Resource(uri=u, name=u, description=f"{u} fixture", mime_type=k) for u, k in kinds.items()]
    )


async def list_templates(ctx: Any, params: Any) -> t.ListResourceTemplatesResult:
    template = t.ResourceTemplate(uri_template="test://template/{id}/data", name="template", description="fixture")
    return t.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(ctx: Any, params: Any) -> t.ReadResourceResult:
    uri = params.uri
    if uri == "test://static-binary":
        return t.ReadResourceResult(contents=[t.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)])
    kind, words = "text/plain", "This is the content of the static text resource."
    match = TEMPLATE.match(uri)
    if match:
        kind = "application/json"
        words = json.dumps({"id": match["id"], "templateTest": True, "data": f"Data for ID: {match['id']}"})
    elif uri not in ("test://static-text", "test://watched-resource"):
        raise MCPError(-32002, "Resource not found", {"uri": uri})
    return t.ReadResourceResult(contents=[t.TextResourceContents(uri=uri, mime_type=kind, text=words)])


async def list_prompts(ctx: Any, params: Any) -> t.ListPromptsResult:
    def listed(name: str) -> t.Prompt:
        arguments = [t.PromptArgument(name=a, description=a, required=True) for a in ARGUMENTS.get(name, ())]
        return t.Prompt(name=name, description=f"{name} fixture", arguments=arguments)

    return t.ListPromptsResult(prompts=[listed(name) for name in PROMPTS])


async def get_prompt(ctx: Any, params: Any) -> t.GetPromptResult:
    contents = PROMPTS[params.name](params.arguments or {})
    return t.GetPromptResult(messages=[t.PromptMessage(role="user", content=content) for content in contents])


async def complete(ctx: Any, params: Any) -> t.CompleteResult:
    return t.CompleteResult(completion=t.Completion(values=["paris", "park", "party"], total=3, has_more=False))


async def accepted(ctx: Any, params: Any) -> t.EmptyResult:
    return t.EmptyResult()


def fixture_server() -> Server[Any]:
    return Server(
        "conformance-fixtures",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_subscribe_resource=accepted,
        on_unsubscribe_resource=accepted,
        on_set_logging_level=accepted,
    )


def main() -> None:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    kb = KnowledgeBase(Settings(kb_path=Path(sys.argv[1])), embedder=FakeEmbedder())
    served = open_served(kb, watch=False, config_source="none")
    listening, endpoint = listen("127.0.0.1:0")
    server = build_http_server(build_app(served, fixture_server(), endpoint))
    print(f"listening on http://{endpoint}: the fixtures", file=sys.stderr, flush=True)
    asyncio.run(server.serve(sockets=[listening]))


if __name__ == "__main__":
    main()
