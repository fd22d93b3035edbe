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

# tree-sitter reports its progress every hundred steps or so, and whether it is recovering from an error at that time.
# Of 25,000 real files in eight languages none needed more than 0.033 reports a byte (minified JavaScript), nor more
# than 0.004 in recovery (C++ headers made of macros; broken files of 20 kB and more mostly need none). Recovery can run
# wild: as Go, "+-*/" repeated to 16 kB takes 30 reports a byte, and one of them can take milliseconds.
_FREE_REPORTS = 1000
_BYTES_A_REPORT = 16
_BYTES_A_RECOVERY_REPORT = 150

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

    left = _FREE_REPORTS + len(plain) // _BYTES_A_REPORT
    left_in_recovery = _FREE_REPORTS + len(plain) // _BYTES_A_RECOVERY_REPORT

    def is_too_much(offset: int, has_error: bool) -> bool:
        nonlocal left, left_in_recovery
        left -= 1
        left_in_recovery -= has_error
        return min(left, left_in_recovery) < 0

    try:
        return Parser(grammar.language).parse(lambda offset, point: plain[offset:], progress_callback=is_too_much)
    except ValueError:
        if min(left, left_in_recovery) >= 0:
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
