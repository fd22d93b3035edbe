"""Leave-one-query-out cross-validation of a choice among conditions. Pure; exact, so that no order of queries shows.

Each query in turn is held out, the condition that is best on all others is chosen, and the choice is scored on the
query it has not seen (Stone, "Cross-Validatory Choice and Assessment of Statistical Predictions", 1974).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_UNIT = 1e-12
"""Values are summed as whole multiples of this: such sums are exact, whatever the order."""
_TIE = 1_000
"""Sums this close, in units, are equal: a measure of the same worth computed two ways differs by a unit or two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossValidation:
    """What was chosen. ``selections`` are places of conditions, one a query held out; ``refit`` is the choice on all.

    ``differences``: each held-out query's value under its fold's choice, less its value under the default.
    """

    selections: tuple[int, ...]
    differences: tuple[float, ...]
    refit: int

    @property
    def folds_for_refit(self) -> int:
        """In how many folds the choice was the one made on all queries."""
        return self.selections.count(self.refit)


def cross_validate(values: Floats, default: int, preference: Sequence[int]) -> CrossValidation:
    """Choose by the mean of ``values`` (one row a condition, one column a query, each 0 to 1).

    Of conditions that are equally good, the first in ``preference``, which lists every row that may be chosen, wins.
    """
    allowed = np.asarray(preference, dtype=np.int64)
    units = np.rint(values[allowed] / _UNIT).astype(np.int64)
    totals = units.sum(axis=1)
    folds = allowed[_first_best(totals[:, np.newaxis] - units)]
    refit = int(allowed[_first_best(totals[:, np.newaxis])[0]])
    differences = values[folds, np.arange(values.shape[1])] - values[default]
    return CrossValidation(selections=tuple(folds.tolist()), differences=tuple(differences.tolist()), refit=refit)


def _first_best(sums: Integers) -> Integers:
    """For each column the first row that is as good as the best one."""
    good: Integers = np.argmax(sums >= sums.max(axis=0) - _TIE, axis=0)
    return good
