"""The decision a build waits for: did retrieval get worse?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from grooveseek.evaluation.compare import ROUNDING, Comparison, MetricDelta
from grooveseek.evaluation.statistics import ALPHA

THRESHOLD = 0.05
MIN_EFFECT = 0.01

OK, REGRESSION, COULD_NOT_RUN = 0, 1, 2


class GateMode(StrEnum):
    """``THRESHOLD``: any mean that fell too far. ``SIGNIFICANCE``: a fall that chance does not explain."""

    THRESHOLD = "threshold"
    SIGNIFICANCE = "significance"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRule:
    """When a fall is a regression.

    ``threshold``: a mean fell by more than this. Significance: the Holm-corrected p is below ``alpha`` and the mean
    paired difference is a fall of more than ``min_effect``.
    """

    mode: GateMode = GateMode.THRESHOLD
    threshold: float = THRESHOLD
    alpha: float = ALPHA
    min_effect: float = MIN_EFFECT


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """``exit_code``: 0 no regression, 1 regression, 2 could not tell. ``reasons`` are sentences for a person."""

    exit_code: int
    reasons: tuple[str, ...]
    metrics: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing stands against the change."""
        return self.exit_code == OK


def decide(comparison: Comparison | None, rule: GateRule, *, baseline_named: bool = False) -> GateDecision:
    """Apply the rule.

    Without a previous run to compare with, the first run in a history passes; but a baseline that was named and cannot
    be compared with means the gate could not do its work: exit code 2, as for a mean that is undefined.
    """
    if comparison is None or not comparison.compatible:
        why = "there is no earlier run"
        if comparison is not None:
            why = "; ".join(map(str, comparison.differences))
        if not baseline_named:
            return GateDecision(exit_code=OK, reasons=(f"Nothing to compare with: {why}.",))
        way_out = "Save the baseline anew with --save-baseline once the change is meant."
        return GateDecision(exit_code=COULD_NOT_RUN, reasons=(f"Nothing to compare with: {why}. {way_out}",))
    if undefined := [delta.name for delta in comparison.metrics if math.isnan(delta.delta)]:
        return GateDecision(exit_code=COULD_NOT_RUN, reasons=(f"{undefined[0]} is undefined in one of the runs.",))
    if not comparison.metrics:
        return GateDecision(exit_code=COULD_NOT_RUN, reasons=("The runs share no measure.",))
    fallen = {delta.name: why for delta in comparison.metrics if (why := _fall(delta, rule))}
    return _verdict(fallen, rule)


def _verdict(fallen: Mapping[str, str], rule: GateRule) -> GateDecision:
    if fallen:
        return GateDecision(exit_code=REGRESSION, reasons=tuple(fallen.values()), metrics=tuple(fallen))
    if rule.mode is GateMode.THRESHOLD:
        return GateDecision(exit_code=OK, reasons=(f"No mean fell by more than {rule.threshold:g}.",))
    reason = f"No measure fell by more than {rule.min_effect:g} with p below {rule.alpha:g}."
    return GateDecision(exit_code=OK, reasons=(reason,))


def _fall(delta: MetricDelta, rule: GateRule) -> str:
    if rule.mode is GateMode.THRESHOLD:
        if delta.delta < -rule.threshold - ROUNDING:
            return f"{delta.name} fell from {delta.previous:.4f} to {delta.current:.4f}, more than {rule.threshold:g}."
        return ""
    paired = delta.paired
    if paired.p_adjusted < rule.alpha and paired.mean < -rule.min_effect - ROUNDING:
        return f"{delta.name} fell by {-paired.mean:.4f} (corrected p = {paired.p_adjusted:.2g})."
    return ""
