"""What the golden sets say of a broken search: ``python eval/broken_builds.py [--work DIR]``.

Each way of breaking it is one that a change to groove could bring without a test noticing, and none of them changes a
setting, so the runs stay comparable with the baselines. ``tests/e2e/test_own_gate.py`` sees the gate close on them. The
figures are the reason for the floors in eval/baselines/README.md.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.protocol import Vectors
from grooveseek.evaluation.compare import compare
from grooveseek.evaluation.evalrun import EvalRun
from grooveseek.evaluation.gate import REGRESSION, GateMode, GateRule, decide
from grooveseek.retrieval import fusion, legs, pipeline
from grooveseek.retrieval.legs import NO_LEG
from grooveseek.retrieval.query import compile_query
from grooveseek.settings.sections import IndexSettings, ParserSettings, Settings
from grooveseek.store.store import Store

ROOT = Path(__file__).resolve().parent.parent
SETS = {
    "handbook": ("md",),
    "workshop": ("md",),
    "code": ("rs", "py", "php", "js", "ts", "tsx", "go", "java", "c", "cpp", "cs", "rb"),
}
"""The golden sets, with the parsers they need."""

SHOWN = ("nDCG@10", "RR", "R@5", "R@10")

Breaking = Callable[[KnowledgeBase], AbstractContextManager[Any]]


def settings_of(name: str, index: Path) -> Settings:
    """The settings a golden set is indexed and measured with: the defaults, with an index of its own."""
    return Settings(
        kb_path=ROOT / "golden" / name,
        index=IndexSettings(path=index),
        parsers=ParserSettings(enabled=SETS[name]),
    )


def no_vector_leg(_: KnowledgeBase) -> AbstractContextManager[Any]:
    """The vector leg finds nothing."""
    return mock.patch.object(pipeline, "vector_leg", return_value=NO_LEG)


def no_fulltext_leg(_: KnowledgeBase) -> AbstractContextManager[Any]:
    """The full-text leg finds nothing."""
    return mock.patch.object(pipeline, "fulltext_leg", return_value=NO_LEG)


def no_word_table(_: KnowledgeBase) -> AbstractContextManager[Any]:
    """Only the trigram table is looked into."""
    return mock.patch.object(pipeline, "compile_query", lambda text: replace(compile_query(text), words=()))


def other_alpha(alpha: float) -> Breaking:
    """Fusion weighs the legs otherwise than the settings say."""
    combine = fusion.convex_combination

    def breaking(_: KnowledgeBase) -> AbstractContextManager[Any]:
        return mock.patch.object(
            pipeline, "convex_combination", lambda vector, fulltext, **_: combine(vector, fulltext, alpha=alpha)
        )

    return breaking


def wrong_prefix(kb: KnowledgeBase) -> AbstractContextManager[Any]:
    """The model is given another model's query prefix."""
    embed = kb.embedder.embed_query

    def prefixed(text: str) -> Vectors:
        return embed(f"Represent this sentence for searching relevant passages: {text}")

    return mock.patch.object(kb.embedder, "embed_query", prefixed)


def unrelated_vectors(kb: KnowledgeBase) -> AbstractContextManager[Any]:
    """Queries are embedded back to front, as a tokenizer gone wrong might."""
    embed = kb.embedder.embed_query
    return mock.patch.object(kb.embedder, "embed_query", lambda text: embed(text[::-1]))


def quality_rule_reversed(_: KnowledgeBase) -> AbstractContextManager[Any]:
    """The quality rule holds back what it should let through."""

    def reversed_(store: Store, *arguments: Any, quality_threshold: float | None) -> legs.Population:
        who = legs.population(store, *arguments, quality_threshold=quality_threshold)
        every = np.array([row[0] for row in store.database.all("SELECT id FROM chunks ORDER BY id")], dtype=np.int64)
        return replace(
            who, low_quality=np.setdiff1d(every, who.low_quality), boilerplate=np.setdiff1d(every, who.boilerplate)
        )

    return mock.patch.object(pipeline, "population", reversed_)


def no_quality_rule(_: KnowledgeBase) -> AbstractContextManager[Any]:
    """The quality rule lets everything through."""
    whole = legs.population
    return mock.patch.object(pipeline, "population", lambda *a, **_: whole(*a, quality_threshold=None))


def first_hit_lost(_: KnowledgeBase) -> AbstractContextManager[Any]:
    """A rank that starts at 0 somewhere: the best candidate is left out."""
    order = pipeline.order
    return mock.patch.object(pipeline, "order", lambda *a: order(*a)[1:])


BROKEN: dict[str, Breaking] = {
    "vector leg silent": no_vector_leg,
    "full-text leg silent": no_fulltext_leg,
    "word table silent": no_word_table,
    "alpha 0.3 instead of 0.8": other_alpha(0.3),
    "alpha 0.99 instead of 0.8": other_alpha(0.99),
    "another model's query prefix": wrong_prefix,
    "queries embedded back to front": unrelated_vectors,
    "quality rule reversed": quality_rule_reversed,
    "quality rule off": no_quality_rule,
    "best candidate lost": first_hit_lost,
}


@contextlib.contextmanager
def broken(kb: KnowledgeBase, name: str) -> Iterator[KnowledgeBase]:
    """The same index, searched by a broken build."""
    other = KnowledgeBase(kb.settings, embedder=kb.embedder)
    try:
        with BROKEN[name](other):
            yield other
    finally:
        other.close()


def row(build: str, run: EvalRun, good: EvalRun) -> str:
    """A build's line in the table: its figures, and the gates that close on it."""
    comparison = compare(run, good)
    closed = [mode.value for mode in GateMode if decide(comparison, GateRule(mode=mode)).exit_code == REGRESSION]
    figures = [f"{run.metrics[measure]:.4f}" for measure in SHOWN]
    return f"| {' | '.join([build, *figures, ' and '.join(closed)])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, help="where indexes are kept; default: a temporary folder")
    work = parser.parse_args().work or Path(tempfile.mkdtemp(prefix="groove-broken-"))
    work.mkdir(parents=True, exist_ok=True)
    for name in SETS:
        with KnowledgeBase(settings_of(name, work / f"{name}.db")) as kb:
            kb.index()
            good = kb.evaluate().report.run
            print(f"\n### {name}\n\n| build | {' | '.join(SHOWN)} | closed by |\n|---|{'---|' * len(SHOWN)}---|")
            print(row("as it is", good, good), flush=True)
            for build in BROKEN:
                with broken(kb, build) as other:
                    print(row(build, other.evaluate().report.run, good), flush=True)


if __name__ == "__main__":
    main()
