"""Which chunks lie near a document's, and which near those: breadth first over the vector index.

Each node is expanded once at most, by one nearest-neighbour query, so queries <= nodes <= ``max_nodes``. What a bound
cut off is said in ``truncation``; a bound that was only just reached is not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from grooveseek.embedding.protocol import Vectors
from grooveseek.errors import QueryError
from grooveseek.graph.request import RANGES, SEED_STRATEGIES, GraphRequest
from grooveseek.model.query import Filters
from grooveseek.settings.sections import QualityFilterSettings
from grooveseek.store.owners import Owners
from grooveseek.store.records import Ids, StoredChunk
from grooveseek.store.store import Store
from grooveseek.text.forms import composed

SNIPPET_CHARS = 160
_DECIMALS = 6
_SUGGEST_AMONG = 2000

_NO_IDS: Ids = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One chunk of the graph. ``id`` counts from 0 in the order they were found.

    ``parent_id`` is ``None`` where the walk starts. ``score`` is the cosine to the parent, clamped to [0, 1]; 1 at the
    start.
    """

    id: int
    parent_id: int | None
    depth: int
    score: float
    path: str
    heading: str | None
    snippet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncation:
    """Something the walk left out because of a bound, and what to do about it."""

    reason: Literal["seed_chunks", "node_budget"]
    limit: int
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """A forest, its nodes in breadth-first order. ``knn_queries`` is what it cost."""

    start: str
    nodes: tuple[Node, ...]
    truncation: tuple[Truncation, ...]
    knn_queries: int

    @property
    def truncated(self) -> bool:
        """Whether anything was lost."""
        return bool(self.truncation)


def walk_graph(
    store: Store, request: GraphRequest, *, quality_threshold: float | None = QualityFilterSettings().threshold
) -> Graph:
    """Walk from a document to its neighbours, all in one state of the index.

    Chunks below ``quality_threshold`` (``None``: no such rule) are passed over, except in the document the walk starts
    from, none of whose chunks is ever found again. Raises QueryError for a parameter out of range and for a start that
    is not in the index.
    """
    request.check()
    with store.snapshot():
        return _Walk(store, request, quality_threshold).run()


class _Open(NamedTuple):
    """A node that is still to be expanded, with the direction it looks in."""

    node: Node
    vector: Vectors


class _Lost(Exception):  # noqa: N818 - a way out of the loops, not an error
    pass


