from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock
from xml.etree import ElementTree as ET

import ir_measures
import pytest
from grooveseek.evaluation.evalrun import decode_run
from grooveseek.evaluation.history import load_baseline, load_history
from grooveseek.retrieval import pipeline
from grooveseek.retrieval.legs import NO_LEG
from tests.cli.conftest import Answer
from tests.support.eval_bases import GOLDEN, write_base
from tests.support.imports import imported_modules

Groove = Callable[..., Answer]


STEMS = {
    "weather/fog.md": "hornes waited sounding lifted mates harbours lamps",
    "weather/wind.md": "knotted lashing ramps",
    "cargo/horses.md": "groomed decks boxed",
    "cargo/bees.md": "engined hived closing nights",
    "office/groups.md": "seated parties",
    "my notes/tea & cake.md": "galleys serving",
    "office/refunds.md": "cancelling",
}
"""Path to words that full text finds there by their stems."""


def no_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


class Base:
    """The little base, indexed with the fake model, and `groove eval` on it."""

    def __init__(self, groove: Groove, folder: Path) -> None:
        self.groove = groove
        self.root = write_base(folder / "kb")
        self.config = folder / "fake.toml"
        self.config.write_text('model = "fake"\n', encoding="utf-8")
        self.index()

    def run(self, command: str, *argv: str) -> Answer:
        return self.groove(command, "--config", str(self.config), "--kb-path", str(self.root), *argv)

    def index(self) -> None:
        assert self.run("index", "--quiet").code == 0

    def eval(self, *argv: str) -> Answer:
        return self.run("eval", *argv)

    def json(self, *argv: str) -> dict[str, Any]:
        answer = self.eval("--format", "json", *argv)
        value: dict[str, Any] = json.loads(answer.out, parse_constant=no_constant)
        return value

    @property
    def history(self) -> Path:
        return self.root / ".groove-eval-history.json"


@pytest.fixture
def base(groove: Groove, tmp_path: Path) -> Base:
    return Base(groove, tmp_path / "work")


def test_a_first_run_reports_and_is_kept(base: Base):
    answer = base.eval()
    assert answer.code == 0
    assert answer.out.startswith("kb/.groove-eval.yml: 7 queries in the means, 1 not. 8 documents, 9 chunks;")
    for part in ("nDCG@10", "By number of answers", "Legs", "AUROC", "confidence 0."):
        assert part in answer.out
    assert len(load_history(base.history).runs) == 1


def test_the_report_is_on_stdout_alone_and_the_rest_on_stderr(base: Base):
    base.root.joinpath("faq.md").write_text("# Asked\n\nsaffron cake\n\npaid back after a cancelled crossing\n")
    base.index()
    answer = base.eval("--format", "json", "--limit", "3", "--mmr-lambda", "0.3")
    report = json.loads(answer.out)
    assert [finding["check"] for finding in report["findings"]] == ["golden-queries-quoted"]
    assert "warning: golden-queries-quoted: faq.md quotes 2 golden queries" in answer.err
    assert "note: MMR is off" in answer.err
    assert "note: --limit 3 is below the largest cutoff, 10" in answer.err
    assert answer.code == 0, "a finding is no regression"


def test_a_second_run_shows_what_moved(base: Base):
    base.eval()
    answer = base.eval("--per-query")
    assert "Nothing moved: 7 queries score the same on every measure." in answer.out
    assert "All queries" in answer.out
    assert len(load_history(base.history).runs) == 2
    assert "Nothing moved" not in base.eval("--no-diff").out


def test_no_history_neither_reads_nor_writes(base: Base):
    assert base.eval("--no-history").code == 0
    assert not base.history.exists()
    base.eval()
    before = base.history.read_bytes()
    report = base.json("--no-history")
    assert "comparison" not in report
    assert base.history.read_bytes() == before


def test_the_history_is_no_document(base: Base):
    base.eval()
    base.index()
    assert base.json()["corpus"]["documents"] == 8


