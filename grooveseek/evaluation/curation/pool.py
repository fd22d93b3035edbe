"""What to judge for a query: the first results of each leg and of both fused, without a sign of where they came from.

Pooling is how test collections are made (Sparck Jones and van Rijsbergen, 1975): the union of what several methods find
is judged, so that none is favoured. The order shown is shuffled, because people judge what stands first more kindly.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grooveseek.model.document import Chunk
from grooveseek.model.query import SearchRequest
from grooveseek.retrieval.pipeline import Searcher
from grooveseek.store.store import Store

DEPTH = 10
"""Results of each leg that are judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What is judged, and remembered as judged: one section of one document."""

    path: str
    heading: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled:
    """A section with the chunk of it that ranked best in any leg."""

    section: Section
    title: str
    chunk: Chunk


def pool(searcher: Searcher, store: Store, query: str, *, depth: int = DEPTH) -> tuple[Pooled, ...]:
    """The sections among the first ``depth`` of each leg and of both fused, in an order that tells nothing about ranks.

    Nothing is reranked or diversified. Raises what a search raises.
    """
    with store.snapshot():
        trace = searcher.trace(SearchRequest(query=query, limit=depth, rerank=False, mmr=False, parent_retriever=False))
        rankings = [
            candidates.ids[:depth].tolist()
            for candidates in (trace.legs.vector.candidates, trace.legs.fulltext.candidates, trace.fused)
        ]
        best = _best_ranks(rankings)
        stored = store.documents.chunks(best)
    found: dict[Section, Pooled] = {}
    for chunk_id in sorted(best, key=lambda chunk_id: (best[chunk_id], chunk_id)):
        entry = stored[chunk_id]
        section = Section(path=entry.document.path, heading=entry.chunk.heading)
        found.setdefault(section, Pooled(section=section, title=entry.document.title, chunk=entry.chunk))
    return tuple(sorted(found.values(), key=lambda item: (item.section.path, item.chunk.index)))


def shuffled(items: Sequence[Pooled], query: str, seed: int = 0) -> tuple[Pooled, ...]:
    """The items in an order that the query and the seed decide, and nothing else."""
    digest = hashlib.sha256(f"{seed}\0{query}".encode("utf-8", "surrogatepass")).digest()
    order = list(items)
    random.Random(digest).shuffle(order)  # noqa: S311 - an order to show things in, not a secret
    return tuple(order)


def _best_ranks(rankings: Sequence[Sequence[int]]) -> Mapping[int, int]:
    best: dict[int, int] = {}
    for ranking in rankings:
        for rank, chunk_id in enumerate(ranking, start=1):
            best[chunk_id] = min(rank, best.get(chunk_id, rank))
    return best
