"""Whether a difference between two runs over the same queries is more than chance.

Everything takes one number a query, the difference (current minus previous), and is deterministic: resampling is
seeded, so the same differences give the same figures. NaN stands for a query that could not be compared, and is left
out. Where a figure cannot be had, it is NaN and the reason is said in words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

SEED = 20_240_229
RESAMPLES = 10_000
CONFIDENCE = 0.95
ALPHA = 0.05
POWER = 0.8

FEWEST_DIFFERENT = 6
"""Below this many queries that differ, nothing is claimed. With 5, even if all five agree, a two-sided sign-flip test
cannot fall below 2/2^5 = 0.06; and bootstrap intervals over so few cover far less than they promise
(eval/simulations/README.md)."""

EXACT_UP_TO = 16
"""Differing queries up to which every one of the 2^n sign flips is looked at."""

_TOLERANCE = 1e-9
"""Differences this small are rounding: measures are sums of a few dozen terms of at most 1."""

_BLOCK = 1 << 22
"""Numbers drawn at a time: 32 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval. Both ends are NaN when there is none, and ``note`` says why."""

    low: float = math.nan
    high: float = math.nan
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Queries better, worse and equal."""

    wins: int
    losses: int
    ties: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedResult:
    """What can be said about a mean difference over ``queries`` pairs.

    ``p`` is the two-sided randomisation p-value, ``p_adjusted`` the same after Holm's correction over the ``tests``
    that were made together. ``queries_needed`` is how many queries in all would settle a true difference of the size
    seen, at the level the strictest step of that correction asks for (alpha over the number of tests).
    """

    queries: int
    mean: float
    interval: Interval
    p: float
    p_adjusted: float
    tests: int
    counts: Counts
    queries_needed: int | None


def paired_results(differences: Sequence[Sequence[float]]) -> tuple[PairedResult, ...]:
    """One result for each measure's differences, all over the same queries; p-values are corrected over them together.

    Measures whose differences agree up to a factor (P@5 and Success@5 of queries with one answer, say) are one test
    under several names: they have one p-value whatever the signs, so they count once in the correction. A measure on
    which no query differs is no test: its p is 1 whatever the signs.
    """
    usable = [defined(values) for values in differences]
    shapes = [_shape(values) for values in differences]
    tested = dict(zip(shapes, map(randomisation_p, usable), strict=True))
    made = {shape: p for shape, p in tested.items() if any(shape) and not math.isnan(p)}
    adjusted = tested | dict(zip(made, holm(list(made.values())), strict=True))
    tests = len(made)
    return tuple(
        PairedResult(
            queries=len(values),
            mean=mean_of(values),
            interval=bootstrap_interval(values),
            p=tested[shape],
            p_adjusted=adjusted[shape],
            tests=tests,
            counts=count_signs(values),
            queries_needed=queries_needed(mean_of(values), standard_deviation(values), alpha=ALPHA / max(1, tests)),
        )
        for values, shape in zip(usable, shapes, strict=True)
    )


def _shape(values: Sequence[float]) -> tuple[float | None, ...]:
    """The differences scaled to a largest of 1, so that equal shapes are equal tests; None for NaN."""
    scale = max((abs(value) for value in values if abs(value) > _TOLERANCE), default=1.0)
    return tuple(None if math.isnan(value) else round(value / scale, 9) + 0.0 for value in values)


def defined(values: Iterable[float]) -> list[float]:
    """The values that are numbers, those within rounding of zero made zero."""
    return [0.0 if abs(value) <= _TOLERANCE else value for value in values if not math.isnan(value)]


def mean_of(values: Sequence[float]) -> float:
    """Arithmetic mean, exactly rounded; NaN over none."""
    return math.fsum(values) / len(values) if values else math.nan


def standard_deviation(values: Sequence[float]) -> float:
    """Sample standard deviation (n - 1); NaN below two values."""
    if len(values) < 2:
        return math.nan
    center = mean_of(values)
    return math.sqrt(math.fsum((value - center) ** 2 for value in values) / (len(values) - 1))


def count_signs(values: Iterable[float]) -> Counts:
    """How many differences are above, below and at zero."""
    usable = defined(values)
    wins = sum(value > 0 for value in usable)
    losses = sum(value < 0 for value in usable)
    return Counts(wins=wins, losses=losses, ties=len(usable) - wins - losses)


def bootstrap_interval(values: Iterable[float], confidence: float = CONFIDENCE) -> Interval:
    """Expanded percentile bootstrap interval of the mean (Hesterberg 2015, section 5.3).

    Queries are drawn anew with replacement, and percentiles of the means are taken a little further out than a plain
    percentile interval would, as Student's t does, because a sample of n spreads too little by sqrt((n-1)/n). Of the
    percentile, the BCa and this interval, this one covers best where differences are mostly zero, as they are between
    two runs (eval/simulations/README.md). None is given where fewer than 6 queries differ.
    """
    usable = defined(values)
    if note := _too_few(usable):
        return Interval(note=note)
    import numpy as np
    from scipy.special import ndtr, stdtrit

    size = len(usable)
    tail = float(ndtr(math.sqrt(size / (size - 1)) * stdtrit(size - 1, (1 - confidence) / 2)))
    low, high = np.quantile(_bootstrap_means(np.array(usable)), [tail, 1 - tail])
    return Interval(low=float(low), high=float(high))