class TestGate:
    """`--fail-on-regression` and `--gate`: 0 open, 1 closed, 2 could not tell."""

    @pytest.fixture
    def broken(self):
        """The full-text leg, silenced: what a change to the product might do."""
        return lambda: mock.patch.object(pipeline, "fulltext_leg", return_value=NO_LEG)

    @pytest.fixture
    def lively(self, base: Base) -> Base:
        """A golden set on which the full-text leg matters: stems, of which the fake model knows nothing."""
        entries = [
            f"  - {{query: {query}, expected: [{{path: {path}}}]}}\n"
            for path, queries in STEMS.items()
            for query in queries.split()
        ]
        base.root.joinpath(".groove-eval.yml").write_text("queries:\n" + "".join(entries), encoding="utf-8")
        return base

    def test_it_is_open_where_nothing_changed(self, lively: Base):
        for _ in range(2):
            assert lively.eval("--fail-on-regression").code == 0
        assert "Gate passed: No mean fell by more than 0.05." in lively.eval("--fail-on-regression").out

    @pytest.mark.parametrize("flags", [["--fail-on-regression"], ["--gate", "threshold"], ["--gate", "significance"]])
    def test_a_seeded_regression_closes_it(self, lively: Base, broken, flags: list[str]):
        lively.eval()
        with broken():
            answer = lively.eval(*flags)
        assert answer.code == 1
        assert "Gate failed: nDCG@1 fell" in answer.out
        assert lively.eval(*flags).code == 0, "the bad run is not what the next one is held against"

    def test_without_a_gate_a_regression_is_only_told(self, lively: Base, broken):
        lively.eval()
        with broken():
            answer = lively.eval()
        assert answer.code == 0
        assert "Queries that got worse" in answer.out

    @pytest.mark.parametrize("form", ["json", "github", "junit"])
    def test_a_closed_gate_is_told_on_stderr_in_other_formats(self, lively: Base, broken, form: str):
        lively.eval()
        with broken():
            answer = lively.eval("--fail-on-regression", "--format", form)
        assert answer.code == 1
        assert "groove: the gate is closed: nDCG@1 fell" in answer.err
        assert "note: This run was not added to the history" in answer.err

    def test_alpha_and_min_effect_say_how_sure_and_how_much(self, lively: Base, broken):
        lively.eval()
        with broken():
            assert lively.eval("--gate", "significance", "--alpha", "1e-9").code == 0
        fresh = lively.root.parent / "base.json"
        lively.eval("--no-history", "--save-baseline", str(fresh))
        with broken():
            gate = ["--no-history", "--baseline", str(fresh), "--gate", "significance"]
            assert lively.eval(*gate, "--min-effect", "0.99").code == 0
            assert lively.eval(*gate).code == 1

    @pytest.mark.parametrize("threshold", ["0.0", "1.0"])
    def test_the_threshold_is_a_setting(self, lively: Base, broken, threshold: str):
        lively.config.write_text(f'model = "fake"\n[eval]\nregression_threshold = {threshold}\n', encoding="utf-8")
        lively.eval()
        with broken():
            assert lively.eval("--fail-on-regression").code == (1 if threshold == "0.0" else 0)

    def test_an_edited_golden_set_is_not_compared_and_that_is_said(self, lively: Base, broken):
        lively.eval()
        golden = lively.root / ".groove-eval.yml"
        golden.write_text(golden.read_text() + "  - {query: more, expected: [{path: weather/fog.md}]}\n")
        with broken():
            answer = lively.eval("--fail-on-regression")
        assert answer.code == 0
        assert "Nothing to compare with: golden is" in answer.out

    def test_a_grown_corpus_is_compared_and_that_is_said(self, lively: Base, broken):
        lively.eval()
        (lively.root / "unrelated.md").write_text("# Chess\n\nA bishop moves along its diagonal.\n")
        lively.index()
        answer = lively.eval("--fail-on-regression")
        assert answer.code == 0
        assert "The indexed documents changed between the runs" in " ".join(answer.out.split())
        with broken():
            assert lively.eval("--fail-on-regression").code == 1

    def test_a_history_that_is_a_link_fools_nobody(self, lively: Base):
        lively.eval()
        kept = lively.root.parent / "kept.json"
        lively.history.rename(kept)
        lively.history.symlink_to(kept)
        before = kept.read_bytes()
        answer = lively.eval("--fail-on-regression")
        assert (answer.code, answer.out) == (2, "")
        assert "symbolic link" in answer.err
        assert kept.read_bytes() == before

    def test_a_history_of_nonsense_is_begun_anew_and_that_is_said(self, lively: Base):
        lively.history.write_text("[]")
        answer = lively.eval("--fail-on-regression")
        assert answer.code == 0
        assert "holds no evaluation history" in answer.out

    def test_a_baseline_is_held_against_instead_of_the_history(self, lively: Base, broken, tmp_path: Path):
        file = tmp_path / "baseline.json"
        assert lively.eval("--no-history", "--save-baseline", str(file)).code == 0
        with broken():
            lively.eval()
            assert lively.eval("--fail-on-regression", "--baseline", str(file)).code == 1
            assert lively.eval("--gate", "threshold").code == 0
        assert lively.eval("--fail-on-regression", "--baseline", str(file)).code == 0

    def test_a_baseline_measured_otherwise_could_not_be_compared_with(self, lively: Base, tmp_path: Path):
        file = tmp_path / "baseline.json"
        lively.eval("--no-history", "--save-baseline", str(file))
        answer = lively.eval("--no-history", "--baseline", str(file), "--fail-on-regression", "--k", "3")
        assert answer.code == 2
        assert "k_values is 3, was 1,5,10" in answer.out
        assert "--save-baseline" in answer.out

    def test_a_baseline_that_is_missing_is_an_error(self, lively: Base, tmp_path: Path):
        answer = lively.eval("--baseline", str(tmp_path / "none.json"), "--fail-on-regression")
        assert (answer.code, answer.out) == (2, "")
        assert "there is no such baseline" in answer.err


