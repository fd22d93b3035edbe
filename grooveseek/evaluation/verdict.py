"""A comparison as a sentence a person can act on."""

from __future__ import annotations

from collections.abc import Sequence

from grooveseek.evaluation.compare import ROUNDING, Comparison, MetricDelta
from grooveseek.evaluation.statistics import ALPHA, PairedResult

_NAMED = 3


def verdict(comparison: Comparison, alpha: float = ALPHA) -> str:
    """What moved, by how much with its interval and p, wins and losses; or what it would take to know."""
    if not comparison.compatible:
        return f"Not compared with the run of {comparison.previous.time}: {_joined(comparison.differences)}."
    if not comparison.queries or not comparison.metrics:
        return "Not compared: the runs have no query in common."
    said = _movement(comparison, alpha)
    if comparison.corpus_changed:
        said += " The indexed documents changed between the runs, so part of this may be theirs."
    return said


def _movement(comparison: Comparison, alpha: float) -> str:
    moved = [delta for delta in comparison.metrics if delta.paired.counts.wins or delta.paired.counts.losses]
    if not moved:
        count = len(comparison.queries)
        return f"Nothing moved: {_queries(count)} {'scores' if count == 1 else 'score'} the same on every measure."
    settled = [delta for delta in moved if delta.paired.p_adjusted < alpha]
    subject = _subject(settled or moved, comparison.primary)
    said = f"{_described(subject)}, corrected over {_tests(subject.paired.tests)}):"
    if not settled:
        return f"{said} undecided. {_what_it_takes(subject.paired)}"
    return f"{said} more than chance.{_others(settled, subject)}"


def _subject(candidates: Sequence[MetricDelta], primary: str) -> MetricDelta:
    """The primary measure when it is among them, else the one that moved most."""
    return max(candidates, key=lambda delta: (delta.name == primary, abs(delta.paired.mean)))


def _described(delta: MetricDelta) -> str:
    paired = delta.paired
    counts = f"{paired.counts.wins} better, {paired.counts.losses} worse, {paired.counts.ties} equal"
    interval = f"95 % interval {paired.interval.low:+.3f} to {paired.interval.high:+.3f}"
    if paired.interval.note:
        interval = paired.interval.note
    return (
        f"{delta.name} {_moved_by(paired.mean)} ({counts} of {_queries(paired.queries)}; {interval}; p = {_p(paired)}"
    )


def _moved_by(mean: float) -> str:
    if abs(mean) <= ROUNDING:
        return "kept its mean"
    return f"{'rose' if mean > 0 else 'fell'} by {abs(mean):.3f}"


def _p(paired: PairedResult) -> str:
    return "below 0.001" if paired.p_adjusted < 0.001 else f"{paired.p_adjusted:.3f}"


def _what_it_takes(paired: PairedResult) -> str:
    if paired.queries_needed is None:
        return "The wins and losses cancel out, so no number of queries would settle it."
    more = paired.queries_needed - paired.queries
    if more <= 0:
        return "A few more queries should settle a difference of this size."
    return f"About {more} more {'query' if more == 1 else 'queries'} would settle a difference of this size."


def _others(settled: Sequence[MetricDelta], subject: MetricDelta) -> str:
    others = sorted((delta for delta in settled if delta is not subject), key=lambda d: (-abs(d.paired.mean), d.name))
    if not others:
        return ""
    named = _joined([f"{delta.name} {delta.paired.mean:+.3f}" for delta in others[:_NAMED]])
    rest = len(others) - _NAMED
    return f" Beyond chance as well: {named}" + (f" and {rest} more." if rest > 0 else ".")


def _joined(parts: Sequence[object]) -> str:
    return ", ".join(map(str, parts))


def _tests(count: int) -> str:
    return f"{count} {'test' if count == 1 else 'tests'}"


def _queries(count: int) -> str:
    return f"{count} {'query' if count == 1 else 'queries'}"
