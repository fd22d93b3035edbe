"""From hits to rankings: which hit is credited for which expected entry, and what the trec_eval files call it.

The measures know documents with unique ids and a set of judgments. A search answers with chunks, several of one file,
and an expected entry may ask for one section of it. This module is the bridge, at one of two levels:

*document*
    Hits are collapsed to the first of each path; a document's id is its path. Headings and quotes are not looked at:
    the unit is the document, as in test collections.

*chunk*
    Every hit keeps its rank. A hit matches an expected entry when the path is the same and, where the entry says so,
    the heading (trimmed, case-folded) and the chunk that holds its quote. An entry is credited once, at its first
    matching rank; since a query names a path once, a hit matches at most one entry.

    A credited hit gets the path as its id. Every other hit gets ``path#chunk``, which no judgment names. So a second
    chunk of a document that was found already takes up a rank and earns nothing, and an entry that was not retrieved
    leaves its path in the qrels with no partner in the run, where it counts towards recall and the ideal.

Either way the qrels are ``path relevance`` and do not depend on the run, ids are unique in a ranking, and the exported
files give every measure here its value in ir_measures. ``#`` cannot be mistaken, because an id's path part is written
with ``%``, ``#`` and white space percent-encoded (:func:`doc_id`), which also lets ids stand in files whose columns are
separated by blanks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from grooveseek.evaluation.golden import GoldenQuery
from grooveseek.evaluation.identifiers import encode
from grooveseek.model.judgments import Judged


class Level(StrEnum):
    """What has a rank: a chunk, or a document."""

    CHUNK = "chunk"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalHit:
    """One hit of a search, as far as measuring needs it. ``chunk`` is the chunk's index in its document."""

    path: str
    chunk: int
    score: float
    heading: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An expected entry made ready to be matched. ``chunks``: those that hold its quote; None when any will do."""

    path: str
    relevance: int = 1
    heading: str | None = None
    chunks: frozenset[int] | None = None

    def matches(self, hit: EvalHit) -> bool:
        """Path, heading and quote, as far as they are given."""
        if hit.path != self.path or (self.chunks is not None and hit.chunk not in self.chunks):
            return False
        return self.heading is None or (hit.heading is not None and _fold(hit.heading) == _fold(self.heading))


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedHit:
    """A hit at its rank (from 1), with the id it has in a run and the entry it is credited for, if any."""

    rank: int
    hit: EvalHit
    doc_id: str
    target: Target | None = None

    @property
    def relevance(self) -> int:
        """Relevance credited here; 0 for a hit that earns nothing."""
        return self.target.relevance if self.target else 0


def targets_of(query: GoldenQuery) -> tuple[Target, ...]:
    """The entries of a query, quotes aside (finding the chunks that hold a quote needs the index)."""
    return tuple(Target(path=entry.path, relevance=entry.relevance, heading=entry.heading) for entry in query.expected)


def rank_hits(hits: Iterable[EvalHit], targets: Sequence[Target], level: Level) -> tuple[RankedHit, ...]:
    """Give every hit its rank, its id and its credit, in the order of the hits; a chunk given again has no rank."""
    if level is Level.DOCUMENT:
        return _rank_documents(hits, targets)
    waiting = {target.path: target for target in targets}
    ranked: list[RankedHit] = []
    seen: set[tuple[str, int]] = set()
    for hit in hits:
        if (hit.path, hit.chunk) in seen:
            continue
        seen.add((hit.path, hit.chunk))
        target = waiting.get(hit.path)
        if target is not None and target.matches(hit):
            del waiting[hit.path]
            ranked.append(RankedHit(rank=len(ranked) + 1, hit=hit, doc_id=doc_id(hit.path), target=target))
        else:
            ranked.append(RankedHit(rank=len(ranked) + 1, hit=hit, doc_id=doc_id(hit.path, hit.chunk)))
    return tuple(ranked)


def _rank_documents(hits: Iterable[EvalHit], targets: Sequence[Target]) -> tuple[RankedHit, ...]:
    by_path = {target.path: target for target in targets}
    first: dict[str, EvalHit] = {}
    for hit in hits:
        first.setdefault(hit.path, hit)
    return tuple(
        RankedHit(rank=rank, hit=hit, doc_id=doc_id(path), target=by_path.get(path))
        for rank, (path, hit) in enumerate(first.items(), 1)
    )


def ranking_of(ranked: Iterable[RankedHit]) -> tuple[str, ...]:
    """The document ids, best first: what a measure takes."""
    return tuple(entry.doc_id for entry in ranked)


def judged_of(targets: Iterable[Target]) -> Judged:
    """The judgments a measure takes beside :func:`ranking_of`: the same at both levels."""
    return {doc_id(target.path): target.relevance for target in targets}


def doc_id(path: str, chunk: int | None = None) -> str:
    """A document's id, or that of one of its chunks, free of white space."""
    return encode(path) if chunk is None else f"{encode(path)}#{chunk}"


def _fold(heading: str) -> str:
    return heading.strip().casefold()
