"""``groove doctor``: what is wrong with an index, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grooveseek.cli.options import Invocation, common_options
from grooveseek.cli.output import say, write, write_json
from grooveseek.errors import NoIndex

if TYPE_CHECKING:
    from grooveseek.doctor.findings import Report

_COULD_NOT_RUN = 2


@click.command()
@common_options
@click.option("--deep", is_flag=True, help="Read every file, and compare the documents with one another.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(invocation: Invocation, deep: bool, form: str) -> int:
    """Examine the index and the folder. Reports, and never repairs.

    Exit code 0 when there is nothing to report, 1 with findings, 2 when a check could not be made.
    """
    from grooveseek.app import KnowledgeBase
    from grooveseek.doctor.report import render_text, report_as_json

    with KnowledgeBase(invocation.resolve().settings) as kb:
        try:
            report = kb.examine(deep=deep)
        except NoIndex as error:  # exit code 1 would mean that something was found
            say(f"groove: {error}")
            return _COULD_NOT_RUN
    if form == "json":
        write_json(report_as_json(report))
    else:
        write(render_text(report, emphasise=(lambda text: click.style(text, bold=True)) if invocation.color else str))
    return exit_code(report)


def exit_code(report: Report) -> int:
    """Findings come first: they are what the caller asked about."""
    if report.findings:
        return 1
    return _COULD_NOT_RUN if report.not_run else 0
