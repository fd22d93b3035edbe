from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from grooveseek.serving.schemas import Arguments, array, boolean, integer, number, record, text
from grooveseek.serving.tools.table import TOOLS
from jsonschema import Draft202012Validator

NULLABLE = {"degraded", "parent_id", "heading"}
"""Properties of answers that may be null: they name no type, since a union with null is what clients refuse."""


def walk(schema: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema in a schema, with where it stands."""
    yield place, schema
    for name, member in schema.get("properties", {}).items():
        yield from walk(member, f"{place}.{name}")
    if "items" in schema:
        yield from walk(schema["items"], f"{place}[]")
    extra = schema.get("additionalProperties")
    if isinstance(extra, dict):
        yield from walk(extra, f"{place}.*")


SCHEMAS = [
    pytest.param(tool.name, schema, id=f"{tool.name}-{kind}")
    for tool in TOOLS
    for kind, schema in (("input", tool.input_schema), ("output", tool.output_schema))
]


@pytest.mark.parametrize(("name", "schema"), SCHEMAS)
def test_advertised_schemas_hold_nothing_that_strict_clients_refuse(name: str, schema: dict[str, Any]):
    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert isinstance(schema["required"], list)
    for place, part in walk(schema, name):
        assert not {"$ref", "$defs", "anyOf", "oneOf", "allOf", "not", "format", "pattern", "const"} & set(part), place
        leaf = place.rpartition(".")[2]
        if leaf in NULLABLE and "type" not in part:
            continue
        assert isinstance(part["type"], str), place
        assert part["type"] in ("object", "array", "string", "integer", "number", "boolean"), place
        if part["type"] == "array":
            assert part["items"], place
        assert part.get("default", "") is not None, place


@pytest.mark.parametrize(("name", "schema"), SCHEMAS)
def test_every_property_is_described(name: str, schema: dict[str, Any]):
    for place, part in walk(schema, name):
        if place != name:
            assert len(part.get("description", "")) >= 8, place


def test_the_tools_are_those_promised_with_their_parameters():
    assert {tool.name: list(tool.input_schema["properties"]) for tool in TOOLS} == {
        "search": [
            *("query", "limit", "category", "topic", "path_globs", "tags_any", "tags_all", "date_from", "date_to"),
            *("fields", "symbol_kind", "language", "min_quality", "include_low_quality", "rerank", "mmr", "mmr_lambda"),
            *("mmr_same_doc_penalty", "parent_retriever", "min_confidence_ratio"),
        ],
        "get_document": ["path", "start_line", "end_line"],
        "list_topics": [],
        "get_best_practice": ["target", "category"],
        "get_connection_graph": [
            *("start", "depth", "fan_out", "min_similarity", "seed_strategy", "dedup_by_path", "category", "topic"),
            *("exclude_paths", "max_nodes", "max_seed_chunks"),
        ],
        "rebuild_index": ["force"],
    }


SCHEMA = record(
    {
        "name": text("A name.", minLength=1),
        "count": integer("A count.", 1, 10),
        "share": number("A share.", 0.0, 1.0),
        "floor": number("At least so much.", 0.0),
        "on": boolean("A switch."),
        "kind": text("A kind.", enum=["one", "other"]),
        "list": array("A list.", text("One."), minItems=1, maxItems=2),
    },
    required=["name"],
)


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        ({"name": "x"}, None),
        ({"name": "x", "count": 10, "share": 0.5, "on": False, "kind": "one", "list": ["a"]}, None),
        ({"name": "x", "count": 3.0}, None),
        ({}, "name is missing, and it is required"),
        ({"name": ""}, "name is empty"),
        ({"name": 7}, "name is 7; it must be a text"),
        ({"name": "x", "count": 0}, "count is 0; allowed is a whole number from 1 to 10"),
        ({"name": "x", "count": 11}, "count is 11; allowed is a whole number from 1 to 10"),
        ({"name": "x", "count": "5"}, 'count is "5"; it must be a whole number from 1 to 10'),
        ({"name": "x", "count": True}, "count is true; it must be a whole number from 1 to 10"),
        ({"name": "x", "count": 2.5}, "count is 2.5; it must be a whole number from 1 to 10"),
        ({"name": "x", "share": -0.1}, "share is -0.1; allowed is a number from 0 to 1"),
        ({"name": "x", "floor": -1}, "floor is -1; allowed is a number of at least 0"),
        ({"name": "x", "on": "yes"}, 'on is "yes"; it must be true or false'),
        ({"name": "x", "kind": "third"}, 'kind is "third"; allowed is "one" or "other"'),
        ({"name": "x", "list": "a"}, 'list is "a"; it must be a list'),
        ({"name": "x", "list": [1]}, "list[0] is 1; it must be a text"),
        ({"name": "x", "list": []}, "list is an empty list. Leave it out, or put something in"),
        ({"name": "x", "list": ["a", "b", "c"]}, "list has 3 items; at most 2 are allowed"),
        ({"name": "x", "cuont": 1}, 'there is no parameter "cuont"; did you mean count?'),
        (
            {"name": "x", "zzz": 1},
            'there is no parameter "zzz"; there are name, count, share, floor, on, kind, list',
        ),
        ({"name": "x" * 10, "count": "y" * 500}, f'count is "{"y" * 76}...; it must be a whole number from 1 to 10'),
    ],
)
def test_a_refusal_names_the_parameter_its_value_and_its_range(arguments: dict[str, Any], refusal: str | None):
    assert Arguments(SCHEMA).refusal(arguments) == refusal


def test_a_tool_without_parameters_says_so():
    assert Arguments(record({})).refusal({"x": 1}) == 'there is no parameter "x"; there are none'
