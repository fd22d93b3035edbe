"""Area under the ROC curve: how well a score tells two kinds of query apart."""

from __future__ import annotations

import math
from collections.abc import Iterable

from grooveseek.evaluation.measures.protocol import UNDEFINED


def auroc(positives: Iterable[float], negatives: Iterable[float]) -> float:
    """The chance that a positive scores above a negative, equal scores counting half (Mann-Whitney U / (n m)).

    0.5 is chance, 1 is perfect, 0 is perfect and upside down. NaN when either side is empty. A score that is NaN was
    not computed and is left out.
    """
    scored = [(score, 1) for score in positives] + [(score, 0) for score in negatives]
    labelled = sorted(pair for pair in scored if not math.isnan(pair[0]))
    total_positive = sum(label for _, label in labelled)
    total_negative = len(labelled) - total_positive
    if not total_positive or not total_negative:
        return UNDEFINED
    wins = 0.0
    below = 0
    start = 0
    while start < len(labelled):
        end = start
        while end < len(labelled) and labelled[end][0] == labelled[start][0]:
            end += 1
        tied_positive = sum(label for _, label in labelled[start:end])
        tied_negative = end - start - tied_positive
        wins += tied_positive * (below + tied_negative / 2)
        below += tied_negative
        start = end
    return wins / (total_positive * total_negative)
