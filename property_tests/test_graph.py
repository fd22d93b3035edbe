"""The walk's bounds, for any vectors and any request."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from grooveseek.graph import Graph, GraphRequest, walk_graph
from grooveseek.graph.layout import rows
from grooveseek.store.store import Store
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.vector_store import Piece, write_store

THRESHOLD = 0.3
DIRECTIONS = st.tuples(*[st.integers(-3, 3)] * 3).filter(any)
"""Few directions, so that equals and opposites are common."""

pieces = st.builds(
    Piece,
    windows=st.lists(DIRECTIONS, max_size=3).map(tuple),
    quality=st.sampled_from([0.0, 0.3, 1.0]),
)
documents = st.dictionaries(
    st.sampled_from(["s.md", *(f"{folder}d{i}.md" for folder in ("", "n/") for i in range(6))]),
    st.lists(pieces, max_size=6),
    max_size=10,
).map(lambda found: {"s.md": [Piece(windows=((1, 0, 0),))], **found})
requests = st.builds(
    GraphRequest,
    start=st.just("s.md"),
    depth=st.integers(1, 3),
    fan_out=st.integers(1, 4),
    min_similarity=st.sampled_from([0.0, 0.3, 0.8, 1.0]),
    seed_strategy=st.sampled_from(["all_chunks", "centroid"]),
    dedup_by_path=st.booleans(),
    exclude_paths=st.sampled_from([(), ("n",), ("d*.md",)]),
    max_nodes=st.integers(1, 20),
    max_seed_chunks=st.integers(1, 4),
)


@contextmanager
def opened(found: dict[str, list[Piece]]) -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "i.db"
        write_store(path, found)
        with Store.open_for_reading(path) as store:
            yield store


def reasons(graph: Graph) -> set[str]:
    return {each.reason for each in graph.truncation}


@given(documents, requests)
@settings(max_examples=150)
def test_bounds_hold_and_truncated_means_that_something_was_lost(found: dict[str, list[Piece]], request: GraphRequest):
    with opened(found) as store:
        graph = walk_graph(store, request, quality_threshold=THRESHOLD)
        whole = walk_graph(store, replace(request, max_nodes=2000), quality_threshold=THRESHOLD)
    assert graph.knn_queries <= len(graph.nodes) <= request.max_nodes
    # a smaller budget gives the beginning of what a large enough one gives, and says so exactly when that is less
    assert graph.nodes == whole.nodes[: len(graph.nodes)]
    assert ("node_budget" in reasons(graph)) == (len(graph.nodes) < len(whole.nodes))
    assert "node_budget" not in reasons(whole)
    starts = sum(1 for piece in found["s.md"] if piece.windows)
    cut = request.seed_strategy == "all_chunks" and starts > request.max_seed_chunks
    assert ("seed_chunks" in reasons(graph)) == cut


@given(documents, requests)
@settings(max_examples=100)
def test_every_graph_is_a_forest_of_allowed_chunks(found: dict[str, list[Piece]], request: GraphRequest):
    with opened(found) as store:
        graph = walk_graph(store, request, quality_threshold=THRESHOLD)
    assert [node.id for node in graph.nodes] == list(range(len(graph.nodes)))
    for node in graph.nodes:
        if node.parent_id is None:
            assert (node.depth, node.path, node.score) == (0, "s.md", 1.0)
            continue
        parent = graph.nodes[node.parent_id]
        assert parent.id < node.id
        assert node.depth == parent.depth + 1 <= request.depth
        assert request.min_similarity - 1e-6 <= node.score <= 1.0
        assert node.path != "s.md"
        assert not request.excludes(node.path)
    children = [node.parent_id for node in graph.nodes if node.parent_id is not None]
    assert all(children.count(parent) <= request.fan_out for parent in children)
    found_paths = [node.path for node in graph.nodes if node.depth > 0]
    if request.dedup_by_path:
        assert len(found_paths) == len(set(found_paths))
    for path in found_paths:
        allowed = sum(1 for piece in found[path] if piece.windows and piece.quality >= THRESHOLD)
        assert found_paths.count(path) <= allowed


@given(documents, st.integers(1, 4), st.sampled_from([0.0, 0.3, 0.8]))
@settings(max_examples=100)
def test_what_was_not_found_is_farther_than_what_was(found: dict[str, list[Piece]], fan_out: int, least: float):
    """One step from a centroid, against cosines worked out from the stored vectors one by one."""
    request = GraphRequest(
        start="s.md", depth=1, fan_out=fan_out, min_similarity=least, seed_strategy="centroid", max_nodes=2000
    )
    with opened(found) as store:
        graph = walk_graph(store, request, quality_threshold=THRESHOLD)
        chunks = {path: store.documents.chunks_of(path) for path in found}
        vectors = store.vectors.of(chunk.id for stored in chunks.values() for chunk in stored)
    seeds = [mean_direction(vectors[chunk.id]) for chunk in chunks["s.md"] if chunk.id in vectors]
    if not seeds:
        assert graph.nodes == ()
        return
    towards = mean_direction(np.stack(seeds))
    cosines = [
        float(max(vectors[chunk.id] @ towards))
        for path, stored in chunks.items()
        for chunk in stored
        if path != "s.md" and chunk.id in vectors and chunk.quality >= THRESHOLD
    ]
    near = sorted((min(cosine, 1.0) for cosine in cosines if cosine >= least), reverse=True)[:fan_out]
    scores = [node.score for node in graph.nodes if node.depth == 1]
    edge = sum(1 for cosine in cosines if abs(cosine - least) < 1e-6)  # rounding decides about these
    assert abs(len(scores) - len(near)) <= edge
    assert np.allclose(scores[: len(near)], near[: len(scores)], atol=2e-6)


def mean_direction(windows: np.ndarray) -> np.ndarray:
    mean = windows.mean(axis=0)
    length = np.linalg.norm(mean)
    return mean / length if length > 0 else windows[0]


@given(documents, requests)
@settings(max_examples=60)
def test_the_layout_keeps_rows_apart_and_parents_among_their_children(
    found: dict[str, list[Piece]], request: GraphRequest
):
    with opened(found) as store:
        graph = walk_graph(store, request, quality_threshold=THRESHOLD)
    placed = rows(graph)
    assert set(placed) == {node.id for node in graph.nodes}
    for depth in range(4):
        column = sorted(placed[node.id] for node in graph.nodes if node.depth == depth)
        assert all(lower - upper >= 1 for upper, lower in pairwise(column))
    for parent in graph.nodes:
        below = [placed[node.id] for node in graph.nodes if node.parent_id == parent.id]
        assert not below or min(below) <= placed[parent.id] <= max(below)
