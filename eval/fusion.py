"""Each leg alone and every way of fusing them, on three sets: ``python eval/fusion.py [--work DIR]``.

The collections are read beside the repository in ../shared/collections, turned into Markdown by
golden/convert_collections.py and indexed with the default settings. Legs are run once for each query and fused under
each condition by the product's own code; documents are ranked by their best chunk. Figures are nDCG@10 (linear gain),
for all queries and for each half of them by the parity of the query's number.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from grooveseek.app import KnowledgeBase
from grooveseek.evaluation.golden import parse_golden
from grooveseek.evaluation.measures.means import mean
from grooveseek.evaluation.measures.names import parse_measure
from grooveseek.evaluation.trec import read_qrels, read_queries
from grooveseek.model.judgments import Judged
from grooveseek.model.query import SearchRequest
from grooveseek.retrieval.legs import NO_LEG
from grooveseek.retrieval.pipeline import LegResults, fuse, order
from grooveseek.settings.sections import FusionSettings, IndexSettings, Settings
from grooveseek.store.ranking import places_of

ROOT = Path(__file__).resolve().parent.parent
HANDBOOK = ROOT / "golden" / "handbook"
COLLECTIONS = ROOT.parent / "shared" / "collections"

Condition = Callable[[LegResults], tuple[LegResults, FusionSettings]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query with its judgments by path."""

    id: str
    text: str
    judged: Judged

    @property
    def half(self) -> int:
        """0 or 1: the parity of the number in the id."""
        digits = re.search(r"\d+", self.id)
        return int(digits.group()) % 2 if digits else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cached:
    """A query with both legs run."""

    query: Query
    legs: LegResults


def open_indexed(root: Path, index: Path) -> KnowledgeBase:
    """The knowledge base at ``root``, brought up to date in an index of its own."""
    kb = KnowledgeBase(Settings(kb_path=root, index=IndexSettings(path=index)))
    kb.index()
    return kb


def collection(name: str, work: Path) -> tuple[KnowledgeBase, list[Query]]:
    """A test collection as a knowledge base, with its queries."""
    root = work / name / "kb"
    if not root.exists():
        root.parent.mkdir(parents=True, exist_ok=True)
        convert = [sys.executable, str(ROOT / "golden" / "convert_collections.py"), name]
        subprocess.run([*convert, str(COLLECTIONS / name), str(root), "--keywords"], check=True, stdout=sys.stderr)
    qrels_file = root.parent / f"{name}-qrels.txt"
    queries_file = root.parent / f"{name}-queries.tsv"
    judged = read_qrels(qrels_file.read_bytes(), qrels_file.name).qrels
    queries = [
        Query(id=line.id, text=line.text, judged=judged.of(line.id))
        for line in read_queries(queries_file.read_bytes(), queries_file.name)
        if judged.relevant(line.id)
    ]
    return open_indexed(root, root.parent / "index.db"), queries


def handbook(work: Path, language: str) -> tuple[KnowledgeBase, list[Query]]:
    """The handbook, with its answerable queries in one language."""
    return open_indexed(HANDBOOK, work / "handbook.db"), handbook_queries(language)


def handbook_queries(language: str) -> list[Query]:
    """The handbook's answerable queries in one language: ``en`` or ``ja``."""
    golden = parse_golden((HANDBOOK / ".groove-eval.yml").read_bytes())
    return [
        Query(id=query.id, text=query.query, judged={entry.path: entry.relevance for entry in query.expected})
        for query in golden.queries
        if query.answerable and language in query.tags
    ]


def run_legs(kb: KnowledgeBase, queries: Iterable[Query]) -> list[Cached]:
    """Run both legs once for each query."""
    searcher = kb.searcher()
    return [Cached(query=q, legs=searcher.run_legs(SearchRequest(query=q.text))) for q in queries]


def ranked_paths(kb: KnowledgeBase, legs: LegResults, settings: FusionSettings) -> tuple[str, ...]:
    """Documents by their best chunk."""
    store = kb.store()
    ordered = order(store, fuse(legs.vector, legs.fulltext, settings))
    places = places_of(store.database, np.array([candidate.id for candidate in ordered], dtype=np.int64))
    return tuple(dict.fromkeys(places[candidate.id][0] for candidate in ordered))


def conditions() -> dict[str, Condition]:
    """What is compared, by name."""
    default = FusionSettings()

    def fusing(settings: FusionSettings) -> Condition:
        return lambda legs: (legs, settings)

    result: dict[str, Condition] = {
        "vector": lambda legs: (replace(legs, fulltext=NO_LEG), default),
        "full text": lambda legs: (replace(legs, vector=NO_LEG), default),
    }
    for rrf_k in (10.0, 20.0, 60.0, 100.0):
        result[f"rrf {rrf_k:g}"] = fusing(replace(default, method="rrf", rrf_k=rrf_k))
    for alpha in (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9):
        result[f"convex {alpha:g}"] = fusing(replace(default, method="convex", alpha=alpha))
    return result


def table(
    kb: KnowledgeBase, cached: Sequence[Cached], compared: Mapping[str, Condition]
) -> list[tuple[str, float, float, float, float, float]]:
    """(condition, nDCG@10, its value on the even and on the odd half, AP, R@100) for each condition."""
    ndcg, ap, recall = parse_measure("nDCG@10"), parse_measure("AP"), parse_measure("R@100")
    rows = []
    for name, condition in compared.items():
        rankings = [(entry.query, ranked_paths(kb, *condition(entry.legs))) for entry in cached]
        figures = [(query.half, ndcg.evaluate(ranking, query.judged)) for query, ranking in rankings]
        rows.append(
            (
                name,
                mean(value for _, value in figures).value,
                mean(value for half, value in figures if half == 0).value,
                mean(value for half, value in figures if half == 1).value,
                mean(ap.evaluate(ranking, query.judged) for query, ranking in rankings).value,
                mean(recall.evaluate(ranking, query.judged) for query, ranking in rankings).value,
            )
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, help="where bases and indexes are kept; default: a temporary folder")
    work = parser.parse_args().work or Path(tempfile.mkdtemp(prefix="groove-fusion-"))
    work.mkdir(parents=True, exist_ok=True)
    sets: list[tuple[str, KnowledgeBase, list[Query]]] = []
    if COLLECTIONS.exists():
        sets += [(name, *collection(name, work)) for name in ("cranfield", "cacm")]
    sets += [(f"handbook {language}", *handbook(work, language)) for language in ("en", "ja")]
    for name, kb, queries in sets:
        print(f"\n{name}: {len(queries)} queries\n")
        print("| condition | nDCG@10 | even | odd | AP | R@100 |\n|---|---|---|---|---|---|")
        for condition, *figures in table(kb, run_legs(kb, queries), conditions()):
            print(f"| {condition} | " + " | ".join(f"{figure:.4f}" for figure in figures) + " |", flush=True)


if __name__ == "__main__":
    main()
