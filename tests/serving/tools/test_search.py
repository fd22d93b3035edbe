from __future__ import annotations

import pytest
from grooveseek.model.document import Chunk, TableRow
from grooveseek.model.hit import Answer, Explanation, Hit, Legs
from grooveseek.model.query import Filters
from grooveseek.retrieval.answer import answer_as_json, hit_as_json
from grooveseek.retrieval.filters import filters_with_effect
from grooveseek.serving.documents import MAX_TEXT_BYTES
from grooveseek.serving.tools import search
from grooveseek.serving.tools.table import TOOLS
from jsonschema import Draft202012Validator
from tests.conftest import write_files

OUTPUT = Draft202012Validator(search.OUTPUT)


def paths(answer) -> list[str]:
    return [result["path"] for result in answer["results"]]


def test_an_answer_is_the_one_of_the_command_line_with_addresses(tool, kb):
    answer = tool("search", query="pump pressure", limit=3)
    plain = answer_as_json(kb.search("pump pressure", limit=3))
    addresses = [result.pop("uri") for result in answer["results"]]
    assert answer == plain
    assert addresses == [f"kb://doc/{path}" for path in paths(answer)]
    assert paths(answer)[0] == "guide/use/daily.md"


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"topic": "setup"}, {"guide/setup.md"}),
        ({"category": "guide", "path_globs": ["**/*.md", "!**/deep/**"]}, {"guide/setup.md", "guide/use/daily.md"}),
        ({"tags_any": ["tools", "weather"]}, {"guide/setup.md", "harbour/fog.md"}),
        ({"tags_all": ["tools", "start"]}, {"guide/setup.md"}),
        ({"date_from": "2026-01-01", "date_to": "2026-01-31"}, {"guide/setup.md"}),
        ({"date_from": "2026-02-01"}, set()),
        ({"path_globs": ["*.txt"]}, {"notes.txt"}),
        ({"language": "rust"}, set()),
        ({"symbol_kind": "function"}, set()),
    ],
)
def test_filters_reach_the_search_and_are_echoed(tool, given, found):
    answer = tool("search", query="pump harbour walrus", include_low_quality=True, **given)
    assert set(paths(answer)) == found
    assert answer["filter_applied"] == given


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"limit": 0}, "limit is 0; allowed is a whole number from 1 to 1000"),
        ({"limit": 1001}, "limit is 1001; allowed is a whole number from 1 to 1000"),
        ({"limit": -1}, "limit is -1"),
        ({"limit": "ten"}, 'limit is "ten"'),
        ({"min_quality": 1.5}, "min_quality is 1.5; allowed is a number from 0 to 1"),
        ({"mmr": True, "mmr_lambda": 2}, "mmr_lambda is 2; allowed is a number from 0 to 1"),
        ({"mmr_same_doc_penalty": -0.5}, "mmr_same_doc_penalty"),
        ({"min_confidence_ratio": -1}, "min_confidence_ratio is -1"),
        ({"date_from": "soon"}, "date_from is 'soon', which is no date"),
        (
            {"date_from": "2026-05-01", "date_to": "2026-04-30T12:00:00Z"},
            "date_to '2026-04-30T12:00:00Z' lies before date_from '2026-05-01'",
        ),
        ({"path_globs": []}, "path_globs is an empty list"),
        ({"tags_any": ["x"] * 65}, "tags_any has 65 items; at most 64"),
        ({"tags_all": ["x" * 1025]}, "tags_all"),
        ({"fields": ["status"]}, "fields has 'status'"),
        ({"fields": ["status=draft"]}, "'status' cannot be filtered on"),
        ({"query": "x" * 1025}, "query is 1025 bytes long"),
        ({"rerank": "yes"}, 'rerank is "yes"'),
    ],
)
def test_values_out_of_range_are_refused_by_name(tool, given, complaint):
    assert complaint in tool("search", **{"query": "pump", **given})


@pytest.mark.parametrize("limit", [1, 1000, 2.0])
def test_the_limits_themselves_are_allowed(tool, limit):
    assert len(paths(tool("search", query="pump", limit=limit))) >= 1


def test_null_is_a_parameter_left_out(tool):
    assert tool("search", query="pump", category=None, limit=None) == tool("search", query="pump")


@pytest.mark.parametrize(
    "query", ["", "   ", '"', "*", "—", "\0", "NOT horn", "AND OR (", "-pump", '"' * 500, "x" * 1024]
)
def test_hostile_queries_have_an_answer_or_a_plain_message(tool, query):
    answer = tool("search", query=query)
    if isinstance(answer, str):
        assert "syntax" not in answer
    else:
        OUTPUT.validate(answer)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"mmr": True, "mmr_lambda": 0.5, "mmr_same_doc_penalty": 0.1},
        {"parent_retriever": True},
        {"rerank": True},
        {"min_confidence_ratio": 0},
        {"tags_any": ["weather"], "category": "harbour"},
    ],
)
def test_answers_meet_the_output_schema(tool, given):
    OUTPUT.validate(tool("search", query="fog in the harbour", **given))


