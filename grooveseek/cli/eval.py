"""``groove eval``: golden queries through the search, measured, compared with an earlier run, and gated."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grooveseek.cli.options import Invocation, common_options, working_directory
from grooveseek.cli.output import say, write
from grooveseek.cli.query_progress import query_progress
from grooveseek.cli.reports import (
    FORMATS,
    Look,
    Outputs,
    check_writable,
    named_for,
    plan_outputs,
    render,
    terminal_width,
    write_file,
)
from grooveseek.errors import NoIndex, UsageError

if TYPE_CHECKING:
    from grooveseek.app import KnowledgeBase
    from grooveseek.evaluation.evaluate import EvalRequest, Evaluation
    from grooveseek.evaluation.gate import GateRule
    from grooveseek.settings.sections import Settings

_FILE = click.Path(path_type=Path)
_MODES = ("hybrid", "keyword", "semantic")
_COULD_NOT_RUN = 2


@click.command()
@common_options
@click.option("--golden", type=_FILE, metavar="FILE", help="Another golden file than the folder's .groove-eval.yml.")
@click.option("--queries", type=_FILE, metavar="FILE", help="A test collection's queries, .tsv or .jsonl.")
@click.option("--qrels", type=_FILE, metavar="FILE", help="Its judgments, as trec_eval reads them.")
@click.option("--k", "k_values", multiple=True, metavar="K,K,...", help="Cutoffs; comma or repeat.  [default: 1,5,10]")
@click.option("--limit", type=int, help="Ranks measured.  [default: 10, or the largest cutoff]")
@click.option(
    "--level", type=click.Choice(["chunk", "document"]), default="chunk", show_default=True, help="What ranks."
)
@click.option("--gain", type=click.Choice(["linear", "exp2"]), default="linear", show_default=True, help="nDCG's gain.")
@click.option("--mode", type=click.Choice(_MODES), default="hybrid", show_default=True, help="Which legs run.")
@click.option("--model", metavar="NAME", help="The embedding model the index was made with.")
@click.option("--reranker", metavar="NAME", help="Rerank with this cross-encoder; without it nothing is reranked.")
@click.option("--mmr", type=bool, metavar="BOOL", help="Diversify the results.")
@click.option("--mmr-lambda", type=float, metavar="0..1", help="1 is relevance alone, 0 diversity alone.")
@click.option("--mmr-same-doc-penalty", type=float, metavar="0..1", help="Taken off for a document already picked.")
@click.option("--parent-retriever", type=bool, metavar="BOOL", help="Show hits with what stands around them.")
@click.option("--baseline", type=_FILE, metavar="FILE", help="Compare with this run instead of the last one here.")
@click.option("--save-baseline", type=_FILE, metavar="FILE", help="Write this run as a baseline.")
@click.option("--fail-on-regression", is_flag=True, help="Exit 1 when a mean fell by more than the threshold.")
@click.option("--gate", type=click.Choice(["threshold", "significance"]), help="What counts as a regression; exit 1.")
@click.option("--alpha", type=float, metavar="0..1", help="Significance: p below this.  [default: 0.05]")
@click.option("--min-effect", type=float, metavar="0..1", help="Significance: a fall above this.  [default: 0.01]")
@click.option("--no-history", is_flag=True, help="Neither read nor write the runs kept beside the documents.")
@click.option("--no-diff", is_flag=True, help="Leave the comparison out of the report.")
@click.option("--per-query", is_flag=True, help="List every query in the text report.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="What stdout gets.  [default: text]")
@click.option("--output", "files", type=_FILE, multiple=True, metavar="FILE", help="Write a report; repeat.")
@click.option("--run-out", type=_FILE, metavar="FILE", help="Write the rankings as a TREC run.")
@click.option("--qrels-out", type=_FILE, metavar="FILE", help="Write the judgments as TREC qrels.")
def command(
    invocation: Invocation,
    form: str | None,
    files: tuple[Path, ...],
    run_out: Path | None,
    qrels_out: Path | None,
    no_diff: bool,
    per_query: bool,
    **parameters: Any,
) -> int:
    """Measure retrieval with golden queries.

    Each query of the golden file is searched for, and what comes back is compared with what should have come. Exit code
    1 when the gate finds a regression, 2 when it could not be run. --output tells the format by the file's name.
    """
    from grooveseek.app import KnowledgeBase

    outputs = plan_outputs(form, files)
    written = {"--run-out": run_out, "--qrels-out": qrels_out, "--save-baseline": parameters["save_baseline"]}
    check_writable({**written, **{f"--output ({place})": file for place, file in enumerate(files, 1)}})
    reranker = parameters["reranker"] or "none"
    settings = invocation.resolve({"reranker": reranker, "model": parameters["model"]}).settings
    with KnowledgeBase(settings) as kb:
        request = _request(kb, settings, parameters)
        try:
            with query_progress(sys.stderr) as progress:
                evaluation = kb.evaluate(request, progress=progress)
        except NoIndex as error:  # 1 would read as a regression
            say(f"groove: {error}")
            return _COULD_NOT_RUN
        root = kb.root
    _export(evaluation, run_out, qrels_out)
    _tell(evaluation, request, outputs)
    look = Look(colour=invocation.color, width=terminal_width(100), per_query=per_query)
    _report(evaluation, outputs, look, root, with_diff=not no_diff)
    gate = evaluation.report.gate
    return 0 if gate is None else gate.exit_code


def _request(kb: KnowledgeBase, settings: Settings, parameters: dict[str, Any]) -> EvalRequest:
    from grooveseek.evaluation.conclusion import Records
    from grooveseek.evaluation.evaluate import EvalRequest
    from grooveseek.evaluation.history import HISTORY_FILE
    from grooveseek.evaluation.hits import Level
    from grooveseek.evaluation.measures import Gain
    from grooveseek.evaluation.options import EvalOptions
    from grooveseek.model.query import Mode

    return EvalRequest(
        golden=parameters["golden"],
        queries=parameters["queries"],
        qrels=parameters["qrels"],
        options=EvalOptions(
            k_values=_cutoffs(parameters["k_values"]) or settings.eval.k_values,
            limit=parameters["limit"],
            level=Level(parameters["level"]),
            gain=Gain(parameters["gain"]),
            mode=Mode(parameters["mode"]),
            rerank=settings.reranker != "none",
            mmr=parameters["mmr"],
            mmr_lambda=parameters["mmr_lambda"],
            mmr_same_doc_penalty=parameters["mmr_same_doc_penalty"],
            parent_retriever=parameters["parent_retriever"],
        ),
        records=Records(
            history=None if parameters["no_history"] else kb.root / HISTORY_FILE,
            keep=settings.eval.history_size,
            baseline=parameters["baseline"],
            save_baseline=parameters["save_baseline"],
        ),
        rule=_rule(settings, parameters),
    )


def _cutoffs(values: tuple[str, ...]) -> tuple[int, ...]:
    parts = [part.strip() for value in values for part in value.split(",") if part.strip()]
    for part in parts:
        if not (part.isascii() and part.isdigit()):
            raise UsageError(f"--k is {part!r}. Write whole numbers with commas between: --k 1,5,10")
    return tuple(int(part) for part in parts)


def _rule(settings: Settings, parameters: dict[str, Any]) -> GateRule | None:
    """The gate that was asked for. ``--gate`` alone asks for one; its numbers mean nothing to another."""
    from grooveseek.evaluation.gate import GateMode, GateRule

    mode = GateMode(parameters["gate"] or GateMode.THRESHOLD)
    given = {name: parameters[name] for name in ("alpha", "min_effect") if parameters[name] is not None}
    for name, value in given.items():
        flag = f"--{name.replace('_', '-')}"
        if not 0 <= value <= 1:
            raise UsageError(f"{flag} is {value:g}; allowed is 0 to 1.")
        if mode is not GateMode.SIGNIFICANCE:
            raise UsageError(f"{flag} belongs to --gate significance. Add it, or leave {flag} out.")
    if parameters["gate"] is None and not parameters["fail_on_regression"]:
        return None
    return GateRule(mode=mode, threshold=settings.eval.regression_threshold, **given)


def _export(evaluation: Evaluation, run_out: Path | None, qrels_out: Path | None) -> None:
    from grooveseek.evaluation.trec import write_qrels, write_run

    if run_out is not None:
        write_file("--run-out", run_out, write_run(evaluation.runs))
    if qrels_out is not None:
        write_file("--qrels-out", qrels_out, write_qrels(evaluation.qrels))


def _tell(evaluation: Evaluation, request: EvalRequest, outputs: Outputs) -> None:
    """Everything a person should hear of, on stderr whatever the format."""
    from grooveseek.evaluation.report.text import render_findings

    report, options = evaluation.report, request.options
    for note in evaluation.notes:
        say(f"note: {note}")
    if options.depth < options.largest_k:
        say(f"note: --limit {options.depth} is below the largest cutoff, {options.largest_k}, which sees no more ranks")
    if request.qrels is not None and options.level.value == "chunk":
        say("note: chunks are ranked here; test collections are usually scored with --level document")
    for line in render_findings(report.findings).splitlines():
        say(f"warning: {line}")
    if outputs.stdout == "text":
        return  # which says the rest
    if report.note:
        say(f"note: {report.note}")
    if report.gate is not None and not report.gate.passed:
        say(f"groove: the gate is closed: {' '.join(report.gate.reasons)}")


def _report(evaluation: Evaluation, outputs: Outputs, look: Look, root: Path, *, with_diff: bool) -> None:
    report = evaluation.report if with_diff else replace(evaluation.report, comparison=None, history=())
    cwd = working_directory()
    for file, form in outputs.files:
        named = named_for(form, report, evaluation.golden_file, root, cwd)
        write_file("--output", file, render(named, form, replace(look, colour=False, width=100)))
    if outputs.stdout is not None:
        named = named_for(outputs.stdout, report, evaluation.golden_file, root, cwd)
        write(render(named, outputs.stdout, look))
