"""The two pictures: Graphviz takes the one, any XML reader the other, whatever the texts hold."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from grooveseek.graph import Graph, Node, Truncation
from grooveseek.graph.dot import render_dot
from grooveseek.graph.layout import rows
from grooveseek.graph.svg import render_svg

SVG = "{http://www.w3.org/2000/svg}"
NASTY = [
    'quote " and \\ and \\N \\" end\\',
    "<b>&amp; &lt; &nosuch; ]]> <!-- -->",
    "日本語の見出し 한국어 עברית 👨‍👩‍👧",
    "new\nline\ttab\x00nul\x1bescape\x85\ufffe\ud800",
    "}; evil [label=x]; {",
    "",
    "x" * 3000,
]


def node(id_: int, parent: int | None, depth: int, *, path: str = "a.md", heading: str | None = "H") -> Node:
    return Node(id=id_, parent_id=parent, depth=depth, score=0.5, path=path, heading=heading, snippet="s")


def graph(*nodes: Node, truncation: tuple[Truncation, ...] = (), start: str = "s.md") -> Graph:
    return Graph(start=start, nodes=nodes, truncation=truncation, knn_queries=1)


TREE = graph(
    node(0, None, 0),
    node(1, None, 0),
    node(2, 0, 1),
    node(3, 0, 1),
    node(4, 1, 1),
    node(5, 2, 2),
    node(6, 2, 2),
    node(7, 2, 2),
)
CUT = (
    Truncation(reason="seed_chunks", limit=2, remedy="raise <max_seed_chunks>"),
    Truncation(reason="node_budget", limit=8, remedy="raise max_nodes"),
)


def drawn(dot: str) -> str:
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed")
    done = subprocess.run(["dot", "-Tplain"], input=dot.encode(), capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b"", done.stderr.decode()
    return done.stdout.decode()


def texts(svg: str) -> list[str]:
    return ["".join(element.itertext()) for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def boxes_of(root: ElementTree.Element) -> list[tuple[ElementTree.Element, ElementTree.Element]]:
    """Each node's picture within the picture, with its rectangle."""
    return [(inner, inner.find(f"{SVG}rect")) for inner in root.iter(f"{SVG}svg") if inner is not root]


# -- DOT -----------------------------------------------------------------------------------------------------------


def test_graphviz_draws_every_node_and_every_edge():
    plain = drawn(render_dot(TREE)).splitlines()
    assert sorted(line.split()[1] for line in plain if line.startswith("node ")) == [f"n{i}" for i in range(8)]
    assert sorted(tuple(line.split()[1:3]) for line in plain if line.startswith("edge ")) == [
        ("n0", "n2"),
        ("n0", "n3"),
        ("n1", "n4"),
        ("n2", "n5"),
        ("n2", "n6"),
        ("n2", "n7"),
    ]


@pytest.mark.parametrize("text", NASTY)
def test_graphviz_takes_any_text(text: str):
    picture = graph(node(0, None, 0, path=text or "p", heading=text), start=text)
    assert "node n0 " in drawn(render_dot(picture))


def test_a_label_reaches_graphviz_letter_by_letter():
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed")
    label = 'a "b" \\N &amp; <c>'
    dot = render_dot(graph(node(0, None, 0, path=label, heading="second")))
    done = subprocess.run(["dot", "-Tsvg"], input=dot.encode(), capture_output=True, timeout=60, check=True)
    said = [each.replace("\xa0", " ") for each in texts(done.stdout.decode())]
    assert [label, "second"] == said[-2:]


def test_dot_colours_by_depth_and_says_what_was_lost():
    dot = render_dot(graph(*TREE.nodes, truncation=CUT))
    fills = dict(re.findall(r"(n\d) \[.*fillcolor=\"(#\w+)\"", dot))
    assert len({fills["n0"], fills["n2"], fills["n5"]}) == 3
    assert fills["n0"] == fills["n1"]
    assert "only the first 2 chunks" in dot
    assert "more to find than 8 nodes" in dot
    assert 'n0 -> n2 [label="0.50"]' in dot


