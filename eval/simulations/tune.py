"""How often the rule of ``groove tune`` adopts a setting, where the truth is known because the queries are made up.

A query has one right answer. Under each of the 384 conditions of the RRF grid its log rank is a difficulty, drawn
once a query, plus ``spread`` times a Gaussian surface over the grid, drawn anew for each query, less ``shift`` times
the edge of the condition. The surface has the same distribution at every condition, with correlation 0.8 from one grid
step to the next along each axis: neighbours rank alike, and without a shift no condition is better than another in the
long run. A share of the queries is ranked alike by all conditions. The edge is 1 where rrf_k is 5 or 10 and the content
weight 2 or 4, falls off around that corner, and is 0 at the default; ``cliff`` makes rrf_k 100 clearly worse than
everything else. Measures are those of the product, at most 10 ranks deep.

    python eval/simulations/tune.py --samples 2000

Prints a Markdown table, one row a world and number of queries: the share of samples in which each rule adopts. A wrong
adoption is of a setting whose true gain is below half the best one's. The same arguments give the same figures.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from grooveseek.evaluation.measures import parse_measure
from grooveseek.evaluation.tune.crossval import CrossValidation, cross_validate
from grooveseek.evaluation.tune.decision import MAX_P, MIN_GAIN, selection_p
from grooveseek.evaluation.tune.grid import Choice, build_grid
from scipy import stats

SIZES = (12, 26, 60)
MEASURES = ("nDCG@5", "R@1", "R@5", "R@10", "RR@10")
DEPTH = 10
RESAMPLES = 999
"""Of the selection test, here; the product draws ten times as many."""
TRUTH = 10_000
"""Queries that a condition's true gain is taken from."""
CORRELATION = 0.8

