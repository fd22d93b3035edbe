"""Fusion, with scores worked out by hand."""

from __future__ import annotations

import pytest
from grooveseek.retrieval.fusion import convex_combination, reciprocal_rank_fusion


def test_reciprocal_rank_fusion_adds_reciprocal_ranks() -> None:
    fused = reciprocal_rank_fusion([(1, 0.9), (2, 0.8)], [(2, 7.0), (3, 5.0)], rrf_k=60)
    assert {id_: value.score for id_, value in fused.items()} == {
        1: 1 / 61,
        2: 1 / 62 + 1 / 61,
        3: 1 / 62,
    }
    assert (fused[2].from_vector, fused[2].from_fulltext) == (1 / 62, 1 / 61)


def test_leg_weights_scale_their_leg() -> None:
    fused = reciprocal_rank_fusion([(1, 0.9)], [(1, 7.0)], rrf_k=1, vector_weight=2, fulltext_weight=0.5)
    assert fused[1].score == 2 / 2 + 0.5 / 2


def test_each_leg_counts() -> None:
    # 3 is second in both legs; with either silenced, what stands first in the other wins
    vector, fulltext = [(1, 0.9), (3, 0.8)], [(2, 9.0), (3, 8.0)]
    both = reciprocal_rank_fusion(vector, fulltext)
    assert max(both.values(), key=lambda value: value.score).id == 3
    assert max(reciprocal_rank_fusion(vector, []).values(), key=lambda value: value.score).id == 1
    assert max(reciprocal_rank_fusion([], fulltext).values(), key=lambda value: value.score).id == 2


def test_convex_combination_normalises_by_minimum_and_maximum() -> None:
    # cosines from -1: (0.6 + 1) / 1.6 = 1 and (0.2 + 1) / 1.6 = 0.75; BM25 from 0: 4 / 4 = 1 and 1 / 4
    fused = convex_combination({1: 0.6, 2: 0.2}, {2: 4.0, 3: 1.0}, alpha=0.8)
    assert fused[1].score == pytest.approx(0.8)
    assert fused[2].score == pytest.approx(0.8 * 0.75 + 0.2)
    assert fused[3].score == pytest.approx(0.2 * 0.25)


def test_a_model_whose_cosines_begin_high_is_told_apart_from_there() -> None:
    # from .7: (.9 - .7) / .2 = 1, (.8 - .7) / .2 = 1/2, and .6 lies below the minimum
    fused = convex_combination({1: 0.9, 2: 0.8, 3: 0.6}, {}, alpha=0.8, lowest_cosine=0.7)
    assert [round(fused[id_].score, 6) for id_ in (1, 2, 3)] == [0.8, 0.4, 0.0]
    assert fused[3].score > 0


def test_each_leg_of_a_convex_combination_counts() -> None:
    vector, fulltext = {1: 0.5, 3: 0.45}, {2: 9.0, 3: 8.0}
    assert max(convex_combination(vector, fulltext, alpha=0.5).values(), key=lambda value: value.score).id == 3
    assert max(convex_combination(vector, {}, alpha=0.5).values(), key=lambda value: value.score).id == 1
    assert max(convex_combination({}, fulltext, alpha=0.5).values(), key=lambda value: value.score).id == 2


def test_no_candidates_fuse_to_nothing() -> None:
    assert convex_combination({}, {}, alpha=0.5) == {}
    assert reciprocal_rank_fusion([], []) == {}