# -- the layout ----------------------------------------------------------------------------------------------------


def test_leaves_take_rows_and_a_parent_the_middle_of_its_children():
    # leaves from the top: 5 6 7 (below 2), 3, 4 (below 1)
    assert rows(TREE) == {5: 0, 6: 1, 7: 2, 2: 1, 3: 3, 0: 2, 4: 4, 1: 4}


def test_no_two_nodes_of_a_column_are_closer_than_a_row():
    placed = rows(TREE)
    for depth in range(3):
        column = sorted(placed[each.id] for each in TREE.nodes if each.depth == depth)
        assert all(lower - upper >= 1 for upper, lower in pairwise(column))


# -- SVG -----------------------------------------------------------------------------------------------------------


def test_the_picture_holds_every_node_edge_and_score():
    root = ElementTree.fromstring(render_svg(TREE))
    assert len(list(root.iter(f"{SVG}rect"))) == 8
    assert len(list(root.iter(f"{SVG}path"))) == 6
    assert texts(render_svg(TREE)).count("0.50") == 6


def test_depth_is_the_column_and_the_colour():
    root = ElementTree.fromstring(render_svg(TREE))
    boxes = [(float(box.get("x", "0")), rect.get("class")) for box, rect in boxes_of(root)]
    assert len(boxes) == 8
    columns = dict(sorted(boxes))
    assert list(columns.values()) == ["d0", "d1", "d2"]
    assert len({x for x, _ in boxes}) == 3


def test_boxes_do_not_overlap_and_stay_inside_the_picture():
    root = ElementTree.fromstring(render_svg(graph(*TREE.nodes, truncation=CUT)))
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    boxes = [[float(box.get(key, "0")) for key in ("x", "y", "width", "height")] for box, _ in boxes_of(root)]
    for x, y, w, h in boxes:
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height
    for one in boxes:
        for other in boxes:
            apart = one[0] + one[2] <= other[0] or other[0] + other[2] <= one[0]
            apart = apart or one[1] + one[3] <= other[1] or other[1] + other[3] <= one[1]
            assert apart or one is other


def test_what_was_lost_is_said_in_the_picture_and_nothing_when_nothing_was():
    said = " ".join(texts(render_svg(graph(*TREE.nodes, truncation=CUT))))
    assert "Truncated: only the first 2 chunks of the document were started from (raise <max_seed_chunks>)" in said
    assert "Truncated: there was more to find than 8 nodes" in said
    assert "Truncated" not in render_svg(TREE)


def test_it_stands_alone_and_has_colours_for_a_dark_page():
    svg = render_svg(TREE)
    assert re.findall(r"(?:href|src|url)\s*[=(]", svg) == []
    assert "<script" not in svg
    assert "prefers-color-scheme: dark" in svg


@pytest.mark.parametrize("text", NASTY)
def test_any_text_gives_well_formed_xml(text: str):
    root = ElementTree.fromstring(render_svg(graph(node(0, None, 0, path=text or "p", heading=text), start=text)))
    assert len(list(root.iter(f"{SVG}rect"))) == 1


def test_a_long_path_keeps_its_end_and_a_long_heading_its_beginning():
    path = "folder/" * 20 + "name.md"
    said = texts(render_svg(graph(node(0, None, 0, path=path, heading="Beginning " + "word " * 50))))
    assert any(each.startswith("…") and each.endswith("name.md") for each in said)
    assert any(each.startswith("Beginning") and each.endswith("…") for each in said)


def test_an_empty_graph_is_a_picture_too():
    assert "Connections of s.md" in " ".join(texts(render_svg(graph())))
    drawn(render_dot(graph()))


def test_two_thousand_nodes_in_one_line_are_drawn():
    deep = graph(*(node(i, i - 1 if i else None, i) for i in range(2000)))
    assert render_svg(deep).count("<rect") == 2000