GRID = build_grid(Choice.RRF, legs=False, has_context=True)
SHAPE = (6, 4, 4, 4)
"""rrf_k, heading, context, content."""
PREFERENCE = GRID.preference()

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """How queries answer to the conditions."""

    name: str
    spread: float
    shift: float = 0.0
    cliff: float = 0.0
    untouched: float = 0.3

    @property
    def edge(self) -> Floats:
        """What is taken off the log rank for each condition, in units of the shift."""
        by_rrf_k = np.array([1.0, 1.0, 0.7, 0.4, 0.0, -0.3])
        by_content = np.array([0.4, 0.7, 1.0, 1.0])
        edge: Floats = by_rrf_k[:, np.newaxis, np.newaxis, np.newaxis] * by_content * np.ones(SHAPE)
        edge[-1] -= self.cliff
        return edge.reshape(-1)

    def draw(self, random: np.random.Generator, size: int) -> Floats:
        """``size`` queries: [measure, condition, query]."""
        surface = random.normal(size=(size, *SHAPE))
        for axis, steps in enumerate(SHAPE, start=1):
            surface = np.moveaxis(np.tensordot(_correlated(steps), surface, axes=(1, axis)), 0, axis)
        difficulty = random.normal(0.6, 1.2, (size, 1))
        touched = random.random((size, 1)) >= self.untouched
        moved = self.spread * surface.reshape(size, -1) - self.shift * self.edge
        ranks = np.floor(np.exp(np.clip(difficulty + np.where(touched, moved, 0.0), 0, 5))).astype(np.int64)
        return np.moveaxis(_TABLE[:, np.minimum(ranks, DEPTH + 1) - 1], 1, 2)

    def gains(self) -> Floats:
        """The true gain of each condition over the default in the first measure."""
        total = np.zeros(len(GRID.conditions))
        for block in range(TRUTH // 500):
            values = self.draw(np.random.default_rng([97, block]), 500)[0]
            total += (values - values[GRID.default]).sum(axis=1)
        return total / TRUTH


WORLDS = (
    World(name="no winner", spread=0.5),
    World(name="no winner, noisy", spread=1.0),
    World(name="edge", spread=0.3, shift=3.0, untouched=0.1),
    World(name="small edge", spread=0.5, shift=1.5),
    World(name="edge and cliff", spread=0.3, shift=3.0, cliff=1.0, untouched=0.1),
    World(name="noisy winner", spread=1.0, shift=2.0),
)


def _correlated(steps: int) -> Floats:
    places = np.arange(steps)
    root: Floats = np.linalg.cholesky(CORRELATION ** np.abs(places[:, np.newaxis] - places))
    return root


def _table() -> Floats:
    """Each measure of a single right answer at rank 1, 2, ..., and at the end for "not found"."""
    rows = []
    for name in MEASURES:
        measure = parse_measure(name)
        found = [measure.evaluate([*("x" * (rank - 1)), "answer"], {"answer": 1}) for rank in range(1, DEPTH + 1)]
        rows.append([*found, 0.0])
    return np.array(rows)


_TABLE = _table()


def rules(values: Floats, found: CrossValidation) -> Mapping[str, bool]:
    """Which rules adopt. All but the bare test share the other criteria: gain, folds, no secondary measure worse."""
    queries = values.shape[2]
    differences = np.array(found.differences)
    mean, error = float(differences.mean()), float(differences.std(ddof=1)) / queries**0.5
    not_worse = bool(np.all(values[1:, found.refit].sum(axis=1) >= values[1:, GRID.default].sum(axis=1) - 1e-9))
    others = mean > MIN_GAIN and not_worse and 2 * found.folds_for_refit > queries and found.refit != GRID.default
    p = selection_p(values[0], GRID.default, found.refit, resamples=RESAMPLES) if others else 1.0
    corrected = error * (1 + queries / (queries - 1)) ** 0.5
    return {
        "2 SE": others and mean > 2 * error,
        "3 SE": others and mean > 3 * error,
        "corrected t": others and mean > float(stats.t.isf(MAX_P, queries - 1)) * corrected,
        "selection p <= 0.01": others and p <= 0.01,
        f"selection p <= {MAX_P:g}": others and p <= MAX_P,
        "selection p <= 0.025": others and p <= 0.025,
        "selection p <= 0.05": others and p <= 0.05,
    }


NAMES = (
    "2 SE",
    "3 SE",
    "corrected t",
    "selection p <= 0.01",
    f"selection p <= {MAX_P:g}",
    "selection p <= 0.025",
    "selection p <= 0.05",
)


def table(worlds: tuple[World, ...], samples: int, seed: int) -> Iterator[str]:
    """Markdown rows: the share of samples adopting, and after a slash the share of those that are wrong."""
    yield f"| world | queries | best true gain | {' | '.join(NAMES)} |"
    yield "|" + "---|" * (3 + len(NAMES))
    for world in worlds:
        gains = world.gains()
        best = float(gains.max()) if world.shift else 0.0
        for size in SIZES:
            random = np.random.default_rng([seed, size])
            adopted, wrong = dict.fromkeys(NAMES, 0), dict.fromkeys(NAMES, 0)
            for _ in range(samples):
                values = world.draw(random, size)
                found = cross_validate(values[0], GRID.default, PREFERENCE)
                bad = not world.shift or gains[found.refit] < best / 2
                for name, adopts in rules(values, found).items():
                    adopted[name] += adopts
                    wrong[name] += adopts and bad
            cells = [_cell(adopted[name], wrong[name], samples, true_edge=bool(world.shift)) for name in NAMES]
            yield f"| {world.name} | {size} | {best:.3f} | {' | '.join(cells)} |"


def _cell(adopted: int, wrong: int, samples: int, *, true_edge: bool) -> str:
    share = f"{100 * adopted / samples:.1f} %"
    return f"{share} / {100 * wrong / max(1, adopted):.1f} %" if true_edge else share


def main() -> None:
    """Read the arguments and print the table, row by row."""
    parser = argparse.ArgumentParser(description="how often the rule of groove tune adopts a setting")
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--world", choices=[world.name for world in WORLDS], help="one world alone")
    arguments = parser.parse_args()
    worlds = tuple(world for world in WORLDS if arguments.world in (None, world.name))
    for row in table(worlds, arguments.samples, arguments.seed):
        print(row, flush=True)


if __name__ == "__main__":
    main()