@pytest.mark.parametrize("level", ["chunk", "document"])
@pytest.mark.parametrize("gain", ["linear", "exp2"])
@pytest.mark.parametrize("limit", ["2", "10"])
def test_every_figure_is_ir_measures_own(base: Base, tmp_path: Path, level: str, gain: str, limit: str):
    run_out, qrels_out = tmp_path / "run.trec", tmp_path / "qrels.txt"
    flags = ["--level", level, "--gain", gain, "--limit", limit, "--k", "1,2,5"]
    report = base.json("--no-history", *flags, "--run-out", str(run_out), "--qrels-out", str(qrels_out))
    check_against_ir_measures(report, run_out, qrels_out)
    assert set(report["queries"][0]["metrics"]) == set(report["metrics"])


def check_against_ir_measures(report: dict[str, Any], run_out: Path, qrels_out: Path) -> None:
    """Every mean and every query's figure, by ir_measures on the exported files."""
    qrels, run = list(ir_measures.read_trec_qrels(str(qrels_out))), list(ir_measures.read_trec_run(str(run_out)))
    names = [name for name in report["metrics"] if not name.startswith("Unjudged")]
    measures = {theirs_of(name): name for name in names}
    means = ir_measures.calc_aggregate(measures, qrels, run)
    assert {measures[m]: value for m, value in means.items()} == pytest.approx(report["metrics"])
    mine = {
        (query["id"].replace(" ", "%20"), name): value
        for query in report["queries"]
        for name, value in query["metrics"].items()
    }
    theirs = {(m.query_id, measures[m.measure]): m.value for m in ir_measures.iter_calc(measures, qrels, run)}
    assert theirs == pytest.approx(mine)


def theirs_of(name: str) -> ir_measures.Measure:
    """Their own exponential gain is computed by a script that takes no query ids but numbers: spelled out instead."""
    measure = ir_measures.parse_measure(name)
    if "exp-log2" in name:
        return ir_measures.nDCG(gains={rel: 2**rel - 1 for rel in range(5)}) @ measure["cutoff"]
    return measure


