from __future__ import annotations

from grooveseek.graph import Graph, Node, Truncation, graph_as_json
from grooveseek.graph.report import render_text


def node(id_: int, parent: int | None, depth: int, score: float, path: str, heading: str | None) -> Node:
    return Node(id=id_, parent_id=parent, depth=depth, score=score, path=path, heading=heading, snippet=f"text {id_}")


GRAPH = Graph(
    start="s.md",
    nodes=(
        node(0, None, 0, 1.0, "s.md", "One"),
        node(1, None, 0, 1.0, "s.md", None),
        node(2, 0, 1, 0.5, "a.md", "A"),
        node(3, 1, 1, 0.4, "b.md", "B"),
        node(4, 2, 2, 0.345678, "b.md", "C"),
    ),
    truncation=(Truncation(reason="node_budget", limit=5, remedy="raise max_nodes"),),
    knn_queries=3,
)


def test_json_has_the_stable_keys():
    value = graph_as_json(GRAPH)
    assert value["nodes"][4] == {
        "id": 4,
        "parent_id": 2,
        "depth": 2,
        "score": 0.345678,
        "path": "b.md",
        "heading": "C",
        "snippet": "text 4",
    }
    assert len(value["nodes"]) == 5
    del value["nodes"]
    assert value == {
        "truncated": True,
        "truncation": [{"reason": "node_budget", "limit": 5, "remedy": "raise max_nodes"}],
        "stats": {
            "start": "s.md",
            "seeds": 2,
            "total_nodes": 5,
            "documents": 3,
            "max_depth": 2,
            "knn_queries": 3,
        },
    }


def test_text_is_a_tree_with_what_was_lost_below_it():
    assert render_text(GRAPH) == (
        "1.00  s.md  One\n"
        "  0.50  a.md  A\n"
        "    0.35  b.md  C\n"
        "1.00  s.md\n"
        "  0.40  b.md  B\n"
        "truncated: there was more to find than 5 nodes (raise max_nodes)\n"
    )


def test_an_empty_graph_says_why_it_is_empty():
    empty = Graph(start="s.md", nodes=(), truncation=(), knn_queries=0)
    assert render_text(empty) == "s.md has nothing to compare: no text of it has a vector\n"
    assert graph_as_json(empty)["stats"]["max_depth"] == 0
