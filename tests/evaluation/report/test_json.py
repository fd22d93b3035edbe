import json
import math
from dataclasses import replace

from grooveseek.evaluation.report.json import render_json
from grooveseek.evaluation.verdict import verdict
from tests.support.eval_reports import make_hostile_report, make_report

REPORT = make_report()
VALUES = json.loads(render_json(REPORT))


def test_means_are_numbers_under_the_measures_names() -> None:
    assert VALUES["metrics"] == dict(REPORT.run.metrics)
    assert VALUES["groups"]["multi-answer"]["nDCG@5"]["queries"] == 6
    assert VALUES["averaged"] == 30


def test_an_undefined_mean_is_null() -> None:
    run = replace(REPORT.run, metrics={"RR": math.nan})
    assert json.loads(render_json(replace(REPORT, run=run)))["metrics"] == {"RR": None}


def test_the_comparison_has_every_figure() -> None:
    assert REPORT.comparison is not None
    comparison = VALUES["comparison"]
    delta = REPORT.comparison.metric("nDCG@5")
    assert delta is not None
    assert comparison["metrics"]["nDCG@5"] == {
        "current": delta.current,
        "previous": delta.previous,
        "delta": delta.delta,
        "queries": 30,
        "mean_difference": delta.paired.mean,
        "interval": [delta.paired.interval.low, delta.paired.interval.high],
        "p": delta.paired.p,
        "p_adjusted": delta.paired.p_adjusted,
        "tests": delta.paired.tests,
        "wins": 9,
        "losses": 6,
        "ties": 15,
        "queries_needed": delta.paired.queries_needed,
    }
    assert comparison["verdict"] == verdict(REPORT.comparison)
    assert comparison["compatible"] is True
    assert comparison["corpus_changed"] is True
    assert comparison["regressed"] == [query.query_id for query in REPORT.comparison.regressed]


def test_an_interval_that_is_not_there_is_null_with_its_reason() -> None:
    entry = VALUES["comparison"]["metrics"]["R@10"]
    assert entry["interval"] is None
    assert entry["interval_note"].startswith("only 3 queries differ")


def test_each_query_says_where_its_answers_are() -> None:
    by_id = {query["id"]: query for query in VALUES["queries"]}
    assert by_id["q9"]["expected"] == [{"path": "ops/note-9.md", "relevance": 2, "rank": 14, "miss": "below-k"}]
    assert by_id["q9"]["missed"] is True
    assert by_id["q0"]["expected"][1]["miss"] == "not-indexed"
    assert by_id["q0"]["legs"]["fulltext"] == {"nDCG@10": 0.5}
    assert by_id["q1"]["top"][0] == {"rank": 1, "path": "ops/note-1.md", "chunk": 0, "score": 1.0, "relevance": 2}
    assert by_id["no-answer"]["answerable"] is False
    assert by_id["no-answer"]["low_confidence"] is True


def test_findings_have_their_stable_shape() -> None:
    assert VALUES["findings"][0] == {
        "check": "golden-queries-quoted",
        "message": "notes/faq.md quotes 2 golden queries.",
        "path": "notes/faq.md",
        "quoted": [{"query_id": "q0", "rank_in_top_k": 1}, {"query_id": "q1", "rank_in_top_k": None}],
    }


def test_what_was_not_asked_for_is_absent() -> None:
    values = json.loads(render_json(make_report(before=False, gate=False), per_query=False, diff=False))
    assert not {"queries", "comparison", "gate", "unjudged", "note"} & set(values)


def test_any_text_is_valid_json() -> None:
    report = make_hostile_report()
    assert json.loads(render_json(report))["queries"][0]["query"] == report.queries[0].query


def test_the_same_report_is_the_same_bytes() -> None:
    assert render_json(make_report()) == render_json(make_report())
