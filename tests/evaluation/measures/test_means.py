import math

from grooveseek.evaluation.measures import Mean, Recall, mean, mean_scores, score_run, split_by_answers
from grooveseek.model.judgments import Qrels, Run


def test_a_mean_leaves_out_what_is_undefined_and_says_over_how_many_it_is() -> None:
    assert mean([1.0, math.nan, 0.0]) == Mean(value=0.5, queries=2)


def test_a_mean_over_nothing_is_undefined() -> None:
    assert math.isnan(mean([]).value)
    assert mean_scores([]) == {}


def test_the_order_of_queries_does_not_show() -> None:
    values = [0.1, 0.7, 0.3, 1e-17, 0.9]
    assert mean(values) == mean(values[::-1])


def test_a_query_missing_from_the_run_scores_zero_and_one_missing_from_the_qrels_is_not_looked_at() -> None:
    qrels = Qrels(by_query={"a": {"d": 1}, "b": {"d": 1}})
    run = Run(by_query={"a": (("d", 1.0),), "c": (("d", 1.0),)})
    assert score_run(run, qrels, [Recall(cutoff=1)]) == {"a": {"R@1": 1.0}, "b": {"R@1": 0.0}}


def test_queries_are_told_apart_by_how_many_answers_they_have() -> None:
    groups = split_by_answers({"none": 0, "one": 1, "two": 2, "another": 1})
    assert groups == {"single-answer": ("one", "another"), "multi-answer": ("two",)}
