"""Evaluation reports for tests: a plausible one, made of fixed numbers, and one whose every text is hostile."""

from __future__ import annotations

from dataclasses import replace
from math import log2

from grooveseek.evaluation.compare import compare
from grooveseek.evaluation.evalrun import Corpus, EvalRun
from grooveseek.evaluation.fingerprint import ConfigFingerprint
from grooveseek.evaluation.gate import GateMode, GateRule, decide
from grooveseek.evaluation.hits import EvalHit, Level, Target, rank_hits
from grooveseek.evaluation.measures import standard_measures
from grooveseek.evaluation.outcome import (
    EvalReport,
    ExpectedOutcome,
    Finding,
    HistoryPoint,
    Leg,
    Miss,
    QueryReport,
    Quoted,
)
from grooveseek.evaluation.summary import groups_of, legs_of, run_of
from tests.support.eval_runs import CORPUS, FINGERPRINT

NASTY = "<script>alert(1)</script> \"quoted\" & 'more' \x1b[31mred\x1b[0m \u202eesrever ::error::"

TEXTS = (
    "How do I reset the pump after a dry run?",
    "valve torque",
    "who approves a change to the rota",
    "ポンプの再起動の手順",
    "What does error E-42 mean on the older controller, and is it safe to clear it?",
    "spare seal part number",
)


def make_report(count: int = 30, *, before: bool = True, gate: bool = True) -> EvalReport:
    """A report over ``count`` queries, compared with a run in which they ranked otherwise."""
    queries = [_query(i, _rank(i)) for i in range(count)]
    queries += [
        QueryReport(
            id="no-answer",
            query="Who won the 1998 cup?",
            line=400,
            answerable=False,
            confidence=0.2,
            low_confidence=True,
        ),
    ]
    run = run_of(queries, time="2026-03-04T05:06:07Z", fingerprint=FINGERPRINT, corpus=CORPUS, keep_top=3)
    comparison = None
    if before:
        earlier = [_query(i, _rank(i, was=True)) for i in range(count)]
        comparison = compare(run, _run(earlier, "2026-03-01T00:00:00Z"))
    return EvalReport(
        run=run,
        golden="notes/.groove-eval.yml",
        primary="nDCG@10",
        queries=tuple(queries),
        groups=groups_of(queries),
        legs=legs_of(queries),
        findings=FINDINGS,
        comparison=comparison,
        gate=decide(comparison, GateRule(mode=GateMode.THRESHOLD)) if gate else None,
        history=_history() if before else (),
    )


def make_hostile_report() -> EvalReport:
    """Every text a person or a file could have put in is markup, control characters and workflow commands."""
    report = make_report(8)
    queries = tuple(
        replace(query, id=f"{NASTY}{i}", query=NASTY, failed=NASTY if i == 3 else None,
                expected=tuple(replace(entry, path=NASTY, heading=NASTY) for entry in query.expected))
        for i, query in enumerate(report.queries)
    )  # fmt: skip
    run = run_of(queries, time=NASTY, fingerprint=replace(FINGERPRINT, context=NASTY), corpus=CORPUS, keep_top=3)
    earlier = run_of(
        [replace(query, metrics=dict.fromkeys(query.metrics, 1.0)) for query in queries],
        time=NASTY, fingerprint=run.fingerprint, corpus=CORPUS, keep_top=3,
    )  # fmt: skip
    findings = (Finding(check=NASTY, message=NASTY, path=NASTY, quoted=(Quoted(query_id=NASTY),)),)
    history = tuple(replace(point, time=NASTY) for point in report.history)
    return replace(
        report, run=run, golden=NASTY, queries=queries, findings=findings, history=history,
        comparison=compare(run, earlier), note=NASTY,
    )  # fmt: skip


FINDINGS = (
    Finding(
        check="golden-queries-quoted",
        message="notes/faq.md quotes 2 golden queries.",
        path="notes/faq.md",
        quoted=(Quoted(query_id="q0", rank_in_top_k=1), Quoted(query_id="q1")),
    ),
    Finding(
        check="golden-stale",
        message="the quote is gone from ops/pump.md.",
        path="ops/pump.md",
        line=12,
        query_id="q2",
    ),
)


def _rank(i: int, *, was: bool = False) -> int | None:
    """A rank from 1 to 40, or none, that differs between the runs for about half of the queries."""
    now = (1, 1, 2, 1, 5, 1, 3, None, 1, 14)[i % 10]
    if not was or i % 2:
        return now
    return (1, 4, 1, 9, 2, 1, 1, 30, None, 2)[(i * 7 + 3) % 10]


def _query(i: int, rank: int | None) -> QueryReport:
    path, other = f"ops/note-{i}.md", f"ops/other-{i}.md"
    targets = [Target(path=path, relevance=2)] + ([Target(path=other)] if i % 5 == 0 else [])
    hits = [EvalHit(path=path if place == rank else f"x{place}.md", chunk=0, score=1 / place) for place in range(1, 21)]
    ranked = rank_hits(hits, targets, Level.CHUNK)
    judged = {target.path: target.relevance for target in targets}
    ranking = [entry.doc_id for entry in ranked]
    measures = standard_measures((1, 5, 10))
    metrics = {measure.name: measure.evaluate(ranking, judged) for measure in measures}
    miss = None if rank and rank <= 10 else Miss.BELOW_K if rank and rank <= 20 else Miss.IN_NO_POOL
    expected = [ExpectedOutcome(path=path, relevance=2, rank=rank if rank and rank <= 20 else None, miss=miss)]
    if i % 5 == 0:
        expected.append(ExpectedOutcome(path=other, heading="Two", miss=Miss.NOT_INDEXED))
    gain = 1 / log2((rank or 10**6) + 1)
    legs = {
        Leg.VECTOR: {"nDCG@10": gain},
        Leg.FULLTEXT: {"nDCG@10": gain / 2},
        Leg.FUSION: {"nDCG@10": metrics["nDCG@10"]},
    }
    return QueryReport(
        id=f"q{i}", query=f"{TEXTS[i % len(TEXTS)]} ({i})", line=3 + 4 * i, metrics=metrics, legs=legs,
        expected=tuple(expected), top=ranked[:10], confidence=0.8, low_confidence=False,
    )  # fmt: skip


def _run(queries: list[QueryReport], time: str, fingerprint: ConfigFingerprint = FINGERPRINT) -> EvalRun:
    corpus = Corpus(documents=2, chunks=9, digest="d" * 64)
    return run_of(queries, time=time, fingerprint=fingerprint, corpus=corpus, keep_top=3)


def _history() -> tuple[HistoryPoint, ...]:
    levels = (0.55, 0.58, 0.57, 0.64, 0.66)
    return tuple(
        HistoryPoint(
            time=f"2026-02-0{day}T00:00:00Z",
            metrics={"nDCG@10": level, "RR": level - 0.04, "R@10": level + 0.1},
            comparable=day != 3,
        )
        for day, level in enumerate(levels, 1)
    )
