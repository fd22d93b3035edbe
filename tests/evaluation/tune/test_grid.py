"""What a sweep tries."""

from __future__ import annotations

from dataclasses import replace

import pytest
from grooveseek.evaluation.tune.grid import Choice, Family, build_grid, condition_of, family_of
from grooveseek.settings.sections import FusionSettings


@pytest.mark.parametrize(
    ("choice", "legs", "has_context", "count"),
    [
        (Choice.RRF, False, True, 6 * 64),
        (Choice.RRF, False, False, 6 * 16),
        (Choice.RRF, True, True, 6 * 64 * 5),
        (Choice.CONVEX, False, True, 21 * 64),
        (Choice.ALL, False, True, 1 + 64 + 6 * 64 * 5 + 21 * 64),
    ],
)
def test_the_grid_has_the_size_it_is_documented_with(choice: Choice, legs: bool, has_context: bool, count: int) -> None:
    grid = build_grid(choice, legs=legs, has_context=has_context)
    assert len(grid.conditions) == count
    assert len({condition.fusion for condition in grid.conditions}) == count


@pytest.mark.parametrize(
    ("choice", "fusion"),
    [
        (Choice.RRF, FusionSettings(method="rrf")),
        (Choice.CONVEX, FusionSettings(method="convex", alpha=0.8)),
        (Choice.ALL, FusionSettings()),
    ],
)
def test_the_default_is_the_built_in_setting_of_what_is_compared(choice: Choice, fusion: FusionSettings) -> None:
    grid = build_grid(choice, legs=False, has_context=True)
    assert grid.conditions[grid.default].fusion == fusion
    assert grid.conditions[grid.default].distance == 0
    assert grid.preference()[0] == grid.default


def test_without_context_its_weight_stays_at_the_default() -> None:
    grid = build_grid(Choice.RRF, legs=False, has_context=False)
    assert {condition.fusion.bm25_context_weight for condition in grid.conditions} == {1.0}


def test_no_two_pairs_of_leg_weights_have_one_ratio() -> None:
    grid = build_grid(Choice.RRF, legs=True, has_context=False)
    ratios = {(c.fusion.vector_weight / c.fusion.fts_weight) for c in grid.conditions}
    assert ratios == {0.25, 0.5, 1.0, 2.0, 4.0}
    assert len({(c.fusion.vector_weight, c.fusion.fts_weight) for c in grid.conditions}) == 5


@pytest.mark.parametrize(
    ("fusion", "family"),
    [
        (FusionSettings(), Family.CONVEX),
        (FusionSettings(method="rrf"), Family.RRF),
        (FusionSettings(method="rrf", vector_weight=2.0), Family.RRF_LEGS),
        (FusionSettings(method="rrf", fts_weight=0.0), Family.VECTOR),
        (FusionSettings(method="rrf", vector_weight=0.0), Family.FULLTEXT),
    ],
)
def test_settings_know_their_family(fusion: FusionSettings, family: Family) -> None:
    assert family_of(fusion) is family


def test_what_a_method_does_not_look_at_makes_no_other_condition() -> None:
    assert condition_of(FusionSettings(rrf_k=10.0)) == condition_of(FusionSettings())
    assert condition_of(FusionSettings(method="rrf", alpha=0.1)) == condition_of(FusionSettings(method="rrf"))
    assert condition_of(replace(FusionSettings(), alpha=0.1)) != condition_of(FusionSettings())