def _bootstrap_means(values: Floats) -> Floats:
    import numpy as np

    size = len(values)
    if size * RESAMPLES <= _BLOCK:
        return _drawn(size) @ values / size
    random = np.random.default_rng(SEED)
    rows = max(1, _BLOCK // size)
    starts = range(0, RESAMPLES, rows)
    means = [_draw(random, min(rows, RESAMPLES - start), size) @ values / size for start in starts]
    return np.concatenate(means)


@lru_cache(maxsize=2)
def _drawn(size: int) -> Floats:
    """All resamples of so many queries; kept, because every measure of a comparison is resampled alike."""
    import numpy as np

    return _draw(np.random.default_rng(SEED), RESAMPLES, size)


def _draw(random: np.random.Generator, rows: int, size: int) -> Floats:
    """How often each query is drawn, one resample a row: all that a mean needs to know."""
    import numpy as np

    picked = random.integers(0, size, size=(rows, size)) + size * np.arange(rows)[:, np.newaxis]
    counts = np.bincount(picked.ravel(), minlength=rows * size).reshape(rows, size)
    return counts.astype(np.float64)


def randomisation_p(values: Iterable[float]) -> float:
    """Two-sided p-value of the paired randomisation test (Fisher; Smucker, Allan and Carterette, CIKM 2007).

    If the two runs were interchangeable, each difference could as well have the other sign: p is the share of sign
    assignments whose mean is at least as far from zero as the one seen. All of them are looked at up to 16 differing
    queries; beyond, 10,000 drawn at random, the one seen counted among them so that p is never 0. 1 when no query
    differs; NaN without queries.
    """
    usable = defined(values)
    if not usable:
        return math.nan
    differing = [value for value in usable if value]
    if not differing:
        return 1.0
    import numpy as np

    sizes = np.abs(np.array(differing))
    seen = abs(math.fsum(differing)) - _TOLERANCE * float(sizes.sum())
    if len(differing) <= EXACT_UP_TO:
        return float(np.mean(np.abs(_all_sums(sizes)) >= seen))
    extreme = sum(int(np.sum(np.abs(sums) >= seen)) for sums in _random_sums(sizes))
    return (extreme + 1) / (RESAMPLES + 1)


def _all_sums(sizes: Floats) -> Floats:
    import numpy as np

    sums: Floats = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    return sums


def _random_sums(sizes: Floats) -> Iterable[Floats]:
    import numpy as np

    random = np.random.default_rng(SEED)
    rows = max(1, _BLOCK // len(sizes))
    for start in range(0, RESAMPLES, rows):
        flips = random.integers(0, 2, size=(min(rows, RESAMPLES - start), len(sizes)), dtype=np.int8)
        yield (2.0 * flips - 1.0) @ sizes


def sign_test_p(values: Iterable[float]) -> float:
    """Two-sided exact sign test: is one direction commoner than a fair coin would make it? NaN without queries."""
    counts = count_signs(values)
    if counts.wins + counts.losses + counts.ties == 0:
        return math.nan
    tosses = counts.wins + counts.losses
    tail = sum(math.comb(tosses, heads) for heads in range(min(counts.wins, counts.losses) + 1))
    return float(min(Fraction(1), Fraction(2 * tail, 2**tosses)))  # exact: 2^tosses outgrows a float at 1024


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (1979): compare with alpha to keep the chance of any false claim below it.

    In the order given. NaN, a test that was not made, stays NaN and does not count towards the correction.
    """
    made = sorted((p, index) for index, p in enumerate(p_values) if not math.isnan(p))
    adjusted = [math.nan] * len(p_values)
    highest = 0.0
    for place, (p, index) in enumerate(made):
        highest = max(highest, min(1.0, p * (len(made) - place)))
        adjusted[index] = highest
    return adjusted


def queries_needed(difference: float, deviation: float, power: float = POWER, alpha: float = ALPHA) -> int | None:
    """Queries with which a paired test finds a true mean difference of this size, with the given power.

    Normal approximation with Guenther's correction for an estimated deviation (The American Statistician 35, 1981),
    which is within a query or two of the exact noncentral t. None when the difference is zero or the deviation unknown
    or zero: no number of queries follows from them.
    """
    if math.isnan(difference) or math.isnan(deviation) or abs(difference) <= _TOLERANCE or deviation <= _TOLERANCE:
        return None
    from scipy.special import ndtri

    z_alpha = float(ndtri(1 - alpha / 2))
    z_power = float(ndtri(power))
    needed = ((z_alpha + z_power) * deviation / difference) ** 2 + z_alpha**2 / 2
    return math.ceil(needed) if math.isfinite(needed) else None


def _too_few(usable: Sequence[float]) -> str:
    differing = sum(1 for value in usable if value)
    if not usable:
        return "no query to compare"
    if len(usable) == 1:
        return "one query only"
    if not differing:
        return "no query differs"
    if differing < FEWEST_DIFFERENT:
        verb = "query differs" if differing == 1 else "queries differ"
        return f"only {differing} {verb}; at least {FEWEST_DIFFERENT} must before a difference can be told from chance"
    return ""
