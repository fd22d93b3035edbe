"""What a study is asked to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grooveseek.evaluation.hits import Level
from grooveseek.evaluation.measures import NDCG, Gain, Measure, Recall, ReciprocalRank
from grooveseek.evaluation.options import DEFAULT_K_VALUES, EvalOptions
from grooveseek.evaluation.tune.grid import Choice

PRIMARY_CUTOFF = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneRequest:
    """What to sweep over which queries. They come from ``golden`` (None: the folder's own file) or from ``queries``
    with ``qrels``."""

    golden: Path | None = None
    queries: Path | None = None
    qrels: Path | None = None
    choice: Choice = Choice.RRF
    legs: bool = False
    level: Level = Level.CHUNK
    gain: Gain = Gain.LINEAR
    k_values: tuple[int, ...] = DEFAULT_K_VALUES

    @property
    def options(self) -> EvalOptions:
        """How an evaluation would search and rank."""
        return EvalOptions(k_values=(*self.k_values, PRIMARY_CUTOFF), level=self.level, gain=self.gain)

    @property
    def primary(self) -> Measure:
        """What is chosen by."""
        return NDCG(cutoff=PRIMARY_CUTOFF, gain=self.gain)

    @property
    def secondary(self) -> tuple[Measure, ...]:
        """What must not get worse."""
        return (*(Recall(cutoff=k) for k in self.options.k_values), ReciprocalRank())

    @property
    def measures(self) -> tuple[Measure, ...]:
        """All that is measured, the primary measure first."""
        return (self.primary, *self.secondary)
