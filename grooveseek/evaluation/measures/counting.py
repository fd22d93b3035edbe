"""Measures that count relevant documents within a cutoff: precision, recall and success."""

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
class Precision:
    """P@k: the share of the first k ranks that hold a relevant document. Ranks left empty count as misses."""

    cutoff: int
    rel: int = 1

    def __post_init__(self) -> None:
        check_parameters(self.cutoff, self.rel)

    @property
    def name(self) -> str:
        """``P@k``."""
        return spell("P", self.cutoff, self.rel)

    def evaluate(self, ranking: Sequence[str], judged: Judged) -> float:
        """0 to 1."""
        if not count_relevant(judged, self.rel):
            return UNDEFINED
        return _found(ranking, judged, self.rel, self.cutoff) / self.cutoff


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """R@k: the share of all relevant documents that stand in the first k ranks.

    With more relevant documents than k it cannot reach 1; that is the measure's definition, and why single-answer and
    multi-answer queries are also averaged apart.
    """

    cutoff: int
    rel: int = 1

    def __post_init__(self) -> None:
        check_parameters(self.cutoff, self.rel)

    @property
    def name(self) -> str:
        """``R@k``."""
        return spell("R", self.cutoff, self.rel)

    def evaluate(self, ranking: Sequence[str], judged: Judged) -> float:
        """0 to 1."""
        relevant = count_relevant(judged, self.rel)
        return _found(ranking, judged, self.rel, self.cutoff) / relevant if relevant else UNDEFINED


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """Success@k: 1 when at least one relevant document stands in the first k ranks, else 0."""

    cutoff: int
    rel: int = 1

    def __post_init__(self) -> None:
        check_parameters(self.cutoff, self.rel)

    @property
    def name(self) -> str:
        """``Success@k``."""
        return spell("Success", self.cutoff, self.rel)

    def evaluate(self, ranking: Sequence[str], judged: Judged) -> float:
        """0 or 1."""
        if not count_relevant(judged, self.rel):
            return UNDEFINED
        return float(_found(ranking, judged, self.rel, self.cutoff) > 0)


def _found(ranking: Sequence[str], judged: Judged, rel: int, cutoff: int) -> int:
    return sum(1 for _ in relevant_ranks(ranking, judged, rel, cutoff))
