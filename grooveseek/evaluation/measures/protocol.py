"""What a retrieval measure is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Protocol

from grooveseek.errors import UsageError
from grooveseek.model.judgments import Judged

METRIC_VERSION = 1
"""Part of the evaluation fingerprint. Raised whenever a measure's value on the same run and judgments changes."""


class Measure(Protocol):
    """A value: a family, a cutoff and parameters. Equal ones compare equal.

    All measures share these rules. Ranks start at 1. A document is credited at its first rank only; a repeat takes up a
    rank and earns nothing. A document is relevant when its relevance is at least ``rel`` (1 unless the name says
    otherwise). A query that finds nothing scores 0. A query for which nothing is relevant has no value: NaN.
    """

    @property
    def name(self) -> str:
        """As ir_measures writes it: ``nDCG@10``, ``R(rel=2)@5``."""
        ...

    def evaluate(self, ranking: Sequence[str], judged: Judged) -> float:
        """The measure for one query: document ids, best first, and their judgments."""
        ...


def check_parameters(cutoff: int | None, rel: int = 1) -> None:
    """Raise UsageError for a cutoff or a relevance level below 1."""
    if cutoff is not None and cutoff < 1:
        raise UsageError(f"A measure's cutoff is {cutoff}; it must be 1 or more.")
    if rel < 1:
        raise UsageError(f"A measure's relevance level is {rel}; it must be 1 or more.")


def spell(family: str, cutoff: int | None, rel: int = 1) -> str:
    """The field's spelling of a measure: family, parameters that are not the default, cutoff."""
    parameters = "" if rel == 1 else f"(rel={rel})"
    return f"{family}{parameters}" + ("" if cutoff is None else f"@{cutoff}")


def relevant_ranks(ranking: Sequence[str], judged: Judged, rel: int, cutoff: int | None) -> Iterator[int]:
    """Ranks, rising, at which a relevant document is seen for the first time."""
    seen: set[str] = set()
    for rank, doc_id in enumerate(islice(ranking, cutoff), 1):
        if judged.get(doc_id, 0) >= rel and doc_id not in seen:
            seen.add(doc_id)
            yield rank


def count_relevant(judged: Judged, rel: int) -> int:
    """How many documents there are to find."""
    return sum(relevance >= rel for relevance in judged.values())


UNDEFINED = math.nan
"""The value of a measure where it has none."""
