import math

import numpy as np
import pytest
from grooveseek.evaluation.statistics import (
    Counts,
    Interval,
    bootstrap_interval,
    count_signs,
    defined,
    holm,
    paired_results,
    queries_needed,
    randomisation_p,
    sign_test_p,
    standard_deviation,
)
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

NAN = math.nan


def sample(size: int, seed: int, shift: float = 0.05) -> list[float]:
    random = np.random.default_rng(seed)
    return np.where(random.random(size) < 0.4, 0.0, random.normal(shift, 0.2, size)).tolist()


@pytest.mark.parametrize(
    ("values", "note"),
    [
        ([], "no query to compare"),
        ([NAN], "no query to compare"),
        ([0.5], "one query only"),
        ([0.0, 0.0], "no query differs"),
        ([0.5, 0.0], "only 1 query differs; at least 6 must before a difference can be told from chance"),
        ([0.5] * 5, "only 5 queries differ; at least 6 must before a difference can be told from chance"),
    ],
)
def test_too_few_queries_get_words_instead_of_an_interval(values: list[float], note: str) -> None:
    interval = bootstrap_interval(values)
    assert (math.isnan(interval.low), math.isnan(interval.high), interval.note) == (True, True, note)


@pytest.mark.parametrize("size", [6, 40])
def test_the_interval_is_hesterbergs_expanded_percentile(size: int) -> None:
    values = np.array([value or 0.05 for value in sample(size, 3)])
    level = stats.norm.cdf(math.sqrt(size / (size - 1)) * stats.t.ppf(0.025, size - 1))
    theirs = stats.bootstrap(
        (values,), np.mean, confidence_level=1 - 2 * level, n_resamples=100_000, method="percentile", rng=5
    ).confidence_interval
    interval = bootstrap_interval(values)
    close = 0.02 * (theirs.high - theirs.low)
    assert interval.low == pytest.approx(theirs.low, abs=close)
    assert interval.high == pytest.approx(theirs.high, abs=close)
    assert interval.low < values.mean() < interval.high


def test_queries_that_all_moved_alike_leave_no_spread() -> None:
    assert bootstrap_interval([-0.25] * 8) == Interval(low=-0.25, high=-0.25)


@pytest.mark.parametrize(
    ("values", "p"),
    [
        ([0.5], 1.0),  # both signs are as far from zero
        ([0.5, 0.25], 0.5),  # ++ and -- of four
        ([1.0, 2.0, 3.0], 2 / 8),
        ([1.0, -1.0], 1.0),
        ([0.3, 0.0, 0.0, 0.3], 0.5),  # a query that did not change tells nothing
        ([0.1, 0.2, -0.3], 1.0),  # sums to zero but for rounding
        ([1.0, 2.0, 4.0, -1.0], 6 / 16),  # 8, and 6 with either 1 turned; the same below zero
    ],
)
def test_randomisation_p_counts_sign_assignments(values: list[float], p: float) -> None:
    assert randomisation_p(values) == pytest.approx(p)


@pytest.mark.parametrize("size", [2, 5, 9, 12])
def test_the_exact_p_is_scipys(size: int) -> None:
    values = sample(size, size)
    theirs = stats.permutation_test(
        (np.array(values),), lambda x, axis: x.mean(axis=axis), permutation_type="samples", vectorized=True,
        n_resamples=10**5,
    ).pvalue  # fmt: skip
    assert randomisation_p(values) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_drawn_p_is_scipys_within_its_error(seed: int) -> None:
    values = sample(120, seed, shift=0.03)
    theirs = stats.permutation_test(
        (np.array(values),), lambda x, axis: x.mean(axis=axis), permutation_type="samples", vectorized=True,
        n_resamples=20_000, rng=seed,
    ).pvalue  # fmt: skip
    assert randomisation_p(values) == pytest.approx(theirs, abs=4 * math.sqrt(theirs * (1 - theirs) / 10_000) + 2e-4)


def test_a_drawn_p_is_never_zero() -> None:
    assert randomisation_p([0.5] * 200) == pytest.approx(1 / 10_001)


def test_p_of_no_queries_is_undefined_and_of_no_change_is_one() -> None:
    assert math.isnan(randomisation_p([]))
    assert math.isnan(sign_test_p([NAN]))
    assert randomisation_p([0.0, 0.0]) == 1.0
    assert sign_test_p([0.0]) == 1.0


