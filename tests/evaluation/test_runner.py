from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.embedding.protocol import Vectors
from grooveseek.errors import CorruptIndex, EmbeddingError, NoIndex
from grooveseek.evaluation.evaluate import EvalRequest
from grooveseek.evaluation.hits import Level
from grooveseek.evaluation.options import EvalOptions
from grooveseek.evaluation.outcome import EvalReport, Leg, Miss, QueryReport
from grooveseek.model.query import Mode, SearchRequest
from grooveseek.retrieval import pipeline
from grooveseek.retrieval.legs import NO_LEG
from grooveseek.retrieval.query import CompiledQuery
from grooveseek.settings.sections import Settings
from grooveseek.store.store import Store
from tests.conftest import OpenKb, write_files
from tests.support.eval_bases import GOLDEN, NOTES, write_base


@pytest.fixture
def base(open_kb: OpenKb, tmp_path) -> KnowledgeBase:
    kb = open_kb(write_base(tmp_path / "kb"))
    kb.index()
    return kb


@pytest.fixture
def judged(open_kb: OpenKb, tmp_path) -> Callable[..., EvalReport]:
    """Measure the little base with a golden file of its own; more files can be added to it."""

    def measure(golden: str, options: EvalOptions | None = None, **files: str) -> EvalReport:
        kb = open_kb(write_base(tmp_path / "kb", golden))
        write_files(kb.root, {**files})
        kb.index()
        return kb.evaluate(EvalRequest(options=options or EvalOptions())).report

    return measure


def query(report: EvalReport, query_id: str) -> QueryReport:
    return next(found for found in report.queries if found.id == query_id)


def test_the_answer_measured_is_the_one_a_search_gives(base: KnowledgeBase):
    report = base.evaluate().report
    for found in report.queries:
        hits = base.search(found.query).hits
        assert [(entry.hit.path, entry.hit.chunk) for entry in found.top] == [(h.path, h.chunk.index) for h in hits]
        assert [entry.hit.score for entry in found.top] == [hit.score for hit in hits]
        assert found.confidence == base.search(found.query).confidence


@pytest.mark.parametrize("limit", [1, 2, 10])
@pytest.mark.parametrize("level", list(Level))
def test_a_leg_alone_scores_what_a_search_of_its_mode_scores(base: KnowledgeBase, level: Level, limit: int):
    fused = base.evaluate(EvalRequest(options=EvalOptions(level=level, limit=limit))).report
    for leg, mode in ((Leg.VECTOR, Mode.SEMANTIC), (Leg.FULLTEXT, Mode.KEYWORD)):
        alone = base.evaluate(EvalRequest(options=EvalOptions(level=level, limit=limit, mode=mode))).report
        assert alone.legs == {}
        for found in alone.queries:
            if found.metrics:
                assert query(fused, found.id).legs[leg] == pytest.approx(found.metrics), (leg, found.id)
    assert all(found.legs[Leg.FUSION] == found.metrics for found in fused.queries if found.metrics)


@pytest.mark.parametrize(("silenced", "leg"), [("vector_leg", Leg.VECTOR), ("fulltext_leg", Leg.FULLTEXT)])
def test_a_silent_leg_shows_as_one_that_finds_nothing(base: KnowledgeBase, silenced: str, leg: Leg):
    other = ({Leg.VECTOR, Leg.FULLTEXT} - {leg}).pop()
    whole = base.evaluate().report
    with mock.patch.object(pipeline, silenced, return_value=NO_LEG):
        report = base.evaluate().report
    assert {mean.value for mean in report.legs[leg].values()} == {0.0}
    assert report.legs[other] == whole.legs[other]
    assert report.legs[Leg.FUSION] == report.legs[other]


def test_each_query_is_searched_for_once(base: KnowledgeBase):
    searches: list[str] = []
    run_legs = pipeline.Searcher.run_legs

    def counted(self: pipeline.Searcher, request: SearchRequest, **options: str | None) -> pipeline.LegResults:
        searches.append(request.query)
        return run_legs(self, request, **options)

    with mock.patch.object(pipeline.Searcher, "run_legs", counted):
        report = base.evaluate().report
    assert searches == [found.query for found in report.queries]


def test_means_are_over_the_queries_that_can_be_answered(base: KnowledgeBase):
    report = base.evaluate().report
    assert report.run.averaged == 7
    assert report.groups["all"]["RR"].queries == 7
    assert report.groups["single-answer"]["RR"].queries == 6
    assert report.groups["multi-answer"]["RR"].queries == 1
    assert query(report, "no answer").metrics == {}
    assert query(report, "no answer").legs == {}
    values = [found.metrics["RR"] for found in report.queries if found.metrics]
    assert report.run.metrics["RR"] == pytest.approx(sum(values) / 7)
    assert set(report.run.auroc) == {"confidence", "low_confidence"}


