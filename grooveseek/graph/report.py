"""A graph as JSON, for the command and the MCP tool, and as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from grooveseek.graph.walk import Graph, Node, Truncation

Paint = Callable[[str], str]


def graph_as_json(graph: Graph) -> dict[str, Any]:
    """The graph's JSON value, in one place for the command line and the MCP tool. Its keys are stable."""
    return {
        "nodes": [
            {
                "id": node.id,
                "parent_id": node.parent_id,
                "depth": node.depth,
                "score": node.score,
                "path": node.path,
                "heading": node.heading,
                "snippet": node.snippet,
            }
            for node in graph.nodes
        ],
        "truncated": graph.truncated,
        "truncation": [
            {"reason": each.reason, "limit": each.limit, "remedy": each.remedy} for each in graph.truncation
        ],
        "stats": {
            "start": graph.start,
            "seeds": sum(1 for node in graph.nodes if node.parent_id is None),
            "total_nodes": len(graph.nodes),
            "documents": len({node.path for node in graph.nodes}),
            "max_depth": max((node.depth for node in graph.nodes), default=0),
            "knn_queries": graph.knn_queries,
        },
    }


def render_text(graph: Graph, *, emphasise: Paint = str) -> str:
    """The graph as an indented tree, a line a chunk, led by its score."""
    lines = [_line(node, emphasise) for node in in_walking_order(graph)]
    if not graph.nodes:
        lines.append(f"{graph.start} has nothing to compare: no text of it has a vector")
    lines += [f"truncated: {truncation_in_words(each)}" for each in graph.truncation]
    return "".join(f"{line}\n" for line in lines)


def _line(node: Node, emphasise: Paint) -> str:
    heading = "" if node.heading is None else f"  {node.heading}"
    return f"{'  ' * node.depth}{node.score:.2f}  {emphasise(node.path)}{heading}"


def children_of(graph: Graph) -> dict[int | None, list[Node]]:
    """Nodes by their parent's id, ``None`` for those the walk starts from, in the order they were found."""
    children: dict[int | None, list[Node]] = {}
    for node in graph.nodes:
        children.setdefault(node.parent_id, []).append(node)
    return children


def truncation_in_words(truncation: Truncation) -> str:
    """What was left out and what to do, as a sentence without its full stop."""
    lost = {
        "seed_chunks": f"only the first {truncation.limit} chunks of the document were started from",
        "node_budget": f"there was more to find than {truncation.limit} nodes",
    }[truncation.reason]
    return f"{lost} ({truncation.remedy})"


def in_walking_order(graph: Graph) -> Iterator[Node]:
    """Each node before its children, and those before its next sibling."""
    children = children_of(graph)
    waiting = list(reversed(children.get(None, [])))
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(children.get(node.id, []))
