"""The walk, on vectors in the plane: what is near what is the cosine of an angle."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from grooveseek.errors import QueryError
from grooveseek.graph import Graph, GraphRequest, walk_graph
from grooveseek.graph.walk import SNIPPET_CHARS
from grooveseek.store.store import Store
from tests.support.vector_store import Piece, at, write_store

Walk = Callable[..., Graph]


@pytest.fixture
def walk(tmp_path: Path) -> Iterator[Walk]:
    opened: list[Store] = []

    def walk_(documents, *, categories=None, quality_threshold=0.3, **parameters) -> Graph:
        path = tmp_path / f"{len(opened)}.db"
        write_store(path, documents, categories=categories)
        store = Store.open_for_reading(path)
        opened.append(store)
        request = GraphRequest(**{"start": "s.md", **parameters})
        return walk_graph(store, request, quality_threshold=quality_threshold)

    yield walk_
    for store in opened:
        store.close()


def told(graph: Graph) -> list[tuple[int | None, int, str]]:
    return [(node.parent_id, node.depth, node.path) for node in graph.nodes]


def paths(graph: Graph) -> list[str]:
    return [node.path for node in graph.nodes]


LINE = {"s.md": [at(0)], "a.md": [at(20)], "b.md": [at(40)], "c.md": [at(60)], "d.md": [at(80)]}


def test_a_walk_worked_out_by_hand(walk: Walk):
    graph = walk(LINE, fan_out=2, depth=2, min_similarity=0.3)
    assert told(graph) == [(None, 0, "s.md"), (0, 1, "a.md"), (0, 1, "b.md"), (1, 2, "c.md"), (1, 2, "d.md")]
    expected = [1.0, *(math.cos(math.radians(angle)) for angle in (20, 40, 40, 60))]
    assert [node.score for node in graph.nodes] == pytest.approx(expected, abs=1e-3)
    assert [node.id for node in graph.nodes] == [0, 1, 2, 3, 4]
    assert graph.knn_queries == 2  # s and a; when b's turn comes, nothing is left to find
    assert not graph.truncated


@pytest.mark.parametrize(("depth", "found"), [(1, ["s.md", "a.md"]), (2, ["s.md", "a.md", "b.md"])])
def test_depth_is_the_number_of_steps(walk: Walk, depth: int, found: list[str]):
    assert paths(walk(LINE, fan_out=1, depth=depth)) == found


@pytest.mark.parametrize(("least", "found"), [(0.77, 2), (0.76, 3), (0.51, 3), (0.5, 4), (0.0, 5)])
def test_chunks_below_the_least_similarity_are_not_connected(walk: Walk, least: float, found: int):
    assert len(walk(LINE, depth=1, min_similarity=least).nodes) == found


def test_opposites_are_never_connected(walk: Walk):
    assert paths(walk({"s.md": [at(0)], "a.md": [at(180)]}, min_similarity=0.0)) == ["s.md"]


def test_the_start_is_never_found_again(walk: Walk):
    graph = walk({"s.md": [at(0), at(1), at(2)], "a.md": [at(1)]}, depth=3)
    assert told(graph) == [(None, 0, "s.md")] * 3 + [(0, 1, "a.md")]


def test_equal_chunks_come_by_path_and_have_score_1(walk: Walk):
    graph = walk({"s.md": [at(90)], "b.md": [at(90)], "a.md": [at(90)]})
    assert paths(graph) == ["s.md", "a.md", "b.md"]
    assert {node.score for node in graph.nodes} == {1.0}


def test_the_quality_rule_holds_for_what_is_found_and_not_for_the_start(walk: Walk):
    documents = {"s.md": [at(0, quality=0.0)], "a.md": [at(10, quality=0.29)], "b.md": [at(20, quality=0.3)]}
    assert paths(walk(documents)) == ["s.md", "b.md"]
    assert paths(walk(documents, quality_threshold=None)) == ["s.md", "a.md", "b.md"]


def test_each_chunk_of_the_start_is_a_seed_and_the_first_takes_its_choice_first(walk: Walk):
    graph = walk({"s.md": [at(0), at(90)], "a.md": [at(45)], "b.md": [at(80)]}, depth=1, fan_out=1, min_similarity=0.0)
    assert told(graph) == [(None, 0, "s.md"), (None, 0, "s.md"), (0, 1, "a.md"), (1, 1, "b.md")]


def test_the_centroid_is_one_seed_in_the_middle(walk: Walk):
    documents = {"s.md": [at(0), at(90)], "a.md": [at(45)], "b.md": [at(0)]}
    graph = walk(documents, depth=1, seed_strategy="centroid")
    assert told(graph) == [(None, 0, "s.md"), (0, 1, "a.md"), (0, 1, "b.md")]
    assert [node.score for node in graph.nodes[1:]] == pytest.approx([1.0, math.cos(math.radians(45))], abs=1e-3)


def test_the_centroid_is_of_all_chunks_however_few_may_be_seeds(walk: Walk):
    graph = walk({"s.md": [at(0), at(90)], "a.md": [at(45)]}, depth=1, seed_strategy="centroid", max_seed_chunks=1)
    assert graph.nodes[1].score == pytest.approx(1.0, abs=1e-3)
    assert not graph.truncated


@pytest.mark.parametrize("spelling", ["all_chunks", "all-chunks"])
def test_both_spellings_of_a_strategy_mean_the_same(walk: Walk, spelling: str):
    assert len(walk({"s.md": [at(0), at(9)]}, seed_strategy=spelling).nodes) == 2


def test_a_chunk_of_several_windows_looks_where_their_mean_points(walk: Walk):
    seed = Piece(windows=((1.0, 0.0), (0.0, 1.0)))
    graph = walk({"s.md": [seed], "a.md": [at(45)]}, depth=1)
    assert graph.nodes[1].score == pytest.approx(1.0, abs=1e-3)


def test_a_chunk_without_a_vector_is_no_seed(walk: Walk):
    graph = walk({"s.md": [Piece(windows=()), at(0)], "a.md": [at(1), Piece(windows=())]})
    assert paths(graph) == ["s.md", "a.md"]
    assert walk({"s.md": [Piece(windows=())], "a.md": [at(1)]}).nodes == ()


@pytest.mark.parametrize(
    ("excluded", "found"),
    [
        (("a.md",), ["s.md", "n/b.md", "n/c.txt"]),
        (("n",), ["s.md", "a.md"]),
        (("n/",), ["s.md", "a.md"]),
        (("n/*.md",), ["s.md", "a.md", "n/c.txt"]),
        (("**/*.md",), ["s.md", "n/c.txt"]),
        (("a.md", "n/c.txt"), ["s.md", "n/b.md"]),
        (("N", "b.md", "n/b"), ["s.md", "a.md", "n/b.md", "n/c.txt"]),
    ],
)
def test_documents_folders_and_globs_are_passed_over(walk: Walk, excluded: tuple[str, ...], found: list[str]):
    documents = {"s.md": [at(0)], "a.md": [at(5)], "n/b.md": [at(10)], "n/c.txt": [at(15)]}
    assert paths(walk(documents, depth=1, exclude_paths=excluded)) == found


def test_a_path_that_looks_like_a_glob_excludes_itself(walk: Walk):
    assert paths(walk({"s.md": [at(0)], "[a].md": [at(5)]}, exclude_paths=("[a].md",))) == ["s.md"]


def test_a_category_bounds_what_is_found(walk: Walk):
    graph = walk(LINE, categories={"b.md": "x", "s.md": "y"}, category="x", min_similarity=0.0)
    assert paths(graph) == ["s.md", "b.md"]


def test_each_document_once_even_when_one_holds_all_that_is_nearest(walk: Walk):
    documents = {"s.md": [at(0)], "a.md": [at(angle) for angle in range(1, 21)], "b.md": [at(30)], "c.md": [at(40)]}
    graph = walk(documents, dedup_by_path=True, fan_out=3, depth=2)
    assert told(graph) == [(None, 0, "s.md"), (0, 1, "a.md"), (0, 1, "b.md"), (0, 1, "c.md")]
    assert graph.nodes[1].score == pytest.approx(math.cos(math.radians(1)), abs=1e-3)
    assert [path for path in paths(walk(documents, fan_out=3, depth=1)) if path == "a.md"] == ["a.md"] * 3


# -- bounds: truncated means that something was lost ---------------------------------------------------------------


def test_a_budget_that_is_reached_with_nothing_more_to_find_loses_nothing(walk: Walk):
    graph = walk(LINE, max_nodes=5, min_similarity=0.0)
    assert len(graph.nodes) == 5
    assert graph.truncation == ()


def test_a_budget_below_what_there_is_says_so_and_keeps_the_beginning(walk: Walk):
    whole, cut = walk(LINE, fan_out=2), walk(LINE, fan_out=2, max_nodes=3)
    assert cut.nodes == whole.nodes[:3]
    assert [(each.reason, each.limit) for each in cut.truncation] == [("node_budget", 3)]
    assert "raise max_nodes" in cut.truncation[0].remedy


def test_a_budget_full_of_seeds_still_finds_out_whether_there_is_more(walk: Walk):
    seeds = {"s.md": [at(0), at(2)]}
    assert not walk(seeds, max_nodes=2).truncated
    assert walk({**seeds, "a.md": [at(1)]}, max_nodes=2).truncated


def test_more_seeds_than_nodes_are_cut_without_a_query(walk: Walk):
    graph = walk({"s.md": [at(0), at(1), at(2)], "a.md": [at(3)]}, max_nodes=2)
    assert (len(graph.nodes), graph.knn_queries) == (2, 0)
    assert [each.reason for each in graph.truncation] == ["node_budget"]


def test_seeds_up_to_the_limit_are_all_used_and_beyond_it_the_first(walk: Walk):
    seeds = {"s.md": [at(0, heading="A"), at(1, heading="B"), at(2, heading="C")]}
    assert not walk(seeds, max_seed_chunks=3).truncated
    cut = walk(seeds, max_seed_chunks=2)
    assert [node.heading for node in cut.nodes] == ["A", "B"]
    assert [(each.reason, each.limit) for each in cut.truncation] == [("seed_chunks", 2)]
    assert "3 chunks" in cut.truncation[0].remedy


def test_a_remedy_never_asks_for_more_than_is_allowed(walk: Walk):
    chunks = [at(angle / 10) for angle in range(1002)]
    graph = walk({"s.md": chunks, "a.md": [at(0)]}, max_seed_chunks=1000)
    assert "raise max_seed_chunks" not in graph.truncation[0].remedy
    assert "centroid" in graph.truncation[0].remedy


# -- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("depth", 0, "depth is 0; allowed is 1 to 3"),
        ("depth", 4, "depth is 4; allowed is 1 to 3"),
        ("fan_out", 0, "fan_out is 0; allowed is 1 to 20"),
        ("fan_out", 21, "fan_out is 21; allowed is 1 to 20"),
        ("min_similarity", -0.1, "min_similarity is -0.1; allowed is 0 to 1"),
        ("min_similarity", math.nan, "min_similarity is nan; allowed is 0 to 1"),
        ("max_nodes", 0, "max_nodes is 0; allowed is 1 to 2000"),
        ("max_nodes", 2001, "max_nodes is 2001; allowed is 1 to 2000"),
        ("max_seed_chunks", 0, "max_seed_chunks is 0; allowed is 1 to 1000"),
        ("max_seed_chunks", 1001, "max_seed_chunks is 1001; allowed is 1 to 1000"),
        ("seed_strategy", "random", "seed_strategy is 'random'; allowed are all_chunks and centroid"),
        ("exclude_paths", ("",), "an item of exclude_paths has 1 to 1024 bytes"),
        ("exclude_paths", ("x" * 1025,), "an item of exclude_paths has 1 to 1024 bytes"),
        ("exclude_paths", ("x",) * 65, "exclude_paths has 65 items; at most 64"),
    ],
)
def test_a_parameter_out_of_its_range_is_refused_by_name(walk: Walk, name: str, value: object, says: str):
    with pytest.raises(QueryError, match="^" + says.replace("(", r"\(")):
        walk(LINE, **{name: value})


@pytest.mark.parametrize(
    ("start", "says"),
    [
        ("x/a.md", r"start is 'x/a\.md', and the index has no document of that path\. Did you mean 'a\.md'\?"),
        ("bb.md", r"Did you mean 'b\.md'\?"),
        ("zzzzzz", r"Run `groove index`"),
    ],
)
def test_a_start_that_is_not_indexed_is_refused_with_the_nearest_name(tmp_path: Path, start: str, says: str):
    write_store(tmp_path / "i.db", LINE)
    with Store.open_for_reading(tmp_path / "i.db") as store, pytest.raises(QueryError, match=says):
        walk_graph(store, GraphRequest(start=start))


def test_a_start_and_what_is_passed_over_may_be_spelled_in_another_unicode_form(walk: Walk):
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    documents = {"s.md": [at(0)], f"{decomposed}/a.md": [at(20)], f"{composed}.md": [at(30)]}
    for excluded in (f"{composed}/", f"{composed}/*", f"{composed}/a.md"):
        assert paths(walk(documents, exclude_paths=(excluded,))) == ["s.md", f"{composed}.md"]
    assert paths(walk(documents, exclude_paths=(f"{decomposed}.md",))) == ["s.md", f"{decomposed}/a.md"]
    assert paths(walk(documents, start=f"{composed}/a.md"))[0] == f"{decomposed}/a.md"
    twins = {"s.md": [at(0)], f"{composed}.md": [at(0)], f"{decomposed}.md": [at(20)]}
    for start in (f"{composed}.md", f"{decomposed}.md"):
        assert paths(walk(twins, start=start))[0] == start


def test_a_start_may_be_written_from_here(tmp_path: Path):
    write_store(tmp_path / "i.db", LINE)
    with Store.open_for_reading(tmp_path / "i.db") as store:
        request = GraphRequest(start="./s.md")
        assert walk_graph(store, request) == walk_graph(store, replace(request, start="s.md"))


def test_a_snippet_is_one_short_line(walk: Walk):
    long = Piece(windows=((1.0, 0.0),), content="a\n\n  b\t" + "word " * 200)
    snippet = walk({"s.md": [long]}).nodes[0].snippet
    assert snippet.startswith("a b word word")
    assert snippet.endswith("…")
    assert len(snippet) <= SNIPPET_CHARS