def test_without_an_unanswerable_query_there_is_no_auroc(judged):
    report = judged("queries: [{query: saffron cake, expected: [{path: my notes/tea & cake.md}]}]")
    assert report.run.auroc == {}


def test_a_search_that_cannot_find_misses_are_told_apart(judged):
    golden = """
queries:
  - {id: gone, query: saffron cake, expected: [{path: gone.md}]}
  - {id: words, query: saffron cake, expected: [{path: office/groups.md}]}
  - {id: low, query: the ferry travels on the open deck in fog, expected: [{path: cargo/bees.md}]}
"""
    report = judged(golden, EvalOptions(k_values=(1,), limit=1, mode=Mode.KEYWORD))
    outcomes = {found.id: found.expected[0] for found in report.queries}
    assert outcomes["gone"].miss is Miss.NOT_INDEXED
    assert outcomes["words"].miss is Miss.IN_NO_POOL
    assert outcomes["low"].miss is Miss.BELOW_K
    assert outcomes["low"].rank is not None
    assert outcomes["low"].rank > 1
    assert [finding.path for finding in report.findings if finding.check == "golden-not-indexed"] == ["gone.md"]


def test_the_rank_of_a_miss_is_where_a_deeper_search_has_it(base: KnowledgeBase):
    shallow = base.evaluate(EvalRequest(options=EvalOptions(k_values=(1,), limit=1))).report
    for found in shallow.queries:
        deep = base.search(found.query, limit=100).hits
        for entry in found.expected:
            if entry.rank is not None and entry.heading is None:
                first = next(place for place, hit in enumerate(deep, 1) if hit.path == entry.path)
                assert entry.rank >= first, (found.id, entry)
                assert deep[entry.rank - 1].path == entry.path


def test_a_quote_names_the_chunk_that_holds_it(base: KnowledgeBase):
    found = query(base.evaluate().report, "slot")
    hit = next(entry for entry in found.top if entry.target is not None)
    assert (hit.hit.path, hit.hit.heading) == ("weather/fog.md", "Clearing")


def test_a_quote_that_is_gone_is_stale_and_no_miss(judged):
    golden = """
queries:
  - {id: stale, query: fog, expected: [{path: weather/fog.md, quote: no such words}]}
  - {id: half, query: fog, expected: [{path: weather/fog.md, quote: no such words}, {path: weather/wind.md}]}
  - {id: fine, query: saffron, expected: [{path: my notes/tea & cake.md}]}
"""
    report = judged(golden)
    assert [(f.check, f.query_id, f.line) for f in report.findings] == [
        ("golden-stale", "stale", 3),
        ("golden-stale", "half", 4),
    ]
    assert query(report, "stale").metrics == {}
    assert not query(report, "stale").missed
    assert [entry.path for entry in query(report, "half").expected] == ["weather/wind.md"]
    assert report.run.averaged == 2


class Moody(FakeEmbedder):
    """Fails on some queries."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word

    def embed_query(self, text: str) -> Vectors:
        if self.word in text:
            raise EmbeddingError(f"the model choked on {text!r}")
        return super().embed_query(text)


def test_a_query_that_does_not_run_counts_0_and_is_listed(base: KnowledgeBase):
    with KnowledgeBase(base.settings, embedder=Moody("saffron")) as kb:
        report = kb.evaluate().report
    whole = base.evaluate().report
    assert query(report, "cake").failed == "the model choked on 'saffron cake'"
    assert set(query(report, "cake").metrics.values()) == {0.0}
    assert report.run.averaged == 7
    lost = query(whole, "cake").metrics["RR"] / 7
    assert report.run.metrics["RR"] == pytest.approx(whole.run.metrics["RR"] - lost)
    assert report.groups["single-answer"]["RR"].queries == 6
    assert [finding.query_id for finding in report.findings if finding.check == "query-failed"] == ["cake"]
    assert report.run.queries["cake"].failed


def test_when_no_query_runs_nothing_was_measured(base: KnowledgeBase):
    with KnowledgeBase(base.settings, embedder=Moody("")) as kb, pytest.raises(EmbeddingError, match="choked"):
        kb.evaluate()


def test_an_index_that_cannot_be_read_ends_the_run(base: KnowledgeBase):
    """It is no fault of the query that met it, and must not count as one query's 0."""
    leg = pipeline.fulltext_leg

    def damaged(store: Store, query: CompiledQuery, *rest: Any) -> Any:
        if "saffron" in query.text:
            raise CorruptIndex("the index is damaged")
        return leg(store, query, *rest)

    with mock.patch.object(pipeline, "fulltext_leg", damaged), pytest.raises(CorruptIndex):
        base.evaluate()


