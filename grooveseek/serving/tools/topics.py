"""The list_topics tool: what the knowledge base is about, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grooveseek.errors import NoIndex
from grooveseek.serving.schemas import array, integer, record, text
from grooveseek.serving.served import Served
from grooveseek.serving.tools.spec import Json, ToolSpec, in_worker

OUTPUT = record(
    {
        "documents": integer("Documents in all."),
        "categories": array(
            "Categories; one without a name holds the documents that have none.",
            record(
                {
                    "category": text("Its name, for search's category filter."),
                    "documents": integer("Documents in it."),
                    "topics": array(
                        "Its topics; one without a name holds the documents that have none.",
                        record(
                            {
                                "topic": text("Its name, for search's topic filter."),
                                "documents": integer("Documents on it."),
                            },
                            required=["documents"],
                            description="One topic.",
                        ),
                    ),
                },
                required=["documents", "topics"],
                description="One category.",
            ),
        ),
        "notes": array("What a reader of these numbers should know.", text("One sentence.")),
    },
    required=["documents", "categories"],
)


def list_topics(served: Served, arguments: Mapping[str, Any]) -> Json:
    """Count the documents of every category and topic. Raises NoIndex before the first index exists."""
    try:
        unfinished = served.is_unfinished()
        rows = served.catalog.topics()
    except NoIndex:
        raise served.not_built_yet() from None
    if unfinished and not rows:
        raise served.not_built_yet()
    categories: dict[str | None, list[Json]] = {}
    for category, topic, count in rows:
        named = {} if topic is None else {"topic": topic}
        categories.setdefault(category, []).append({**named, "documents": count})
    notes = {"notes": [f"{served.not_built_yet()}: these are the documents so far"]} if unfinished else {}
    return {
        "documents": sum(count for _, _, count in rows),
        "categories": [
            {
                **({} if category is None else {"category": category}),
                "documents": sum(topic["documents"] for topic in topics),
                "topics": topics,
            }
            for category, topics in categories.items()
        ],
        **notes,
    }


TOOL = ToolSpec(
    name="list_topics",
    title="List categories and topics",
    description="List the categories and topics of the knowledge base with the number of documents in each: what it "
    "covers, and the exact names for search's category and topic filters.",
    input_schema=record({}),
    output_schema=OUTPUT,
    run=in_worker(list_topics),
)
