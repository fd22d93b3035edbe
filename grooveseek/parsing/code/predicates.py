"""Text predicates of a tags query (``#eq?``, ``#match?``, ``#any-of?`` and their kin).

The binding would judge them by itself, but it asks the parser's read callback for the text of every node anew, which
made a 960 kB file take ten seconds. So they get other names, under which the binding leaves them to this module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tree_sitter import Node, QueryPredicate

_PREFIX = "groove-"
_TEXT_PREDICATE = re.compile(r"#(?:any-)?(?:not-)?(?:eq|match)\?|#(?:not-)?any-of\?")
_OURS = re.compile(rf"{_PREFIX}(any-)?(not-)?(eq|match|any-of)\?")


def renamed(token: str) -> str:
    """A token of a query, with the name of a text predicate replaced by ours."""
    return f"#{_PREFIX}{token[1:]}" if _TEXT_PREDICATE.fullmatch(token) else token


def judge(data: bytes) -> QueryPredicate:
    """What the query engine asks about each match: whether our predicates hold, given the text that was parsed."""

    def holds(
        predicate: str,
        args: list[tuple[str, Literal["capture", "string"]]],
        pattern_index: int,
        captures: dict[str, list[Node]],
    ) -> bool:
        ours = _OURS.fullmatch(predicate)
        if ours is None or not args:
            return True  # properties such as #is? say nothing about the text
        wanted = [_texts(data, value, what, captures) for value, what in args[1:]]
        test = _TESTS[ours[3]]
        answers = (test(text, wanted) != bool(ours[2]) for text in _texts(data, *args[0], captures))
        return any(answers) if ours[1] else all(answers)

    return holds


def _texts(data: bytes, value: str, what: str, captures: dict[str, list[Node]]) -> list[str]:
    if what == "string":
        return [value]
    return [data[node.start_byte : node.end_byte].decode("utf-8", "replace") for node in captures.get(value, ())]


def _equals(text: str, wanted: Sequence[list[str]]) -> bool:
    return text in wanted[0]


def _matches(text: str, wanted: Sequence[list[str]]) -> bool:
    return _compiled(wanted[0][0]).search(text) is not None


def _is_any_of(text: str, wanted: Sequence[list[str]]) -> bool:
    return any(text in texts for texts in wanted)


_compiled = lru_cache(maxsize=256)(re.compile)
_TESTS: dict[str, Callable[[str, Sequence[list[str]]], bool]] = {
    "eq": _equals,
    "match": _matches,
    "any-of": _is_any_of,
}
