from __future__ import annotations

from grooveseek.doctor.findings import EXAMPLES, Finding, NotRun, Report, Severity, about
from grooveseek.doctor.report import render_text, report_as_json

FINDING = Finding(
    check="files-changed",
    severity=Severity.WARNING,
    summary="7 files changed since the last run",
    count=7,
    remedy="groove index",
    examples=("a.md", "b.md"),
)
REPORT = Report(
    documents=3,
    chunks=9,
    deep=True,
    checks=("structure", "files", "names"),
    findings=(FINDING,),
    not_run=(NotRun(check="names", reason="the folder went away"),),
)


def test_json_has_the_stable_keys():
    assert report_as_json(REPORT) == {
        "documents": 3,
        "chunks": 9,
        "deep": True,
        "findings": [
            {
                "check": "files-changed",
                "severity": "warning",
                "summary": "7 files changed since the last run",
                "count": 7,
                "examples": ["a.md", "b.md"],
                "remedy": "groove index",
            }
        ],
        "not_run": [{"check": "names", "reason": "the folder went away"}],
        "checks": ["structure", "files", "names"],
    }


def test_text_has_a_block_a_finding_and_a_sum():
    assert render_text(REPORT) == (
        "warning  files-changed: 7 files changed since the last run\n"
        "    a.md\n"
        "    b.md\n"
        "    and 5 more\n"
        "  remedy: groove index\n"
        "\n"
        "not run  names: the folder went away\n"
        "\n"
        "3 documents in 9 chunks; 2 checks made, 1 finding, 1 not run\n"
    )


def test_nothing_to_report_is_said_in_one_line():
    healthy = Report(documents=1, chunks=1, deep=False, checks=("structure",))
    assert render_text(healthy) == "1 document in 1 chunk; 1 check made, nothing to report\n"


def test_a_finding_keeps_a_few_examples_and_counts_them_all():
    (finding,) = about("x", Severity.NOTE, "{n} thing{s}", [str(i) for i in range(9)], remedy="r")
    assert (finding.count, finding.summary) == (9, "9 things")
    assert finding.examples == tuple(str(i) for i in range(EXAMPLES))
    assert about("x", Severity.NOTE, "{n} thing{s}", ["one"], remedy="r")[0].summary == "1 thing"
    assert about("x", Severity.NOTE, "{n} thing{s}", [], remedy="r") == []
