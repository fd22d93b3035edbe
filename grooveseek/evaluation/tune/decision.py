"""Whether the best setting of a sweep has earned its place. The rule is measured in eval/simulations/tune.md."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from grooveseek.evaluation.statistics import (
    RESAMPLES,
    SEED,
    Counts,
    Interval,
    bootstrap_interval,
    count_signs,
    defined,
    mean_of,
    randomisation_p,
    sign_test_p,
    standard_deviation,
)
from grooveseek.evaluation.tune.crossval import CrossValidation, Floats

MIN_GAIN = 0.02
"""Of the primary measure, on queries that had no part in the choice."""
MAX_P = 0.0125
"""Of the selection test. The share of false adoptions stays at or below it, whatever the number of queries."""
OLD_MULTIPLIER = 3.0
"""Standard errors the gain is held against beside the rule; leave-one-out choices share data, so one or two of them
would be too few."""

_EXACT_UP_TO = 12
"""Queries that differ at all, up to which every assignment of signs is looked at."""
_FEWEST_TO_TELL = 3
"""Differing queries before any condition is called clearly worse: log(log(n)) must not be negative."""
_BLOCK = 1 << 22
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One condition of a recommendation: its short name, whether it holds, and the figures in words."""

    name: str
    holds: bool
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known of the gain on held-out queries, and of the choice.

    ``selection_p`` is :func:`selection_p`; ``sign_p`` and ``randomisation_p`` look at the held-out differences alone
    and take no account of the choice. ``three_se`` tells whether the mean exceeds 3 standard errors.
    """

    mean: float
    standard_error: float
    interval: Interval
    counts: Counts
    sign_p: float
    randomisation_p: float
    selection_p: float

    @property
    def three_se(self) -> bool:
        """Whether the gain exceeds three paired standard errors: the customary rule, reported for comparison."""
        return self.standard_error > 0 and self.mean > OLD_MULTIPLIER * self.standard_error


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Adopt the refit, or keep what there is."""

    criteria: tuple[Criterion, ...]
    evidence: Evidence

    @property
    def adopt(self) -> bool:
        """All criteria hold."""
        return all(criterion.holds for criterion in self.criteria)


