"""``groove tune``: exit codes, streams, formats."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from grooveseek.evaluation.tune.decision import MAX_P, MIN_GAIN
from grooveseek.evaluation.tune.grid import Choice, build_grid
from grooveseek.evaluation.tune.notes import FEW_QUERIES
from tests.conftest import write_files
from tests.support.imports import check_imports

NOTES = {
    f"{word}.md": f"# {word}\n\nAbout the {word} and the ship, again {word}.\n" for word in ("pump", "lamp", "fog")
}
GOLDEN = (
    "queries:\n"
    "  - {query: ship pump, expected: [{path: pump.md}]}\n"
    "  - {query: ship lamp, expected: [{path: lamp.md}]}\n"
)


@pytest.fixture
def run(tmp_path: Path, groove: Callable[..., object]) -> Callable[..., object]:
    """Run ``groove tune`` on three indexed notes with a golden file."""
    kb = tmp_path / "kb"
    kb.mkdir()
    write_files(kb, {**NOTES, ".groove-eval.yml": GOLDEN})
    common = ("--kb-path", str(kb), "--model", "fake")
    assert groove("index", *common).code == 0
    return lambda *arguments: groove("tune", *common, *arguments)


def test_keeping_the_defaults_is_exit_0_with_the_warning_on_stderr(run):
    answer = run()
    assert answer.code == 0
    assert "Keep the defaults" in answer.out
    assert "warning: 2 queries have 2 full-text candidates or more" in answer.err
    assert "warning" not in answer.out


def test_two_runs_print_the_same_bytes(run):
    for form in ("text", "json", "html"):
        assert run("--format", form).out == run("--format", form).out


def test_json_is_alone_on_stdout(run):
    values = json.loads(run("--format", "json").out)
    assert values["recommendation"] is None
    assert values["queries"] == values["effective_queries"] == 2
    assert values["family"] == "rrf"


def test_reports_go_to_files_by_their_name(run, tmp_path: Path):
    answer = run("--output", str(tmp_path / "a.html"), "--output", str(tmp_path / "a.json"), "--family", "convex")
    assert answer.code == 0
    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["default"]["settings"]["alpha"] == 0.8


def test_a_format_tune_does_not_write_is_refused_before_any_work(run, tmp_path: Path):
    answer = run("--output", str(tmp_path / "a.xml"))
    assert answer.code == 2
    assert "tune writes text, json, html" in answer.err


def test_no_effective_query_is_exit_2_with_the_diagnosis_on_stderr(run, tmp_path: Path):
    (tmp_path / "kb" / ".groove-eval.yml").write_text("queries:\n  - {query: zebra, expected: [{path: pump.md}]}\n")
    answer = run()
    assert (answer.code, answer.out) == (2, "")
    assert "no query has 2 full-text candidates" in answer.err


def test_no_index_and_no_golden_file_are_exit_2(groove, tmp_path: Path):
    kb = tmp_path / "kb"
    kb.mkdir()
    write_files(kb, NOTES)
    common = ("--kb-path", str(kb), "--model", "fake")
    assert groove("tune", *common).code == 2
    groove("index", *common)
    answer = groove("tune", *common)
    assert answer.code == 2
    assert "There is no golden file" in answer.err


def test_a_test_collection_is_tuned_by_document(run, tmp_path: Path):
    (tmp_path / "q.tsv").write_text("1\tship pump\n2\tship lamp\n")
    (tmp_path / "qrels.txt").write_text("1 0 pump 1\n2 0 lamp 1\n")
    answer = run(
        "--queries",
        str(tmp_path / "q.tsv"),
        "--qrels",
        str(tmp_path / "qrels.txt"),
        "--level",
        "document",
        "--format",
        "json",
    )
    assert answer.code == 0
    assert json.loads(answer.out)["level"] == "document"


def test_help_imports_neither_numpy_nor_scipy():
    check_imports(["tune", "--help"], allowed={"click"}, never={"numpy", "scipy", "grooveseek.evaluation"})


def test_the_page_about_tuning_has_the_numbers_of_the_code():
    page = (Path(__file__).parents[2] / "docs" / "tune.md").read_text(encoding="utf-8")
    for choice, legs in ((Choice.RRF, False), (Choice.RRF, True), (Choice.CONVEX, False), (Choice.ALL, False)):
        count = len(build_grid(choice, legs=legs, has_context=True).conditions)
        assert re.search(rf"\| `{choice.value}`.*\| {count}:", page), (choice, legs, count)
    assert f"exceeds {MIN_GAIN:g}" in page
    assert f"p of at most {MAX_P:g}:" in page
    assert f"Below {FEW_QUERIES} there is" in page
