import math

import pytest
from grooveseek.evaluation.outcome import ExpectedOutcome, Finding, Miss, Quoted
from grooveseek.evaluation.report.plain import finding_line, number, p_value, plural, printable, signed, where


def test_text_is_put_on_one_line_without_anything_a_terminal_obeys() -> None:
    assert printable(" a\n\tb\x1b[31m\u202ec\ud800 ") == "a b\ufffd[31m\ufffdc\ufffd"
    assert printable("日本語 – ok") == "日本語 – ok"


@pytest.mark.parametrize(
    ("value", "plain", "with_sign"),
    [(0.12345, "0.123", "+0.123"), (-0.5, "-0.500", "-0.500"), (-1e-9, "-0.000", "0"), (math.nan, "–", "–")],
)
def test_figures_have_three_places_and_a_dash_when_undefined(value: float, plain: str, with_sign: str) -> None:
    assert number(value) == plain
    assert signed(value) == with_sign


def test_a_small_p_is_not_shown_as_zero() -> None:
    assert [p_value(p) for p in (0.0004, 0.05, 1.0, math.nan)] == ["<0.001", "0.050", "1.000", "–"]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (ExpectedOutcome(path="a.md", rank=2), "a.md: rank 2"),
        (ExpectedOutcome(path="a.md", heading="H", rank=14, miss=Miss.BELOW_K), "a.md > H: rank 14, below k"),
        (ExpectedOutcome(path="a.md", miss=Miss.IN_NO_POOL), "a.md: indexed, but among no leg's candidates"),
        (ExpectedOutcome(path="gone.md", miss=Miss.NOT_INDEXED), "gone.md: not in the index"),
    ],
)
def test_the_three_kinds_of_miss_are_told_apart(entry: ExpectedOutcome, said: str) -> None:
    assert where(entry) == said


def test_a_finding_names_the_queries_it_is_about() -> None:
    finding = Finding(check="c", message="m.", quoted=(Quoted(query_id="a", rank_in_top_k=2), Quoted(query_id="b")))
    assert finding_line(finding) == "c: m. Quoted: a (rank 2), b."


def test_counts_agree_with_their_noun() -> None:
    assert (plural(1, "query", "queries"), plural(0, "query", "queries")) == ("1 query", "0 queries")
