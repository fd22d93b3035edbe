from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from grooveseek.errors import HistoryError
from grooveseek.evaluation.conclusion import Records, conclude
from grooveseek.evaluation.gate import GateMode, GateRule
from grooveseek.evaluation.history import append_run, load_baseline, load_history
from grooveseek.evaluation.outcome import EvalReport
from grooveseek.evaluation.runner import Measured
from tests.support.eval_runs import CORPUS, make_run, measured_with

GOOD = make_run({"nDCG@10": [1.0] * 20}, time="2026-01-01T00:00:00Z")
BAD = make_run({"nDCG@10": [1.0] * 10 + [0.0] * 10}, time="2026-01-02T00:00:00Z")


def concluded(run, records: Records, rule: GateRule | None = None) -> EvalReport:
    measured = Measured(run=run, queries=(), findings=(), ranked={}, targets={})
    return conclude(measured, "golden.yml", "nDCG@10", records, rule)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return tmp_path / "history.json"


def times(file: Path) -> list[str]:
    return [run.time for run in load_history(file).runs]


def test_a_first_run_is_kept_and_compared_with_nothing(history: Path):
    report = concluded(GOOD, Records(history=history))
    assert report.comparison is None
    assert report.gate is None
    assert times(history) == [GOOD.time]


def test_the_next_run_is_compared_with_the_one_before(history: Path):
    concluded(GOOD, Records(history=history))
    report = concluded(BAD, Records(history=history))
    assert report.comparison is not None
    assert report.comparison.previous.time == GOOD.time
    assert [point.time for point in report.history] == [GOOD.time]
    assert times(history) == [GOOD.time, BAD.time]


def test_only_so_many_runs_are_kept(history: Path):
    for day in range(1, 6):
        concluded(replace(GOOD, time=f"2026-01-0{day}T00:00:00Z"), Records(history=history, keep=2))
    assert times(history) == ["2026-01-04T00:00:00Z", "2026-01-05T00:00:00Z"]


def test_a_run_is_held_against_the_newest_one_measured_the_same_way(history: Path):
    concluded(GOOD, Records(history=history))
    concluded(measured_with(BAD, limit=3), Records(history=history))
    report = concluded(GOOD, Records(history=history))
    assert report.comparison is not None
    assert report.comparison.compatible
    assert report.comparison.previous.time == GOOD.time


def test_with_none_measured_the_same_way_it_says_what_differs_and_the_gate_stays_open(history: Path):
    concluded(GOOD, Records(history=history))
    report = concluded(measured_with(BAD, golden="b" * 64), Records(history=history), GateRule())
    assert report.comparison is not None
    assert [difference.key for difference in report.comparison.differences] == ["golden"]
    assert report.gate is not None
    assert report.gate.exit_code == 0
    assert "golden is" in report.gate.reasons[0]


def test_without_a_history_nothing_is_read_or_written(tmp_path: Path):
    report = concluded(BAD, Records(), GateRule())
    assert report.gate is not None
    assert report.gate.exit_code == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", list(GateMode))
def test_a_fall_closes_the_gate_again_and_again(history: Path, mode: GateMode):
    """A run that did not pass must not become what the next one is held against."""
    concluded(GOOD, Records(history=history))
    for _ in range(3):
        report = concluded(BAD, Records(history=history), GateRule(mode=mode))
        assert report.gate is not None
        assert report.gate.exit_code == 1
        assert "not added to the history" in (report.note or "")
    assert times(history) == [GOOD.time]


def test_a_fall_is_accepted_by_running_without_the_gate(history: Path):
    concluded(GOOD, Records(history=history))
    assert concluded(BAD, Records(history=history)).note is None
    report = concluded(BAD, Records(history=history), GateRule())
    assert report.gate is not None
    assert report.gate.exit_code == 0


def test_a_grown_corpus_is_compared_and_said(history: Path):
    concluded(GOOD, Records(history=history))
    grown = replace(GOOD, corpus=replace(CORPUS, documents=4, digest="e" * 64))
    report = concluded(grown, Records(history=history), GateRule())
    assert report.comparison is not None
    assert report.comparison.corpus_changed
    assert report.gate is not None
    assert report.gate.exit_code == 0


def test_a_baseline_takes_the_historys_place_in_the_comparison_alone(history: Path, tmp_path: Path):
    baseline = tmp_path / "baseline.json"
    concluded(GOOD, Records(save_baseline=baseline))
    concluded(BAD, Records(history=history))
    report = concluded(BAD, Records(history=history, baseline=baseline), GateRule())
    assert report.comparison is not None
    assert report.comparison.previous.time == GOOD.time
    assert report.gate is not None
    assert report.gate.exit_code == 1
    assert times(history) == [BAD.time, BAD.time], "the history is not what this gate holds runs against"


def test_a_baseline_that_cannot_be_compared_with_is_no_pass(tmp_path: Path):
    baseline = tmp_path / "baseline.json"
    concluded(measured_with(GOOD, golden="b" * 64), Records(save_baseline=baseline))
    report = concluded(GOOD, Records(baseline=baseline), GateRule())
    assert report.gate is not None
    assert report.gate.exit_code == 2
    assert "--save-baseline" in report.gate.reasons[0]


def test_the_old_baseline_is_compared_with_before_it_is_replaced(tmp_path: Path):
    baseline = tmp_path / "baseline.json"
    concluded(GOOD, Records(save_baseline=baseline))
    report = concluded(BAD, Records(baseline=baseline, save_baseline=baseline))
    assert report.comparison is not None
    assert report.comparison.previous.time == GOOD.time
    assert load_baseline(baseline) == BAD


@pytest.mark.parametrize("broken", ["link", "folder", "two names"])
def test_a_history_that_may_not_be_read_is_an_error_and_left_alone(history: Path, tmp_path: Path, broken: str):
    kept = tmp_path / "kept.json"
    append_run(kept, load_history(kept), GOOD, keep=5)
    before = kept.read_bytes()
    if broken == "link":
        history.symlink_to(kept)
    elif broken == "folder":
        history.mkdir()
    else:
        history.hardlink_to(kept)
    with pytest.raises(HistoryError):
        concluded(BAD, Records(history=history, save_baseline=tmp_path / "new.json"), GateRule())
    assert kept.read_bytes() == before
    assert not (tmp_path / "new.json").exists()


def test_a_history_that_makes_no_sense_starts_afresh_and_says_so(history: Path):
    history.write_text("{not json")
    report = concluded(GOOD, Records(history=history), GateRule())
    assert "holds no evaluation history" in (report.note or "")
    assert times(history) == [GOOD.time]


def test_a_missing_baseline_stops_before_anything_is_kept(history: Path, tmp_path: Path):
    with pytest.raises(HistoryError, match="there is no such baseline"):
        concluded(GOOD, Records(history=history, baseline=tmp_path / "none.json"))
    assert not history.exists()
