"""What a search gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grooveseek.model.document import Chunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """How a hit came to its place: rank (from 1) and score in each leg, what each gave to the fused score, what moved
    it.
    """

    vector_rank: int | None = None
    vector_score: float | None = None
    fulltext_rank: int | None = None
    fulltext_score: float | None = None
    fused_score: float = 0.0
    fused_rank: int = 0
    from_vector: float = 0.0
    from_fulltext: float = 0.0
    rerank_score: float | None = None
    rank_after_rerank: int | None = None
    rank_after_mmr: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One chunk of an answer, with its document's data. ``score``: higher is better.

    ``is_excerpt``: the chunk is cut down to a part that can be shown. ``match_spans`` are UTF-8 byte offsets into
    ``chunk.content``, end exclusive; ``None`` means not computed.
    """

    score: float
    path: str
    title: str
    chunk: Chunk
    category: str | None = None
    topic: str | None = None
    date: str | None = None
    tags: tuple[str, ...] = ()
    match_spans: tuple[tuple[int, int], ...] | None = None
    expanded_from: Mapping[str, object] | None = None
    is_excerpt: bool = False
    stale: bool = False
    chunk_id: int = 0
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Legs:
    """What each leg did. A count is ``None`` when the leg did not run."""

    vector_candidates: int | None = None
    fulltext_candidates: int | None = None
    dropped_terms: tuple[str, ...] = ()
    degraded: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A search's hits, best first, and what it says of itself. ``notes`` are for a person."""

    hits: tuple[Hit, ...]
    low_confidence: bool
    confidence: float
    legs: Legs
    filter_applied: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
