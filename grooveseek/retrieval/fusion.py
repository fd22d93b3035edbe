"""Two ranked lists into one: reciprocal rank fusion, and convex combination. Pure; one function a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Scored = tuple[int, float]

LEAST = 1e-9
"""What a score at or below its leg's minimum counts: less than any other, but what was found is not nothing."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """One fused candidate: its score and what each leg gave to it. A leg that did not find it gave 0."""

    id: int
    score: float
    from_vector: float
    from_fulltext: float


def reciprocal_rank_fusion(
    vector: Sequence[Scored],
    fulltext: Sequence[Scored],
    *,
    rrf_k: float = 60.0,
    vector_weight: float = 1.0,
    fulltext_weight: float = 1.0,
) -> dict[int, Fused]:
    """score(d) = sum over legs of weight / (rrf_k + rank), rank from 1 (Cormack, Clarke and Buettcher, SIGIR 2009).

    Both lists best first. The result is keyed by id, in no particular order.
    """
    by_vector = {id_: vector_weight / (rrf_k + rank) for rank, (id_, _) in enumerate(vector, start=1)}
    by_fulltext = {id_: fulltext_weight / (rrf_k + rank) for rank, (id_, _) in enumerate(fulltext, start=1)}
    return _add(by_vector, by_fulltext)


def convex_combination(
    vector: Mapping[int, float], fulltext: Mapping[int, float], *, alpha: float, lowest_cosine: float = -1.0
) -> dict[int, Fused]:
    """alpha * norm(vector) + (1 - alpha) * norm(fulltext) (Bruch, Gai and Ingber, TOIS 2023, "TM2C2").

    Each leg's scores by id, of every candidate of either leg that it found. Each is normalised by its theoretical
    minimum (``lowest_cosine``, -1 unless the model's cosines are known to begin higher; 0 for BM25) and the query's
    maximum; a candidate that a leg did not find gets 0 from it.
    """
    by_vector = {id_: alpha * share for id_, share in _normalised(vector, minimum=lowest_cosine).items()}
    by_fulltext = {id_: (1.0 - alpha) * share for id_, share in _normalised(fulltext, minimum=0.0).items()}
    return _add(by_vector, by_fulltext)


def as_compared(scores: Floats) -> Floats:
    """Fused scores as they are compared: rounded, because noise of float arithmetic must not order equals."""
    return np.round(scores, 9)


def _normalised(leg: Mapping[int, float], *, minimum: float) -> dict[int, float]:
    span = max(leg.values(), default=minimum) - minimum
    return {id_: max(LEAST, (score - minimum) / span) if span > 0 else 1.0 for id_, score in leg.items()}


def _add(by_vector: Mapping[int, float], by_fulltext: Mapping[int, float]) -> dict[int, Fused]:
    fused: dict[int, Fused] = {}
    for id_ in by_vector.keys() | by_fulltext.keys():
        first, second = by_vector.get(id_, 0.0), by_fulltext.get(id_, 0.0)
        fused[id_] = Fused(id=id_, score=first + second, from_vector=first, from_fulltext=second)
    return fused
