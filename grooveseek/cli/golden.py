"""``groove golden``: help with the thing that measuring needs and nobody has, a golden set."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grooveseek.cli.options import Invocation, common_options, working_directory
from grooveseek.cli.output import say, write, write_json
from grooveseek.errors import NoIndex, UsageError

if TYPE_CHECKING:
    from grooveseek.app import KnowledgeBase
    from grooveseek.evaluation.curation.check import Checked

_FILE = click.Path(path_type=Path)
_COULD_NOT_RUN = 2
_golden_option = click.option("--golden", type=_FILE, metavar="FILE", help="Another file than .groove-eval.yml.")


@click.group()
def command() -> None:
    """Make and check a golden set: queries with the documents that answer them."""


@command.command()
@common_options
@_golden_option
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def check(invocation: Invocation, golden: Path | None, form: str) -> int:
    """Check a golden file against the files and the index.

    Paths exist and are indexed, headings and quotes are there, no query is asked twice or quoted by a document. Exit
    code 1 when something is to be changed.
    """
    from grooveseek.app import KnowledgeBase
    from grooveseek.evaluation.curation.check import check_golden
    from grooveseek.evaluation.sources import golden_path, load_golden

    settings = invocation.resolve().settings
    with KnowledgeBase(settings) as kb:
        loaded = load_golden(golden_path(kb.root, golden, settings.eval.golden))
        try:
            checked = check_golden(loaded.golden, _store(kb), kb.root)
        except NoIndex as error:  # 1 would read as a finding
            say(f"groove: {error}")
            return _COULD_NOT_RUN
    if form == "json":
        write_json(checked_as_json(checked, str(loaded.file), len(loaded.golden.queries)))
    else:
        write(render_checked(checked, _shown(loaded.file), len(loaded.golden.queries)))
    return 1 if checked.findings else 0


@command.command()
@common_options
@_golden_option
@click.option("--depth", type=click.IntRange(1, 100), default=10, show_default=True, help="Results of each leg judged.")
@click.option("--id", "query_id", metavar="TEXT", help="The query's id.  [default: its first 32 characters]")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag of the query; repeat.")
@click.option("--seed", type=int, default=0, help="Another order of the same results.")
@click.argument("query")
def add(invocation: Invocation, golden: Path | None, query: str, **parameters: Any) -> int:
    """Judge what is found for QUERY and add it to the golden file.

    The first results by meaning, by words and of both together are shown in an order that tells nothing about ranks, to
    be graded from 0 to 4 with single keys. s skips, u goes back, q stops and keeps what was judged; the same command
    goes on from there.
    """
    from grooveseek.app import KnowledgeBase
    from grooveseek.cli.judge import judge_query
    from grooveseek.cli.keys import single_keys
    from grooveseek.evaluation.sources import golden_path

    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError("golden add asks for judgments key by key, so it needs a terminal. Run it in one.")
    settings = invocation.resolve().settings
    with KnowledgeBase(settings) as kb:
        file = golden_path(kb.root, golden, settings.eval.golden)
        try:
            with single_keys() as read_key:
                return judge_query(kb, query, file, color=invocation.color_stderr, read_key=read_key, **parameters)
        except NoIndex as error:
            say(f"groove: {error}")
            return _COULD_NOT_RUN


@command.command()
@common_options
@click.option("--count", type=click.IntRange(1, 1000), default=10, show_default=True, help="Suggestions at most.")
@click.option("--seed", type=int, default=0, show_default=True, help="Draws other passages.")
def suggest(invocation: Invocation, count: int, seed: int) -> int:
    """Print candidate queries to start a golden file from.

    Each is a passage's own telling words, printed as a comment: put it in your own words before you use it.
    """
    from grooveseek.app import KnowledgeBase
    from grooveseek.evaluation.curation import suggest as suggestions

    with KnowledgeBase(invocation.resolve().settings) as kb:
        try:
            found = suggestions.suggest(_store(kb), count=count, seed=seed)
        except NoIndex as error:
            say(f"groove: {error}")
            return _COULD_NOT_RUN
    if not found:
        say("note: no passage in the index is long enough to make a query of")
    else:
        write(suggestions.render_suggestions(found))
    return 0


def checked_as_json(checked: Checked, golden: str, queries: int) -> dict[str, Any]:
    """The result as data."""
    from grooveseek.evaluation.report.json import finding_values

    return {
        "golden": golden,
        "queries": queries,
        "findings": [finding_values(finding) for finding in checked.findings],
        "notes": [finding_values(note) for note in checked.notes],
    }


def render_checked(checked: Checked, golden: str, queries: int) -> str:
    """One line a finding, as editors read it: file, line, what is wrong."""
    from grooveseek.evaluation.report.plain import finding_line, plural

    lines = []
    for finding in (*checked.findings, *checked.notes):
        place = golden if finding.line is None else f"{golden}:{finding.line}"
        note = "note: " if finding in checked.notes else ""
        lines.append(f"{place}: {note}{finding_line(finding)}")
    found = plural(len(checked.findings), "finding", "findings") if checked.findings else "nothing to change"
    return "".join(f"{line}\n" for line in (*lines, f"{golden}: {plural(queries, 'query', 'queries')}, {found}."))


def _store(kb: KnowledgeBase) -> Any:
    store = kb.store()
    store.meta.require_root(kb.root.name)
    return store


def _shown(file: Path) -> str:
    cwd = working_directory()
    return str(file.relative_to(cwd)) if file.is_relative_to(cwd) else str(file)
