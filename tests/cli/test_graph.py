from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.support.imports import check_imports

NOTES = {
    "boats/hull.md": "# Hull\n\nScrape the hull, prime the hull and paint the hull every spring.\n",
    "boats/paint.md": "# Paint\n\nPaint for the hull: prime first, then paint twice in dry weather.\n",
    "boats/mast.md": "# Mast\n\nThe mast is stepped with the crane after the hull is painted.\n",
    "garden/soil.md": "# Soil\n\nCompost and sand make heavy soil easier for carrots.\n",
}


@pytest.fixture
def where(tmp_path: Path, groove) -> list[str]:
    """The options that name an indexed knowledge base with the fake model."""
    kb = tmp_path / "work" / "kb"
    for name, text in NOTES.items():
        (kb / name).parent.mkdir(parents=True, exist_ok=True)
        (kb / name).write_text(text, encoding="utf-8")
    config = tmp_path / "work" / "fake.toml"
    config.write_text('model = "fake"\n', encoding="utf-8")
    options = ["--config", str(config), "--kb-path", str(kb)]
    assert groove("index", *options, "--quiet").code == 0
    return options


def test_text_is_a_tree_from_the_start(groove, where: list[str]):
    answer = groove("graph", *where, "--start", "boats/hull.md", "--min-similarity", "0.1")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0].startswith("1.00  boats/hull.md  Hull")
    assert lines[1].startswith("  0.")
    assert "boats/paint.md" in lines[1]


def test_json_has_nodes_truncation_and_stats(groove, where: list[str]):
    answer = groove("graph", *where, "--start", "boats/hull.md", "--min-similarity", "0", "--format", "json")
    value = json.loads(answer.out)
    assert list(value) == ["nodes", "truncated", "truncation", "stats"]
    assert value["nodes"][0]["path"] == "boats/hull.md"
    assert value["stats"]["total_nodes"] == len(value["nodes"])
    assert value["truncated"] is False


@pytest.mark.parametrize(
    ("flags", "paths"),
    [
        (["--exclude-paths", "boats"], {"garden/soil.md"}),
        (["--exclude-paths", "garden/*", "--exclude-paths", "boats/mast.md"], {"boats/paint.md"}),
        (["--category", "garden"], {"garden/soil.md"}),
        (["--max-nodes", "1"], set()),
    ],
)
def test_flags_reach_the_walk(groove, where: list[str], flags: list[str], paths: set[str]):
    answer = groove("graph", *where, "--start", "boats/hull.md", "--min-similarity", "0", "--format", "json", *flags)
    assert {node["path"] for node in json.loads(answer.out)["nodes"][1:]} == paths


@pytest.mark.parametrize("strategy", ["all-chunks", "all_chunks", "centroid"])
def test_both_spellings_of_a_strategy_are_taken(groove, where: list[str], strategy: str):
    assert groove("graph", *where, "--start", "boats/hull.md", "--seed-strategy", strategy).code == 0


def test_pictures_go_to_stdout_whole(groove, where: list[str]):
    picture = groove("graph", *where, "--start", "boats/hull.md", "--format", "svg")
    assert ElementTree.fromstring(picture.out).tag == "{http://www.w3.org/2000/svg}svg"
    dot = groove("graph", *where, "--start", "boats/hull.md", "--format", "dot")
    assert dot.out.startswith("digraph connections {")
    assert dot.out.endswith("}\n")


def test_a_parameter_out_of_range_exits_with_2(groove, where: list[str]):
    answer = groove("graph", *where, "--start", "boats/hull.md", "--depth", "4")
    assert (answer.code, answer.out) == (2, "")
    assert "depth is 4; allowed is 1 to 3" in answer.err


def test_a_start_that_is_not_indexed_exits_with_2_and_a_suggestion(groove, where: list[str]):
    answer = groove("graph", *where, "--start", "hull.md")
    assert answer.code == 2
    assert "Did you mean 'boats/hull.md'?" in answer.err


def test_without_an_index_it_exits_with_1(groove, tmp_path: Path):
    kb = tmp_path / "work" / "kb"
    kb.mkdir()
    answer = groove("graph", "--kb-path", str(kb), "--start", "a.md")
    assert (answer.code, answer.out) == (1, "")
    assert "Run `groove index`" in answer.err


def test_the_quality_filter_can_be_switched_off_in_the_settings(groove, where: list[str], tmp_path: Path):
    kb = Path(where[3])
    (kb / "stub.md").write_text("# Hull\n\nHull.\n", encoding="utf-8")
    assert groove("index", *where, "--quiet").code == 0
    walk = ["--start", "boats/hull.md", "--min-similarity", "0", "--format", "json"]
    filtered = json.loads(groove("graph", *where, *walk).out)["nodes"]
    Path(where[1]).write_text('model = "fake"\n[quality_filter]\nenabled = false\n', encoding="utf-8")
    unfiltered = json.loads(groove("graph", *where, *walk).out)["nodes"]
    assert {node["path"] for node in unfiltered} - {node["path"] for node in filtered} == {"stub.md"}


def test_a_walk_imports_no_model_and_no_parser(where: list[str]):
    never = {"onnxruntime", "tokenizers", "fastembed", "rich", "mcp", "scipy", "grooveseek.parsing.markdown"}
    check_imports(["graph", *where, "--start", "boats/hull.md"], allowed={"click", "apsw", "numpy"}, never=never)
