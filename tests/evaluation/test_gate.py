import math
from dataclasses import replace

import pytest
from grooveseek.evaluation.compare import compare
from grooveseek.evaluation.gate import GateMode, GateRule, decide
from tests.support.eval_runs import make_run, measured_with

SIGNIFICANCE = GateRule(mode=GateMode.SIGNIFICANCE)
BEFORE = make_run({"nDCG@5": [1.0] * 12, "RR": [1.0] * 12})


def after(fall: float, queries: int = 12) -> object:
    """A run whose nDCG@5 fell by ``fall`` on that many queries."""
    return make_run({"nDCG@5": [1.0 - fall] * queries + [1.0] * (12 - queries), "RR": [1.0] * 12})


@pytest.mark.parametrize(("fall", "exit_code"), [(0.0, 0), (0.05, 0), (0.051, 1), (-0.5, 0)])
def test_a_mean_that_fell_by_more_than_the_threshold_is_a_regression(fall: float, exit_code: int) -> None:
    assert decide(compare(after(fall), BEFORE), GateRule()).exit_code == exit_code


def test_the_measure_and_the_figures_are_named() -> None:
    decision = decide(compare(after(0.1), BEFORE), GateRule())
    assert decision.metrics == ("nDCG@5",)
    assert decision.reasons == ("nDCG@5 fell from 1.0000 to 0.9000, more than 0.05.",)
    assert not decision.passed


@pytest.mark.parametrize(
    ("fall", "queries", "exit_code"),
    [
        (0.02, 12, 1),  # small, but every query agrees: p = 2/2^12
        (0.009, 12, 0),  # sure, but too small to matter
        (0.9, 5, 0),  # large, but five queries cannot tell it from chance
        (0.5, 6, 1),  # 2/2^6 = 0.03
    ],
)
def test_significance_needs_both_a_small_p_and_an_effect(fall: float, queries: int, exit_code: int) -> None:
    assert decide(compare(after(fall, queries), BEFORE), SIGNIFICANCE).exit_code == exit_code


def test_significance_is_judged_after_the_correction() -> None:
    worse = make_run({"nDCG@5": [0.5] * 6 + [1.0] * 6, "RR": [1.0, *[0.5] * 6, *[1.0] * 5]})
    decision = decide(compare(worse, BEFORE), SIGNIFICANCE)
    assert decision.passed, "each p is 0.03 alone, and 0.06 as one of two tests"


def test_a_significant_rise_passes() -> None:
    assert decide(compare(BEFORE, after(0.5)), SIGNIFICANCE).passed


def test_the_rule_that_held_is_said_when_it_passes() -> None:
    comparison = compare(BEFORE, BEFORE)
    assert decide(comparison, GateRule(threshold=0.03)).reasons == ("No mean fell by more than 0.03.",)
    assert decide(comparison, SIGNIFICANCE).reasons == ("No measure fell by more than 0.01 with p below 0.05.",)


@pytest.mark.parametrize(("named", "exit_code"), [(False, 0), (True, 2)])
def test_a_named_baseline_that_cannot_be_compared_is_not_a_pass(named: bool, exit_code: int) -> None:
    comparison = compare(measured_with(BEFORE, limit=5), BEFORE)
    decision = decide(comparison, GateRule(), baseline_named=named)
    assert decision.exit_code == exit_code
    assert decision.reasons[0].startswith("Nothing to compare with: limit is 5, was 10.")
    assert decide(None, GateRule(), baseline_named=named).exit_code == exit_code


def test_an_undefined_mean_is_not_a_pass() -> None:
    undefined = replace(BEFORE, metrics={"nDCG@5": math.nan, "RR": 1.0})
    decision = decide(compare(undefined, BEFORE), GateRule())
    assert (decision.exit_code, decision.reasons) == (2, ("nDCG@5 is undefined in one of the runs.",))


def test_runs_without_a_common_measure_are_not_a_pass() -> None:
    assert decide(compare(BEFORE, make_run({"AP": [1.0] * 12})), GateRule()).exit_code == 2
