"""Measures by name, in the spelling of ir_measures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from grooveseek.errors import UsageError
from grooveseek.evaluation.measures.average_precision import AveragePrecision
from grooveseek.evaluation.measures.counting import Precision, Recall, Success
from grooveseek.evaluation.measures.ndcg import NDCG, Gain
from grooveseek.evaluation.measures.protocol import Measure
from grooveseek.evaluation.measures.reciprocal_rank import ReciprocalRank
from grooveseek.evaluation.measures.unjudged import Unjudged

_NAME = re.compile(
    r"(?P<family>[A-Za-z]+)(?:\((?P<key>rel|dcg)=(?P<value>[0-9]{1,9}|'[a-z0-9-]+')\))?(?:@(?P<cutoff>[0-9]{1,9}))?"
)

_LONG_NAMES = {"recall": "r", "precision": "p", "mrr": "rr", "map": "ap"}
_CUT: dict[str, Callable[..., Measure]] = {"r": Recall, "p": Precision, "success": Success}
_UNCUT: dict[str, Callable[..., Measure]] = {"rr": ReciprocalRank, "ap": AveragePrecision}
_DCG = {None: Gain.LINEAR, "'log2'": Gain.LINEAR, "'exp-log2'": Gain.EXP2}

_ALLOWED = "Known: R@k, P@k, Success@k, RR, AP, nDCG@k, nDCG(dcg='exp-log2')@k, Unjudged@k, with a k of 1 or more."


def parse_measure(text: str) -> Measure:
    """``nDCG@10``, ``R(rel=2)@5``, ``RR``; long names (``recall@5``, ``MRR``, ``MAP``) and any case are accepted.

    ``parse_measure(measure.name) == measure`` for every measure. Raises UsageError, listing what there is.
    """
    match = _NAME.fullmatch(text.strip())
    if match is None:
        raise UsageError(f'"{text}" is not a measure. {_ALLOWED}')
    family = match["family"].lower()
    family = _LONG_NAMES.get(family, family)
    cutoff = int(match["cutoff"]) if match["cutoff"] else None
    measure = _build(family, cutoff, match["key"], match["value"])
    if measure is None:
        raise UsageError(f'"{text}" is not a measure. {_ALLOWED}')
    return measure


def _build(family: str, cutoff: int | None, key: str | None, value: str | None) -> Measure | None:
    if family == "ndcg" and key in (None, "dcg") and value in _DCG:
        return NDCG(cutoff=cutoff, gain=_DCG[value])
    if key is None and family == "unjudged" and cutoff is not None:
        return Unjudged(cutoff=cutoff)
    if key not in (None, "rel") or (value is not None and not value.isdigit()):
        return None
    rel = int(value) if value else 1
    if family in _UNCUT:
        return _UNCUT[family](cutoff=cutoff, rel=rel)
    if family in _CUT and cutoff is not None:
        return _CUT[family](cutoff=cutoff, rel=rel)
    return None


def standard_measures(k_values: Iterable[int], gain: Gain = Gain.LINEAR) -> tuple[Measure, ...]:
    """What ``groove eval`` reports for its cutoffs: nDCG, R, P and Success at each, RR and AP uncut."""
    cutoffs = sorted(set(k_values))
    measures: list[Measure] = [NDCG(cutoff=k, gain=gain) for k in cutoffs]
    measures += [ReciprocalRank(), AveragePrecision()]
    measures += [Recall(cutoff=k) for k in cutoffs]
    measures += [Precision(cutoff=k) for k in cutoffs]
    measures += [Success(cutoff=k) for k in cutoffs]
    return tuple(measures)
