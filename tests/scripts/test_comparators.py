import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BENCH = Path(__file__).parents[2] / "eval" / "bench"


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    import comparators_tables

    return comparators_tables


@pytest.fixture
def worker(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    import comparators_worker

    return comparators_worker


@pytest.fixture
def corpus(tmp_path):
    """Three chunks of two documents: the first of two windows, the second of none, the third of one."""
    texts = {"a.md#0": "the wing and its slipstream", "a.md#1": "heat in a thin plate", "b.md#0": "plate and shell"}
    lines = [json.dumps({"key": key, "text": text}) + "\n" for key, text in texts.items()]
    (tmp_path / "chunks.jsonl").write_text("".join(lines), encoding="utf-8")
    np.save(tmp_path / "vectors.npy", np.eye(3, 384, dtype=np.float32))
    np.save(tmp_path / "owners.npy", np.array([0, 0, 2]))
    (tmp_path / "queries.json").write_text(json.dumps(["slipstream"]), encoding="utf-8")
    np.save(tmp_path / "query_vectors.npy", np.eye(1, 384, dtype=np.float32))
    (tmp_path / "corpus.json").write_text(json.dumps({"root": None}), encoding="utf-8")
    return tmp_path


def figures(tables, other_ms, other_size):
    def cost(system, size):
        return tables.Cost(system=system, version="1", seconds=2, mebibytes=size, building=9, searching=9)

    def run(system, ms, keys):
        return tables.Run(system=system, mode="keyword", ms=ms, keys=keys)

    return tables.Figures(
        corpus="cacm",
        chunks=3,
        files=True,
        costs=[cost("groove", 10), cost("other", other_size)],
        runs=[run("groove", [4.0, 4.0], [["a#0"], ["b#0"]]), run("other", other_ms, [["b#0"], ["b#1", "b#0"]])],
        missing=[],
    )


JUDGED = [{"a": 1}, {"b": 1}]


def test_a_window_is_a_row_with_its_chunks_text_and_a_chunk_without_one_is_none(worker, corpus):
    rows = worker.Corpus(corpus).rows()
    assert [(row, key, text.split()[0], int(vector.argmax())) for row, key, text, vector in rows] == [
        (0, "a.md#0", "the", 0),
        (1, "a.md#0", "the", 1),
        (2, "b.md#0", "plate", 2),
    ]


def test_of_a_chunk_with_several_windows_the_best_counts_once(worker):
    found = iter([("a", "text"), ("b", "other"), ("a", "text"), ("c", "more")])
    assert worker.once(found, 2) == [("a", "text"), ("b", "other")]


def test_documents_are_ranked_by_their_best_chunk(tables):
    run = tables.Run(system="x", mode="keyword", ms=[1.0], keys=[["b#2", "a#0", "b#0"]])
    assert run.documents() == [["b", "a"]]


def test_a_percentile_is_a_value_that_was_measured(tables):
    values = [float(value) for value in range(20, 0, -1)]
    assert (tables.percentile(values, 0.5), tables.percentile(values, 0.95)) == (10.0, 19.0)
    assert tables.percentile([7.0], 0.95) == 7.0


def test_the_page_says_where_groove_loses(tables):
    said = tables.verdicts(figures(tables, other_ms=[1.0, 1.0], other_size=2), JUDGED)
    assert "- keyword search: groove takes more than other (4.0 times)." in said
    assert "- size on disk: groove takes more than other (5.0 times)." in said
    assert "- time to build: about as much as other." in said


def test_the_page_says_where_groove_wins(tables):
    said = tables.verdicts(figures(tables, other_ms=[8.0, 8.0], other_size=30), JUDGED)
    assert "- keyword search: less than other (2.0 times)." in said
    assert "- size on disk: less than other (3.0 times)." in said


def test_quality_is_told_only_where_it_is_more_than_chance(tables):
    one = figures(tables, other_ms=[4.0, 4.0], other_size=10)
    assert tables.quality_sentence(one, JUDGED) == "not told apart from other (keyword, +0.5000)."
    many = tables.Figures.from_json(
        {
            "corpus": "cacm",
            "chunks": 3,
            "files": True,
            "costs": [],
            "missing": [],
            "runs": [
                {"system": "groove", "mode": "keyword", "ms": [1.0] * 12, "keys": [["b#0"]] * 12},
                {"system": "other", "mode": "keyword", "ms": [1.0] * 12, "keys": [["a#0"]] * 12},
            ],
        }
    )
    assert tables.quality_sentence(many, [{"a": 1}] * 12) == "groove is worse than other (keyword, -1.0000)."


def test_the_share_of_the_exact_nearest_is_counted_in_the_first_ten(tables):
    exact = tables.Run(system="x", mode="semantic", ms=[], keys=[list("abcdefghijk")])
    found = tables.Run(system="y", mode="semantic", ms=[], keys=[list("kabcdefghyj")])
    assert tables.shared(found, exact) == 0.8


def test_groove_answers_as_a_process_of_its_own(corpus, tmp_path):
    np.save(corpus / "owners.npy", np.arange(3))
    index = tmp_path / "index"
    index.mkdir()
    command = [sys.executable, "comparators_worker.py", "groove", str(corpus), str(index)]
    ask = [{"do": "ask", "mode": mode, "query": 0, "limit": 1} for mode in ("hybrid", "keyword", "semantic")]
    answers = []
    for steps in ([{"do": "build"}], [{"do": "open"}, *ask, {"do": "memory"}]):
        lines = "".join(json.dumps(step) + "\n" for step in steps)
        done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True, cwd=BENCH, timeout=60)
        answers += [json.loads(line) for line in done.stdout.splitlines()]
    built, opened, *found, memory = answers
    assert built["seconds"] > 0
    assert opened == {}
    assert [one["keys"] for one in found] == [["a.md#0"]] * 3
    assert memory["memory"] > 1
