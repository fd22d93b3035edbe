"""When a setting is recommended, one criterion at a time."""

from __future__ import annotations

import numpy as np
import pytest
from grooveseek.evaluation.tune.crossval import Floats, cross_validate
from grooveseek.evaluation.tune.decision import Decision, decide, selection_p


def decided(
    *rows: list[float], secondary: list[list[float]] | None = None, configured: list[float] | None = None
) -> Decision:
    """The first row is the default."""
    values = np.array(rows)
    found = cross_validate(values, 0, range(len(rows)))
    others: dict[str, Floats] = {} if secondary is None else {"RR": np.array(secondary)}
    return decide(values, others, 0, found, configured=None if configured is None else np.array(configured))


def failed(decision: Decision) -> list[str]:
    return [criterion.name for criterion in decision.criteria if not criterion.holds]


LOW, HIGH = [0.5] * 10, [0.6, 0.7, 0.8, 0.6, 0.7, 0.8, 0.6, 0.7, 0.8, 0.6]


def test_a_setting_better_on_every_query_is_adopted() -> None:
    decision = decided(LOW, HIGH)
    assert decision.adopt
    assert decision.evidence.mean == pytest.approx(0.19)
    assert decision.evidence.selection_p == pytest.approx(1 / 1024)
    assert decision.evidence.three_se


def test_nothing_is_adopted_where_all_are_equal() -> None:
    decision = decided(LOW, LOW, LOW)
    assert {"another", "gain", "evidence"} <= set(failed(decision))
    assert decision.evidence.selection_p == 1.0


def test_a_gain_too_small_to_matter_is_not_adopted() -> None:
    assert failed(decided(LOW, [value + 0.015 for value in LOW])) == ["gain"]


@pytest.mark.parametrize("queries", [1, 2, 3, 5])
def test_a_few_queries_cannot_carry_a_recommendation_however_large_the_gain(queries: int) -> None:
    decision = decided([0.0] * queries, [1.0] * queries)
    assert "evidence" in failed(decision)
    assert not decision.adopt


def test_one_query_has_no_standard_error_and_leaves_the_default_chosen() -> None:
    decision = decided([0.0], [1.0])
    assert np.isnan(decision.evidence.standard_error)
    assert not decision.evidence.three_se
    assert "folds" in failed(decision)


def test_a_measure_that_falls_stands_in_the_way_and_is_named() -> None:
    decision = decided(LOW, HIGH, secondary=[LOW, [0.4, *LOW[1:]]])
    assert failed(decision) == ["secondary"]
    assert "RR -0.010" in decision.criteria[-1].said


def test_what_is_configured_must_be_beaten_as_well() -> None:
    assert failed(decided(LOW, HIGH, configured=HIGH)) == ["configured"]
    assert decided(LOW, HIGH, configured=[0.3] * 10).adopt


def test_a_choice_most_folds_did_not_make_is_not_adopted() -> None:
    # leaving out either of a row's good queries lets the other row win
    decision = decided([0.0] * 4, [1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0])
    assert "folds" in failed(decision)


def test_looking_at_more_settings_asks_for_more_evidence() -> None:
    random = np.random.default_rng(5)
    default, good = np.full(12, 0.5), np.full(12, 0.5)
    good[:7] = 0.7
    noise = 0.5 + 0.2 * random.choice([-1, 1], size=(200, 12))
    alone = selection_p(np.array([default, good]), 0, 1)
    among = selection_p(np.array([default, good, *noise]), 0, 1)
    assert alone == pytest.approx(1 / 128)  # the seven differences all positive, of 2^7 assignments
    assert among > 5 * alone


def test_settings_that_are_clearly_bad_do_not_hide_a_good_one() -> None:
    default, good = np.full(12, 0.8), np.full(12, 0.8)
    good[:8] = 0.9
    random = np.random.default_rng(5)
    bad = [np.full(12, 0.1) + 0.05 * random.random(12) for _ in range(20)]
    assert selection_p(np.array([default, good, *bad]), 0, 1) == pytest.approx(1 / 256)


def test_beyond_twelve_queries_signs_are_drawn_and_p_is_never_zero() -> None:
    values = np.array([[0.0] * 40, [1.0] * 40])
    assert selection_p(values, 0, 1) == 1 / 10_001
    assert selection_p(values, 0, 1, resamples=99) == 1 / 100
