import math

import pytest
from grooveseek.errors import GoldenError
from grooveseek.model.judgments import Qrels, Run, as_float32


def test_scores_are_ranked_as_trec_eval_ranks_them() -> None:
    run = Run.from_scores({"q": {"a": 1.0, "c": 1.0, "b": 1.0, "z": 0.5, "top": 2.0}})
    assert run.ranking("q") == ("top", "c", "b", "a", "z")


def test_scores_that_32_bits_cannot_tell_apart_are_ties() -> None:
    assert Run.from_scores({"q": {"a": 1.0 + 1e-12, "b": 1.0}}).ranking("q") == ("b", "a")


def test_a_score_beyond_32_bits_becomes_infinite_as_in_c() -> None:
    assert as_float32(1e300) == math.inf
    assert as_float32(-1e300) == -math.inf
    assert as_float32(0.1) == pytest.approx(0.1, rel=1e-7)


def test_the_order_given_is_the_ranking_whatever_the_scores_say() -> None:
    assert Run(by_query={"q": (("low", 0.1), ("high", 0.9))}).ranking("q") == ("low", "high")


def test_a_query_that_is_not_there_is_empty() -> None:
    assert Run().ranking("q") == ()
    assert dict(Qrels().of("q")) == {}
    assert Qrels(by_query={"q": {"a": 0, "b": 2}}).relevant("q") == 1


@pytest.mark.parametrize("relevance", [-1, 1001, 1.0, True, None])
def test_a_relevance_out_of_range_is_refused_by_name(relevance: int) -> None:
    with pytest.raises(GoldenError, match='of "d" for query "q"'):
        Qrels(by_query={"q": {"d": relevance}})


def test_a_document_ranked_twice_is_refused() -> None:
    with pytest.raises(GoldenError, match='"d" is ranked twice for query "q", again at rank 3'):
        Run(by_query={"q": (("d", 3.0), ("e", 2.0), ("d", 1.0))})


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_a_score_that_is_no_number_is_refused(score: float) -> None:
    with pytest.raises(GoldenError, match="not a finite number"):
        Run(by_query={"q": (("d", score),)})


@pytest.mark.parametrize(("query_id", "doc_id"), [("", "d"), ("q", "")])
def test_empty_ids_are_refused(query_id: str, doc_id: str) -> None:
    with pytest.raises(GoldenError, match="empty"):
        Qrels(by_query={query_id: {doc_id: 1}})
    with pytest.raises(GoldenError, match="empty"):
        Run(by_query={query_id: ((doc_id, 1.0),)})


def test_values_cannot_be_changed_from_outside() -> None:
    judged = {"d": 1}
    qrels = Qrels(by_query={"q": judged})
    judged["d"] = 0
    assert qrels.of("q")["d"] == 1
    with pytest.raises(TypeError):
        qrels.of("q")["d"] = 0  # type: ignore[index]  # that it cannot be assigned is the point