def test_a_test_collection_is_measured_and_its_export_is_what_came_in(base: Base, tmp_path: Path):
    queries, qrels = tmp_path / "q.tsv", tmp_path / "qrels.txt"
    queries.write_text("1\twhat does the ferry do in fog\n2\tsaffron cake\n3\tnobody judged this\n", encoding="utf-8")
    judged = "1 0 fog 2\n1 0 weather/wind.md 0\n2 0 my%20notes/tea%20&%20cake.md 1\n2 0 elsewhere 1\n"
    qrels.write_text(judged, encoding="utf-8")
    run_out, qrels_out = tmp_path / "run.trec", tmp_path / "out.txt"
    flags = ["--queries", str(queries), "--qrels", str(qrels), "--run-out", str(run_out), "--qrels-out", str(qrels_out)]
    answer = base.eval("--no-history", "--format", "json", "--level", "document", *flags)
    report = json.loads(answer.out)
    check_against_ir_measures(report, run_out, qrels_out)
    assert report["averaged"] == 2
    assert report["unjudged"]["Unjudged@1"]["mean"] == 0.0
    assert 0 < report["unjudged"]["Unjudged@5"]["mean"] < 1
    assert "note: 1 of 3 queries have no relevant document" in answer.err
    assert "note: 1 judged documents are not indexed, elsewhere first." in answer.err
    assert "--level document" not in answer.err
    written = {tuple(line.split()) for line in qrels_out.read_text().splitlines()}
    assert ("1", "0", "weather/fog.md", "2") in written
    assert "note: chunks are ranked here" in base.eval("--no-history", *flags).err


def test_a_run_can_be_checked_with_jsonl_queries(base: Base, tmp_path: Path):
    queries, qrels = tmp_path / "q.jsonl", tmp_path / "qrels.txt"
    queries.write_text('{"id": "a", "text": "saffron cake"}\n')
    qrels.write_text("a 0 bees 1\n")
    report = base.json("--no-history", "--queries", str(queries), "--qrels", str(qrels))
    assert [query["id"] for query in report["queries"]] == ["a"]


def test_files_get_reports_of_their_own_format_in_one_run(base: Base, tmp_path: Path):
    miss = "queries:\n  - id: x\n    query: saffron\n    expected: [{path: gone.md}]\n"
    base.root.joinpath(".groove-eval.yml").write_text(GOLDEN.replace("queries:\n", miss), encoding="utf-8")
    page, cases, data = tmp_path / "r.html", tmp_path / "r.xml", tmp_path / "r.json"
    files = [part for file in (page, cases, data) for part in ("--output", str(file))]
    answer = base.eval("--format", "github", *files)
    assert answer.code == 0
    assert answer.out.startswith("::warning file=kb/.groove-eval.yml,line=3,title=Query missed::")
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert json.loads(data.read_text("utf-8"))["averaged"] == 8
    suite = ET.fromstring(cases.read_bytes()).find("testsuite")
    assert suite is not None
    assert suite.get("tests") == "9"
    quiet = base.eval("--format", "html", "--output", str(page))
    assert quiet.out == ""


