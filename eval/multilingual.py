"""The handbook with the default model and with multilingual-e5-small: ``python eval/multilingual.py [--work DIR]``.

The tables are those of eval/fusion.py, for the English and the Japanese queries with each model. The handbook is in
both languages, so a query's documents compete with those of the other one. More conditions normalise the vector
leg's scores by a minimum near the smallest cosine multilingual-e5-small gives, instead of by -1, which is the smallest
there can be. multilingual-e5-small needs the optional part ``multilingual``.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fusion import HANDBOOK, Condition, Query, conditions, handbook_queries, run_legs, table
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.catalog import DEFAULT_MODEL
from grooveseek.embedding.multilingual import NAME
from grooveseek.retrieval.pipeline import LegResults
from grooveseek.settings.sections import FusionSettings, IndexSettings, Settings


def open_with(model: str, work: Path) -> KnowledgeBase:
    """The handbook, indexed with a model."""
    index = IndexSettings(path=work / f"handbook-{model}.db")
    kb = KnowledgeBase(Settings(kb_path=HANDBOOK, model=model, index=index))
    kb.index()
    return kb


def from_a_floor() -> dict[str, Condition]:
    """Convex fusion with other theoretical minima of the cosine."""
    return {f"convex 0.8, cosines from {floor:g}": _from(floor) for floor in (-1.0, 0.65, 0.7, 0.75)}


def _from(floor: float) -> Condition:
    def condition(legs: LegResults) -> tuple[LegResults, FusionSettings]:
        return replace(legs, vector=replace(legs.vector, minimum=floor)), FusionSettings(method="convex", alpha=0.8)

    return condition


def print_table(title: str, kb: KnowledgeBase, queries: Sequence[Query], compared: Mapping[str, Condition]) -> None:
    """One table of Markdown; an abstaining vector leg is counted above it."""
    cached = run_legs(kb, queries)
    abstained = sum(entry.legs.legs.degraded == "fulltext_only" for entry in cached)
    print(f"\n{title}: {len(queries)} queries, {abstained} of them without a vector leg\n")
    print("| condition | nDCG@10 | even | odd | AP | R@100 |\n|---|---|---|---|---|---|")
    for condition, *figures in table(kb, cached, compared):
        print(f"| {condition} | " + " | ".join(f"{figure:.4f}" for figure in figures) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, help="where indexes are kept; default: a temporary folder")
    work = parser.parse_args().work or Path(tempfile.mkdtemp(prefix="groove-multilingual-"))
    work.mkdir(parents=True, exist_ok=True)
    for model in (DEFAULT_MODEL, NAME):
        compared = conditions() if model == DEFAULT_MODEL else {**conditions(), **from_a_floor()}
        with open_with(model, work) as kb:
            for language in ("en", "ja"):
                print_table(f"{model}, {language}", kb, handbook_queries(language), compared)


if __name__ == "__main__":
    main()
