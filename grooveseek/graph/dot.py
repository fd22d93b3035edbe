"""A graph in Graphviz's DOT language (https://graphviz.org/doc/info/lang.html)."""

from __future__ import annotations

import re

from grooveseek.graph.report import truncation_in_words
from grooveseek.graph.walk import Graph, Node

_FILLS = ("#d9a441", "#8fb8de", "#a8d5a2", "#d8b4e2")
"""Node colours by depth; black text on each has a contrast of 8 to 1 or more."""
_LABEL_CHARS = 48
_NOT_TEXT = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]+")


def render_dot(graph: Graph) -> str:
    """The graph as a ``digraph`` that ``dot`` draws left to right, depth by depth."""
    lines = [
        "digraph connections {",
        f'  graph [rankdir=LR, label={_quoted(*_title(graph))}, labelloc=t, fontname="Helvetica", charset="UTF-8"];',
        '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11];',
        '  edge [fontname="Helvetica", fontsize=9];',
    ]
    lines += [f"  n{node.id} [{_attributes(node)}];" for node in graph.nodes]
    lines += [
        f'  n{node.parent_id} -> n{node.id} [label="{node.score:.2f}"];'
        for node in graph.nodes
        if node.parent_id is not None
    ]
    return "\n".join([*lines, "}"]) + "\n"


def _title(graph: Graph) -> list[str]:
    return [f"Connections of {graph.start}", *(f"truncated: {truncation_in_words(each)}" for each in graph.truncation)]


def _attributes(node: Node) -> str:
    label = _quoted(_short(node.path, from_the_end=True), _short(node.heading or node.snippet))
    tooltip = _quoted(node.path, node.snippet)
    return f'label={label}, tooltip={tooltip}, fillcolor="{_FILLS[min(node.depth, len(_FILLS) - 1)]}"'


def _short(text: str, *, from_the_end: bool = False) -> str:
    if len(text) <= _LABEL_CHARS:
        return text
    return f"…{text[1 - _LABEL_CHARS :]}" if from_the_end else f"{text[: _LABEL_CHARS - 1]}…"


def _quoted(*lines: str) -> str:
    """A double-quoted label of one or more lines. Inside it a backslash escapes and an entity is expanded, so that the
    one is doubled and the ``&`` of the other written as one itself."""
    text = "\\n".join(
        _NOT_TEXT.sub(" ", line).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') for line in lines
    )
    return f'"{text}"'
