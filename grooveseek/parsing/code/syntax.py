"""Running a grammar over a file, with its work bounded by a count, so that the bound is the same on every machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grooveseek.parsing.code.grammar import Grammar
from grooveseek.parsing.code.predicates import judge

if TYPE_CHECKING:
    from tree_sitter import Node, Query, Tree, TreeCursor

Match = tuple[int, "dict[str, list[Node]]"]

MAX_NODE_DEPTH = 1024
"""Definitions are looked for down to this depth of the syntax tree, in which one nesting takes two to five levels."""

# tree-sitter reports progress every hundred steps or so. Real files need 0.035 reports a byte at most (minified
# JavaScript), while error recovery that runs wild needs several: "+-*/" repeated to 16 kB as Go takes 30 a byte.
_FREE_REPORTS = 1000
_BYTES_A_REPORT = 8

# The query engine looks through the unnamed siblings behind each node it visits, so a run of n of them, as recovery
# leaves in an ERROR node, costs n * n steps of about 2 ns.
_LONG_RUN = 2048
_MOST_RUN_STEPS = 1_000_000_000


def parse(grammar: Grammar, plain: bytes) -> Tree | None:
    """The syntax tree of a file, or ``None`` when making or searching it would take too much work."""
    tree = _bounded_parse(grammar, plain)
    return None if tree is None or _run_steps(tree.root_node) > _MOST_RUN_STEPS else tree


def find(query: Query, root: Node, plain: bytes) -> list[Match]:
    """Every match of the query in the tree of ``plain`` whose outermost node is at most MAX_NODE_DEPTH deep."""
    from tree_sitter import QueryCursor

    # Neither a progress callback (it crashes: the binding leaves the engine a dangling pointer, seen in 0.26.1) nor a
    # match limit (it does not bound the states of patterns without captures) is of use here.
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(MAX_NODE_DEPTH)
    return cursor.matches(root, judge(plain))


def _bounded_parse(grammar: Grammar, plain: bytes) -> Tree | None:
    from tree_sitter import Parser

    reports, allowed = 0, _FREE_REPORTS + len(plain) // _BYTES_A_REPORT

    def is_too_much(offset: int, has_error: bool) -> bool:
        nonlocal reports
        reports += 1
        return reports > allowed

    try:
        return Parser(grammar.language).parse(lambda offset, point: plain[offset:], progress_callback=is_too_much)
    except ValueError:
        if reports <= allowed:
            raise
        return None


def _run_steps(root: Node) -> int:
    """Squares of the lengths of long runs of unnamed siblings, added up. Only broken syntax has such runs."""
    steps = 0
    cursor = root.walk()
    while True:
        node = cursor.node
        assert node is not None
        may_hold_run = node.has_error and node.descendant_count > _LONG_RUN
        if may_hold_run and node.child_count - node.named_child_count > _LONG_RUN:
            steps += _steps_among_children(node)
        if not (may_hold_run and cursor.goto_first_child()) and not _go_on(cursor):
            return steps


def _go_on(cursor: TreeCursor) -> bool:
    """To the next node that is not below this one."""
    while not cursor.goto_next_sibling():
        if not cursor.goto_parent():
            return False
    return True


def _steps_among_children(node: Node) -> int:
    steps, run = 0, 0
    cursor = node.walk()
    more = cursor.goto_first_child()
    while more:
        child = cursor.node
        assert child is not None
        run = 0 if child.is_named else run + 1
        steps += run  # 1 + 2 + ... + n is half of n * n; each step looks at the siblings still to come
        more = cursor.goto_next_sibling()
    return 2 * steps
