"""``groove search``: flags, both formats, errors in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from grooveseek.cli.main import main
from tests.conftest import write_files

FOG = (
    "---\ntags: [weather, bridge]\ncategory: ships\ndate: 2026-03-01\n---\n"
    "# Fog\n\nWhen fog comes in the master slows the ship.\n"
)
ICE = "# Ice\n\nFrozen decks are treated with salt and sand before the first crossing of the day.\n"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``groove search`` on two indexed notes: exit code, stdout, stderr."""
    kb = tmp_path / "kb"
    kb.mkdir()
    write_files(kb, {"fog.md": FOG, "winter/ice.md": ICE})
    common = ["--kb-path", str(kb), "--model", "fake"]
    assert main(["index", *common]) == 0
    capsys.readouterr()

    def search(*arguments: str) -> tuple[int, str, str]:
        code = main(["search", *common, *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return search


def results(out: str) -> list[dict[str, Any]]:
    return json.loads(out)["results"]


def test_json_is_the_answer_and_nothing_else_on_stdout(run: Run) -> None:
    code, out, _ = run("fog", "--format", "json")
    assert code == 0
    first = results(out)[0]
    assert (first["path"], first["title"], first["start_line"]) == ("fog.md", "Fog", 8)
    assert first["match_spans"] == [{"start": 5, "end": 8}]


def test_text_has_blocks_with_places(run: Run) -> None:
    code, out, _ = run("fog deck salt")
    blocks = out.split("---\n")
    assert code == 0
    assert len(blocks) == 2
    assert any(block.startswith("fog.md:8-8  Fog  [") for block in blocks)
    assert "\x1b" not in out


def test_nothing_found_is_said_and_is_no_error(run: Run) -> None:
    code, out, _ = run("zzzzqq", "--mode", "keyword")
    assert (code, out) == (0, "No results.\n")


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        (["--path-glob", "winter/**"], {"winter/ice.md"}),
        (["--path-glob", "!winter/**"], {"fog.md"}),
        (["--tag-any", "bridge,harbour"], {"fog.md"}),
        (["--tag-all", "weather,bridge"], {"fog.md"}),
        (["--tag-all", "weather", "--tag-all", "harbour"], set()),
        (["--category", "ships"], {"fog.md"}),
        (["--category", "winter"], {"winter/ice.md"}),
        (["--date-from", "2026-01-01"], {"fog.md"}),
        (["--date-to", "2025-12-31"], set()),
        (["--limit", "1"], {"fog.md"}),
    ],
)
def test_filters(run: Run, arguments: list[str], paths: set[str]) -> None:
    _, out, _ = run("fog", "--format", "json", *arguments)
    assert {result["path"] for result in results(out)} == paths


def test_explain_shows_what_each_leg_gave(run: Run) -> None:
    _, out, _ = run("fog", "--explain")
    assert '"rank": 1' in out
    assert "fulltext:" in out
    assert "fused:" in out


@pytest.mark.parametrize("query", ["-fog", "-horn", "-x -y"])
def test_a_query_may_begin_with_a_hyphen(run: Run, query: str) -> None:
    code, out, err = run(query)
    assert (code, out) == (0, "No results.\n")
    assert "only excludes" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--limit", "-1"], "limit is -1; allowed is 1 or more"),
        (["--limit", "ten"], "'ten'"),
        (["--mode", "both"], "'both'"),
        (["--field", "owner"], "name=value"),
        (["--field", "owner=me"], "'owner'"),
        (["--date-from", "soon"], "'soon'"),
        (["--reranker", "nope"], "nope"),
    ],
)
def test_a_wrong_argument_is_named(run: Run, arguments: list[str], told: str) -> None:
    code, out, err = run("fog", *arguments)
    assert (code, out) == (2, "")
    assert told in err
    assert "Traceback" not in err


def test_another_model_than_the_indexs_is_refused_with_the_way_out(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", "--kb-path", str(tmp_path / "kb"), "fog"]) == 2
    err = capsys.readouterr().err
    assert "'fake'" in err
    assert "groove index --force" in err


def test_without_an_index_the_command_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["search", "--kb-path", str(tmp_path / "empty"), "fog"]) == 1
    assert "groove index" in capsys.readouterr().err
