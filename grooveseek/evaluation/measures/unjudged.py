"""How much of a ranking nobody has judged, which tells how far the other measures can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grooveseek.evaluation.measures.protocol import UNDEFINED, check_parameters, spell
from grooveseek.model.judgments import Judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Unjudged:
    """Unjudged@k: the share of the documents retrieved within k that have no judgment; 1 - Judged@k of ir_measures.

    NaN when nothing was retrieved. Defined without relevant documents too.
    """

    cutoff: int

    def __post_init__(self) -> None:
        check_parameters(self.cutoff)

    @property
    def name(self) -> str:
        """``Unjudged@k``."""
        return spell("Unjudged", self.cutoff)

    def evaluate(self, ranking: Sequence[str], judged: Judged) -> float:
        """0 to 1."""
        seen = ranking[: self.cutoff]
        return sum(doc_id not in judged for doc_id in seen) / len(seen) if seen else UNDEFINED
