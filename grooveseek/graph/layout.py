"""Where each node of a tree is drawn: depth is the column, a leaf the next free row, a parent the middle of its
children.

The walk gives a forest whose columns all have the same width, so that the first step of Reingold and Tilford, "Tidier
Drawings of Trees" (1981), is all it takes: no two nodes of a column come closer than a row, and no edges cross.
"""

from __future__ import annotations

from grooveseek.graph.report import in_walking_order
from grooveseek.graph.walk import Graph


def rows(graph: Graph) -> dict[int, float]:
    """The row of each node by its id, from 0; a parent may stand between two rows."""
    order = list(in_walking_order(graph))
    spans: dict[int, list[float]] = {}
    placed: dict[int, float] = {}
    leaves = sum(1 for node in order) - len({node.parent_id for node in order} - {None})
    next_row = leaves - 1
    for node in reversed(order):  # children come before their parent, the last leaf first
        below = spans.get(node.id)
        if below is None:
            placed[node.id] = float(next_row)
            next_row -= 1
        else:
            placed[node.id] = (below[0] + below[-1]) / 2
        if node.parent_id is not None:
            spans.setdefault(node.parent_id, []).append(placed[node.id])
    return placed
