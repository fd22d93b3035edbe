"""Users' faults with measuring: queries that find nothing, expect nothing or expect what is gone (case C45)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from grooveseek.evaluation.measures import NDCG, Gain
from tests.conftest import write_files

CASE = Path(__file__).parents[1] / "cases" / "C45"
EXPECTED = json.loads((CASE / "expect.json").read_text("utf-8"))
MEASURES = {"recall": "R@10", "mrr": "RR", "ndcg": "nDCG@10"}


class Base:
    """A folder, indexed with the fake model, and `groove` on it as a process."""

    def __init__(self, root: Path, files: dict[str, str | bytes]) -> None:
        self.root = root / "kb"
        self.root.mkdir()
        write_files(self.root, files)
        (root / "groove.toml").write_text('model = "fake"\nkb_path = "kb"\n')
        assert self.groove("index", "--quiet").returncode == 0

    def groove(self, *argv: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "grooveseek", *argv]
        return subprocess.run(command, cwd=self.root.parent, capture_output=True, encoding="utf-8", timeout=120)

    def golden(self, queries: list[dict[str, Any]]) -> None:
        (self.root / ".groove-eval.yml").write_text(yaml.safe_dump({"queries": queries}, allow_unicode=True))

    def eval(self, *argv: str) -> subprocess.CompletedProcess[str]:
        return self.groove("eval", "--mode", "keyword", "--no-history", *argv)

    def json(self, *argv: str) -> dict[str, Any]:
        done = self.eval("--format", "json", *argv)
        assert done.returncode == 0, done.stderr
        report: dict[str, Any] = json.loads(done.stdout)
        assert "NaN" not in done.stdout
        return report


@pytest.fixture
def base(tmp_path: Path) -> Base:
    return Base(tmp_path, {path.name: path.read_bytes() for path in (CASE / "kb").iterdir()})


def case_queries(*, without: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """The case's golden file in groove's own words; ``without`` some of its queries."""
    queries = yaml.safe_load((CASE / "golden.yaml").read_text("utf-8"))["queries"]
    return [
        {"id": q["id"], "query": q["query"], "expected": [{"path": path} for path in q["relevant"]]}
        for q in queries
        if q["id"] not in without
    ]


def test_a_query_that_expects_nothing_is_an_error_that_says_what_to_write(base: Base) -> None:
    base.golden(case_queries())
    done = base.eval()
    assert done.returncode == 2
    assert "answerable: false" in done.stderr
    assert ".groove-eval.yml:" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def sound(base: Base) -> Base:
    """The case with its third query said to have no answer."""
    queries = case_queries()
    queries[2]["answerable"] = False
    base.golden(queries)
    return base


def test_each_query_scores_what_it_should_and_the_unanswered_one_is_there(sound: Base) -> None:
    report = sound.json("--k", "10")
    found = {query["id"]: query["metrics"] for query in report["queries"]}
    for query_id in ("q1", "q2", "q5"):
        for name, value in EXPECTED["keyword_mode_k10"][query_id].items():
            assert found[query_id][MEASURES[name]] == pytest.approx(value, abs=5e-6), (query_id, name)
    assert found["q3"] == {}


def test_a_document_that_does_not_exist_is_named_and_counts_as_not_found(sound: Base) -> None:
    done = sound.eval("--k", "10", "--format", "json")
    report = json.loads(done.stdout)
    assert "gone.md" in done.stderr
    assert [finding["path"] for finding in report["findings"]] == ["gone.md"]
    means = EXPECTED["means"]["over q1,q2,q4,q5"]
    assert {name: report["metrics"][MEASURES[name]] for name in means} == pytest.approx(means, abs=5e-6)
    assert report["averaged"] == 4


def test_means_are_over_every_query_that_can_be_answered(base: Base) -> None:
    queries = case_queries(without=("q4",))
    queries[2]["answerable"] = False
    base.golden(queries)
    report = base.json("--k", "10")
    means = EXPECTED["means"]["over q1,q2,q5"]
    assert {name: report["metrics"][MEASURES[name]] for name in means} == pytest.approx(means, abs=5e-6)
    assert report["averaged"] == 3


def test_the_report_for_a_person_says_how_many_queries_the_means_are_over(sound: Base) -> None:
    done = sound.eval("--k", "10", "--per-query")
    assert done.returncode == 0
    assert "4 queries in the means, 1 not" in done.stdout
    assert "gone.md: not in the index" in done.stdout
    assert "zzqqnothing" in done.stdout
    for name, value in EXPECTED["means"]["over q1,q2,q4,q5"].items():
        line = next(line for line in done.stdout.splitlines() if line.strip().startswith(MEASURES[name]))
        assert line.split()[-1] == f"{value:.3f}"
    assert "nan" not in done.stdout.casefold()


def test_an_ideal_is_cut_at_k_and_recall_is_not(tmp_path: Path) -> None:
    base = Base(tmp_path, {f"d{i}.md": f"# Note {i}\n\nglimmerwort number {i}\n" for i in range(5)})
    expected = [{"path": f"d{i}.md"} for i in range(5)]
    base.golden([{"query": "glimmerwort", "expected": expected}])
    metrics = base.json("--k", "3", "--limit", "3")["metrics"]
    wanted = EXPECTED["ideal_cut_at_k"]
    assert metrics["nDCG@3"] == wanted["ndcg@3"]
    assert metrics["R@3"] == wanted["recall@3"]


def test_graded_gain_is_linear_unless_asked_otherwise(tmp_path: Path) -> None:
    graded = EXPECTED["graded"]
    for gain, wanted in ((Gain.LINEAR, "ndcg_linear_gain"), (Gain.EXP2, "ndcg_exponential_gain")):
        value = NDCG(gain=gain).evaluate(graded["ranking"], graded["judged"])
        assert value == pytest.approx(graded[wanted], abs=5e-5)
    base = Base(tmp_path, {"b.md": "# B\n\nglimmerwort glimmerwort\n", "a.md": "# A\n\none glimmerwort among others\n"})
    expected = [{"path": "a.md", "relevance": 3}, {"path": "b.md", "relevance": 2}]
    base.golden([{"query": "glimmerwort", "expected": expected}])
    assert base.json()["queries"][0]["top"][0]["path"] == "b.md"
    assert base.json()["metrics"]["nDCG@10"] == pytest.approx(graded["ndcg_linear_gain"], abs=5e-5)
    exponential = base.json("--gain", "exp2")["metrics"]["nDCG(dcg='exp-log2')@10"]
    assert exponential == pytest.approx(graded["ndcg_exponential_gain"], abs=5e-5)