def selection_p(values: Floats, default: int, best: int, *, resamples: int = RESAMPLES) -> float:
    """One-sided p-value of the whole selection: could the best of so many conditions look this good by chance?

    Were every condition interchangeable with the default, all differences of a query could as well have the other
    sign. p is the share of sign assignments, one sign a query, under which the best of all conditions gains at least
    what the best one does gain (the single-step maximum test of Westfall and Young, "Resampling-Based Multiple
    Testing", 1993). Conditions below the default are treated as in Hansen, "A Test for Superior Predictive Ability"
    (2005): their differences are centred, and those clearly below stay below, because how bad a setting is says
    nothing about how good another could look by luck. All assignments are looked at up to 12 queries that differ, else
    ``resamples`` seeded ones, the one seen counted among them.

    ``values`` has one row a condition and one column a query; columns must come in an order of their own, since the
    random signs go by place. 1 when ``best`` gains nothing.
    """
    differences = values - values[default]
    seen = float(differences[best].sum())
    if seen <= _TOLERANCE:
        return 1.0
    differences = differences[:, np.any(np.abs(differences) > _TOLERANCE, axis=0)]
    differences = np.unique(differences, axis=0)  # many conditions rank alike
    tested, offsets = _as_under_chance(differences)
    size = tested.shape[1]
    exact = size <= _EXACT_UP_TO
    signs = _all_signs(size) if exact else _random_signs(size, resamples)
    rows = max(1, _BLOCK // max(1, len(tested)))
    extreme = sum(
        int(np.sum((tested @ signs[:, start : start + rows] + offsets).max(axis=0) >= seen - _TOLERANCE))
        for start in range(0, signs.shape[1], rows)
    )
    drawn = int(signs.shape[1])
    return extreme / drawn if exact else (extreme + 1) / (drawn + 1)


def _as_under_chance(differences: Floats) -> tuple[Floats, Floats]:
    """What signs are put to, one row a condition, and what is added to each row's sum (one column)."""
    size = differences.shape[1]
    means = differences.mean(axis=1, keepdims=True)
    centred = np.where(means < 0, differences - means, differences)
    if size < _FEWEST_TO_TELL:
        return centred, np.zeros_like(means)
    error = differences.std(axis=1, keepdims=True) / math.sqrt(size)
    clearly = means < -math.sqrt(2 * math.log(math.log(size))) * error
    return centred, np.where(clearly, means * size, 0.0)


def evidence_of(found: CrossValidation, p: float) -> Evidence:
    """The figures a decision rests on. ``p`` is the selection test's."""
    differences = defined(found.differences)
    deviation = standard_deviation(differences)
    return Evidence(
        mean=mean_of(differences),
        standard_error=deviation / math.sqrt(len(differences)) if differences else math.nan,
        interval=bootstrap_interval(differences),
        counts=count_signs(differences),
        sign_p=sign_test_p(differences),
        randomisation_p=randomisation_p(differences),
        selection_p=p,
    )


def decide(
    primary: Floats,
    secondary: Mapping[str, Floats],
    default: int,
    found: CrossValidation,
    *,
    configured: Floats | None = None,
) -> Decision:
    """Hold the refit against the default. One row a condition, one column a query, columns in an order of their own.

    ``configured`` has the primary measure of what the knowledge base runs now, where that is neither the default
    nor the refit: the choices must beat it as well, on the queries they have not seen.
    """
    queries = primary.shape[1]
    evidence = evidence_of(found, selection_p(primary, default, found.refit))
    worse = _worse(secondary, default, found.refit)
    folds = found.folds_for_refit
    criteria = [
        Criterion(
            name="another",
            holds=found.refit != default,
            said="the best setting on all queries is "
            + ("another" if found.refit != default else "the default itself"),
        ),
        Criterion(
            name="gain",
            holds=evidence.mean > MIN_GAIN,
            said=f"mean gain on held-out queries {evidence.mean:+.3f}, to exceed {MIN_GAIN:g}",
        ),
        Criterion(
            name="evidence",
            holds=evidence.selection_p <= MAX_P,
            said=f"selection test p {evidence.selection_p:.3f}, to be at most {MAX_P:g}",
        ),
        Criterion(
            name="folds",
            holds=2 * folds > queries,
            said=f"chosen in {folds} of {queries} folds, to be more than half",
        ),
        Criterion(
            name="secondary",
            holds=not worse,
            said="no other measure is worse" if not worse else "worse than the default: " + ", ".join(worse),
        ),
    ]
    if configured is not None:
        criteria.append(_beats(primary, found, configured))
    return Decision(criteria=tuple(criteria), evidence=evidence)


def _worse(secondary: Mapping[str, Floats], default: int, refit: int) -> list[str]:
    """The measures whose mean over all queries falls, with the fall."""
    falls = {name: math.fsum(rows[refit] - rows[default]) / rows.shape[1] for name, rows in secondary.items()}
    return [f"{name} {fall:+.3f}" for name, fall in falls.items() if fall < -_TOLERANCE]


def _beats(primary: Floats, found: CrossValidation, configured: Floats) -> Criterion:
    held_out = primary[list(found.selections), np.arange(primary.shape[1])]
    differences = (held_out - configured).tolist()
    gain, p = mean_of(differences), randomisation_p(differences)
    return Criterion(
        name="configured",
        holds=gain > MIN_GAIN and p <= MAX_P,
        said=f"against what is configured {gain:+.3f} (p {p:.3f}), to exceed {MIN_GAIN:g} with p at most {MAX_P:g}",
    )


def _all_signs(size: int) -> Floats:
    """Every assignment, one a column."""
    numbers = np.arange(1 << size)
    flipped = (numbers >> np.arange(size)[:, np.newaxis]) & 1
    return np.where(flipped == 1, -1.0, 1.0)


def _random_signs(size: int, count: int) -> Floats:
    random = np.random.default_rng(SEED)
    return np.where(random.integers(0, 2, size=(size, count), dtype=np.int8) == 1, -1.0, 1.0)
