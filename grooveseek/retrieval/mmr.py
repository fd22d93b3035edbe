"""Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): relevance against likeness to what is picked
already.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt


def select(
    scores: Sequence[float],
    vectors: npt.NDArray[np.float32],
    documents: Sequence[Hashable],
    *,
    limit: int,
    lambda_: float,
    same_doc_penalty: float,
) -> list[int]:
    """Positions of the ``limit`` picks, in the order picked.

    Each pick maximises ``lambda * rel - (1 - lambda) * max_cos - same_doc_penalty * [document picked already]``;
    ``rel`` is
    the score min-max normalised over the pool (all 1 when all are equal), ``max_cos`` the largest cosine to a pick, 0
    before the first. Equal values go to the earlier position. ``vectors`` is float32 [n, dimension], unit rows; a row
    of zeros is like nothing.
    """
    relevance = _normalised(np.asarray(scores, dtype=np.float64))
    likeness = np.zeros(len(relevance))
    penalty = np.zeros(len(relevance))
    left = np.ones(len(relevance), dtype=np.bool_)
    picked: list[int] = []
    while len(picked) < min(limit, len(relevance)):
        value = np.round(lambda_ * relevance - (1.0 - lambda_) * likeness - penalty, 9)
        choice = int(np.argmax(np.where(left, value, -np.inf)))
        left[choice] = False
        cosines = np.einsum("ij,j->i", vectors, vectors[choice]).astype(np.float64)
        likeness = cosines if not picked else np.maximum(likeness, cosines)
        penalty[[document == documents[choice] for document in documents]] = same_doc_penalty
        picked.append(choice)
    return picked


def _normalised(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    if len(scores) == 0:
        return scores
    span = float(scores.max() - scores.min())
    return (scores - scores.min()) / span if span > 0 else np.ones_like(scores)
