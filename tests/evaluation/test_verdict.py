from dataclasses import replace

from grooveseek.evaluation.compare import compare
from grooveseek.evaluation.evalrun import Corpus
from grooveseek.evaluation.statistics import queries_needed, standard_deviation
from grooveseek.evaluation.verdict import verdict
from tests.support.eval_runs import make_run, measured_with

BEFORE = make_run({"nDCG@5": [0.5] * 12, "RR": [0.5] * 12, "AP": [0.5] * 12})


def changed(ndcg: list[float], rank: list[float] | None = None, average: list[float] | None = None) -> object:
    rank, average = rank or [0.5] * 12, average or [0.5] * 12
    return make_run({"nDCG@5": ndcg, "RR": rank, "AP": average})


def test_nothing_moved() -> None:
    assert verdict(compare(BEFORE, BEFORE)) == "Nothing moved: 12 queries score the same on every measure."


def test_a_fall_beyond_chance_names_figures_and_the_other_measures() -> None:
    said = verdict(compare(changed([0.25] * 10 + [0.5] * 2, [0.4] * 10 + [0.5] * 2), BEFORE))
    assert said.startswith(
        "nDCG@5 fell by 0.208 (0 better, 10 worse, 2 equal of 12 queries; 95 % interval -0.250 to -0."
    )
    assert said.endswith("p = 0.002, corrected over 1 test): more than chance. Beyond chance as well: RR -0.083.")


def test_an_undecided_difference_says_how_many_more_queries_it_would_take() -> None:
    ndcg = [0.7, 0.3, 0.8, 0.4, 0.9, 0.45, 0.6, 0.35] + [0.5] * 4
    differences = [value - 0.5 for value in ndcg]
    needed = queries_needed(sum(differences) / 12, standard_deviation(differences), alpha=0.05)
    said = verdict(compare(changed(ndcg), BEFORE))
    assert needed is not None
    assert "nDCG@5 rose by 0.042 (4 better, 4 worse, 4 equal of 12 queries; 95 % interval -" in said
    assert said.endswith(f"undecided. About {needed - 12} more queries would settle a difference of this size.")


def test_few_differing_queries_are_said_instead_of_an_interval() -> None:
    said = verdict(compare(changed([0.25] + [0.5] * 11), BEFORE))
    assert "nDCG@5 fell by 0.021 (0 better, 1 worse, 11 equal of 12 queries; only 1 query differs; at least 6" in said
    assert "p = 1.000" in said


def test_wins_and_losses_that_cancel_out_settle_nothing() -> None:
    said = verdict(compare(changed([0.25, 0.75] + [0.5] * 10), BEFORE))
    assert said.startswith("nDCG@5 kept its mean (1 better, 1 worse, 10 equal")
    assert said.endswith("The wins and losses cancel out, so no number of queries would settle it.")


def test_the_measure_that_moved_is_named_when_the_primary_did_not() -> None:
    said = verdict(compare(changed([0.5] * 12, average=[0.75] * 12), BEFORE))
    assert said.startswith("AP rose by 0.250 (12 better, 0 worse, 0 equal of 12 queries")


def test_the_primary_measure_is_named_although_another_moved_more() -> None:
    assert verdict(compare(changed([0.45] * 12, average=[0.25] * 12), BEFORE)).startswith("nDCG@5 fell by 0.050")


def test_a_changed_corpus_is_said() -> None:
    said = verdict(compare(replace(BEFORE, corpus=Corpus(documents=9, chunks=9, digest="d")), BEFORE))
    assert said.endswith("The indexed documents changed between the runs, so part of this may be theirs.")


def test_runs_that_cannot_be_compared_say_why() -> None:
    said = verdict(compare(measured_with(BEFORE, limit=5), BEFORE))
    assert said == "Not compared with the run of 2026-01-02T03:04:05Z: limit is 5, was 10."


def test_runs_without_common_queries_say_so() -> None:
    assert verdict(compare(replace(BEFORE, queries={}), BEFORE)) == "Not compared: the runs have no query in common."
