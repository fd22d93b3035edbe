"""The get_document tool: one document's text, or some of its lines, with its metadata."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grooveseek.errors import NoIndex, QueryError
from grooveseek.serving.documents import ReadDocument, metadata
from grooveseek.serving.schemas import Schema, array, boolean, integer, record, text
from grooveseek.serving.served import Served
from grooveseek.serving.tools.spec import Json, ToolSpec, in_worker
from grooveseek.serving.uris import document_uri

_LINE_ENDS = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")  # as parsers count lines; str.splitlines knows more of them

INPUT = record(
    {
        "path": text("The document's path, as search gives it.", minLength=1),
        "start_line": integer("First line wanted, from 1; without it from the beginning.", 1),
        "end_line": integer("Last line wanted; without it, or beyond the last line, to the end.", 1),
    },
    required=["path"],
)
PROPERTIES: dict[str, Schema] = {
    "path": text("The document."),
    "text": text("The lines asked for, as they stand in the file."),
    "start_line": integer("First line of text."),
    "end_line": integer("Last line of text."),
    "total_lines": integer("Lines the whole document has."),
    "size_bytes": integer("Size of the file."),
    "media_type": text("text/markdown or text/plain."),
    "extracted": boolean("True for text taken out of a PDF or an Office file; lines are then those of that text."),
    "truncated": boolean("True when the extracted text is longer than 1 MiB and was cut there."),
    "indexed": boolean("Whether search can find it."),
    "uri": text("Its address as a resource; there when it can be read as one."),
    "title": text("Its title."),
    "category": text("Its category."),
    "topic": text("Its topic."),
    "date": text("The date its author gave it."),
    "depth": text("The depth its author gave it."),
    "tags": array("Its tags.", text("One tag.")),
    "fields": {
        "type": "object",
        "description": "Its other frontmatter values, texts or lists of texts.",
        "additionalProperties": True,
    },
}
REQUIRED = (
    *("path", "text", "start_line", "end_line", "total_lines", "size_bytes", "media_type"),
    *("extracted", "truncated", "indexed", "title", "tags"),
)
OUTPUT = record(PROPERTIES, required=REQUIRED)


def get_document(served: Served, arguments: Mapping[str, Any]) -> Json:
    """Read one document, or lines of it. Raises as :meth:`DocumentReader.read` does, and for a range that is none."""
    document = served.reader.read(arguments["path"])
    return document_as_json(served, document, arguments.get("start_line"), arguments.get("end_line"))


def document_as_json(served: Served, document: ReadDocument, start_line: int | None, end_line: int | None) -> Json:
    """A document, or its lines ``start_line`` to ``end_line`` (from 1, inclusive), as its readers get it."""
    lines = split_lines(document.text)
    first, last = _range(start_line, end_line, len(lines))
    offered = _offered(served, document.path)
    result: Json = {
        "path": document.path,
        "text": document.text if (first, last) == (1, len(lines)) else "".join(lines[first - 1 : last]),
        "start_line": first,
        "end_line": last,
        "total_lines": len(lines),
        "size_bytes": document.size_bytes,
        "media_type": document.media_type,
        "extracted": document.extracted,
        "truncated": document.truncated,
        "indexed": offered is not None,
    }
    if offered:
        result["uri"] = document_uri(document.path)
    return result | metadata(document.parsed)


def split_lines(text: str) -> list[str]:
    """The lines of a text with their ends: at least one, and none that is empty after the last end."""
    lines = _LINE_ENDS.split(text)
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return lines


def _range(start: int | None, end: int | None, total: int) -> tuple[int, int]:
    first = 1 if start is None else int(start)
    last = total if end is None else min(int(end), total)
    if first > total:
        raise QueryError(f"start_line is {first}, and the document has {total} lines")
    if last < first:
        raise QueryError(f"end_line is {last}, before start_line, which is {first}")
    return first, last


def _offered(served: Served, path: str) -> bool | None:
    """Whether the document is offered as a resource; ``None`` when it is not indexed."""
    try:
        states = served.kb.store().documents.states_at([path])
    except NoIndex:
        return None
    return served.reader.is_servable(path, states[path].size_bytes) if path in states else None


TOOL = ToolSpec(
    name="get_document",
    title="Read a document",
    description="Read a document of the knowledge base, whole or some of its lines: to see what stands around a search "
    "result, or to check a citation. Text files of up to 1 MiB; longer ones are refused.",
    input_schema=INPUT,
    output_schema=OUTPUT,
    run=in_worker(get_document),
)
