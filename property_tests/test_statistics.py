"""What must hold of the statistics for any differences."""

import math

from grooveseek.evaluation.statistics import (
    bootstrap_interval,
    count_signs,
    holm,
    mean_of,
    paired_results,
    randomisation_p,
    sign_test_p,
)
from hypothesis import given, settings
from hypothesis import strategies as st

DIFFERENCES = st.lists(st.sampled_from([0.0, 0.0, 0.5, -0.5, math.nan]) | st.floats(-1, 1), max_size=30)
P_VALUES = st.lists(st.floats(0, 1) | st.just(math.nan), max_size=12)


@settings(max_examples=60, deadline=None)
@given(st.lists(DIFFERENCES, max_size=3))
def test_any_differences_have_a_result_and_always_the_same(differences: list[list[float]]) -> None:
    results = paired_results(differences)
    assert repr(results) == repr(paired_results(differences))
    for values, result in zip(differences, results, strict=True):
        known = [value for value in values if not math.isnan(value)]
        assert result.queries == len(known) == sum((result.counts.wins, result.counts.losses, result.counts.ties))
        assert math.isnan(result.p) == (not known)
        assert known == [] or 0 < result.p <= result.p_adjusted <= 1


@settings(max_examples=60, deadline=None)
@given(DIFFERENCES)
def test_turning_every_sign_turns_the_interval_and_keeps_p(values: list[float]) -> None:
    turned = [-value for value in values]
    p, q = randomisation_p(values), randomisation_p(turned)
    assert (math.isnan(p) and math.isnan(q)) or p == q
    assert count_signs(values).wins == count_signs(turned).losses
    here, there = bootstrap_interval(values), bootstrap_interval(turned)
    assert here.note == there.note
    if not here.note:
        assert math.isclose(here.low, -there.high, abs_tol=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=6, max_size=30))
def test_an_interval_lies_within_the_differences_and_is_the_right_way_round(values: list[float]) -> None:
    interval = bootstrap_interval(values)
    if not interval.note:
        assert min(values) - 1e-9 <= interval.low <= interval.high <= max(values) + 1e-9


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=14))
def test_when_all_queries_agree_both_tests_are_at_their_smallest(values: list[float]) -> None:
    smallest = 2 / 2 ** len(values)
    assert math.isclose(randomisation_p(values), smallest)
    assert math.isclose(sign_test_p(values), smallest)
    assert mean_of(values) > 0


@settings(max_examples=100, deadline=None)
@given(P_VALUES)
def test_holm_keeps_the_order_and_never_lowers_a_p(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    pairs = sorted((p, a) for p, a in zip(p_values, adjusted, strict=True) if not math.isnan(p))
    assert all(a >= p and a <= 1 for p, a in pairs)
    assert [a for _, a in pairs] == sorted(a for _, a in pairs)
    assert [math.isnan(a) for a in adjusted] == [math.isnan(p) for p in p_values]
