"""The get_best_practice tool: the document that settings name for a subject. Off until they say where to look."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from grooveseek.errors import QueryError, UsageError
from grooveseek.knowledge_base.addressing import is_addressable, printable
from grooveseek.parsing.blocks import TooManyBlocksError, lay_out
from grooveseek.parsing.frontmatter import read_frontmatter
from grooveseek.parsing.sections import read_sections
from grooveseek.parsing.source import Source
from grooveseek.serving.documents import ReadDocument
from grooveseek.serving.schemas import record, text
from grooveseek.serving.served import Served
from grooveseek.serving.tools.document import OUTPUT, document_as_json
from grooveseek.serving.tools.spec import Json, ToolSpec, in_worker

_SHOWN_SECTIONS = 40

INPUT = record(
    {
        "target": text("What the advice is wanted on, such as a language or a subject.", minLength=1, maxLength=200),
        "category": text("One section of the document only: the text of its second-level heading."),
    },
    required=["target"],
)


def get_best_practice(served: Served, arguments: Mapping[str, Any]) -> Json:
    """The first file that exists among the templates' places, or one section of it.

    Raises UsageError when no template is configured, QueryError when no file or section fits. What is tried stays
    inside the knowledge base; where it was tried is not told.
    """
    templates = served.kb.settings.best_practice.path_templates
    if not templates:
        raise UsageError(
            "get_best_practice is not configured: [best_practice].path_templates in groove.toml says where to look"
        )
    document = _first(served, templates, arguments["target"])
    if "category" not in arguments:
        return document_as_json(served, document, None, None)
    first, last = _section_lines(document, arguments["category"])
    return document_as_json(served, document, first, last)


def _first(served: Served, templates: tuple[str, ...], target: str) -> ReadDocument:
    for template in templates:
        path = template.replace("{target}", target)
        place = served.kb.root / path
        if is_addressable(path) and os.path.isfile(place):  # noqa: PTH113 - Path.is_file raises for a long name
            return served.reader.read(path)
    raise QueryError(f"there is no best practice on {printable(target)!r}: none of {len(templates)} places has a file")


def _section_lines(document: ReadDocument, heading: str) -> tuple[int, int]:
    """First and last line of the h2 section of that name, its heading and what is below it included."""
    found: list[str] = []
    if document.parser.id == "md":
        for name, first, last in h2_sections(document.text):
            if name.casefold() == heading.strip().casefold():
                return first, last
            found.append(name)
    known = f"Its sections are: {', '.join(found[:_SHOWN_SECTIONS])}" if found else "It has no such sections"
    raise QueryError(
        f"category is {printable(heading)[:200]!r}, and {document.path} has no section of that name. {known}"
    )


def h2_sections(markdown: str) -> Iterator[tuple[str, int, int]]:
    """(heading, first line, last line) of every second-level section of a text, lines from 1."""
    source = Source.decode(markdown.encode("utf-8", "replace"))
    matter = read_frontmatter(source)
    try:
        layout = lay_out(source.text[matter.body :])
    except TooManyBlocksError:
        return
    sections = [s for s in read_sections(source, layout, matter.body, matter.rule_line) if s.level in (1, 2)]
    firsts = [source.line_at(section.own_text[0]) + 1 for section in sections]
    total = source.line_at(max(0, len(source.text) - 1)) + 1
    lasts = [first - 1 for first in firsts[1:]] + [total]
    for section, first, last in zip(sections, firsts, lasts, strict=True):
        if section.level == 2:
            yield section.heading or "", first, last


TOOL = ToolSpec(
    name="get_best_practice",
    title="Look up a best practice",
    description="Read the document that this knowledge base keeps as its best practice on a target, whole or one of "
    "its second-level sections. Says so when none is configured.",
    input_schema=INPUT,
    output_schema=OUTPUT,
    run=in_worker(get_best_practice),
)
