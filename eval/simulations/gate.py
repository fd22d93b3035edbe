"""How far the statistics of ``groove eval`` can be trusted: interval coverage, and the gate's false alarms and power.

The truth is known here because the queries are made up. A query has a difficulty; the rank of its one right answer is
drawn around it, for the run before and the run after alike. A share of the queries is untouched by the change, as most
are in practice. ``shift`` moves the ranks of the others down: 0 is a change that makes no difference on average, so
that every alarm is a false one.

    python eval/simulations/gate.py coverage --samples 2000
    python eval/simulations/gate.py gate --samples 1000

Prints Markdown tables. The same arguments give the same figures.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from grooveseek.evaluation.compare import compare
from grooveseek.evaluation.evalrun import Corpus, EvalRun, QueryRun
from grooveseek.evaluation.fingerprint import ConfigFingerprint
from grooveseek.evaluation.gate import REGRESSION, GateMode, GateRule, decide
from grooveseek.evaluation.measures import Measure, parse_measure, standard_measures
from grooveseek.evaluation.statistics import FEWEST_DIFFERENT, bootstrap_interval
from scipy import stats

SIZES = (12, 26, 50, 150)
DEPTH = 50
"""Ranks beyond this are "not found", as they are in a pool."""

Ranks = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A change to retrieval: which share of queries it leaves alone, and how far it moves the others' log ranks."""

    untouched: float
    shift: float

    def draw(self, random: np.random.Generator, size: int) -> tuple[Ranks, Ranks]:
        """Ranks of the right answer of ``size`` queries, before and after."""
        difficulty = random.normal(0.6, 1.2, size)
        before = _ranks(difficulty + random.normal(0, 0.7, size))
        after = _ranks(difficulty + random.normal(0, 0.7, size) + self.shift)
        return before, np.where(random.random(size) < self.untouched, before, after)


WORLDS = (World(untouched=0.3, shift=0.0), World(untouched=0.7, shift=0.0), World(untouched=0.3, shift=0.4))


def _ranks(log_rank: Floats) -> Ranks:
    return np.floor(np.exp(np.clip(log_rank, 0, 20))).astype(np.int64)


def table_of(measure: Measure) -> Floats:
    """A measure's value for a single right answer at rank 1, 2, ..., and at the end for "not found"."""
    found = [measure.evaluate([*("x" * (rank - 1)), "answer"], {"answer": 1}) for rank in range(1, DEPTH + 1)]
    return np.array([*found, 0.0])


def values(table: Floats, ranks: Ranks) -> Floats:
    """The measure of every rank."""
    found: Floats = table[np.minimum(ranks, DEPTH + 1) - 1]
    return found


def coverage(samples: int, seed: int) -> Iterator[str]:
    """How often each kind of 95 % interval holds the true mean difference, where one is given at all."""
    yield from _header("measure", "untouched", "shift", "queries", "given", "percentile", "BCa", "groove")
    for name in ("nDCG@10", "RR", "R@1", "R@5"):
        table = table_of(parse_measure(name))
        for world in WORLDS:
            before, after = world.draw(np.random.default_rng(seed), 4_000_000)
            truth = float((values(table, after) - values(table, before)).mean())
            for size in SIZES:
                held, given = _held(table, world, size, truth, samples, np.random.default_rng([seed, size]))
                cells = " | ".join("–" if given < samples / 20 else f"{count / given:.3f}" for count in held)
                yield f"| {name} | {world.untouched} | {world.shift} | {size} | {given / samples:.2f} | {cells} |"


def _header(*columns: str) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield "|" + "---|" * len(columns)


def _held(
    table: Floats, world: World, size: int, truth: float, samples: int, random: np.random.Generator
) -> tuple[list[int], int]:
    held, given = [0, 0, 0], 0
    for _ in range(samples):
        before, after = world.draw(random, size)
        differences = values(table, after) - values(table, before)
        if np.count_nonzero(differences) < FEWEST_DIFFERENT:
            continue
        given += 1
        ours = bootstrap_interval(differences.tolist())
        intervals = [_scipys(differences, "percentile"), _scipys(differences, "BCa"), (ours.low, ours.high)]
        for kind, (low, high) in enumerate(intervals):
            held[kind] += low - 1e-12 <= truth <= high + 1e-12
    return held, given


def _scipys(differences: Floats, method: Any) -> tuple[float, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # BCa of degenerate data: NaN, which then holds nothing
        result = stats.bootstrap((differences,), np.mean, n_resamples=2000, method=method, rng=1)
    return float(result.confidence_interval.low), float(result.confidence_interval.high)


def gate(samples: int, seed: int) -> Iterator[str]:
    """How often each gate says "regression", through the code that decides a build."""
    measures = standard_measures((1, 5, 10))
    tables = {measure.name: table_of(measure) for measure in measures}
    yield from _header("untouched", "shift", "queries", "mean change of nDCG@10", "threshold 0.05", "significance")
    worlds = [World(untouched=untouched, shift=shift) for untouched in (0.3, 0.7) for shift in (0.0, 0.5, 1.0)]
    for world in worlds:
        for size in SIZES:
            random = np.random.default_rng([seed, size])
            alarms, change = dict.fromkeys(GateMode, 0), 0.0
            for _ in range(samples):
                before, after = world.draw(random, size)
                comparison = compare(_run(tables, after), _run(tables, before))
                change += comparison.metrics[2].delta / samples
                for mode in GateMode:
                    alarms[mode] += decide(comparison, GateRule(mode=mode)).exit_code == REGRESSION
            rates = " | ".join(f"{alarms[mode] / samples:.3f}" for mode in GateMode)
            yield f"| {world.untouched} | {world.shift} | {size} | {change:+.3f} | {rates} |"


def _run(tables: dict[str, Floats], ranks: Ranks) -> EvalRun:
    scores = {name: values(table, ranks) for name, table in tables.items()}
    queries = {
        f"q{i}": QueryRun(metrics={name: float(column[i]) for name, column in scores.items()})
        for i in range(len(ranks))
    }
    return EvalRun(
        time="",
        metrics={name: float(column.mean()) for name, column in scores.items()},
        averaged=len(ranks),
        queries=queries,
        fingerprint=ConfigFingerprint(),
        corpus=Corpus(documents=0, chunks=0, digest=""),
    )


def main() -> None:
    """Read the arguments and print the table asked for, row by row."""
    parser = argparse.ArgumentParser(description="interval coverage, and the gate's false alarms and power")
    parser.add_argument("what", choices=("coverage", "gate"))
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rows = coverage if arguments.what == "coverage" else gate
    for row in rows(arguments.samples, arguments.seed):
        print(row, flush=True)


if __name__ == "__main__":
    main()
