"""A study's result for a terminal: plain text, the same bytes for the same study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grooveseek.evaluation.report.plain import number, p_value, plural, printable, signed
from grooveseek.evaluation.tune.report.verdict import (
    FAMILY_NAMES,
    axes_line,
    changes,
    configured_line,
    reminder,
    selections,
    snippet,
    verdict,
)
from grooveseek.evaluation.tune.study import Study

_MOST_SELECTIONS = 5
_MOST_LOSSES = 10


def render_text(study: Study) -> str:
    """The whole report."""
    blocks = [_heading(study), _measures(study)]
    if len(study.families) > 1:
        blocks.append(_families(study))
    blocks += [_held_out(study), _criteria(study), _selections(study), *_losses(study), _conclusion(study)]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _heading(study: Study) -> list[str]:
    counted = plural(len(study.queries), "query", "queries")
    lines = [
        f"Fusion on {printable(study.golden)}: {counted}, {study.effective} with 2 full-text candidates or more",
        axes_line(study),
    ]
    configured = configured_line(study)
    return lines if configured is None else [*lines, configured]


def _measures(study: Study) -> list[str]:
    default, best = study.grid.default, study.found.refit
    rows = [("", "default", "best", "change")]
    for name, means in study.means.items():
        rows.append((name, number(means[default]), number(means[best]), signed(means[best] - means[default])))
    return [
        f"Default: {study.default.label}",
        f"Best on all queries, which flatters it: {study.refit.label}",
        *_columns(rows),
    ]


def _families(study: Study) -> list[str]:
    rows = [("family", "conditions", f"best {study.primary}", "held out", "best setting")]
    rows += [
        (
            FAMILY_NAMES[family.family],
            str(family.conditions),
            number(family.best_mean),
            number(family.held_out_mean),
            study.grid.conditions[family.best].label,
        )
        for family in study.families
    ]
    return ["Families, each with its own choices on queries held out", *_columns(rows, left=(0, 4))]


def _held_out(study: Study) -> list[str]:
    evidence = study.decision.evidence
    counts, interval = evidence.counts, evidence.interval
    within = interval.note or f"95 % interval {signed(interval.low)} to {signed(interval.high)}"
    return [
        f"On held-out queries ({study.primary}): {signed(evidence.mean)} ({within})",
        f"  {counts.wins} better, {counts.losses} worse, {counts.ties} equal; sign test p {p_value(evidence.sign_p)}, "
        f"randomisation p {p_value(evidence.randomisation_p)}",
        f"  standard error {number(evidence.standard_error)}; 3 of them "
        + ("are exceeded" if evidence.three_se else "are not exceeded"),
    ]


def _criteria(study: Study) -> list[str]:
    rows = [f"  {'yes' if c.holds else 'no ':3}  {c.said}" for c in study.decision.criteria]
    return ["A recommendation needs all of these:", *rows]


def _selections(study: Study) -> list[str]:
    chosen = selections(study)
    rows = [f"  {count:4}  {label}" for label, count in chosen[:_MOST_SELECTIONS]]
    more = len(chosen) - _MOST_SELECTIONS
    return ["Chosen by the folds:", *rows, *([f"        and {more} more"] if more > 0 else [])]


def _losses(study: Study) -> Iterable[list[str]]:
    losses = [change for change in changes(study) if change.difference < 0]
    if losses:
        rows = [f"  {signed(c.difference):>7}  {printable(c.id)}" for c in losses[:_MOST_LOSSES]]
        more = len(losses) - _MOST_LOSSES
        yield ["Held-out queries that lose:", *rows, *([f"           and {more} more"] if more > 0 else [])]


def _conclusion(study: Study) -> list[str]:
    lines = [verdict(study)]
    if study.recommended is not None:
        lines += ["", snippet(study.recommended).rstrip("\n"), ""]
    final = reminder(study)
    return lines if final is None else [*lines, final]


def _columns(rows: Sequence[Sequence[str]], *, left: Sequence[int] = (0,)) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
