"""Evaluation reports on their way out: which format goes to stdout, which to files, and what files are called there."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grooveseek.cli.validate import checkout_path
from grooveseek.errors import UsageError

if TYPE_CHECKING:
    from grooveseek.evaluation.outcome import EvalReport

FORMATS = ("text", "json", "github", "junit", "html")

_BY_SUFFIX = {".txt": "text", ".json": "json", ".xml": "junit", ".html": "html", ".htm": "html"}
_FROM_THE_CHECKOUT = ("github", "junit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """What is written where. ``stdout`` is None when the format asked for went to a file."""

    stdout: str | None
    files: tuple[tuple[Path, str], ...]


def plan_outputs(form: str | None, files: Iterable[Path]) -> Outputs:
    """A file gets the format its name tells, else ``form``; stdout gets ``form`` unless a file has it.

    Without ``form`` stdout gets text. Raises UsageError for a name that tells nothing when no format is given.
    """
    planned = []
    for file in files:
        told = _BY_SUFFIX.get(file.suffix.lower(), form)
        if told is None:
            raise UsageError(
                f"--output {file}: the name tells no format. End it in {', '.join(_BY_SUFFIX)}, or add --format."
            )
        planned.append((file, told))
    written = form is not None and form in {told for _, told in planned}
    return Outputs(stdout=None if written else form or "text", files=tuple(planned))


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How the text report is shown."""

    colour: bool = False
    width: int = 100
    per_query: bool = False


def render(report: EvalReport, form: str, look: Look) -> str:
    """The report in one format."""
    if form == "json":
        from grooveseek.evaluation.report.json import render_json

        return render_json(report)
    if form == "github":
        from grooveseek.evaluation.report.github import render_github

        return render_github(report)
    if form == "junit":
        from grooveseek.evaluation.report.junit import render_junit

        return render_junit(report)
    if form == "html":
        from grooveseek.evaluation.report.html import render_html

        return render_html(report)
    from grooveseek.evaluation.report.text import render_text

    return render_text(report, colour=look.colour, width=look.width, per_query=look.per_query)


def named_for(form: str, report: EvalReport, golden: Path, root: Path, cwd: Path) -> EvalReport:
    """The report with its files called as the format's readers need it.

    Annotations and JUnit readers want paths from the root of the checkout, for the golden file and for the documents
    findings are about; a person wants the golden file as it is seen from where groove was started.
    """
    if form not in _FROM_THE_CHECKOUT:
        return replace(report, golden=_seen_from(cwd, golden))
    file_of = checkout_path(root.resolve(), os.environ, cwd)
    findings = (replace(f, path=None if f.path is None else file_of(f.path)) for f in report.findings)
    return replace(report, golden=file_of(str(golden.resolve())), findings=tuple(findings))


def terminal_width(default: int) -> int:
    """The width of stdout when it is a terminal, within reason; else the default."""
    if sys.stdout is None or not sys.stdout.isatty():
        return default
    return max(60, min(160, shutil.get_terminal_size().columns))


def check_writable(files: Mapping[str, Path | None]) -> None:
    """Raise UsageError, before any work is done, for a file whose folder is not there. By flag."""
    for flag, file in files.items():
        if file is not None and not file.parent.is_dir():
            raise UsageError(f"{flag} {file}: there is no folder {file.parent}.")


def write_file(flag: str, file: Path, text: str) -> None:
    """Write a file as UTF-8. Raises UsageError naming the flag."""
    try:
        file.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise UsageError(f"{flag} {file}: cannot be written: {error.strerror or error}.") from error


def _seen_from(cwd: Path, file: Path) -> str:
    whole = (cwd / file).resolve()
    return str(whole.relative_to(cwd.resolve())) if whole.is_relative_to(cwd.resolve()) else str(whole)
