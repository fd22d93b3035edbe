"""An examination as JSON or text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from grooveseek.doctor.findings import Finding, Report

Paint = Callable[[str], str]


def report_as_json(report: Report) -> dict[str, Any]:
    """The report's JSON value. Its keys and the names of the checks are stable."""
    return {
        "documents": report.documents,
        "chunks": report.chunks,
        "deep": report.deep,
        "findings": [
            {
                "check": finding.check,
                "severity": finding.severity.value,
                "summary": finding.summary,
                "count": finding.count,
                "examples": list(finding.examples),
                "remedy": finding.remedy,
            }
            for finding in report.findings
        ],
        "not_run": [{"check": each.check, "reason": each.reason} for each in report.not_run],
        "checks": list(report.checks),
    }


def render_text(report: Report, *, emphasise: Paint = str) -> str:
    """A block a finding, and a summary."""
    blocks = ["".join(f"{line}\n" for line in _finding(finding, emphasise)) for finding in report.findings]
    if report.not_run:
        blocks.append("".join(f"not run  {each.check}: {each.reason}\n" for each in report.not_run))
    return "\n".join([*blocks, f"{_summary(report)}\n"])


def _finding(finding: Finding, emphasise: Paint) -> Iterator[str]:
    yield f"{finding.severity.value}  {emphasise(finding.check)}: {finding.summary}"
    for example in finding.examples:
        yield f"    {example}"
    if finding.count > len(finding.examples) > 0:
        yield f"    and {finding.count - len(finding.examples)} more"
    yield f"  remedy: {finding.remedy}"


def _summary(report: Report) -> str:
    held = ""
    if report.documents is not None and report.chunks is not None:
        held = f"{_count(report.documents, 'document')} in {_count(report.chunks, 'chunk')}; "
    made = len(set(report.checks) - {each.check for each in report.not_run})
    told = f"{held}{_count(made, 'check')} made, "
    told += _count(len(report.findings), "finding") if report.findings else "nothing to report"
    return f"{told}, {len(report.not_run)} not run" if report.not_run else told


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
