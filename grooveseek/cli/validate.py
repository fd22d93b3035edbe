"""``groove validate``: the documents' frontmatter against the schema."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grooveseek.cli.options import Invocation, common_options, working_directory
from grooveseek.cli.output import say, write, write_json
from grooveseek.errors import UsageError

if TYPE_CHECKING:
    from grooveseek.validation.run import Report
    from grooveseek.validation.schema import Schema


@click.command()
@common_options
@click.option("--schema", type=click.Path(path_type=Path), metavar="FILE", help="Another schema than the folder's own.")
@click.option("--strict", is_flag=True, help="Refuse every key that the schema does not name.")
@click.option("--fail-fast", is_flag=True, help="Stop after the first document with a violation.")
@click.option("--format", "form", type=click.Choice(["text", "json", "github"]), default="text", show_default=True)
def command(invocation: Invocation, schema: Path | None, strict: bool, fail_fast: bool, form: str) -> int:
    """Check the documents' frontmatter against groove-schema.toml.

    The schema stands in the folder to search. Exit code 1 when a document is not as it wants.
    """
    from grooveseek.knowledge_base.exclusion import ExclusionRules
    from grooveseek.knowledge_base.walk import check_root
    from grooveseek.validation.run import validate

    settings = invocation.resolve().settings
    if settings.kb_path is None:
        raise UsageError("no knowledge base is named. Use --kb-path FOLDER, or set kb_path in groove.toml")
    root = check_root(settings.kb_path)
    loaded = _schema(root, schema)
    if loaded is None:
        say(f"note: there is no groove-schema.toml in {root}, so there is nothing to check against (docs/validate.md)")
        _write_nothing(form)
        return 0
    report = validate(
        root,
        loaded,
        ExclusionRules.load(root, settings.exclude_dirs),
        max_bytes=settings.index.max_raw_text_size,
        strict=strict,
        fail_fast=fail_fast,
    )
    for warning in report.warnings:
        say(f"warning: {warning}")
    _write(report, form, root, color=invocation.color)
    return 0 if report.is_clean else 1


def checkout_path(root: Path, environ: Mapping[str, str], cwd: Path) -> Callable[[str], str]:
    """A document's path as an annotation wants it: from the root of the checkout, with ``/``.

    The checkout is GITHUB_WORKSPACE, or else the working directory; a document outside it keeps its whole path.
    """
    base = Path(environ.get("GITHUB_WORKSPACE") or cwd).resolve()

    def file_of(path: str) -> str:
        whole = root / path
        return (whole.relative_to(base) if whole.is_relative_to(base) else whole).as_posix()

    return file_of


def _schema(root: Path, named: Path | None) -> Schema | None:
    from grooveseek.validation.schema import load_schema, schema_of

    return schema_of(root) if named is None else load_schema(named)


def _write_nothing(form: str) -> None:
    if form == "json":
        write_json({"schema": None, "documents": 0, "violations": [], "unchecked": [], "stopped": False})


def _write(report: Report, form: str, root: Path, *, color: bool) -> None:
    from grooveseek.validation.report import render_github, render_text, report_as_json

    if form == "json":
        write_json(report_as_json(report))
    elif form == "github":
        write(render_github(report, checkout_path(root, os.environ, working_directory())))
    else:
        write(render_text(report, emphasise=(lambda text: click.style(text, bold=True)) if color else str))
