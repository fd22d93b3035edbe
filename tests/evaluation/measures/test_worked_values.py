"""Values worked out by hand, and those of case C45."""

import json
import math
from pathlib import Path

import pytest
from grooveseek.evaluation.measures import (
    NDCG,
    AveragePrecision,
    Gain,
    Precision,
    Recall,
    ReciprocalRank,
    Success,
    Unjudged,
    mean_scores,
    score_run,
)
from grooveseek.model.judgments import Qrels, Run

CASE = Path(__file__).parents[2] / "cases" / "C45"
EXPECT = json.loads((CASE / "expect.json").read_text("utf-8"))
MEASURES = (Recall(cutoff=10), ReciprocalRank(), NDCG(cutoff=10))
NAMES = {"recall": "R@10", "mrr": "RR", "ndcg": "nDCG@10"}


def test_a_worked_ranking() -> None:
    # ranks:  1 miss, 2 relevant (2), 3 miss, 4 relevant (1); a third relevant document (1) is never found
    ranking, judged = ["x", "b", "y", "a"], {"a": 1, "b": 2, "c": 1, "y": 0}
    assert Recall(cutoff=3).evaluate(ranking, judged) == pytest.approx(1 / 3)
    assert Precision(cutoff=4).evaluate(ranking, judged) == pytest.approx(2 / 4)
    assert Precision(cutoff=10).evaluate(ranking, judged) == pytest.approx(2 / 10)
    assert Success(cutoff=1).evaluate(ranking, judged) == 0
    assert Success(cutoff=2).evaluate(ranking, judged) == 1
    assert ReciprocalRank().evaluate(ranking, judged) == pytest.approx(1 / 2)
    assert ReciprocalRank(cutoff=1).evaluate(ranking, judged) == 0
    assert AveragePrecision().evaluate(ranking, judged) == pytest.approx((1 / 2 + 2 / 4) / 3)
    assert AveragePrecision(cutoff=2).evaluate(ranking, judged) == pytest.approx((1 / 2) / 3)
    found = 2 / math.log2(3) + 1 / math.log2(5)
    assert NDCG().evaluate(ranking, judged) == pytest.approx(found / (2 + 1 / math.log2(3) + 1 / 2))
    assert NDCG(cutoff=2).evaluate(ranking, judged) == pytest.approx((2 / math.log2(3)) / (2 + 1 / math.log2(3)))
    found = 3 / math.log2(3) + 1 / math.log2(5)
    assert NDCG(gain=Gain.EXP2).evaluate(ranking, judged) == pytest.approx(found / (3 + 1 / math.log2(3) + 1 / 2))
    assert Unjudged(cutoff=4).evaluate(ranking, judged) == pytest.approx(1 / 4)
    assert Unjudged(cutoff=1).evaluate(ranking, judged) == 1


def test_a_level_of_relevance_can_be_asked_for() -> None:
    ranking, judged = ["a", "b"], {"a": 1, "b": 2, "c": 3}
    assert Recall(cutoff=2, rel=2).evaluate(ranking, judged) == pytest.approx(1 / 2)
    assert Precision(cutoff=2, rel=2).evaluate(ranking, judged) == pytest.approx(1 / 2)
    assert ReciprocalRank(rel=2).evaluate(ranking, judged) == pytest.approx(1 / 2)
    assert AveragePrecision(rel=2).evaluate(ranking, judged) == pytest.approx((1 / 2) / 2)
    assert Success(cutoff=1, rel=2).evaluate(ranking, judged) == 0


def test_a_repeated_document_takes_a_rank_and_earns_nothing() -> None:
    ranking, judged = ["a", "a", "b"], {"a": 1, "b": 1}
    assert Precision(cutoff=3).evaluate(ranking, judged) == pytest.approx(2 / 3)
    assert Recall(cutoff=2).evaluate(ranking, judged) == pytest.approx(1 / 2)
    assert AveragePrecision().evaluate(ranking, judged) == pytest.approx((1 + 2 / 3) / 2)
    assert NDCG().evaluate(ranking, judged) == pytest.approx((1 + 1 / 2) / (1 + 1 / math.log2(3)))


@pytest.mark.parametrize("measure", [*MEASURES, AveragePrecision(), Precision(cutoff=1), Success(cutoff=1)])
@pytest.mark.parametrize("judged", [{}, {"a": 0}])
def test_a_query_with_nothing_to_find_has_no_value(measure: Recall, judged: dict[str, int]) -> None:
    assert math.isnan(measure.evaluate(["a", "b"], judged))


@pytest.mark.parametrize("measure", [*MEASURES, AveragePrecision(), Precision(cutoff=1), Success(cutoff=1)])
def test_a_query_that_finds_nothing_scores_zero(measure: Recall) -> None:
    assert measure.evaluate([], {"a": 1}) == 0


def test_the_unjudged_share_of_no_results_is_undefined() -> None:
    assert math.isnan(Unjudged(cutoff=5).evaluate([], {"a": 1}))


# what keyword mode returns for each query of C45: q1, q4 and q5 are one word that stands in a1.md only
RUN = Run(by_query={"q1": (("a1.md", 1.0),), "q4": (("a1.md", 1.0),), "q5": (("a1.md", 1.0),)})
QRELS = {
    "q1": {"a1.md": 1},
    "q2": {"x.md": 1},
    "q4": {"gone.md": 1},
    "q5": {"a1.md": 1, "a2.md": 1, "a3.md": 1},
}


@pytest.mark.parametrize("query_id", ["q1", "q2", "q5"])
def test_c45_each_query_scores_as_worked_out(query_id: str) -> None:
    scores = score_run(RUN, Qrels(by_query=QRELS), MEASURES)[query_id]
    for key, value in EXPECT["keyword_mode_k10"][query_id].items():
        assert scores[NAMES[key]] == pytest.approx(value, abs=5e-6), key


@pytest.mark.parametrize(
    ("group", "query_ids"), [("over q1,q2,q5", ("q1", "q2", "q5")), ("over q1,q2,q4,q5", ("q1", "q2", "q4", "q5"))]
)
def test_c45_means_keep_the_query_that_found_nothing(group: str, query_ids: tuple[str, ...]) -> None:
    scores = score_run(RUN, Qrels(by_query={query_id: QRELS[query_id] for query_id in query_ids}), MEASURES)
    means = mean_scores(scores.values())
    for key, value in EXPECT["means"][group].items():
        assert means[NAMES[key]].value == pytest.approx(value, abs=5e-6), key
        assert means[NAMES[key]].queries == len(query_ids)


def test_c45_the_ideal_is_cut_where_the_ranking_is() -> None:
    case = EXPECT["ideal_cut_at_k"]
    judged = {f"d{i}": 1 for i in range(case["relevant"])}
    ranking = [f"d{i}" for i in range(case["retrieved_relevant"])]
    assert NDCG(cutoff=case["k"]).evaluate(ranking, judged) == pytest.approx(case["ndcg@3"])
    assert Recall(cutoff=case["k"]).evaluate(ranking, judged) == pytest.approx(case["recall@3"])


def test_c45_graded_judgments_under_both_gains() -> None:
    case = EXPECT["graded"]
    linear = NDCG(cutoff=10).evaluate(case["ranking"], case["judged"])
    exponential = NDCG(cutoff=10, gain=Gain.EXP2).evaluate(case["ranking"], case["judged"])
    assert linear == pytest.approx(case["ndcg_linear_gain"], abs=5e-5)
    assert exponential == pytest.approx(case["ndcg_exponential_gain"], abs=5e-6)
