"""The documentation speaks of what there is: commands, flags, files, settings, fields of the answer."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from grooveseek.cli.main import COMMANDS, cli
from grooveseek.retrieval.answer import answer_as_json
from grooveseek.settings.keys import keys
from grooveseek.settings.sections import Settings

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("eval/**/*.md"), *ROOT.glob("adr/*.md")])
NOT_OURS = {
    *(
        "--work",
        "--requirement",
        "--keywords",
        "--samples",
        "--replications",
        "--seconds",
    ),  # of scripts under eval/ and golden/
    *("--user", "--now", "--help", "--version", "--force-reinstall"),  # of other programs, or of click itself
}


def every_option() -> set[str]:
    found: set[str] = set()
    waiting: list[click.Command] = [cli]
    while waiting:
        command = waiting.pop()
        for parameter in command.params:
            found.update(parameter.opts)
            found.update(parameter.secondary_opts)
        if isinstance(command, click.Group):
            context = click.Context(command)
            names = command.list_commands(context)
            waiting.extend(c for name in names if (c := command.get_command(context, name)) is not None)
    return found


def prose(page: Path) -> str:
    return page.read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose(page)):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_and_flags_exist(page: Path) -> None:
    commands = set(re.findall(r"(?:^|[`$ ])groove ([a-z]+)\b", "\n".join(code_of(prose(page)))))
    assert commands <= set(COMMANDS), commands - set(COMMANDS)
    scripts = [line for line in code_of(prose(page)) if re.search(r"\b(groove|--)", line) and ".py" not in line]
    flags = {flag for line in scripts for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", line)}
    unknown = flags - every_option() - NOT_OURS
    assert not {flag for flag in unknown if f"groove-{flag}" not in prose(page)}, unknown


def code_of(text: str) -> list[str]:
    """What stands in code spans, fences and indented blocks that start with a command."""
    fenced = re.findall(r"^```[a-z]*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    indented = re.findall(r"^    (.*)$", text, re.MULTILINE)
    spans = re.findall(r"`([^`\n]+)`", text)
    return [*spans, *(line for block in fenced for line in block.splitlines()), *indented]


def test_the_retrieval_page_names_defaults_as_they_are() -> None:
    page = prose(ROOT / "docs" / "retrieval.md")
    fusion = Settings().search.fusion
    assert f"`{fusion.method}` (default)" in page
    assert f"`alpha` is {fusion.alpha:g}" in page
    for name in re.findall(r"\[([a-z.]+)\]\.([a-z_]+)", page):
        assert ".".join(name) in keys()


def test_the_retrieval_page_names_fields_of_the_answer() -> None:
    source = (ROOT / "grooveseek" / "retrieval" / "answer.py").read_text("utf-8")
    assert answer_as_json.__doc__
    for field in ("start_line", "end_line", "start_byte", "end_byte", "match_spans", "stale", "degraded", "reason"):
        assert f'"{field}"' in source
        assert f"`{field}`" in prose(ROOT / "docs" / "retrieval.md")


def test_every_filter_of_a_request_is_documented() -> None:
    from dataclasses import fields

    from grooveseek.model.query import Filters

    page = prose(ROOT / "docs" / "retrieval.md")
    for field in fields(Filters):
        assert f"`{field.name}`" in page


def test_adrs_have_their_parts() -> None:
    for page in ROOT.glob("adr/[0-9]*.md"):
        text = prose(page)
        for part in ("Status:", "Date:", "## Context", "## Decision", "## Consequences", "## Confirmation"):
            assert part in text, f"{page.name} lacks {part}"
