"""What a grammar's query found in a file, pattern by pattern made into definitions and scopes that have names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grooveseek.parsing.code.syntax import Match

if TYPE_CHECKING:
    from tree_sitter import Node

Range = tuple[int, int]

_DEFINITION = "definition."


@dataclass(slots=True)
class Captured:
    """One thing the query found: a definition (``kind``), a scope that is none, or a declarator.

    ``start`` and ``end`` are byte offsets, ``name`` the range of its name in the file, ``receivers`` the ranges of
    the names that stand in front of it, outermost first.
    """

    start: int
    end: int
    pattern: int
    kind: str | None
    name: Range | None
    receivers: tuple[Range, ...]
    is_file_scope: bool = False
    is_declarator: bool = False


def read_matches(matches: Iterable[Match]) -> tuple[list[Captured], set[Range], set[Range]]:
    """Definitions and scopes, by position and outer ones first; and the ranges captured as above and below.

    Captures of the same name are one definition: as wide as the widest, of the kind that the first pattern says.
    Definitions without a name take that of the first declarator in them, and are dropped where there is none.
    """
    found: list[Captured] = []
    above: set[Range] = set()
    below: set[Range] = set()
    for pattern, captures in matches:
        above.update(map(_range, captures.get("above", ())))
        below.update(map(_range, captures.get("below", ())))
        found.extend(_captured(pattern, captures))
    named = _merged(_with_declared_names(_in_order(found)), lambda each: each.name)
    return _merged(_in_order(named), lambda each: (each.start, each.end)), above, below


def _captured(pattern: int, captures: dict[str, list[Node]]) -> Iterator[Captured]:
    name = _range(captures["name"][0]) if "name" in captures else None
    receivers = tuple(map(_range, captures.get("receiver", ())))
    for label, nodes in captures.items():
        kind = label.removeprefix(_DEFINITION) if label.startswith(_DEFINITION) else None
        if kind is None and label not in ("scope", "scope.file", "declares"):
            continue
        for node in nodes:
            yield Captured(
                node.start_byte,
                node.end_byte,
                pattern,
                kind,
                name,
                receivers,
                is_file_scope=label == "scope.file",
                is_declarator=label == "declares",
            )


def _range(node: Node) -> Range:
    return node.start_byte, node.end_byte


def _in_order(found: Iterable[Captured]) -> list[Captured]:
    return sorted(found, key=lambda each: (each.start, -each.end, each.pattern))


def _with_declared_names(found: Iterable[Captured]) -> Iterator[Captured]:
    """What has a name, once declarators have given theirs away."""
    kept: list[Captured] = []
    around: list[Captured] = []
    for each in found:
        while around and around[-1].end <= each.start:
            around.pop()
        if not each.is_declarator:
            kept.append(each)
            around.append(each)
            continue
        for nameless in reversed(around):
            if nameless.name is not None:
                break
            nameless.name, nameless.receivers = each.name, each.receivers
    return (each for each in kept if each.name is not None)


def _merged(found: Iterable[Captured], key: Callable[[Captured], object]) -> list[Captured]:
    by_key: dict[object, Captured] = {}
    for each in found:
        first = by_key.setdefault(key(each), each)
        if first is not each:
            by_key[key(each)] = _united(first, each)
    return list(by_key.values())


def _united(one: Captured, other: Captured) -> Captured:
    first, second = sorted((one, other), key=lambda each: each.pattern)
    return Captured(
        min(one.start, other.start),
        max(one.end, other.end),
        first.pattern,
        first.kind or second.kind,
        first.name,
        first.receivers or second.receivers,
        is_file_scope=one.is_file_scope or other.is_file_scope,
    )
