"""Running a golden set: every query through the search once, every figure from one state of the index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from grooveseek.errors import GrooveError, StoreError
from grooveseek.evaluation.evalrun import Corpus, EvalRun
from grooveseek.evaluation.findings import (
    failed_findings,
    leak_findings,
    leg_findings,
    not_indexed_findings,
    stale_findings,
)
from grooveseek.evaluation.fingerprint import ConfigFingerprint
from grooveseek.evaluation.golden import Expected, GoldenQuery, GoldenSet
from grooveseek.evaluation.hits import EvalHit, RankedHit, Target, judged_of, rank_hits, ranking_of
from grooveseek.evaluation.leakage import fields_of, quoted_queries
from grooveseek.evaluation.measures import Scores, Unjudged
from grooveseek.evaluation.options import EvalOptions
from grooveseek.evaluation.outcome import ExpectedOutcome, Finding, QueryReport
from grooveseek.evaluation.probe import Probe, probe
from grooveseek.evaluation.quotes import Resolved, resolve_quotes
from grooveseek.evaluation.summary import expected_outcomes, run_of
from grooveseek.retrieval.pipeline import Searcher
from grooveseek.store.store import Store

Progress = Callable[[int, int], None]
"""Called with how many queries are done, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A golden set's results. ``ranked`` and ``targets`` are by query id, for export: the measured ranks of every query
    that can be answered, and what is relevant to it. ``notes`` are what searches said of themselves, each once."""

    run: EvalRun
    queries: tuple[QueryReport, ...]
    findings: tuple[Finding, ...]
    ranked: Mapping[str, tuple[RankedHit, ...]]
    targets: Mapping[str, tuple[Target, ...]]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """One query: its report, its measured ranks, and what it had to say."""

    report: QueryReport
    ranked: tuple[RankedHit, ...] = ()
    targets: tuple[Target, ...] = ()
    stale: tuple[Expected, ...] = ()
    notes: tuple[str, ...] = ()
    error: GrooveError | None = None


def measure(
    golden: GoldenSet,
    searcher: Searcher,
    store: Store,
    options: EvalOptions,
    fingerprint: ConfigFingerprint,
    *,
    imported: bool = False,
    progress: Progress | None = None,
) -> Measured:
    """Search for every query once and measure what comes back; ``store`` is the one the searcher reads.

    To be called inside ``store.snapshot()``, so that corpus and results are of one state of the index.

    A query whose search fails counts 0 and is listed. ``imported`` judgments also have what was not judged counted.
    Raises the first failure when every query failed, and StoreError as soon as the index cannot be read.
    """
    snapshot = store.corpus_snapshot()
    runner = _Runner(searcher, store, options, imported=imported)
    results = []
    for done, query in enumerate(golden.queries):
        if progress is not None:
            progress(done, len(golden.queries))
        results.append(runner.run(query))
    if progress is not None:
        progress(len(golden.queries), len(golden.queries))
    leaks = quoted_queries(fields_of(store.documents.texts()), {query.id: query.query for query in golden.queries})
    errors = [result.error for result in results if result.error is not None]
    if errors and len(errors) == len(results):
        raise errors[0]
    queries = tuple(result.report for result in results)
    scored = [result for result in results if result.targets]
    return Measured(
        run=run_of(
            queries,
            time=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            fingerprint=fingerprint,
            corpus=Corpus(documents=snapshot.documents, chunks=snapshot.chunks, digest=snapshot.digest),
            keep_top=options.largest_k,
        ),
        queries=queries,
        findings=(
            *failed_findings(queries),
            *(f for query, result in zip(golden.queries, results, strict=True) for f in _stale(query, result)),
            *not_indexed_findings(queries),
            *leak_findings(leaks, queries),
            *leg_findings(queries, options.primary),
        ),
        ranked={result.report.id: result.ranked for result in scored},
        targets={result.report.id: result.targets for result in scored},
        notes=tuple(dict.fromkeys(note for result in results for note in result.notes)),
    )


class _Runner:
    """Everything that is the same for every query."""

    def __init__(self, searcher: Searcher, store: Store, options: EvalOptions, *, imported: bool) -> None:
        self._searcher = searcher
        self._store = store
        self._options = options
        self._indexed = frozenset(store.documents.states())
        self._unjudged = [Unjudged(cutoff=k) for k in options.k_values] if imported else []

    def run(self, query: GoldenQuery) -> _Result:
        resolved = resolve_quotes(query, self._contents_of)
        try:
            found = probe(self._searcher, self._store, self._options.request(query.query))
        except StoreError:
            raise
        except GrooveError as error:
            return self._failed(query, resolved, error)
        return self._scored(query, resolved, found)

    def _failed(self, query: GoldenQuery, resolved: Resolved, error: GrooveError) -> _Result:
        report = QueryReport(
            id=query.id,
            query=query.query,
            line=query.line,
            tags=query.tags,
            answerable=query.answerable,
            failed=str(error),
            metrics=dict.fromkeys((m.name for m in self._options.measures), 0.0) if resolved.targets else {},
            expected=tuple(
                ExpectedOutcome(path=target.path, heading=target.heading, relevance=target.relevance)
                for target in resolved.targets
            ),
        )
        return _Result(report=report, targets=resolved.targets, stale=resolved.stale, error=error)

    def _scored(self, query: GoldenQuery, resolved: Resolved, found: Probe) -> _Result:
        options, targets = self._options, resolved.targets
        everything = rank_hits(found.ranked, targets, options.level)
        ranked = everything[: options.depth]
        judged = judged_of(targets)
        report = QueryReport(
            id=query.id,
            query=query.query,
            line=query.line,
            tags=query.tags,
            answerable=query.answerable,
            metrics=self._score(ranked, targets),
            legs={leg: self._score(self._measured(hits, targets), targets) for leg, hits in found.legs.items()}
            if targets
            else {},
            unjudged={m.name: m.evaluate(ranking_of(ranked), judged) for m in self._unjudged},
            expected=expected_outcomes(
                targets, everything, indexed=self._indexed.__contains__, k=min(options.largest_k, options.depth)
            ),
            top=ranked[: options.largest_k],
            confidence=found.confidence,
            low_confidence=found.low_confidence,
        )
        return _Result(report=report, ranked=ranked, targets=targets, stale=resolved.stale, notes=found.notes)

    def _measured(self, hits: Iterable[EvalHit], targets: Sequence[Target]) -> tuple[RankedHit, ...]:
        return rank_hits(hits, targets, self._options.level)[: self._options.depth]

    def _score(self, ranked: Sequence[RankedHit], targets: Sequence[Target]) -> Scores:
        if not targets:
            return {}
        ranking, judged = ranking_of(ranked), judged_of(targets)
        return {measure.name: measure.evaluate(ranking, judged) for measure in self._options.measures}

    def _contents_of(self, path: str) -> Mapping[int, str] | None:
        if path not in self._indexed:
            return None
        return {stored.chunk.index: stored.chunk.content for stored in self._store.documents.chunks_of(path)}


def _stale(query: GoldenQuery, result: _Result) -> tuple[Finding, ...]:
    return stale_findings(query, result.stale)