@pytest.mark.parametrize(("wins", "losses", "ties"), [(5, 0, 2), (8, 2, 0), (3, 3, 1), (900, 700, 5)])
def test_the_sign_test_is_scipys_binomial_test(wins: int, losses: int, ties: int) -> None:
    values = [0.1] * wins + [-0.1] * losses + [0.0] * ties
    assert sign_test_p(values) == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)
    assert count_signs(values) == Counts(wins=wins, losses=losses, ties=ties)


@pytest.mark.parametrize("p_values", [[0.01, 0.04, 0.03], [0.5], [0.02, 0.02, 0.9, 0.001], [1.0, 1.0]])
def test_holm_is_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]))


def test_holm_leaves_out_tests_that_were_not_made() -> None:
    adjusted = holm([0.01, NAN, 0.04])
    assert adjusted[0] == pytest.approx(0.02)
    assert math.isnan(adjusted[1])
    assert adjusted[2] == pytest.approx(0.04)
    assert holm([]) == []


@pytest.mark.parametrize(("difference", "deviation"), [(0.05, 0.2), (-0.02, 0.15), (0.3, 0.3), (0.01, 0.4)])
def test_queries_needed_is_the_exact_power_calculation_within_two(difference: float, deviation: float) -> None:
    exact = TTestPower().solve_power(effect_size=abs(difference) / deviation, alpha=0.05, power=0.8)
    needed = queries_needed(difference, deviation)
    assert needed is not None
    assert abs(needed - exact) <= 2


@pytest.mark.parametrize(("difference", "deviation"), [(0.0, 0.2), (0.1, 0.0), (NAN, 0.1), (0.1, NAN), (1e-200, 1e200)])
def test_no_number_of_queries_follows_from_nothing(difference: float, deviation: float) -> None:
    assert queries_needed(difference, deviation) is None


def test_results_are_corrected_together_and_leave_out_what_is_undefined() -> None:
    better, flat = [0.2] * 9 + [NAN], [0.0] * 10
    first, second, empty = paired_results([better, flat, [NAN]])
    assert first.tests == 1
    assert (first.queries, first.counts) == (9, Counts(wins=9, losses=0, ties=0))
    assert first.p == pytest.approx(2 / 2**9)
    assert first.p_adjusted == pytest.approx(2 / 2**9)
    assert (second.p, second.p_adjusted, second.mean) == (1.0, 1.0, 0.0)
    assert (empty.queries, math.isnan(empty.mean), math.isnan(empty.p)) == (0, True, True)


def test_one_test_under_several_names_counts_once() -> None:
    differences = [0.5] * 7 + [-0.25, 0.0]
    fifth = [value / 5 for value in differences]
    other = [0.5] * 6 + [0.0] * 3
    results = paired_results([differences, fifth, other])
    assert [result.tests for result in results] == [2, 2, 2]
    assert [result.p_adjusted for result in results] == pytest.approx(
        [multipletests([results[0].p, results[2].p], method="holm")[1][i] for i in (0, 0, 1)]
    )


def test_a_query_missing_from_one_measure_makes_it_another_test() -> None:
    assert paired_results([[0.5, 0.5], [0.5, NAN]])[0].tests == 2


def test_a_measure_on_which_nothing_moved_is_no_test() -> None:
    moved, flat = paired_results([[0.5] * 8, [1e-12] + [0.0] * 7])
    assert (moved.tests, moved.p_adjusted) == (1, pytest.approx(2 / 2**8))
    assert (flat.p, flat.p_adjusted, flat.queries_needed) == (1.0, 1.0, None)


@pytest.mark.parametrize("size", [0, 1, 2])
def test_hardly_any_queries_give_a_result_without_a_claim(size: int) -> None:
    (result,) = paired_results([[0.5] * size])
    assert result.interval.note
    assert not result.p_adjusted < 0.05
    assert result.queries_needed is None


def test_rounding_is_not_a_difference() -> None:
    assert defined([1e-12, -1e-12, NAN, 0.5]) == [0.0, 0.0, 0.5]
    assert math.isnan(standard_deviation([1.0]))
    assert standard_deviation([1.0, 3.0]) == pytest.approx(math.sqrt(2))
