"""Normalised discounted cumulative gain, with the two gains in use."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from grooveseek.evaluation.measures.protocol import UNDEFINED, check_parameters, relevant_ranks
from grooveseek.model.judgments import Judged


class Gain(StrEnum):
    """What a document of relevance rel is worth at rank 1.

    ``LINEAR`` is rel (Järvelin and Kekäläinen, 2002; trec_eval). ``EXP2`` is 2^rel - 1 (Burges et al., 2005), which
    sets high grades further apart. They agree when every relevance is 0 or 1.
    """

    LINEAR = "linear"
    EXP2 = "exp2"

    def of(self, relevance: int) -> float:
        """The gain of one relevance."""
        return float(relevance) if self is Gain.LINEAR else 2.0**relevance - 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NDCG:
    """nDCG: the sum of gain / log2(rank + 1) over the ranking, divided by the sum the best possible ranking has.

    The best ranking is made of everything judged relevant, found or not, and is cut at k like the ranking itself.
    """

    cutoff: int | None = None
    gain: Gain = Gain.LINEAR

    def __post_init__(self) -> None:
        check_parameters(self.cutoff)

    @property
    def name(self) -> str:
        """``nDCG@k`` for linear gain; ``nDCG(dcg='exp-log2')@k``, the field's name, for the exponential one."""
        parameters = "" if self.gain is Gain.LINEAR else "(dcg='exp-log2')"
        return f"nDCG{parameters}" + ("" if self.cutoff is None else f"@{self.cutoff}")

    def evaluate(self, ranking: Sequence[str], judged: Judged) -> float:
        """0 to 1."""
        ideal = sorted((relevance for relevance in judged.values() if relevance > 0), reverse=True)[: self.cutoff]
        if not ideal:
            return UNDEFINED
        ranks = relevant_ranks(ranking, judged, 1, self.cutoff)
        found = self._sum((rank, judged[ranking[rank - 1]]) for rank in ranks)
        return found / self._sum(enumerate(ideal, 1))

    def _sum(self, relevance_at: Iterable[tuple[int, int]]) -> float:
        return sum(self.gain.of(relevance) / math.log2(rank + 1) for rank, relevance in relevance_at)
