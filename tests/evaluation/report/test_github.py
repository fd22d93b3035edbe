import re
from dataclasses import replace

from grooveseek.evaluation.gate import GateDecision
from grooveseek.evaluation.report.github import render_github
from tests.support.eval_reports import make_hostile_report, make_report

REPORT = make_report()
COMMAND = re.compile(r"::(error|warning|notice) file=[^:]*,title=[^:]*::.*")


def test_a_query_that_got_worse_is_annotated_on_its_line() -> None:
    lines = render_github(REPORT).splitlines()
    assert (
        '::warning file=notes/.groove-eval.yml,line=27,title=Query got worse::"How do I reset the pump after a dry '
        'run? (6)": nDCG@10 fell from 1.000 to 0.500.' in lines
    )


def test_a_miss_says_why() -> None:
    assert "::warning file=notes/.groove-eval.yml,line=39,title=Query missed::" in render_github(REPORT)
    assert "ops/note-9.md: rank 14, below k" in render_github(REPORT)


def test_a_failed_gate_comes_first_and_makes_regressions_errors() -> None:
    report = replace(REPORT, gate=GateDecision(exit_code=1, reasons=("nDCG@10 fell.",), metrics=("nDCG@10",)))
    lines = render_github(report).splitlines()
    assert lines[0] == "::error file=notes/.groove-eval.yml,title=Retrieval gate::nDCG@10 fell."
    assert any(line.startswith("::error file=notes/.groove-eval.yml,line=27,title=Query got worse::") for line in lines)


def test_findings_point_at_what_they_are_about() -> None:
    text = render_github(REPORT)
    assert "::warning file=notes/faq.md,title=golden-queries-quoted::" in text
    assert "::warning file=notes/.groove-eval.yml,line=12,title=golden-stale::" in text


def test_no_text_can_start_another_command_or_property() -> None:
    for line in render_github(make_hostile_report()).splitlines():
        assert COMMAND.fullmatch(line), line


def test_the_escapes_are_githubs() -> None:
    report = replace(REPORT, golden="a,b:c%d.yml")
    assert "file=a%2Cb%3Ac%25d.yml," in render_github(report)


def test_a_run_without_comparison_or_misses_is_quiet() -> None:
    report = make_report(2, before=False, gate=False)
    assert render_github(replace(report, findings=())) == ""
