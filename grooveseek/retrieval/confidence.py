"""How much an answer should be believed: a weak signal from the scores' shape, and one from evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from grooveseek.retrieval.legs import Background


def is_low_confidence(scores: Sequence[float], min_ratio: float) -> bool:
    """Whether the best score stands out too little: max / mean below ``min_ratio`` (0 turns it off).

    Needs two results and a positive mean. Fused scores say little about correctness; see :func:`confidence`.
    """
    if len(scores) < 2 or min_ratio <= 0:
        return False
    mean = sum(scores) / len(scores)
    return mean > 0 and max(scores) / mean < min_ratio


def cosine_evidence(best_cosine: float | None, background: Background | None) -> float | None:
    """How many standard deviations the best cosine stands above this query's cosines with everything it could find.

    ``None`` without a vector leg or with too few chunks for a spread. Measured against the query's own background, so
    that it does not depend on how dense the corpus lies in the model's space.
    """
    if best_cosine is None or background is None or background.count < 3 or background.deviation <= 1e-6:
        return None
    return (best_cosine - background.mean) / background.deviation


def coverage_evidence(covered: Sequence[float], weights: Sequence[float]) -> float | None:
    """The share of the query's IDF mass that the best covering hit holds; ``None`` when the query has no word.

    ``weights`` are the words' IDFs, ``covered`` for each hit the mass it covers.
    """
    total = sum(weights)
    return max(covered, default=0.0) / total if total > 0 else None


def inverse_document_frequency(matching: int, chunks: int) -> float:
    """ln(1 + (N - n + 0.5) / (n + 0.5)) (Robertson and Zaragoza 2009, in the always positive form)."""
    return math.log(1.0 + (chunks - matching + 0.5) / (matching + 0.5))


INTERCEPT = -4.0
COSINE_WEIGHT = 0.6
BEST_COSINE_WEIGHT = 3.0
COVERAGE_WEIGHT = 1.5


def confidence(cosine: float | None, cosine_spread: float | None, coverage: float | None) -> float:
    """In [0, 1]: a logistic function of the evidence. Evidence that is not there counts as its neutral value."""
    value = (
        INTERCEPT
        + BEST_COSINE_WEIGHT * (0.4 if cosine is None else cosine)
        + COSINE_WEIGHT * (3.0 if cosine_spread is None else cosine_spread)
        + COVERAGE_WEIGHT * (0.5 if coverage is None else coverage)
    )
    return 1.0 / (1.0 + math.exp(-value))