def test_an_annotation_stands_on_the_query_it_is_about(base: Base, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GITHUB_WORKSPACE", str(base.root.parent.parent))
    out = base.eval("--format", "github", "--mode", "keyword").out
    line = next(line for line in out.splitlines() if "zzyzx quoxx" in line)
    assert line.startswith("::warning file=work/kb/.groove-eval.yml,line=")
    number = int(line.split("line=")[1].split(",")[0])
    golden = base.root.joinpath(".groove-eval.yml").read_text("utf-8").splitlines()
    assert golden[number - 1] == "  - id: nowhere"


def test_a_baseline_file_holds_the_run(base: Base, tmp_path: Path):
    file = tmp_path / "baseline.json"
    report = base.json("--save-baseline", str(file))
    run = load_baseline(file)
    assert dict(run.metrics) == report["metrics"]
    assert run.queries["fog"].top[0].path == "weather/fog.md"
    stored = json.loads(file.read_text("utf-8"))["run"]
    assert decode_run(stored) == run
    assert len([line for line in file.read_text("utf-8").splitlines() if '"metrics":{' in line]) == 8


@pytest.mark.parametrize(
    ("flags", "key", "value"),
    [
        (["--k", "2", "--k", "4,3"], "k_values", [2, 3, 4]),
        (["--limit", "7"], "limit", 7),
        (["--level", "document"], "level", "document"),
        (["--gain", "exp2"], "gain", "exp2"),
        (["--mode", "keyword"], "mode", "keyword"),
        (["--reranker", "fake"], "reranker", "fake"),
        (["--parent-retriever", "true"], "parent_retriever", mock.ANY),
        (["--mmr", "true", "--mmr-lambda", "0.2", "--mmr-same-doc-penalty", "0.1"], "mmr",
         {"enabled": True, "lambda": 0.2, "same_doc_penalty": 0.1}),
    ],
)  # fmt: skip
def test_flags_reach_the_run(base: Base, flags: list[str], key: str, value: object):
    plain = base.json("--no-history")["fingerprint"]
    changed = base.json("--no-history", *flags)["fingerprint"]
    assert changed[key] == value
    assert changed != plain
    assert plain["reranker"] is None


def test_a_reranker_in_the_settings_is_not_measured_unasked(base: Base):
    base.config.write_text('model = "fake"\nreranker = "fake"\n', encoding="utf-8")
    assert base.json("--no-history")["fingerprint"]["reranker"] is None
    assert base.json("--no-history", "--reranker", "fake")["fingerprint"]["reranker"] == "fake"


def test_cutoffs_history_size_and_golden_file_are_settings(base: Base):
    base.config.write_text('model = "fake"\n[eval]\nk_values = [3]\nhistory_size = 2\ngolden = "sets/mine.yml"\n')
    (base.root / "sets").mkdir()
    (base.root / "sets" / "mine.yml").write_text(GOLDEN, encoding="utf-8")
    (base.root / ".groove-eval.yml").unlink()
    for _ in range(3):
        report = base.json()
    assert report["fingerprint"]["k_values"] == [3]
    assert report["golden"] == str(Path("kb", "sets", "mine.yml"))
    assert len(load_history(base.history).runs) == 2


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--k", "5,x"], "--k is 'x'"),
        (["--k", "0"], "--k is 0; allowed is 1 to 1000"),
        (["--limit", "0"], "--limit is 0"),
        (["--alpha", "0.1"], "--alpha belongs to --gate significance"),
        (["--gate", "significance", "--min-effect", "7"], "--min-effect is 7; allowed is 0 to 1"),
        (["--queries", "q.tsv"], "--qrels is missing"),
        (["--golden", "g.yml", "--queries", "q.tsv", "--qrels", "r.txt"], "--golden and --queries both"),
        (["--golden", "none.yml"], "There is no golden file at none.yml"),
        (["--output", "report"], "the name tells no format"),
        (["--run-out", "none/run.trec"], "there is no folder none"),
        (["--save-baseline", "none/b.json"], "there is no folder none"),
        (["--mmr", "true", "--mmr-lambda", "3"], "mmr_lambda"),
        (["--model", "all-minilm-l6-v2"], "was built with the model 'fake'"),
        (["--format", "yaml"], "yaml"),
    ],
)
def test_what_cannot_be_run_exits_with_2_and_says_why(base: Base, flags: list[str], told: str):
    answer = base.eval(*flags)
    assert (answer.code, answer.out) == (2, "")
    assert told in answer.err
    assert "Traceback" not in answer.err


def test_a_mistake_in_the_golden_file_is_named_by_file_line_and_key(base: Base):
    base.root.joinpath(".groove-eval.yml").write_text("queries:\n  - query: fog\n    expect: []\n")
    answer = base.eval()
    assert answer.code == 2
    assert f"{base.root / '.groove-eval.yml'}:3: queries[0].expect: unknown key" in answer.err


def test_without_an_index_it_could_not_run(base: Base):
    for file in base.root.parent.glob(".groove.db*"):
        file.unlink()
    answer = base.eval("--fail-on-regression")
    assert (answer.code, answer.out) == (2, "")
    assert "Run `groove index` first" in answer.err


def test_colour_is_for_terminals(base: Base):
    base.eval()
    assert "\x1b[" not in base.eval("--no-color").out


def test_measuring_imports_no_parser_of_documents_and_no_server(base: Base):
    argv = ["eval", "--config", str(base.config), "--kb-path", str(base.root), "--format", "json", "--no-history"]
    modules = imported_modules(argv)
    never = {"grooveseek.indexing", "grooveseek.serving", "markdown_it", "ruamel", "onnxruntime", "rich", "fastembed"}
    assert not never & modules
