from grooveseek.evaluation.findings import (
    MOST_NAMED,
    failed_findings,
    leak_findings,
    leg_findings,
    not_indexed_findings,
    stale_findings,
)
from grooveseek.evaluation.golden import Expected, GoldenQuery
from grooveseek.evaluation.hits import EvalHit, Level, rank_hits
from grooveseek.evaluation.leakage import Leak
from grooveseek.evaluation.outcome import ExpectedOutcome, Leg, Miss, QueryReport, Quoted


def query(query_id: str, value: float, **more: object) -> QueryReport:
    return QueryReport(id=query_id, query=query_id, metrics={"RR": value}, **more)


def legged(query_id: str, vector: float, fulltext: float, fusion: float) -> QueryReport:
    legs = {Leg.VECTOR: {"RR": vector}, Leg.FULLTEXT: {"RR": fulltext}, Leg.FUSION: {"RR": fusion}}
    return QueryReport(id=query_id, query=query_id, legs=legs)


def test_a_fusion_below_one_leg_beyond_chance_is_a_finding() -> None:
    harmed = [legged(f"q{i}", 1.0, 0.2, 0.5) for i in range(10)]
    (finding,) = leg_findings(harmed, "RR")
    assert finding.check == "fusion-below-leg"
    assert "worse than the vector leg alone: RR -0.500 over 10 queries" in finding.message
    assert leg_findings(harmed[:5], "RR") == ()
    assert leg_findings([query("a", 1.0)], "RR") == ()


def test_a_leak_carries_the_rank_at_which_it_was_found() -> None:
    hits = [
        EvalHit(path="a.md", chunk=0, score=1.0),
        EvalHit(path="qa.md", chunk=0, score=0.9),
        EvalHit(path="qa.md", chunk=1, score=0.8),
    ]
    queries = [query("first", 1.0, top=rank_hits(hits, [], Level.CHUNK)), query("second", 1.0)]
    (finding,) = leak_findings([Leak(path="qa.md", query_ids=("first", "second"))], queries)
    assert (finding.check, finding.path) == ("golden-queries-quoted", "qa.md")
    assert finding.quoted == (Quoted(query_id="first", rank_in_top_k=2), Quoted(query_id="second"))


def test_c45_a_document_that_is_not_indexed_is_named() -> None:
    gone = ExpectedOutcome(path="gone.md", miss=Miss.NOT_INDEXED)
    judged = ExpectedOutcome(path="elsewhere.md", relevance=0, miss=Miss.NOT_INDEXED)
    found = ExpectedOutcome(path="a1.md", rank=1)
    queries = [query("q4", 0.0, line=6, expected=(gone, judged)), query("q6", 1.0, expected=(found, gone))]
    (finding,) = not_indexed_findings(queries)
    assert (finding.check, finding.path, finding.query_id, finding.line) == ("golden-not-indexed", "gone.md", "q4", 6)
    assert finding.message.startswith('gone.md is expected by query "q4" but is not in the index.')


def test_many_missing_documents_are_counted_after_the_first() -> None:
    entries = tuple(ExpectedOutcome(path=f"{i}.md", miss=Miss.NOT_INDEXED) for i in range(MOST_NAMED + 3))
    findings = not_indexed_findings([query("q", 0.0, expected=entries)])
    assert len(findings) == MOST_NAMED + 1
    assert findings[-1].message == "3 more expected documents are not indexed."


def test_a_stale_quote_points_at_its_line() -> None:
    entry = Expected(path="a.md", quote="gone", line=7)
    (finding,) = stale_findings(GoldenQuery(id="q", query="q", expected=(entry,)), [entry])
    assert (finding.check, finding.path, finding.query_id, finding.line) == ("golden-stale", "a.md", "q", 7)


def test_a_query_that_did_not_run_is_listed() -> None:
    (finding,) = failed_findings([query("a", 0.0, failed="the query is too long", line=3), query("b", 1.0)])
    assert (finding.check, finding.query_id, finding.line) == ("query-failed", "a", 3)
    assert finding.message == 'Query "a" did not run and scores 0: the query is too long'
