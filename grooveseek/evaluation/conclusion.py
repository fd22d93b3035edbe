"""From measured figures to a report: what they are compared with, whether the gate opens, what is kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grooveseek.evaluation.compare import compare
from grooveseek.evaluation.evalrun import EvalRun
from grooveseek.evaluation.gate import REGRESSION, GateDecision, GateRule, decide
from grooveseek.evaluation.history import History, load_baseline, load_history, record_run, save_baseline
from grooveseek.evaluation.outcome import EvalReport
from grooveseek.evaluation.runner import Measured
from grooveseek.evaluation.summary import groups_of, history_points, legs_of, unjudged_of

_NOT_KEPT = (
    "This run was not added to the history, so that the next one is held against the same run as this one. Run without "
    "the gate to accept the figures as they are."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """Which files a run is compared with and kept in.

    ``history`` None: neither read nor written; ``keep`` is how many runs it holds. ``baseline`` takes the history's
    place in the comparison. ``save_baseline`` is written last.
    """

    history: Path | None = None
    keep: int = 10
    baseline: Path | None = None
    save_baseline: Path | None = None


def conclude(measured: Measured, golden: str, primary: str, records: Records, rule: GateRule | None) -> EvalReport:
    """Compare, decide and keep. ``golden`` is the golden file as messages call it; no rule, no gate.

    The earlier runs are read before anything is written. Raises HistoryError; the files are as they were then.
    """
    run = measured.run
    history = History() if records.history is None else load_history(records.history)
    if records.baseline is not None:
        previous: EvalRun | None = load_baseline(records.baseline)
    else:
        previous = history.compatible(run.fingerprint) or history.latest
    comparison = None if previous is None else compare(run, previous)
    gate = None if rule is None else decide(comparison, rule, baseline_named=records.baseline is not None)
    notes = [history.note, *_keep(run, records, gate)]
    return EvalReport(
        run=run,
        golden=golden,
        primary=primary,
        queries=measured.queries,
        groups=groups_of(measured.queries),
        legs=legs_of(measured.queries),
        unjudged=unjudged_of(measured.queries),
        findings=measured.findings,
        comparison=comparison,
        gate=gate,
        history=history_points(history.runs, run.fingerprint),
        note=_joined(notes),
    )


def _keep(run: EvalRun, records: Records, gate: GateDecision | None) -> Iterable[str]:
    regressed = gate is not None and gate.exit_code == REGRESSION
    if records.history is not None and not (regressed and records.baseline is None):
        record_run(records.history, run, keep=records.keep)
    elif records.history is not None:
        yield _NOT_KEPT
    if records.save_baseline is not None:
        save_baseline(records.save_baseline, run)


def _joined(notes: Iterable[str | None]) -> str | None:
    return " ".join(note for note in notes if note) or None
