"""Reciprocal rank, whose mean over queries is MRR (Kantor and Voorhees, 2000)."""

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
class ReciprocalRank:
    """RR: 1 over the rank of the first relevant document; 0 when none is found (within the cutoff, if there is one)."""

    cutoff: int | None = None
    rel: int = 1

    def __post_init__(self) -> None:
        check_parameters(self.cutoff, self.rel)

    @property
    def name(self) -> str:
        """``RR`` or ``RR@k``."""
        return spell("RR", self.cutoff, self.rel)

    def evaluate(self, ranking: Sequence[str], judged: Judged) -> float:
        """0 to 1."""
        if not count_relevant(judged, self.rel):
            return UNDEFINED
        first = next(relevant_ranks(ranking, judged, self.rel, self.cutoff), None)
        return 1 / first if first else 0.0
