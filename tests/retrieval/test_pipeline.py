"""The search from a request to an answer, on real indexes with the fake embedder."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.errors import EmbeddingError, NoIndex, QueryError
from grooveseek.model.query import Filters, Mode, SearchRequest
from grooveseek.retrieval.answer import answer_as_json
from grooveseek.retrieval.pipeline import Searcher
from grooveseek.settings.sections import FusionSettings, MmrSettings, SearchSettings, Settings
from tests.conftest import OpenKb, write_files
from tests.support.search import hits, paths
from tests.support.tiny_models import tiny_cross_encoder

NOTES: dict[str, str | bytes] = {
    "harbour/fog.md": "---\ntags: [weather, bridge]\ndate: 2026-03-01\n---\n# Fog\n\n"
    "When fog comes in, the master slows the ship and posts a second lookout on the bow with a radio.\n\n"
    "## Signals\n\nOne long blast every two minutes while the ship makes way through the water, day and night.\n",
    "harbour/ice.md": "---\ntags: [weather]\ndate: 2026-01-15\n---\n# Ice\n\n"
    "Frozen decks are treated with salt and sand before the first crossing, and the ramp is checked for ice.\n",
    "office/leave.md": "---\ncategory: people\n---\n# Leave\n\n"
    "Ask for leave two weeks before, in writing, and agree on it with the people you share your shifts with.\n",
    "office/tbd.md": "# Fog horn\n\nTBD\n",
    "日本語/霧.md": "# 霧の手順\n\n濃霧のときは速力を落とし、見張りを増やして、"
    "二分ごとに汽笛を鳴らす。AIの予報は参考にする。\n",
}


@pytest.fixture
def kb(open_kb: OpenKb) -> KnowledgeBase:
    kb = open_kb(files=NOTES)
    kb.index()
    return kb


def searching(kb: KnowledgeBase, settings: Settings, **extra: Any) -> Searcher:
    """A searcher on the same index under other settings."""
    return Searcher(
        root=kb.root,
        store=kb.store(),
        embedder=kb.embedder,
        settings=replace(settings, kb_path=kb.root),
        **extra,
    )


def test_the_answer_has_the_documented_shape(kb: KnowledgeBase) -> None:
    value = answer_as_json(kb.search("fog lookout", limit=3))
    assert list(value) == ["results", "low_confidence", "confidence", "legs", "filter_applied"]
    first = value["results"][0]
    assert first["path"] == "harbour/fog.md"
    assert first["heading_path"] == ["Fog"]
    assert first["tags"] == ["weather", "bridge"]
    assert first["date"] == "2026-03-01"
    raw = (kb.root / "harbour/fog.md").read_bytes()
    assert raw[first["start_byte"] : first["end_byte"]].decode() == first["content"]
    span = first["match_spans"][0]
    assert raw[first["start_byte"] + span["start"] : first["start_byte"] + span["end"]] == b"fog"
    assert value["legs"]["degraded"] is None
    assert value["legs"]["fulltext"]["candidates"] >= 1
    assert not [name for result in value["results"] for name, field in result.items() if field is None]


def test_a_mode_runs_one_leg_alone(kb: KnowledgeBase) -> None:
    keyword = answer_as_json(kb.search("lookout", mode="keyword"))
    assert "vector" not in keyword["legs"]
    assert {result["path"] for result in keyword["results"]} == {"harbour/fog.md"}
    semantic = answer_as_json(kb.search("lookout", mode="semantic"))
    assert "fulltext" not in semantic["legs"]
    assert len(semantic["results"]) > 1


def test_a_word_in_another_form_is_found(kb: KnowledgeBase) -> None:
    assert paths(kb, "crossings") == ["harbour/ice.md"]


@pytest.mark.parametrize("query", ["AI", "霧", "汽笛", "ai の予報"])
def test_short_terms_find_their_document(kb: KnowledgeBase, query: str) -> None:
    assert paths(kb, query)[0] == "日本語/霧.md"


def test_a_short_and_a_long_term_together_outrank_the_long_one_alone(open_kb: OpenKb) -> None:
    both = "The forecast of the AI is read twice a day by the mate on watch, and written down.\n"
    one = "The forecast of the coast station is read twice a day by the mate on watch, and written down.\n"
    kb = open_kb(files={"a.md": one, "b.md": both})
    kb.index()
    assert paths(kb, "AI forecast") == ["b.md", "a.md"]


def test_boilerplate_is_held_back_unless_asked_for(kb: KnowledgeBase) -> None:
    assert "office/tbd.md" not in paths(kb, "fog horn", mode="hybrid")
    request = SearchRequest(query="fog horn", filters=Filters(include_low_quality=True))
    assert "office/tbd.md" in [hit.path for hit in kb.search(request).hits]


def test_a_short_note_is_found_by_its_words(open_kb: OpenKb) -> None:
    kb = open_kb(files=NOTES | {"pin.md": "# Pin\n\nquetzal 4711\n"})
    kb.index()
    for mode in ("keyword", "hybrid"):
        assert paths(kb, "quetzal", mode=mode)[0] == "pin.md"


def test_filters_are_echoed_and_hold(kb: KnowledgeBase) -> None:
    filters = Filters(tags_any=("weather",), date_from="2026-02-01", path_globs=("harbour/**",), min_quality=0.0)
    answer = kb.search(SearchRequest(query="ice fog ship", filters=filters))
    assert {hit.path for hit in answer.hits} == {"harbour/fog.md"}
    assert answer.filter_applied == {
        "path_globs": ["harbour/**"],
        "tags_any": ["weather"],
        "date_from": "2026-02-01",
    }


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"limit": 0}, "limit is 0"),
        ({"limit": -1}, "limit is -1"),
        ({"query": "x" * 1025}, "1025 bytes"),
        ({"mmr_lambda": 1.5}, "mmr_lambda is 1.5"),
        ({"mmr_same_doc_penalty": -0.1}, "mmr_same_doc_penalty"),
        ({"min_confidence_ratio": float("inf")}, "min_confidence_ratio"),
        ({"filters": Filters(date_from="yesterday")}, "'yesterday'"),
        ({"filters": Filters(path_globs=())}, "path_globs"),
        ({"filters": Filters(tags_any=tuple("t" * 65))}, "65 items"),
        ({"filters": Filters(min_quality=2.0)}, "min_quality is 2.0"),
        ({"filters": Filters(fields={"owner": ("x",)})}, "'owner'"),
    ],
)
def test_a_parameter_out_of_range_is_refused_by_name(kb: KnowledgeBase, change: dict[str, Any], named: str) -> None:
    with pytest.raises(QueryError, match=named):
        kb.search(replace(SearchRequest(query="fog"), **change))


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(QueryError, match="'both'"):
        SearchRequest(query="x", mode="both")  # type: ignore[arg-type]  # what an untyped caller may do


def test_without_an_index_the_way_out_is_named(open_kb: OpenKb) -> None:
    with pytest.raises(NoIndex, match="groove index"):
        open_kb(files=NOTES).search("fog")


def test_a_longer_answer_begins_with_the_shorter_one(kb: KnowledgeBase) -> None:
    longest = [hit.chunk_id for hit in hits(kb, "ship fog ice leave", mode="hybrid", limit=50)]
    for limit in range(1, len(longest)):
        assert [hit.chunk_id for hit in hits(kb, "ship fog ice leave", mode="hybrid", limit=limit)] == longest[:limit]


def test_two_runs_give_the_same_bytes(kb: KnowledgeBase) -> None:
    first, second = (repr(answer_as_json(kb.search("fog 霧 ship", explain=True))) for _ in range(2))
    assert first == second


def test_stages_that_are_off_change_nothing(kb: KnowledgeBase) -> None:
    plain = kb.search("fog ship ice")
    off = kb.search("fog ship ice", mmr=False, parent_retriever=False, rerank=False)
    assert plain == off


def test_mmr_with_lambda_one_keeps_the_order_and_zero_penalises_likeness(open_kb: OpenKb) -> None:
    same = "The pump by the north quay is greased on Mondays before the first ship comes in to load."
    other = "Invoices are paid within thirty days, and the pump budget is agreed on in spring each year."
    kb = open_kb(files={"a.md": same, "b.md": same + " ", "c.md": other})
    kb.index()
    plain = [hit.path for hit in kb.search("pump greased", limit=2).hits]
    assert plain == ["a.md", "b.md"]
    assert [hit.path for hit in kb.search("pump greased", limit=2, mmr=True, mmr_lambda=1.0).hits] == plain
    assert [hit.path for hit in kb.search("pump greased", limit=2, mmr=True, mmr_lambda=0.3).hits] == ["a.md", "c.md"]


def test_the_method_of_fusion_is_the_settings(kb: KnowledgeBase) -> None:
    for method in ("rrf", "convex"):
        settings = Settings(search=SearchSettings(fusion=FusionSettings(method=method)))
        answer = searching(kb, settings).search(SearchRequest(query="fog lookout"))
        assert answer.hits[0].path == "harbour/fog.md"
        assert (answer.hits[0].score < 0.04) == (method == "rrf")


def test_explain_accounts_for_the_score(kb: KnowledgeBase) -> None:
    for hit in kb.search("fog lookout", explain=True).hits:
        told = hit.explanation
        assert told is not None
        assert told.fused_score == hit.score == told.from_vector + told.from_fulltext
        assert told.vector_rank is not None or told.fulltext_rank is not None


def test_a_changed_file_is_marked_stale(kb: KnowledgeBase) -> None:
    assert not any(hit.stale for hit in hits(kb, "lookout"))
    (kb.root / "harbour/fog.md").write_text("# Fog\n\nNothing is as it was.\n")
    assert all(hit.stale for hit in hits(kb, "lookout"))


def test_the_parent_retriever_shows_more_and_moves_nothing(kb: KnowledgeBase) -> None:
    plain = kb.search("lookout", mode="keyword")
    shown = kb.search("lookout", mode="keyword", parent_retriever=True)
    assert [(hit.score, hit.path) for hit in shown.hits] == [(hit.score, hit.path) for hit in plain.hits]
    first = shown.hits[0]
    assert first.expanded_from == {"kind": "whole_document", "total_chunks": 2}
    raw = (kb.root / "harbour/fog.md").read_bytes()
    assert first.chunk.start_byte is not None
    assert raw[first.chunk.start_byte : first.chunk.end_byte].decode() == first.chunk.content
    assert "## Signals" in first.chunk.content
    start, end = (first.match_spans or ())[0]
    assert first.chunk.content.encode()[start:end] == b"lookout"


def test_a_query_the_model_cannot_read_uses_words_alone(kb: KnowledgeBase) -> None:
    class EnglishOnly:
        """The fake embedder, said to read Latin letters only."""

        scripts = frozenset({"latin"})

        def __getattr__(self, name: str) -> Any:
            return getattr(kb.embedder, name)

    searcher = Searcher(root=kb.root, store=kb.store(), embedder=EnglishOnly(), settings=kb.settings)
    answer = searcher.search(SearchRequest(query="濃霧のとき"))
    assert answer.legs.degraded == "fulltext_only"
    assert "does not read" in (answer.legs.reason or "")
    assert answer.hits[0].path == "日本語/霧.md"
    assert searcher.search(SearchRequest(query="fog 霧 lookout")).legs.degraded is None


def test_a_query_without_a_word_is_vector_only_or_says_so(kb: KnowledgeBase) -> None:
    assert kb.search("—").legs.degraded == "fulltext_only"
    assert kb.search("").notes == ("the query is empty; name something to look for",)


class TestRerank:
    """With a real ONNX cross-encoder built here: its logit grows with the share of the query found in the text."""

    @pytest.fixture
    def searcher(self, kb: KnowledgeBase, tmp_path: Path) -> Searcher:
        from grooveseek.embedding.rerank import load_reranker

        tiny_cross_encoder(tmp_path / "cross")
        return searching(
            kb,
            Settings(),
            reranker=lambda: load_reranker(str(tmp_path / "cross"), cache_dir=lambda: tmp_path, environ={}),
        )

    def test_scores_are_the_rerankers_own(self, searcher: Searcher) -> None:
        answer = searcher.search(SearchRequest(query="second lookout on the bow", explain=True))
        first = answer.hits[0]
        assert first.path == "harbour/fog.md"
        assert first.explanation is not None
        assert first.score == first.explanation.rerank_score
        assert first.score > 3  # every trigram of the query stands in the text: 8 * 1 - 4, less the edges
        assert [hit.score for hit in answer.hits] == sorted((hit.score for hit in answer.hits), reverse=True)

    def test_it_can_be_left_out_for_one_query(self, searcher: Searcher, kb: KnowledgeBase) -> None:
        plain = searcher.search(SearchRequest(query="second lookout", rerank=False))
        assert plain == kb.search("second lookout")

    def test_the_fused_order_is_answered_when_time_is_up(self, kb: KnowledgeBase) -> None:
        release = threading.Event()

        class Slow:
            name = "slow"

            def score(self, query: str, texts: Sequence[str]) -> list[float]:
                release.wait(30)
                return [0.0] * len(texts)

        searcher = searching(kb, Settings(rerank_timeout_ms=20), reranker=Slow)
        answer = searcher.search(SearchRequest(query="fog lookout"))
        release.set()
        assert [hit.path for hit in answer.hits] == [hit.path for hit in kb.search("fog lookout").hits]
        assert any("longer than 20 ms" in note for note in answer.notes)

    def test_asking_for_one_that_is_not_configured_is_noted(self, kb: KnowledgeBase) -> None:
        assert any("no reranker" in note for note in kb.search("fog", rerank=True).notes)


def test_mmr_on_by_settings_is_used_and_overrides_while_off_are_noted(kb: KnowledgeBase) -> None:
    settings = Settings(search=SearchSettings(mmr=MmrSettings(enabled=True, lambda_=1.0)))
    on = searching(kb, settings).search(SearchRequest(query="fog ship", explain=True))
    assert [hit.explanation.rank_after_mmr for hit in on.hits if hit.explanation] == list(range(1, len(on.hits) + 1))
    assert any("MMR is off" in note for note in kb.search("fog", mmr_lambda=0.2).notes)


def test_a_deleted_index_is_not_answered_from(open_kb: OpenKb) -> None:
    kb = open_kb(files=NOTES)
    kb.index()
    kb.close()
    kb.index_path.unlink()
    with pytest.raises(NoIndex):
        kb.search("fog")
    write_files(kb.root, {"new.md": "# New\n\nA new page about whales, seals and the seabirds of the Sound.\n"})
    kb.index()
    assert paths(kb, "whales") == ["new.md"]


def test_words_answer_when_the_model_does_not(kb: KnowledgeBase) -> None:
    class Down:
        """The fake embedder, out of reach for queries."""

        def __getattr__(self, name: str) -> Any:
            return getattr(kb.embedder, name)

        def embed_query(self, text: str) -> Any:
            raise EmbeddingError("the endpoint embed.example answered 503; try again")

    searcher = Searcher(root=kb.root, store=kb.store(), embedder=Down(), settings=kb.settings)
    answer = searcher.search(SearchRequest(query="lookout"))
    assert [hit.path for hit in answer.hits] == ["harbour/fog.md"]
    assert (answer.legs.degraded, answer.legs.reason) == (
        "fulltext_only",
        "the endpoint embed.example answered 503; try again",
    )
    with pytest.raises(EmbeddingError, match="503"):
        searcher.search(SearchRequest(query="lookout", mode=Mode.SEMANTIC))
