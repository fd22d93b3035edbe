"""The get_connection_graph tool: what lies near a document, and near that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grooveseek.errors import NoIndex
from grooveseek.graph.report import graph_as_json
from grooveseek.graph.request import MAX_EXCLUDED, RANGES, SEED_STRATEGIES, GraphRequest
from grooveseek.graph.walk import walk_graph
from grooveseek.serving.schemas import Schema, array, boolean, integer, number, record, text
from grooveseek.serving.served import Served
from grooveseek.serving.tools.spec import Json, ToolSpec, in_worker


def _bounded(name: str, description: str, default: int) -> Schema:
    lowest, highest = RANGES[name]
    return integer(description, int(lowest), int(highest), default=default)


INPUT = record(
    {
        "start": text("Path of the document to start from, as search gives it.", minLength=1),
        "depth": _bounded("depth", "Steps from the document.", 2),
        "fan_out": _bounded("fan_out", "Nearest passages each step adds to a passage.", 5),
        "min_similarity": number(
            "Cosine below which two passages are not connected.", *RANGES["min_similarity"], default=0.3
        ),
        "seed_strategy": text(
            "Start from every passage of the document, or from the mean of them all.",
            enum=list(SEED_STRATEGIES),
            default="all_chunks",
        ),
        "dedup_by_path": boolean("Show each document once.", default=False),
        "category": text("Only documents of this category."),
        "topic": text("Only documents of this topic."),
        "exclude_paths": array(
            "Documents, folders or globs that are passed over.", text("A path or a glob."), maxItems=MAX_EXCLUDED
        ),
        "max_nodes": _bounded("max_nodes", "Passages in all.", 100),
        "max_seed_chunks": _bounded("max_seed_chunks", "Passages of the document it may start from.", 32),
    },
    required=["start"],
)
OUTPUT = record(
    {
        "nodes": array(
            "Passages in the order they were found.",
            record(
                {
                    "id": integer("Its number, from 0."),
                    # No type: with null beside it there would have to be a union. A bound binds numbers alone.
                    "parent_id": {
                        "description": "Number of the passage it is near to, or null where the walk starts.",
                        "minimum": 0,
                    },
                    "depth": integer("Steps from the start."),
                    "score": number("Cosine to the parent; 1 at the start.", 0.0, 1.0),
                    "path": text("Its document."),
                    "heading": {"description": "The heading it stands under, or null.", "minLength": 1},
                    "snippet": text("How it begins."),
                },
                description="One passage.",
            ),
        ),
        "truncated": boolean("Whether a bound cut anything off."),
        "truncation": array(
            "What was cut off, and what to do about it.",
            record(
                {
                    "reason": text("seed_chunks or node_budget."),
                    "limit": integer("The bound."),
                    "remedy": text("What to do about it."),
                },
                description="One bound.",
            ),
        ),
        "stats": record(
            {
                "start": text("The document it started from."),
                "seeds": integer("Passages it started from."),
                "total_nodes": integer("Passages in all."),
                "documents": integer("Documents in all."),
                "max_depth": integer("Steps taken."),
                "knn_queries": integer("Neighbour searches it took."),
            },
            description="The graph in numbers.",
        ),
    }
)


def get_connection_graph(served: Served, arguments: Mapping[str, Any]) -> Json:
    """Walk from one document. Raises NoIndex, and QueryError for a start that is not indexed."""
    given = dict(arguments)
    excluded = tuple(given.pop("exclude_paths", ()))
    quality = served.kb.settings.quality_filter
    request = GraphRequest(exclude_paths=excluded, **given)
    try:
        graph = walk_graph(served.kb.store(), request, quality_threshold=quality.threshold if quality.enabled else None)
    except NoIndex:
        raise served.not_built_yet() from None
    return graph_as_json(graph)


TOOL = ToolSpec(
    name="get_connection_graph",
    title="See what a document is connected to",
    description="Walk from a document to the passages nearest in meaning, and from those to theirs: related documents "
    "that a search for words would miss.",
    input_schema=INPUT,
    output_schema=OUTPUT,
    run=in_worker(get_connection_graph),
)
