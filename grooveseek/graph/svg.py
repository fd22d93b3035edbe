"""A graph as one self-contained SVG picture: no script, nothing fetched, readable on a light and on a dark page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from xml.sax.saxutils import escape

from grooveseek.graph.layout import rows
from grooveseek.graph.report import truncation_in_words
from grooveseek.graph.walk import Graph, Node

_BOX = (280, 40)
_COLUMN = 360
_ROW = 50
_MARGIN = 20
_LEAST_WIDTH = 2 * _COLUMN
_LINE = 20
_CHAR = 6.8
_BOLD_CHAR = 8.0
"""Pixels an average character of the 12 pixel font takes, in the wider of the usual fonts. One that is wide by
Unicode's East Asian Width takes two."""
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

_STYLE = """
  svg { background: #ffffff; color-scheme: light dark }
  text { font: 12px system-ui, sans-serif; fill: #1a1a1a }
  .title { font-size: 16px; font-weight: 600 }
  .path { font-weight: 600 }
  .soft, .score { fill: #555555 }
  .score { font-size: 11px; text-anchor: end; paint-order: stroke; stroke: #ffffff; stroke-width: 3px }
  .cut { fill: #a3260f; font-weight: 600 }
  path { fill: none; stroke: #8a8a8a; stroke-width: 1.2 }
  rect { stroke-width: 1.2 }
  .d0 { fill: #fdf0d2; stroke: #a8741a } .d1 { fill: #dcebf9; stroke: #35699f }
  .d2 { fill: #dff2dc; stroke: #3f7f38 } .d3 { fill: #f0e2f5; stroke: #7d4a8f }
  @media (prefers-color-scheme: dark) {
    svg { background: #16181c } text { fill: #ececec } .soft, .score { fill: #b4b4b4 } .cut { fill: #ff9d87 }
    .score { stroke: #16181c } path { stroke: #7d7d7d }
    .d0 { fill: #4a3810; stroke: #d9a441 } .d1 { fill: #173450; stroke: #6ca3d8 }
    .d2 { fill: #1d3f1a; stroke: #7cc073 } .d3 { fill: #3c2347; stroke: #c08fd3 }
  }
"""


def render_svg(graph: Graph) -> str:
    """The graph as a finished picture: a column a depth, the score on each edge, what was cut off said at the top."""
    placed = rows(graph)
    depth = max((node.depth for node in graph.nodes), default=0)
    width = max(_LEAST_WIDTH, 2 * _MARGIN + depth * _COLUMN + _BOX[0])
    head = list(_head(graph, width))
    top = _MARGIN + _LINE * len(head) + _MARGIN
    height = top + round((max(placed.values(), default=-1) + 1) * _ROW) + _MARGIN
    by_id = {node.id: node for node in graph.nodes}
    corners = {node.id: (float(_MARGIN + node.depth * _COLUMN), top + placed[node.id] * _ROW) for node in graph.nodes}
    body = [_text(_MARGIN, _MARGIN + _LINE * (line + 0.75), said, style) for line, (said, style) in enumerate(head)]
    body += [
        _edge(corners[node.parent_id], corners[node.id], node.score)
        for node in graph.nodes
        if node.parent_id is not None
    ]
    body += [_box(by_id[node_id], *corner) for node_id, corner in corners.items()]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-labelledby="title">',
            f'<title id="title">{_escaped(f"Connections of {graph.start}")}</title>',
            f"<style>{_STYLE}</style>",
            *body,
            "</svg>\n",
        ]
    )


def _head(graph: Graph, width: int) -> Iterator[tuple[str, str]]:
    """The lines above the tree, each with its style."""
    room = width - 2 * _MARGIN
    yield _fit(f"Connections of {graph.start}", int(room / _BOLD_CHAR * 12 / 16), from_the_end=False), "title"
    documents = len({node.path for node in graph.nodes})
    yield f"{len(graph.nodes)} chunks of {documents} documents; on each line, the cosine", "soft"
    for each in graph.truncation:
        for line in _wrap(f"Truncated: {truncation_in_words(each)}", int(room / _BOLD_CHAR)):
            yield line, "cut"


def _edge(parent: tuple[float, float], child: tuple[float, float], score: float) -> str:
    x1, y1 = parent[0] + _BOX[0], parent[1] + _BOX[1] / 2
    x2, y2 = child[0], child[1] + _BOX[1] / 2
    bend = (x1 + x2) / 2
    line = f'<path d="M{x1:g} {y1:g}C{bend:g} {y1:g} {bend:g} {y2:g} {x2:g} {y2:g}"/>'
    return line + _text(x2 - 6, y2 - 4, f"{score:.2f}", "score")


def _box(node: Node, x: float, y: float) -> str:
    """A node as a picture within the picture, which cuts off what a font wider than most would let run over."""
    room = _BOX[0] - 18
    whole = "\n".join(filter(None, (node.path, node.heading, node.snippet)))
    return (
        f'<svg x="{x:g}" y="{y:g}" width="{_BOX[0]}" height="{_BOX[1]}"><title>{_escaped(whole)}</title>'
        f'<rect class="d{min(node.depth, 3)}" x="1" y="1" width="{_BOX[0] - 2}" height="{_BOX[1] - 2}" rx="6"/>'
        f"{_text(9, 17, _fit(node.path, int(room / _BOLD_CHAR), from_the_end=True), 'path')}"
        f"{_text(9, 32, _fit(node.heading or node.snippet, int(room / _CHAR), from_the_end=False), 'soft')}</svg>"
    )


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text class="{style}" x="{x:g}" y="{y:g}">{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    return escape(_NOT_XML.sub(" ", text))


def _cells(text: str) -> int:
    """How many narrow characters wide a text is."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _fit(text: str, room: int, *, from_the_end: bool) -> str:
    """The text, or as much of its beginning or its end as there is room for."""
    text = " ".join(text.split())
    if _cells(text) <= room:
        return text
    kept = text[::-1] if from_the_end else text
    while _cells(kept) > room - 1:
        kept = kept[:-1]
    return f"…{kept[::-1]}" if from_the_end else f"{kept.rstrip()}…"


def _wrap(text: str, room: int) -> Iterator[str]:
    line = ""
    for word in text.split():
        if line and _cells(line) + 1 + _cells(word) > room:
            yield line
            line = word
        else:
            line = f"{line} {word}".lstrip()
    yield line
