"""Ranking made-up candidates, where rounding and gaps decide."""

from __future__ import annotations

import numpy as np
from grooveseek.evaluation.hits import EvalHit
from grooveseek.evaluation.tune.crossval import cross_validate
from grooveseek.evaluation.tune.grid import condition_of
from grooveseek.evaluation.tune.sweep import NOWHERE, Pool, ranks_under
from grooveseek.settings.sections import FusionSettings
from grooveseek.store.fulltext import ColumnWeights


def pool(vector: list[float], fulltext: list[float]) -> Pool:
    """One weighting; ranks by the scores given, NaN for what a leg did not find."""

    def ranks(scores: list[float]) -> np.ndarray:
        order = sorted((i for i, score in enumerate(scores) if not np.isnan(score)), key=lambda i: -scores[i])
        return np.array([order.index(i) + 1 if i in order else np.inf for i in range(len(scores))])

    return Pool(
        hits=tuple(EvalHit(path=f"{i}.md", chunk=0, score=0.0) for i in range(len(vector))),
        documents=np.arange(len(vector)),
        vector_ranks=ranks(vector),
        vector_scores=np.array(vector),
        vector_minimum=-1.0,
        fulltext_ranks=np.array([ranks(fulltext)]),
        fulltext_scores=np.array([fulltext]),
        weightings=(ColumnWeights(),),
    )


def test_noise_below_the_rounding_orders_nothing() -> None:
    convex = condition_of(FusionSettings())
    candidates = pool([0.5, 0.5 + 1e-12, 0.4], [2.0, 2.0, 3.0])
    assert ranks_under(candidates, [convex])[0].tolist() == [2, 3, 1]


def test_a_leg_of_weight_0_brings_nothing() -> None:
    vector_alone = condition_of(FusionSettings(method="rrf", fts_weight=0.0))
    candidates = pool([0.5, np.nan, 0.4], [2.0, 9.0, np.nan])
    assert ranks_under(candidates, [vector_alone])[0].tolist() == [1, NOWHERE, 2]


def test_sums_within_rounding_of_each_other_are_ties() -> None:
    values = np.array([[0.5, 0.5], [0.5, 0.5 + 5e-12]])
    assert cross_validate(values, 0, (0, 1)).refit == 0
    assert cross_validate(values, 1, (1, 0)).refit == 1
