import math

import pytest
from grooveseek.evaluation.hits import EvalHit, Level, Target, rank_hits
from grooveseek.evaluation.measures import Mean
from grooveseek.evaluation.outcome import ExpectedOutcome, Leg, Miss, QueryReport
from grooveseek.evaluation.summary import (
    auroc_of,
    expected_outcomes,
    groups_of,
    history_points,
    legs_of,
    run_of,
    unjudged_of,
)
from tests.support.eval_runs import CORPUS, FINGERPRINT, make_run, measured_with


def query(query_id: str, value: float, answers: int = 1, **more: object) -> QueryReport:
    expected = tuple(ExpectedOutcome(path=f"{i}.md", rank=1) for i in range(answers))
    return QueryReport(id=query_id, query=query_id, metrics={"RR": value}, expected=expected, **more)


def test_single_and_multi_answer_queries_are_averaged_apart() -> None:
    queries = [
        query("a", 1.0),
        query("b", 0.5, answers=3),
        query("c", 0.0),
        QueryReport(id="d", query="d", answerable=False),
    ]
    assert groups_of(queries) == {
        "all": {"RR": Mean(value=0.5, queries=3)},
        "single-answer": {"RR": Mean(value=0.5, queries=2)},
        "multi-answer": {"RR": Mean(value=0.5, queries=1)},
    }


def test_a_failed_query_counts_zero_in_the_mean_and_is_kept_in_the_run() -> None:
    queries = [query("a", 1.0), query("b", 0.0, failed="boom")]
    run = run_of(queries, time="t", fingerprint=FINGERPRINT, corpus=CORPUS, keep_top=1)
    assert (run.metrics, run.averaged) == ({"RR": 0.5}, 2)
    assert run.queries["b"].failed == "boom"


def test_the_run_keeps_the_first_hits_only() -> None:
    hits = [EvalHit(path=f"{i}.md", chunk=0, score=1.0) for i in range(5)]
    queries = [query("a", 1.0, top=rank_hits(hits, [], Level.CHUNK))]
    run = run_of(queries, time="t", fingerprint=FINGERPRINT, corpus=CORPUS, keep_top=2)
    assert run.queries["a"].top == tuple(hits[:2])


def test_misses_are_told_apart() -> None:
    targets = [Target(path=name) for name in ("first.md", "edge.md", "deep.md", "nowhere.md", "gone.md")]
    hits = [EvalHit(path=path, chunk=0, score=1.0) for path in ("first.md", "x.md", "edge.md", "deep.md")]
    ranked = rank_hits(hits, targets, Level.CHUNK)
    outcomes = expected_outcomes(targets, ranked, indexed=lambda path: path != "gone.md", k=3)
    assert [(outcome.rank, outcome.miss) for outcome in outcomes] == [
        (1, None),
        (3, None),
        (4, Miss.BELOW_K),
        (None, Miss.IN_NO_POOL),
        (None, Miss.NOT_INDEXED),
    ]


def test_a_query_is_missed_when_none_of_its_answers_was_found() -> None:
    found, lost = ExpectedOutcome(path="a", rank=1), ExpectedOutcome(path="b", miss=Miss.IN_NO_POOL)
    judged_only = ExpectedOutcome(path="c", relevance=0)
    assert QueryReport(id="q", query="q", expected=(lost, judged_only)).missed
    assert not QueryReport(id="q", query="q", expected=(lost, found)).missed
    assert not QueryReport(id="q", query="q").missed


def test_confidence_is_measured_on_queries_that_ran() -> None:
    queries = [
        QueryReport(id="a", query="a", confidence=0.9, low_confidence=False),
        QueryReport(id="b", query="b", confidence=0.4, low_confidence=False),
        QueryReport(id="c", query="c", confidence=0.5, low_confidence=True, answerable=False),
        QueryReport(id="d", query="d", confidence=0.1, low_confidence=False, answerable=False),
        QueryReport(id="e", query="e", confidence=0.0, low_confidence=True, failed="boom"),
    ]
    # confidence: of 4 pairs, 0.4 loses to 0.5; low_confidence: 2 pairs won outright, 2 tied
    assert auroc_of(queries) == {"confidence": pytest.approx(3 / 4), "low_confidence": pytest.approx(3 / 4)}
    assert auroc_of(queries[:2]) == {}


def legged(query_id: str, vector: float, fulltext: float, fusion: float) -> QueryReport:
    legs = {Leg.VECTOR: {"RR": vector}, Leg.FULLTEXT: {"RR": fulltext}, Leg.FUSION: {"RR": fusion}}
    return QueryReport(id=query_id, query=query_id, legs=legs)


def test_each_leg_has_its_means() -> None:
    queries = [legged("a", 1.0, 0.0, 0.5), legged("b", 0.5, 0.0, 0.5)]
    assert {leg.value: means["RR"].value for leg, means in legs_of(queries).items()} == {
        "vector": 0.75,
        "fulltext": 0.0,
        "fusion": 0.5,
    }
    assert legs_of([query("a", 1.0)]) == {}


def test_unjudged_shares_are_averaged_over_queries_that_have_one() -> None:
    queries = [
        query("a", 1.0, unjudged={"Unjudged@5": 0.5}),
        query("b", 1.0, unjudged={"Unjudged@5": math.nan}),
        query("c", 1.0),
    ]
    assert unjudged_of(queries) == {"Unjudged@5": Mean(value=0.5, queries=1)}
    assert unjudged_of([query("c", 1.0)]) == {}


def test_earlier_runs_are_points_that_know_whether_they_compare() -> None:
    runs = [make_run({"RR": [1.0]}, time="t1"), measured_with(make_run({"RR": [0.5]}, time="t2"), limit=3)]
    points = history_points(runs, FINGERPRINT)
    assert [(point.time, point.metrics["RR"], point.comparable) for point in points] == [
        ("t1", 1.0, True),
        ("t2", 0.5, False),
    ]
