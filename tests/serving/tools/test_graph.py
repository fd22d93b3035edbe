from __future__ import annotations

import pytest
from grooveseek.graph.report import graph_as_json
from grooveseek.graph.request import GraphRequest
from grooveseek.graph.walk import walk_graph
from grooveseek.serving.tools import graph
from jsonschema import Draft202012Validator


def test_the_graph_is_the_one_of_the_command_line(tool, kb):
    answer = tool("get_connection_graph", start="guide/use/daily.md", depth=2, min_similarity=0.0)
    Draft202012Validator(graph.OUTPUT).validate(answer)
    request = GraphRequest(start="guide/use/daily.md", depth=2, min_similarity=0.0)
    assert answer == graph_as_json(walk_graph(kb.store(), request))
    assert answer["stats"]["documents"] > 1


@pytest.mark.parametrize("strategy", ["all_chunks", "all-chunks", "centroid"])
def test_both_spellings_of_a_strategy_are_taken(tool, strategy):
    assert tool("get_connection_graph", start="guide/use/daily.md", seed_strategy=strategy)["stats"]["seeds"] >= 1


def test_filters_bind_the_graph(tool):
    given = {"start": "guide/use/daily.md", "min_similarity": 0.0, "category": "guide", "dedup_by_path": True}
    around = {node["path"] for node in tool("get_connection_graph", **given)["nodes"]}
    assert around == {"guide/use/daily.md", "guide/setup.md"}
    without = tool("get_connection_graph", **given, exclude_paths=["guide/setup.md"])["nodes"]
    assert {node["path"] for node in without} == {"guide/use/daily.md"}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"depth": 4}, "depth is 4; allowed is a whole number from 1 to 3"),
        ({"fan_out": 21}, "fan_out is 21; allowed is a whole number from 1 to 20"),
        ({"max_nodes": 2001}, "max_nodes is 2001; allowed is a whole number from 1 to 2000"),
        ({"max_seed_chunks": 0}, "max_seed_chunks is 0; allowed is a whole number from 1 to 1000"),
        ({"min_similarity": 1.5}, "min_similarity is 1.5"),
        ({"seed_strategy": "none"}, 'seed_strategy is "none"; allowed is "all_chunks"'),
        ({"start": "guide/none.md"}, "guide/none.md"),
    ],
)
def test_what_is_out_of_range_is_named(tool, given, complaint):
    assert complaint in tool("get_connection_graph", **{"start": "readme.md", **given})


def test_defaults_are_those_of_the_request():
    properties = graph.INPUT["properties"]
    defaults = {name: schema["default"] for name, schema in properties.items() if "default" in schema}
    request = GraphRequest(start="x")
    assert defaults == {name: getattr(request, name) for name in defaults}
    assert {"depth", "fan_out", "min_similarity", "max_nodes", "max_seed_chunks", "seed_strategy"} <= set(defaults)
