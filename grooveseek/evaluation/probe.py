"""One golden query, searched for once: the ranking users see, the legs alone, and everything the legs brought."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from grooveseek.evaluation.hits import EvalHit
from grooveseek.evaluation.outcome import Leg
from grooveseek.model.query import Mode, SearchRequest
from grooveseek.retrieval.pipeline import Searcher
from grooveseek.store.ranking import labels_of
from grooveseek.store.records import Candidates
from grooveseek.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What came of one search, as hits that can be judged.

    ``ranked`` is the answer followed by every other candidate of either leg in the order the answer would go on.
    ``legs`` has each leg alone and both fused, before any optional stage; empty when only one leg was asked for.
    """

    ranked: tuple[EvalHit, ...]
    legs: Mapping[Leg, tuple[EvalHit, ...]]
    confidence: float
    low_confidence: bool
    notes: tuple[str, ...] = ()


def probe(searcher: Searcher, store: Store, request: SearchRequest) -> Probe:
    """Run one search, keeping what its legs found. Raises what a search raises."""
    trace = searcher.trace(request)
    candidates = {
        Leg.VECTOR: trace.legs.vector.candidates,
        Leg.FULLTEXT: trace.legs.fulltext.candidates,
        Leg.FUSION: trace.fused,
    }
    every = np.unique(np.concatenate([trace.ranked.ids, *(leg.ids for leg in candidates.values())]))
    labels = labels_of(store.database, every)
    return Probe(
        ranked=_hits(trace.ranked, labels),
        legs={leg: _hits(found, labels) for leg, found in candidates.items()} if request.mode is Mode.HYBRID else {},
        confidence=trace.answer.confidence,
        low_confidence=trace.answer.low_confidence,
        notes=trace.answer.notes,
    )


def _hits(candidates: Candidates, labels: Mapping[int, tuple[str, int, str | None]]) -> tuple[EvalHit, ...]:
    hits = []
    for chunk_id, score in zip(candidates.ids.tolist(), candidates.scores.tolist(), strict=True):
        path, index, heading = labels[chunk_id]
        hits.append(EvalHit(path=path, chunk=index, score=score, heading=heading))
    return tuple(hits)