def test_a_mode_that_lost_a_leg_meets_the_output_schema_too(tool):
    answer = tool("search", query="倉庫")
    OUTPUT.validate(answer)


def test_everything_a_result_can_have_is_in_the_schema():
    row = TableRow(table=0, row=1, start=0, end=4)
    chunk = Chunk(
        index=2,
        content="some words",
        heading="H",
        heading_path=("T", "H"),
        start_line=1,
        end_line=2,
        start_byte=0,
        end_byte=10,
        symbol_kind="function",
        scope="module",
        language="python",
        table_rows=(row,),
    )
    hit = Hit(
        score=0.5,
        path="a.md",
        title="T",
        chunk=chunk,
        category="c",
        topic="t",
        date="2026-01-01",
        tags=("x",),
        match_spans=((0, 4),),
        expanded_from={"kind": "adjacent", "from_index": 1, "to_index": 3},
        stale=True,
        is_excerpt=True,
        explanation=Explanation(),
    )
    value = hit_as_json(hit, uri="kb://doc/a.md")
    value.pop("explain")  # asked for on the command line only
    schema = search.OUTPUT["properties"]["results"]["items"]
    Draft202012Validator(schema).validate(value)
    assert value.keys() == schema["properties"].keys()


def test_everything_an_answer_can_have_is_in_the_schema():
    legs = Legs(vector_candidates=1, fulltext_candidates=1, dropped_terms=("x",), degraded="vector_only", reason="why")
    filters = filters_with_effect(
        Filters(
            category="c",
            topic="t",
            path_globs=("*",),
            tags_any=("x",),
            tags_all=("x",),
            date_from="2026-01-01",
            date_to="2026-01-02",
            fields={"a": ("b",)},
            symbol_kind="s",
            language="l",
        )
    )
    answer = Answer(hits=(), low_confidence=True, confidence=0.5, legs=legs, filter_applied=filters, notes=("n",))
    value = answer_as_json(answer)
    OUTPUT.validate(value)
    for part, schema in [
        (value, search.OUTPUT),
        (value["legs"], search.OUTPUT["properties"]["legs"]),
        (value["filter_applied"], search.OUTPUT["properties"]["filter_applied"]),
    ]:
        assert part.keys() == schema["properties"].keys()


def test_a_document_that_cannot_be_read_has_no_address(tool, kb):
    write_files(kb.root, {"large.md": b"# Large\n\n" + b"gazelle herds\n\n" * (MAX_TEXT_BYTES // 14)})
    kb.index()
    answer = tool("search", query="gazelle herds", path_globs=["large.md"], limit=1)
    assert paths(answer) == ["large.md"]
    assert "uri" not in answer["results"][0]


def test_a_changed_file_is_marked(tool, kb):
    write_files(kb.root, {"harbour/fog.md": "# Fog\n\nAnother text.\n"})
    answer = tool("search", query="harbour master bell", limit=1)
    assert answer["results"][0]["stale"] is True


def test_before_the_first_index_is_there_the_answer_says_so(open_kb, settings, serve, tool, monkeypatch):
    kb = open_kb(files={"a.md": "# A\n\nalpha\n"}, settings=settings)
    served = serve(kb)
    for name, given in [
        ("search", {"query": "alpha"}),
        ("list_topics", {}),
        ("get_connection_graph", {"start": "a.md"}),
    ]:
        assert "index is being built in the background" in tool(name, on=served, **given)


def test_an_answer_from_a_half_built_index_says_so(kb, serve, tool):
    from grooveseek.serving.keeper import Activity
    from grooveseek.store.store import Store

    served = serve(kb)
    with Store.open_for_writing(kb.index_path) as store:
        store.meta.set("last_run", None)
    served.keeper._activity = Activity(what="the first run", done=3, total=9)
    answer = tool("search", query="pump", on=served)
    assert any("3 of 9 documents" in note for note in answer["notes"])
    assert "3 of 9 documents" in tool("search", query="pump", on=served, category="none such")
    topics = tool("list_topics", on=served)
    assert "3 of 9 documents" in topics["notes"][0]
    assert topics["documents"] == 7
    OUTPUT.validate(answer)


def test_the_limit_of_the_tool_is_that_of_the_schema():
    schema = next(tool for tool in TOOLS if tool.name == "search").input_schema["properties"]["limit"]
    assert (schema["minimum"], schema["maximum"], schema["default"]) == (1, 1000, 10)
