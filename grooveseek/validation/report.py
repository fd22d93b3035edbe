"""A validation's report as text, JSON or GitHub annotations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from grooveseek.knowledge_base.addressing import printable
from grooveseek.validation.run import Report

Paint = Callable[[str], str]


def report_as_json(report: Report) -> dict[str, Any]:
    """The report's JSON value. The keys and the names of the constraints are stable."""
    return {
        "schema": str(report.schema),
        "documents": report.documents,
        "violations": [
            {
                "path": violation.path,
                "line": violation.line,
                "field": violation.field,
                "constraint": violation.constraint.value,
                "message": violation.message,
            }
            for violation in report.violations
        ],
        "unchecked": [{"path": each.path, "reason": each.reason} for each in report.unchecked],
        "stopped": report.stopped,
    }


def render_text(report: Report, *, emphasise: Paint = str) -> str:
    """One line a violation, led by its place in the form that editors open, and a summary."""
    lines = [
        f"{emphasise(f'{each.path}:{each.line}')}: {each.constraint}: {_said(each.field, each.message)}"
        for each in report.violations
    ]
    lines += [f"{emphasise(each.path)}: not checked: {each.reason}" for each in report.unchecked]
    return "".join(f"{line}\n" for line in (*lines, _summary(report)))


def render_github(report: Report, file_of: Callable[[str], str]) -> str:
    """One workflow command a violation, shown by GitHub at the line. ``file_of`` gives a document's path from the root
    of the checkout.

    Format: https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
    """
    return "".join(f"{line}\n" for line in _commands(report, file_of))


def _commands(report: Report, file_of: Callable[[str], str]) -> Iterable[str]:
    for each in report.violations:
        place = f"file={_property(file_of(each.path))},line={each.line},title={_property(each.constraint)}"
        yield f"::error {place}::{_data(_said(each.field, each.message))}"
    for unread in report.unchecked:
        yield f"::error file={_property(file_of(unread.path))},title=not checked::{_data(unread.reason)}"


def _said(field: str | None, message: str) -> str:
    return message if field is None else f"{printable(field)} {message}"


def _summary(report: Report) -> str:
    documents = _count(report.documents, "document")
    if report.is_clean:
        return f"{documents} checked, all as the schema wants them"
    told = f"{documents} checked, {_count(len(report.violations), 'violation')}"
    told += f" in {_count(len({each.path for each in report.violations}), 'document')}" if report.violations else ""
    told += f", {len(report.unchecked)} not checked" if report.unchecked else ""
    return f"{told}; stopped at the first" if report.stopped else told


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