class _Walk:
    def __init__(self, store: Store, request: GraphRequest, quality_threshold: float | None) -> None:
        self._store = store
        self._request = request
        self._owners = Owners.read(store.database)
        self._nodes: list[Node] = []
        self._truncation: list[Truncation] = []
        self._queries = 0
        self._start = _as_spelled(request.start.removeprefix("./"), self._owners.paths.values())
        self._allowed = self._population(quality_threshold)
        # one document may hold all of the nearest chunks, so as many more are asked for as it can have
        self._wanted = 1 + (request.fan_out - 1) * (self._owners.most_chunks() if request.dedup_by_path else 1)

    def run(self) -> Graph:
        frontier = self._seeds()
        try:
            for depth in range(1, self._request.depth + 1):
                frontier = [child for parent in frontier for child in self._expand(parent, depth)]
        except _Lost:
            self._truncate_nodes()
        return Graph(
            start=self._start,
            nodes=tuple(self._nodes),
            truncation=tuple(self._truncation),
            knn_queries=self._queries,
        )

    # -- where it starts -------------------------------------------------------------------------------------------

    def _seeds(self) -> list[_Open]:
        chunks = self._store.documents.chunks_of(self._start)
        vectors = self._store.vectors.of(chunk.id for chunk in chunks)
        directed = [(chunk, _direction(vectors[chunk.id])) for chunk in chunks if chunk.id in vectors]
        if SEED_STRATEGIES[self._request.seed_strategy] == "centroid":
            directed = _centroid(directed)
        limit = self._request.max_seed_chunks
        if len(directed) > limit:
            self._truncation.append(_seeds_cut(limit, len(directed)))
            directed = directed[:limit]
        if len(directed) > self._request.max_nodes:
            self._truncate_nodes()
            directed = directed[: self._request.max_nodes]
        return [_Open(self._add(chunk, None, 0, 1.0), vector) for chunk, vector in directed]

    def _population(self, quality_threshold: float | None) -> Ids:
        """Every chunk the walk may find, ascending."""
        paths = self._owners.paths.values()
        if self._start not in paths:
            raise QueryError(_not_indexed(self._start, paths))
        wanted = self._owners.chunks_where(lambda path: path != self._start and not self._request.excludes(path))
        filtered = self._store.selection.chunk_ids(Filters(category=self._request.category, topic=self._request.topic))
        if filtered is not None:
            wanted = np.intersect1d(wanted, filtered, assume_unique=True)
        if quality_threshold is not None:
            low = self._store.selection.low_quality_ids(quality_threshold, boilerplate_only=False)
            wanted = np.setdiff1d(wanted, low, assume_unique=True)
        return wanted

    # -- one step --------------------------------------------------------------------------------------------------

    def _expand(self, parent: _Open, depth: int) -> list[_Open]:
        """Add a node's nearest chunks that the graph does not have. Raises _Lost at the first that has no room."""
        if len(self._allowed) == 0 or self._is_cut:
            return []
        self._queries += 1
        near = self._store.vectors.nearest(parent.vector, self._wanted, allowed=self._allowed, held_back=_NO_IDS)
        chosen = list(self._choose(near.ids.tolist(), near.scores.tolist()))
        room = self._request.max_nodes - len(self._nodes)
        stored = self._store.documents.chunks(chunk_id for chunk_id, _ in chosen[:room])
        vectors = self._store.vectors.of(stored) if depth < self._request.depth else {}
        children = []
        for chunk_id, score in chosen[:room]:
            node = self._add(stored[chunk_id], parent.node.id, depth, score)
            if chunk_id in vectors:
                children.append(_Open(node, _direction(vectors[chunk_id])))
        if len(chosen) > room:
            raise _Lost
        self._forget([chunk_id for chunk_id, _ in chosen])
        return children

    def _choose(self, ids: list[int], scores: list[float]) -> Iterator[tuple[int, float]]:
        """The best ``fan_out`` that are near enough, best first; one a document where that is asked for."""
        documents: set[int] = set()
        left = self._request.fan_out
        for chunk_id, score in zip(ids, scores, strict=True):
            if left == 0 or score < self._request.min_similarity:
                return
            document = self._owners.document_of(chunk_id) if self._request.dedup_by_path else chunk_id
            if document not in documents:
                documents.add(document)
                left -= 1
                yield chunk_id, score

    def _forget(self, chunk_ids: list[int]) -> None:
        """Take what is in the graph out of what can be found."""
        gone = np.array(chunk_ids, dtype=np.int64)
        if self._request.dedup_by_path:
            documents = [self._owners.document_of(chunk_id) for chunk_id in chunk_ids]
            gone = self._owners.chunks[np.isin(self._owners.documents, documents)]
        self._allowed = np.setdiff1d(self._allowed, gone, assume_unique=True)

    def _add(self, stored: StoredChunk, parent_id: int | None, depth: int, score: float) -> Node:
        node = Node(
            id=len(self._nodes),
            parent_id=parent_id,
            depth=depth,
            score=round(min(max(score, 0.0), 1.0), _DECIMALS),
            path=stored.document.path,
            heading=stored.chunk.heading,
            snippet=_snippet(stored.chunk.content),
        )
        self._nodes.append(node)
        return node

    # -- what was lost ---------------------------------------------------------------------------------------------

    @property
    def _is_cut(self) -> bool:
        return any(each.reason == "node_budget" for each in self._truncation)

    def _truncate_nodes(self) -> None:
        limit = self._request.max_nodes
        less = "ask for less with a higher min_similarity, a lower fan_out or a lower depth"
        remedy = f"raise max_nodes, or {less}" if limit < RANGES["max_nodes"][1] else less
        self._truncation.append(Truncation(reason="node_budget", limit=limit, remedy=remedy))


def _seeds_cut(limit: int, chunks: int) -> Truncation:
    use = "use seed_strategy centroid, which starts from them all at once"
    raised = f"the document has {chunks} chunks: raise max_seed_chunks, or {use}"
    return Truncation(
        reason="seed_chunks",
        limit=limit,
        remedy=raised if limit < RANGES["max_seed_chunks"][1] else f"the document has {chunks} chunks: {use}",
    )


def _direction(windows: Vectors) -> Vectors:
    """One unit vector for a chunk of several windows: the direction of their mean."""
    mean: Vectors = windows.mean(axis=0)
    length = float(np.linalg.norm(mean))
    return mean / np.float32(length) if length > 0 else windows[0]


def _centroid(directed: list[tuple[StoredChunk, Vectors]]) -> list[tuple[StoredChunk, Vectors]]:
    """The mean of a document's chunks, which goes by its first one."""
    return [(directed[0][0], _direction(np.stack([vector for _, vector in directed])))] if directed else []


def _snippet(content: str) -> str:
    text = " ".join(content[: 4 * SNIPPET_CHARS].split())
    return text if len(text) <= SNIPPET_CHARS else text[: SNIPPET_CHARS - 1].rstrip() + "…"


def _as_spelled(start: str, paths: Collection[str]) -> str:
    """The one path that differs from ``start`` in its Unicode form only; ``start`` itself where there is none."""
    if start.isascii() or start in paths:
        return start
    same = [path for path in paths if composed(path) == composed(start)]
    return same[0] if len(same) == 1 else start


def _not_indexed(start: str, paths: Iterable[str]) -> str:
    from difflib import get_close_matches

    known = list(paths)
    name = start.rpartition("/")[2]
    near = [path for path in known if path.rpartition("/")[2] == name][:1]
    near += get_close_matches(start, known[:_SUGGEST_AMONG], n=1)
    hint = f"Did you mean {near[0]!r}?" if near else "Run `groove index`, or name a document as a search shows it"
    return f"start is {start!r}, and the index has no document of that path. {hint}"
