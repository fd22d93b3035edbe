"""What ``groove tune`` recommends on two test collections, and whether it holds.

    python eval/held_out_tuning.py [--work DIR]

The queries of a collection are split by the parity of their number. Each half is tuned on by the product's own rule,
and what is best there is measured on the other half, recommended or not. Documents are ranked by their best chunk.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from fusion import Query, collection
from grooveseek.app import KnowledgeBase
from grooveseek.evaluation.golden import Expected, GoldenQuery
from grooveseek.evaluation.hits import Level
from grooveseek.evaluation.measures import mean
from grooveseek.evaluation.statistics import randomisation_p
from grooveseek.evaluation.tune.crossval import Floats, cross_validate
from grooveseek.evaluation.tune.decision import decide
from grooveseek.evaluation.tune.grid import Choice, Grid, build_grid
from grooveseek.evaluation.tune.request import TuneRequest
from grooveseek.evaluation.tune.rows import Sweep

HEADER = (
    "tuned on",
    "queries",
    "best setting there",
    "its gain there",
    "gain held out in CV",
    "p",
    "3 SE",
    "recommended",
    "default on the rest",
    "gain on the rest",
    "p there",
)


def golden_query(query: Query) -> GoldenQuery:
    """A query of a collection as a golden query."""
    expected = tuple(Expected(path=path, relevance=grade) for path, grade in query.judged.items())
    return GoldenQuery(id=query.id, query=query.text, expected=expected)


def sweep(kb: KnowledgeBase, queries: Sequence[Query], choice: Choice) -> tuple[Grid, TuneRequest, Floats]:
    """The grid, what was asked, and the values: [measure, condition, query]."""
    request = TuneRequest(choice=choice, level=Level.DOCUMENT)
    grid = build_grid(choice, legs=False, has_context=True)
    rows = Sweep(request, kb.searcher(), kb.store(), grid.conditions).run([golden_query(q) for q in queries], None)
    return grid, request, np.stack([row.values for row in rows], axis=-1)


def halves(queries: Sequence[Query]) -> Iterator[tuple[str, list[int], list[int]]]:
    """(name, places tuned on, places of the rest)."""
    everything = list(range(len(queries)))
    even = [place for place in everything if queries[place].half == 0]
    odd = [place for place in everything if queries[place].half == 1]
    yield from (("even", even, odd), ("odd", odd, even), ("all", everything, []))


def rows(kb: KnowledgeBase, queries: Sequence[Query], choice: Choice) -> Iterator[tuple[str, ...]]:
    """A row for each half, and one for all queries."""
    grid, request, values = sweep(kb, queries, choice)
    for name, mine, rest in halves(queries):
        tuned = values[:, :, mine]
        found = cross_validate(tuned[0], grid.default, grid.preference())
        secondary = {measure.name: tuned[place] for place, measure in enumerate(request.secondary, start=1)}
        decision = decide(tuned[0], secondary, grid.default, found)
        best, default = values[0][found.refit], values[0][grid.default]
        yield (
            name,
            str(len(mine)),
            grid.conditions[found.refit].label,
            f"{gain(best, default, mine):+.3f}",
            f"{decision.evidence.mean:+.3f}",
            f"{decision.evidence.selection_p:.3f}",
            "yes" if decision.evidence.three_se else "no",
            "yes" if decision.adopt else "no",
            f"{mean(default[rest].tolist()).value:.3f}" if rest else "–",
            f"{gain(best, default, rest):+.3f}" if rest else "–",
            f"{randomisation_p((best - default)[rest].tolist()):.3f}" if rest else "–",
        )


def gain(best: Floats, default: Floats, places: Sequence[int]) -> float:
    """The mean difference over some queries."""
    return math.fsum((best - default)[list(places)]) / len(places)


def main() -> None:
    """Print a Markdown table for each collection and family."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, help="where bases and indexes are kept; default: a temporary folder")
    work = parser.parse_args().work or Path(tempfile.mkdtemp(prefix="groove-tune-"))
    for name in ("cranfield", "cacm"):
        kb, queries = collection(name, work)
        for choice in Choice:
            print(f"\n## {name}, --family {choice.value}\n\n| {' | '.join(HEADER)} |\n|{'---|' * len(HEADER)}")
            for row in rows(kb, queries, choice):
                print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
