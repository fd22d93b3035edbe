import pytest
from grooveseek.errors import UsageError
from grooveseek.evaluation.measures import (
    NDCG,
    AveragePrecision,
    Gain,
    Measure,
    Precision,
    Recall,
    ReciprocalRank,
    Success,
    Unjudged,
    parse_measure,
    standard_measures,
)

NAMED: list[tuple[str, Measure]] = [
    ("nDCG@10", NDCG(cutoff=10)),
    ("nDCG", NDCG()),
    ("nDCG(dcg='exp-log2')@5", NDCG(cutoff=5, gain=Gain.EXP2)),
    ("R@5", Recall(cutoff=5)),
    ("R(rel=2)@5", Recall(cutoff=5, rel=2)),
    ("P@1", Precision(cutoff=1)),
    ("Success@5", Success(cutoff=5)),
    ("RR", ReciprocalRank()),
    ("RR@10", ReciprocalRank(cutoff=10)),
    ("AP", AveragePrecision()),
    ("AP(rel=3)@100", AveragePrecision(cutoff=100, rel=3)),
    ("Unjudged@10", Unjudged(cutoff=10)),
]


@pytest.mark.parametrize(("name", "measure"), NAMED)
def test_a_measure_and_its_name_stand_for_each_other(name: str, measure: Measure) -> None:
    assert measure.name == name
    assert parse_measure(name) == measure


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("recall@5", "R@5"),
        ("precision@1", "P@1"),
        ("MRR", "RR"),
        ("map", "AP"),
        ("NDCG@5", "nDCG@5"),
        ("nDCG(dcg='log2')@5", "nDCG@5"),
        (" success@1 ", "Success@1"),
    ],
)
def test_long_names_and_any_case_are_understood(alias: str, name: str) -> None:
    assert parse_measure(alias).name == name


@pytest.mark.parametrize(
    "text",
    ["", "F1", "R", "P", "Success", "Unjudged", "R@0", "R@-1", "R@x", "nDCG(rel=2)@5", "RR(dcg='log2')", "R(rel=0)@5",
     "Unjudged(rel=2)@5", "R@5@5", "nDCG(dcg='other')@5", "R@٣", "R@" + "9" * 5000],
)  # fmt: skip
def test_what_is_no_measure_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_measure(text)


def test_the_message_lists_what_there_is() -> None:
    with pytest.raises(UsageError, match=r'"F1" is not a measure\. Known: R@k, .*nDCG@k'):
        parse_measure("F1")


def test_the_standard_measures_follow_the_cutoffs() -> None:
    names = [measure.name for measure in standard_measures((5, 1, 5))]
    assert names == ["nDCG@1", "nDCG@5", "RR", "AP", "R@1", "R@5", "P@1", "P@5", "Success@1", "Success@5"]


def test_the_gain_shows_in_the_name() -> None:
    assert standard_measures((5,), Gain.EXP2)[0].name == "nDCG(dcg='exp-log2')@5"
