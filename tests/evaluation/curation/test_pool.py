from __future__ import annotations

from pathlib import Path

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.evaluation.curation.pool import Section, pool, shuffled
from tests.conftest import OpenKb
from tests.support.eval_bases import write_base

QUERY = "the ferry on the open deck in fog"


@pytest.fixture
def kb(open_kb: OpenKb, tmp_path: Path) -> KnowledgeBase:
    kb = open_kb(write_base(tmp_path / "kb"))
    kb.index()
    return kb


def pooled(kb: KnowledgeBase, query: str = QUERY, depth: int = 2) -> tuple:
    return pool(kb.searcher(), kb.store(), query, depth=depth)


def test_the_pool_is_what_any_leg_or_both_have_on_top(kb: KnowledgeBase):
    expected = {
        Section(path=hit.path, heading=hit.chunk.heading)
        for mode in ("semantic", "keyword", "hybrid")
        for hit in kb.search(QUERY, mode=mode, limit=2).hits
    }
    assert len(expected) > 2, "the legs agree on everything, so this would prove nothing"
    assert {item.section for item in pooled(kb)} == expected
    assert len(pooled(kb)) == len(expected)


def test_a_section_of_several_chunks_is_judged_once_by_its_best(open_kb: OpenKb, tmp_path: Path):
    long = "# Log\n\n" + "\n\n".join(f"saffron entry number {n} " + "word " * 150 for n in range(6))
    kb = open_kb(tmp_path / "kb", files={"log.md": long})
    kb.index()
    assert kb.status().statistics.chunks > 2
    items = pooled(kb, "saffron entry number 3", depth=10)
    assert [item.section for item in items] == [Section(path="log.md", heading="Log")]
    best = {kb.search("saffron entry number 3", mode=mode).hits[0].chunk.index for mode in ("semantic", "keyword")}
    assert items[0].chunk.index in best


def test_the_order_shown_is_the_same_every_time_and_another_for_another_seed(kb: KnowledgeBase):
    items = pooled(kb, depth=8)
    assert shuffled(items, QUERY) == shuffled(pooled(kb, depth=8), QUERY)
    assert set(shuffled(items, QUERY)) == set(items)
    orders = {shuffled(items, QUERY, seed) for seed in range(5)} | {shuffled(items, "another query")}
    assert len(orders) == 6


def test_the_order_does_not_follow_the_ranks(kb: KnowledgeBase):
    """Over many seeds the section that ranks first is shown first about as often as any other."""
    items = pooled(kb, depth=8)
    first = kb.search(QUERY).hits[0]
    shown = [shuffled(items, QUERY, seed)[0].section.path for seed in range(400)]
    share = shown.count(first.path) / 400
    wanted = sum(item.section.path == first.path for item in items) / len(items)
    assert abs(share - wanted) < 0.1


def test_a_query_without_results_has_an_empty_pool(open_kb: OpenKb, tmp_path: Path):
    kb = open_kb(tmp_path / "kb")
    kb.index()
    assert pooled(kb) == ()
