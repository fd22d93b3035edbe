"""Evaluation runs for tests, made of one number a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from grooveseek.evaluation.evalrun import Corpus, EvalRun, QueryRun
from grooveseek.evaluation.fingerprint import ConfigFingerprint
from grooveseek.evaluation.hits import EvalHit

FINGERPRINT = ConfigFingerprint(
    model={"name": "all-MiniLM-L6-v2", "dimension": 384, "normalised": True},
    golden="a" * 64,
    fusion={"method": "rrf", "rrf_k": 60.0},
    mmr={"enabled": False},
    context="off",
    chunking="v1",
)
CORPUS = Corpus(documents=3, chunks=12, digest="c" * 64)


def make_run(
    scores: Mapping[str, Sequence[float]], *, time: str = "2026-01-02T03:04:05Z", corpus: Corpus = CORPUS
) -> EvalRun:
    """A run from measure name to one value a query; queries are q0, q1, ..."""
    count = len(next(iter(scores.values())))
    queries = {
        f"q{i}": QueryRun(
            metrics={name: values[i] for name, values in scores.items()},
            top=(EvalHit(path=f"d{i}.md", chunk=i, score=0.5, heading="H" if i else None),),
        )
        for i in range(count)
    }
    means = {name: sum(values) / count for name, values in scores.items()}
    return EvalRun(time=time, metrics=means, averaged=count, queries=queries, fingerprint=FINGERPRINT, corpus=corpus)


def measured_with(run: EvalRun, **changes: object) -> EvalRun:
    """The run as if it had been measured with other settings."""
    return replace(run, fingerprint=replace(run.fingerprint, **changes))
