"""How an evaluation searches and measures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grooveseek.errors import UsageError
from grooveseek.evaluation.compare import primary_measure
from grooveseek.evaluation.hits import Level
from grooveseek.evaluation.measures import Gain, Measure, standard_measures
from grooveseek.model.query import Mode, SearchRequest

DEFAULT_K_VALUES = (1, 5, 10)
DEFAULT_LIMIT = 10
DEEPEST = 1000
"""The most results a search gives, so the deepest rank and cutoff there can be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalOptions:
    """What every golden query is searched with, and what is measured of its answer.

    ``k_values`` are the measures' cutoffs. ``limit`` is how many ranks are measured, chunks or documents by ``level``;
    None for 10, or the largest cutoff if that is more. ``rerank`` stands for itself: an evaluation does not look at
    ``rerank_by_default``. None in another switch means "as configured". Raises UsageError for a number out of range.
    """

    k_values: tuple[int, ...] = DEFAULT_K_VALUES
    limit: int | None = None
    level: Level = Level.CHUNK
    gain: Gain = Gain.LINEAR
    mode: Mode = Mode.HYBRID
    rerank: bool = False
    mmr: bool | None = None
    mmr_lambda: float | None = None
    mmr_same_doc_penalty: float | None = None
    parent_retriever: bool | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "k_values", tuple(sorted(set(self.k_values))))
        if not self.k_values:
            raise UsageError("There is no cutoff to measure at. Name one or more: --k 1,5,10.")
        _check("--k", self.k_values)
        _check("--limit", (self.depth,))

    @property
    def depth(self) -> int:
        """How many ranks are measured."""
        return max(DEFAULT_LIMIT, *self.k_values) if self.limit is None else self.limit

    @property
    def largest_k(self) -> int:
        """The deepest cutoff."""
        return self.k_values[-1]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What is reported, in the order it is shown."""
        return standard_measures(self.k_values, self.gain)

    @property
    def primary(self) -> str:
        """The measure one looks at first."""
        return primary_measure(measure.name for measure in self.measures)

    def request(self, query: str) -> SearchRequest:
        """The search one golden query makes."""
        return SearchRequest(
            query=query,
            limit=self.depth,
            mode=self.mode,
            rerank=self.rerank,
            mmr=self.mmr,
            mmr_lambda=self.mmr_lambda,
            mmr_same_doc_penalty=self.mmr_same_doc_penalty,
            parent_retriever=self.parent_retriever,
        )


def _check(name: str, values: Iterable[int]) -> None:
    for value in values:
        if not 1 <= value <= DEEPEST:
            raise UsageError(f"{name} is {value}; allowed is 1 to {DEEPEST}.")
