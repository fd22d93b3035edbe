"""``groove tune``: would other settings of fusion find more? Sweeps, cross-validates, applies nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grooveseek.cli.options import Invocation, common_options
from grooveseek.cli.output import say, write
from grooveseek.cli.query_progress import query_progress
from grooveseek.cli.reports import check_writable, plan_outputs, write_file
from grooveseek.errors import NoIndex, UsageError

if TYPE_CHECKING:
    from grooveseek.evaluation.tune.request import TuneRequest
    from grooveseek.evaluation.tune.study import Study
    from grooveseek.settings.sections import Settings

FORMATS = ("text", "json", "html")
_FILE = click.Path(path_type=Path)
_COULD_NOT_RUN = 2


@click.command()
@common_options
@click.option("--golden", type=_FILE, metavar="FILE", help="Another golden file than the folder's .groove-eval.yml.")
@click.option("--queries", type=_FILE, metavar="FILE", help="A test collection's queries, .tsv or .jsonl.")
@click.option("--qrels", type=_FILE, metavar="FILE", help="Its judgments, as trec_eval reads them.")
@click.option(
    "--family", type=click.Choice(["rrf", "convex", "all"]), default="rrf", show_default=True, help="What is swept."
)
@click.option("--legs", is_flag=True, help="Vary the weights of the legs in rrf as well.")
@click.option(
    "--level", type=click.Choice(["chunk", "document"]), default="chunk", show_default=True, help="What ranks."
)
@click.option("--gain", type=click.Choice(["linear", "exp2"]), default="linear", show_default=True, help="nDCG's gain.")
@click.option("--model", metavar="NAME", help="The embedding model the index was made with.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="What stdout gets.  [default: text]")
@click.option("--output", "files", type=_FILE, multiple=True, metavar="FILE", help="Write a report; repeat.")
def command(
    invocation: Invocation, form: str | None, files: tuple[Path, ...], model: str | None, **parameters: Any
) -> int:
    """Look for better settings of fusion with golden queries.

    Every golden query is ranked under each setting of a grid, and the best is held against the built-in one on queries
    that had no part in choosing it. Prints lines for groove.toml, or says to keep the defaults; changes nothing. Exit
    code 0 either way, 2 when it could not be run. --output tells the format by the file's name.
    """
    from grooveseek.app import KnowledgeBase

    outputs = plan_outputs(form, files)
    for file, told in outputs.files:
        if told not in FORMATS:
            raise UsageError(
                f"--output {file}: tune writes {', '.join(FORMATS)}. End the name in .txt, .json or .html."
            )
    check_writable({f"--output ({place})": file for place, file in enumerate(files, 1)})
    settings = invocation.resolve({"model": model}).settings
    with KnowledgeBase(settings) as kb:
        try:
            with query_progress(sys.stderr) as progress:
                study = kb.tune(_request(settings, parameters), progress=progress)
        except NoIndex as error:
            say(f"groove: {error}")
            return _COULD_NOT_RUN
    for line in study.warnings:
        say(f"warning: {line}")
    for line in study.notes:
        say(f"note: {line}")
    for file, told in outputs.files:
        write_file("--output", file, _render(study, told))
    if outputs.stdout is not None:
        write(_render(study, outputs.stdout))
    return 0


def _request(settings: Settings, parameters: dict[str, Any]) -> TuneRequest:
    from grooveseek.evaluation.hits import Level
    from grooveseek.evaluation.measures import Gain
    from grooveseek.evaluation.tune.grid import Choice
    from grooveseek.evaluation.tune.request import TuneRequest

    return TuneRequest(
        golden=parameters["golden"],
        queries=parameters["queries"],
        qrels=parameters["qrels"],
        choice=Choice(parameters["family"]),
        legs=parameters["legs"],
        level=Level(parameters["level"]),
        gain=Gain(parameters["gain"]),
        k_values=settings.eval.k_values,
    )


def _render(study: Study, form: str) -> str:
    if form == "json":
        from grooveseek.evaluation.tune.report.json import render_json

        return render_json(study) + "\n"
    if form == "html":
        from grooveseek.evaluation.tune.report.html import render_html

        return render_html(study)
    from grooveseek.evaluation.tune.report.text import render_text

    return render_text(study)
