"""Average precision, whose mean over queries is MAP (Harman, 1992; as trec_eval's ``map`` and ``map_cut``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grooveseek.evaluation.measures.protocol import (
    UNDEFINED,
    check_parameters,
    count_relevant,
    relevant_ranks,
    spell,
)
from grooveseek.model.judgments import Judged


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragePrecision:
    """AP: precision at the rank of each relevant document found, summed and divided by how many there are to find."""

    cutoff: int | None = None
    rel: int = 1

    def __post_init__(self) -> None:
        check_parameters(self.cutoff, self.rel)

    @property
    def name(self) -> str:
        """``AP`` or ``AP@k``."""
        return spell("AP", self.cutoff, self.rel)

    def evaluate(self, ranking: Sequence[str], judged: Judged) -> float:
        """0 to 1."""
        relevant = count_relevant(judged, self.rel)
        if not relevant:
            return UNDEFINED
        ranks = relevant_ranks(ranking, judged, self.rel, self.cutoff)
        return sum(found / rank for found, rank in enumerate(ranks, 1)) / relevant
