"""Search against BM25 on two public test collections: ``python eval/collections_table.py [--work DIR]``.

Cranfield and CACM are read beside the repository in ../shared/collections, turned into Markdown by
golden/convert_collections.py and indexed with the default settings; what DIR holds of an earlier run is used again.
``groove eval``'s own code measures each leg alone and both fused, by document. BM25 is bm25s (Lucene's variant, k1 1.5,
b 0.75) with its English stop words and the Snowball stemmer, on the same files in the same run. Figures are means over
queries: nDCG@10 with linear gain, AP and R@100 over the first 1000 documents. The last column is the mean difference
of AP to BM25 with the p-value of the paired randomisation test.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import bm25s
from fusion import COLLECTIONS, collection
from grooveseek.app import KnowledgeBase
from grooveseek.evaluation.evaluate import EvalRequest
from grooveseek.evaluation.exchange import import_collection
from grooveseek.evaluation.golden import GoldenSet
from grooveseek.evaluation.hits import Level
from grooveseek.evaluation.measures import Scores, mean, parse_measure
from grooveseek.evaluation.options import EvalOptions
from grooveseek.evaluation.outcome import Leg
from grooveseek.evaluation.statistics import paired_results
from py_rust_stemmers import SnowballStemmer  # type: ignore[import-untyped]  # it ships no types

DEPTH = 1000
MEASURES = ("nDCG@10", "AP", "R@100")
NAMES = {Leg.VECTOR: "vector alone", Leg.FULLTEXT: "full text alone", Leg.FUSION: "groove search"}

PerQuery = Mapping[str, Scores]
"""Query id to measure name to value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """A collection's files as they were converted."""

    root: Path
    queries: Path
    qrels: Path


def groove_scores(kb: KnowledgeBase, files: Files) -> dict[str, PerQuery]:
    """Each leg's figures, by the name it has in the table."""
    options = EvalOptions(k_values=(10, 100), limit=DEPTH, level=Level.DOCUMENT)
    report = kb.evaluate(EvalRequest(queries=files.queries, qrels=files.qrels, options=options)).report
    return {
        name: {query.id: query.legs[leg] for query in report.queries if leg in query.legs}
        for leg, name in NAMES.items()
    }


def bm25_scores(golden: GoldenSet, files: Files) -> PerQuery:
    """The figures of an independent BM25 over the same files."""
    paths = sorted(path.relative_to(files.root).as_posix() for path in files.root.rglob("*.md"))
    index = bm25s.BM25(k1=1.5, b=0.75, method="lucene")
    index.index(_tokens([text_of(files.root / path) for path in paths]), show_progress=False)
    found, _ = index.retrieve(
        _tokens([query.query for query in golden.queries]), corpus=paths, k=min(DEPTH, len(paths)), show_progress=False
    )
    measures = [parse_measure(name) for name in MEASURES]
    return {
        query.id: {measure.name: measure.evaluate(list(ranking), query.judgments) for measure in measures}
        for query, ranking in zip(golden.queries, found.tolist(), strict=True)
    }


def text_of(path: Path) -> str:
    """What search sees of a file: its body, and what its frontmatter says beside the title."""
    _, frontmatter, body = path.read_text(encoding="utf-8").split("---\n", 2)
    values = [line.partition(": ")[2] for line in frontmatter.splitlines() if not line.startswith("title:")]
    return "\n".join([body, *values])


def _tokens(texts: Sequence[str]) -> list[list[str]]:
    stem = SnowballStemmer("english").stem_words
    tokens: list[list[str]] = bm25s.tokenize(
        texts, stopwords="en", stemmer=lambda words: stem(list(words)), return_ids=False, show_progress=False
    )
    return tokens


def rows(scores: Mapping[str, PerQuery], baseline: PerQuery) -> list[str]:
    """The table's lines: the baseline last, every other method with its difference to it."""
    differences = {
        name: [per_query[i]["AP"] - baseline[i]["AP"] for i in sorted(baseline)] for name, per_query in scores.items()
    }
    results = dict(zip(differences, paired_results(list(differences.values())), strict=True))
    lines = []
    for name, per_query in (*scores.items(), ("BM25 (bm25s)", baseline)):
        figures = [f"{mean(row[measure] for row in per_query.values()).value:.4f}" for measure in MEASURES]
        result = results.get(name)
        beside = "" if result is None else f"{result.mean:+.4f} (p = {result.p:.4f})"
        lines.append(f"| {' | '.join([name, *figures, beside])} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, help="where bases and indexes are kept; default: a temporary folder")
    work = parser.parse_args().work or Path(tempfile.mkdtemp(prefix="groove-collections-"))
    if not COLLECTIONS.exists():
        raise SystemExit(f"there are no collections at {COLLECTIONS}")
    for name in ("cranfield", "cacm"):
        kb, _ = collection(name, work)
        folder = kb.root.parent
        files = Files(root=kb.root, queries=folder / f"{name}-queries.tsv", qrels=folder / f"{name}-qrels.txt")
        golden = import_collection(
            (files.queries.read_bytes(), files.queries.name),
            (files.qrels.read_bytes(), files.qrels.name),
            kb.store().documents.states(),
        ).golden
        print(f"\n### {name.capitalize()}: {len(golden.queries)} queries\n")
        print(f"| method | {' | '.join(MEASURES)} | AP against BM25 |\n|---|---|---|---|---|")
        print("\n".join(rows(groove_scores(kb, files), bm25_scores(golden, files))), flush=True)


if __name__ == "__main__":
    main()
