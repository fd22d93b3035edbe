import math
from dataclasses import replace

import pytest
from grooveseek.evaluation.compare import compare, primary_measure
from grooveseek.evaluation.evalrun import Corpus, QueryRun
from tests.support.eval_runs import make_run, measured_with

BEFORE = make_run({"nDCG@5": [1.0, 0.5, 0.5], "RR": [1.0, 0.5, 0.5]})
AFTER = make_run({"nDCG@5": [0.0, 0.5, 0.75], "RR": [1.0, 0.5, 0.5]})


def test_means_are_compared_with_their_paired_differences() -> None:
    comparison = compare(AFTER, BEFORE)
    assert comparison.compatible
    ndcg = comparison.metric("nDCG@5")
    assert ndcg is not None
    assert ndcg.delta == pytest.approx(-0.25)
    assert ndcg.paired.mean == pytest.approx(-0.25)
    assert (ndcg.paired.counts.wins, ndcg.paired.counts.losses, ndcg.paired.counts.ties) == (1, 1, 1)
    rank = comparison.metric("RR")
    assert rank is not None
    assert (rank.delta, rank.paired.p) == (0.0, 1.0)
    assert comparison.metric("AP") is None


def test_queries_that_got_worse_come_worst_first() -> None:
    after = make_run({"nDCG@5": [0.9, 0.0, 0.75], "RR": [1.0, 0.5, 0.5]})
    assert [query.query_id for query in compare(after, BEFORE).regressed] == ["q1", "q0"]


def test_runs_measured_otherwise_are_not_compared() -> None:
    comparison = compare(measured_with(AFTER, gain="exp2"), BEFORE)
    assert not comparison.compatible
    assert [str(difference) for difference in comparison.differences] == ["gain is exp2, was linear"]
    assert (comparison.metrics, comparison.queries) == ((), ())


def test_a_changed_corpus_is_compared_and_said() -> None:
    comparison = compare(replace(AFTER, corpus=Corpus(documents=4, chunks=12, digest="d")), BEFORE)
    assert comparison.compatible
    assert comparison.corpus_changed
    assert not compare(AFTER, BEFORE).corpus_changed


def test_queries_without_measures_or_partner_are_left_out_of_the_pairs() -> None:
    extra = {**AFTER.queries, "unanswerable": QueryRun(), "added": QueryRun(metrics={"nDCG@5": 1.0})}
    comparison = compare(replace(AFTER, queries=extra), BEFORE)
    assert [query.query_id for query in comparison.queries] == ["q0", "q1", "q2"]


def test_a_value_only_one_run_has_is_no_pair() -> None:
    queries = {**BEFORE.queries, "q0": QueryRun(metrics={"RR": 1.0})}
    comparison = compare(AFTER, replace(BEFORE, queries=queries))
    ndcg = comparison.metric("nDCG@5")
    assert ndcg is not None
    assert ndcg.paired.queries == 2
    assert math.isnan(comparison.queries[0].delta("nDCG@5"))


def test_auroc_is_compared_where_both_have_it() -> None:
    after = replace(AFTER, auroc={"confidence": 0.75, "low_confidence": 0.5})
    assert compare(after, replace(BEFORE, auroc={"confidence": 0.5})).auroc == {"confidence": 0.25}


@pytest.mark.parametrize(
    ("names", "primary"),
    [
        (["R@5", "nDCG@1", "nDCG@10", "nDCG@5"], "nDCG@10"),
        (["nDCG@10", "nDCG"], "nDCG"),
        (["nDCG(dcg='exp-log2')@5", "RR"], "nDCG(dcg='exp-log2')@5"),
        (["RR", "AP"], "RR"),
        ([], ""),
    ],
)
def test_the_primary_measure_is_ndcg_at_the_largest_cutoff(names: list[str], primary: str) -> None:
    assert primary_measure(names) == primary