def test_a_document_that_quotes_golden_queries_is_found_out(judged):
    leaking = "# Questions people ask\n\nwhat does the ferry do in fog\n\npaid back after a cancelled crossing\n"
    report = judged(GOLDEN, None, **{"faq.md": leaking})
    finding = next(finding for finding in report.findings if finding.check == "golden-queries-quoted")
    assert finding.path == "faq.md"
    assert [quoted.query_id for quoted in finding.quoted] == ["fog", "money"]
    ranks = [quoted.rank_in_top_k for quoted in finding.quoted]
    hits = [[entry.hit.path for entry in query(report, i).top] for i in ("fog", "money")]
    assert ranks == [paths.index("faq.md") + 1 for paths in hits]


def test_documents_are_ranked_by_their_first_chunk(base: KnowledgeBase):
    report = base.evaluate(EvalRequest(options=EvalOptions(level=Level.DOCUMENT, k_values=(3,), limit=3))).report
    for found in report.queries:
        paths = [hit.path for hit in base.search(found.query, limit=100).hits]
        assert [entry.hit.path for entry in found.top] == list(dict.fromkeys(paths))[:3]


def test_the_reranker_runs_when_the_options_say_so_and_not_by_default(open_kb: OpenKb, tmp_path):
    kb = open_kb(write_base(tmp_path / "kb"), settings=Settings(reranker="fake", rerank_by_default=True))
    kb.index()
    plain, reranked = (kb.evaluate(EvalRequest(options=EvalOptions(rerank=rerank))).report for rerank in (False, True))
    assert (plain.run.fingerprint.reranker, reranked.run.fingerprint.reranker) == (None, "fake")
    for found in reranked.queries:
        hits = kb.search(found.query, rerank=True).hits
        assert [entry.hit.score for entry in found.top] == [hit.score for hit in hits]
    for found in plain.queries:
        hits = kb.search(found.query, rerank=False).hits
        assert [entry.hit.score for entry in found.top] == [hit.score for hit in hits]
    assert plain.legs == reranked.legs, "a leg alone is what it is before reranking"


def test_mmr_is_measured_as_it_is_shown_and_the_rest_keeps_its_order(base: KnowledgeBase):
    options = EvalOptions(k_values=(2,), limit=2, mmr=True, mmr_lambda=0.0)
    for found in base.evaluate(EvalRequest(options=options)).report.queries:
        hits = base.search(found.query, limit=2, mmr=True, mmr_lambda=0.0).hits
        assert [(entry.hit.path, entry.hit.chunk) for entry in found.top] == [(h.path, h.chunk.index) for h in hits]


def test_what_mmr_leaves_out_is_below_k_and_not_out_of_reach(base: KnowledgeBase):
    options = EvalOptions(k_values=(1,), limit=1, mmr=True)
    report = base.evaluate(EvalRequest(options=options)).report
    missed = [entry for found in report.queries for entry in found.expected if entry.miss is not None]
    assert missed
    assert {entry.miss for entry in missed} == {Miss.BELOW_K}


def test_what_searches_say_is_passed_on_once(base: KnowledgeBase):
    evaluation = base.evaluate(EvalRequest(options=EvalOptions(mmr_lambda=0.5)))
    assert evaluation.notes == ("MMR is off, so its lambda and penalty have no effect; turn it on with mmr",)


def test_progress_is_told_from_none_to_all(base: KnowledgeBase):
    told: list[tuple[int, int]] = []
    base.evaluate(progress=lambda done, total: told.append((done, total)))
    assert told == [(done, 8) for done in range(9)]


def test_corpus_and_results_are_of_one_state_of_the_index(base: KnowledgeBase):
    """A document that is indexed while the queries run is in neither."""
    before = base.evaluate().report

    def grow(done: int, _: int) -> None:
        if done == 1:
            write_files(base.root, {"late.md": "# Late\n\nsaffron cake saffron cake, paid back in fog\n"})
            with KnowledgeBase(base.settings, embedder=FakeEmbedder()) as writer:
                writer.index()

    during = base.evaluate(progress=grow).report
    assert during.run.corpus == before.run.corpus
    assert during.run.metrics == before.run.metrics
    after = base.evaluate().report
    assert after.run.corpus.documents == len(NOTES) + 1
    assert after.run.corpus.digest != before.run.corpus.digest


def test_two_runs_are_equal_but_for_the_time(base: KnowledgeBase):
    first, second = (base.evaluate().report.run for _ in range(2))
    assert replace(first, time="") == replace(second, time="")


def test_without_an_index_there_is_nothing_to_measure(open_kb: OpenKb, tmp_path):
    with pytest.raises(NoIndex):
        open_kb(write_base(tmp_path / "kb")).evaluate()


def test_no_figure_is_infinite_or_undefined(base: KnowledgeBase):
    report = base.evaluate().report
    for found in report.queries:
        for scores in (found.metrics, *found.legs.values()):
            assert all(map(math.isfinite, scores.values())), found.id
