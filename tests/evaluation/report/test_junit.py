from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from grooveseek.evaluation.report.junit import render_junit
from tests.support.eval_reports import make_hostile_report, make_report

REPORT = make_report()


@pytest.fixture
def suite() -> ET.Element:
    failed = replace(REPORT.queries[1], failed="the query is too long")
    stale = replace(REPORT.queries[3], metrics={}, expected=())
    report = replace(REPORT, queries=(REPORT.queries[0], failed, REPORT.queries[2], stale, *REPORT.queries[4:]))
    found = ET.fromstring(render_junit(report)).find("testsuite")
    assert found is not None
    return found


def case(suite: ET.Element, name: str) -> ET.Element:
    return next(entry for entry in suite.iter("testcase") if entry.get("name") == name)


def child(suite: ET.Element, name: str, kind: str) -> ET.Element:
    found = case(suite, name).find(kind)
    assert found is not None
    return found


def test_there_is_one_case_a_query_and_the_counts_agree(suite: ET.Element) -> None:
    assert suite.get("tests") == "31"
    assert suite.get("errors") == "1"
    assert suite.get("skipped") == "2"
    assert suite.get("failures") == str(len(list(suite.iter("failure")))) == "12"


def test_a_case_carries_its_line_and_its_measures(suite: ET.Element) -> None:
    entry = case(suite, "q0")
    assert entry.get("classname") == suite.get("file") == "notes/.groove-eval.yml"
    assert (child(suite, "q6", "failure").text or "").startswith("notes/.groove-eval.yml:27: How do I reset")
    assert "nDCG@10=0.760" in (entry.findtext("system-out") or "")
    assert entry.find("failure") is None


def test_failures_say_what_happened(suite: ET.Element) -> None:
    worse, missed = child(suite, "q6", "failure"), child(suite, "q9", "failure")
    assert (worse.get("type"), worse.get("message")) == ("regressed", "nDCG@10 fell from 1.000 to 0.500")
    assert (missed.get("type"), missed.get("message")) == ("missed", "ops/note-9.md: rank 14, below k")
    assert child(suite, "q1", "error").get("message") == "the query is too long"
    assert child(suite, "no-answer", "skipped").get("message") == "not answerable: nothing to find"
    assert child(suite, "q3", "skipped").get("message") == "nothing to measure: every entry is stale"


def test_any_text_is_well_formed() -> None:
    report = make_hostile_report()
    names = {entry.get("name") for entry in ET.fromstring(render_junit(report)).iter("testcase")}
    assert len(names) == len(report.queries)


def test_a_run_without_a_comparison_has_no_verdict() -> None:
    root = ET.fromstring(render_junit(make_report(before=False)))
    assert root.find("testsuite/system-out") is None


STRICTEST = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname", "file"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), {"property"}),
    "property": ({"name", "value"}, set()),
    "testcase": ({"name", "time", "classname"}, {"skipped", "error", "failure", "system-out", "system-err"}),
    **{kind: ({"type", "message"}, set()) for kind in ("failure", "error", "skipped")},
    **{kind: (set(), set()) for kind in ("system-out", "system-err")},
}
"""Element to the attributes and children it may have, by the junit-10 schema of Jenkins' xUnit plugin."""


def test_the_strictest_reader_takes_it(suite: ET.Element) -> None:
    for element in suite.iter():
        attributes, children = STRICTEST[element.tag]
        assert set(element.attrib) <= attributes, element.tag
        assert {inner.tag for inner in element} <= children, element.tag
    assert {"name", "tests", "failures", "errors"} <= set(suite.attrib)
