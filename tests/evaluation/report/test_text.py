import unicodedata
from dataclasses import replace

import pytest
from grooveseek.evaluation.report.text import render_findings, render_text
from grooveseek.evaluation.verdict import verdict
from tests.support.eval_reports import make_hostile_report, make_report

REPORT = make_report()


def line_with(text: str, start: str) -> list[str]:
    return next(line.split() for line in text.splitlines() if line.strip().startswith(start))


def test_means_stand_beside_what_they_were() -> None:
    assert REPORT.comparison is not None
    delta = REPORT.comparison.metric("nDCG@5")
    assert delta is not None
    cells = line_with(render_text(REPORT), "nDCG@5")
    assert cells[1:4] == [f"{delta.current:.3f}", f"{delta.previous:.3f}", f"{delta.delta:+.3f}"]
    assert cells[-1] == "9/6/15"


def test_the_number_of_queries_in_the_means_is_printed() -> None:
    first = render_text(REPORT).splitlines()[0]
    assert first.startswith("notes/.groove-eval.yml: 30 queries in the means, 1 not.")


def test_the_verdict_and_the_gate_close_the_report() -> None:
    assert REPORT.comparison is not None
    text = " ".join(render_text(REPORT).split())
    assert text.endswith(verdict(REPORT.comparison) + " Gate passed: No mean fell by more than 0.05.")


def test_single_and_multi_answer_queries_stand_apart() -> None:
    assert "all (30)   single-answer (24)   multi-answer (6)" in render_text(REPORT)


def test_every_kind_of_miss_is_explained() -> None:
    text = render_text(REPORT, width=200)
    assert "ops/note-9.md: rank 14, below k" in text
    assert "ops/note-7.md: indexed, but among no leg's candidates" in text


def test_a_query_that_did_not_run_is_listed() -> None:
    queries = (replace(REPORT.queries[0], failed="the query is too long"), *REPORT.queries[1:])
    assert "did not run: the query is too long" in render_text(replace(REPORT, queries=queries), width=200)


def test_the_comparison_can_be_left_out() -> None:
    text = render_text(REPORT, diff=False)
    assert "before" not in text
    assert "got worse" not in text


@pytest.mark.parametrize("width", [80, 120])
def test_each_query_is_listed_on_demand_with_what_each_leg_does(width: int) -> None:
    assert "All queries" not in render_text(REPORT, width=width)
    text = render_text(REPORT, per_query=True, width=width)
    header = next(line for line in text.splitlines() if "fulltext" in line and "rank" in line)
    assert header.split() == ["id", "query", "rank", "nDCG@10", "RR", "R@10", "vector", "fulltext"]
    listed = text[text.index("All queries") :]
    assert line_with(listed, "q4 ")[-6:] == ["5", "0.387", "0.200", "1.000", "0.387", "0.193"]
    assert line_with(listed, "no-answer")[-6:] == ["–"] * 6


def test_an_id_that_is_only_the_beginning_of_its_query_is_not_repeated() -> None:
    queries = tuple(replace(query, id=query.query[:32]) for query in REPORT.queries)
    text = render_text(replace(REPORT, queries=queries, comparison=None), per_query=True)
    header = next(line for line in text.splitlines() if "fulltext" in line and "rank" in line)
    assert header.split()[:2] == ["query", "rank"]


def test_colour_is_there_only_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" not in render_text(REPORT)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" in render_text(REPORT, colour=True)


def test_no_line_is_wider_than_asked_for() -> None:
    for line in render_text(REPORT, width=90, per_query=True).splitlines():
        assert sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line) <= 90


def test_text_from_files_cannot_steer_the_terminal() -> None:
    text = render_text(make_hostile_report(), per_query=True, width=200)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "<script>" in text


def test_findings_are_one_a_line() -> None:
    lines = render_findings(REPORT.findings).splitlines()
    assert lines[0] == ("golden-queries-quoted: notes/faq.md quotes 2 golden queries. Quoted: q0 (rank 1), q1.")
    assert len(lines) == 2
    assert render_findings(()) == ""
