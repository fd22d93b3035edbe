"""From a model's output to one unit vector a text."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from grooveseek.embedding.protocol import Vectors
from grooveseek.errors import BadVector

Mask = npt.NDArray[np.int64]


class Pooling(StrEnum):
    """How the vectors of a text's tokens become one. ``NONE``: the model does it itself and gives one row a text."""

    MEAN = "mean"
    CLS = "cls"
    LAST = "last"
    NONE = "none"


def pool(output: npt.NDArray[Any], mask: Mask, how: Pooling) -> Vectors:
    """float32 [batch, dimension] from a model's output of [batch, tokens, dimension], or [batch, dimension] for NONE.

    ``mask`` is 1 for a token and 0 for padding, which stands on the right. Not normalised.
    """
    return _POOLS[how](output, mask).astype(np.float32, copy=False)


def _mean(output: npt.NDArray[Any], mask: Mask) -> npt.NDArray[Any]:
    """Summed in float64, so that the result does not depend on how many padding rows are skipped."""
    kept = mask[:, :, None].astype(bool)
    summed = np.sum(output, axis=1, where=kept, dtype=np.float64)
    mean: npt.NDArray[Any] = summed / np.maximum(mask.sum(axis=1, keepdims=True), 1)
    return mean


def _last(output: npt.NDArray[Any], mask: Mask) -> npt.NDArray[Any]:
    last: npt.NDArray[Any] = output[np.arange(len(output)), mask.sum(axis=1) - 1]
    return last


_POOLS: dict[Pooling, Callable[[npt.NDArray[Any], Mask], npt.NDArray[Any]]] = {
    Pooling.MEAN: _mean,
    Pooling.CLS: lambda output, _: output[:, 0],
    Pooling.LAST: _last,
    Pooling.NONE: lambda output, _: output,
}


def unit_rows(rows: Vectors, complaint: Callable[[int, str], str]) -> Vectors:
    """The rows scaled to length 1. Raises BadVector for the first that is not finite or has no length.

    ``complaint`` makes the message from the row's index and what is wrong with it.
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    usable = np.isfinite(lengths) & (lengths > np.finfo(np.float32).tiny)
    if not usable.all():
        index = int(np.argmin(usable))
        fault = "of zero length" if np.isfinite(lengths[index]) else "not finite"
        raise BadVector(complaint(index, fault))
    unit: Vectors = (rows / lengths[:, None]).astype(np.float32)
    return unit
