"""The definitions of a file as a tree: what each is called, where it stands and how far it reaches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import zip_longest

from grooveseek.parsing.code.captures import Captured, read_matches
from grooveseek.parsing.code.grammar import Grammar
from grooveseek.parsing.code.lines import SourceText
from grooveseek.parsing.code.reach import Reach
from grooveseek.parsing.code.syntax import Match
from grooveseek.parsing.cuts import clip

MAX_DEFINITION_DEPTH = 64
"""How many definitions and scopes may stand around a definition."""

NAME_CHARS = 120
"""A name longer than this is shown cut; generated code has had names of kilobytes."""


class TooDeepError(Exception):
    """A definition has more than MAX_DEFINITION_DEPTH others around it."""


@dataclass(slots=True)
class Definition:
    """One definition: byte offsets ``start`` to ``end``, comments and attributes above it included.

    ``path`` has the names of what stands around it, outermost first, and its own; ``qualified`` joins them as the
    language writes it, and ``scope`` all but the last. ``children`` are the definitions right inside, in order.
    """

    start: int
    end: int
    kind: str
    path: tuple[str, ...]
    qualified: str
    scope: str | None
    children: list[Definition] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Name:
    """A name with those around it: ``joined`` is how the language writes them all."""

    parts: tuple[str, ...] = ()
    joined: str = ""
    is_module: bool = False


@dataclass(slots=True)
class _Open:
    """A definition or scope around the place where the walk is; ``name`` is what it lends to what it holds."""

    end: int
    name: _Name
    children: list[Definition]


def find_definitions(grammar: Grammar, source: SourceText, matches: Iterable[Match]) -> list[Definition]:
    """The outermost definitions of a file, in order. Raises TooDeepError."""
    captured, above, below = read_matches(matches)
    outermost: list[Definition] = []
    stack = [_Open(len(source.data), _Name(), outermost)]
    for each in captured:
        while len(stack) > 1 and stack[-1].end <= each.start:
            stack.pop()
        if len(stack) > MAX_DEFINITION_DEPTH + 1:
            raise TooDeepError
        _place(grammar, source, stack, each)
    _extend(outermost, Reach(source, above, below))
    return outermost


def _place(grammar: Grammar, source: SourceText, stack: list[_Open], each: Captured) -> None:
    around = stack[-1]
    scope = around.name
    for receiver in each.receivers:
        scope = _named(grammar, scope, source.text(*receiver), False)
    assert each.name is not None
    name = _named(grammar, scope, source.text(*each.name), each.kind == "module" or each.is_file_scope)
    if each.is_file_scope:
        outer = stack[-2].name if len(stack) > 1 else _Name()
        around.name = _named(grammar, outer, source.text(*each.name), True)
        return
    children = around.children
    if each.kind is not None:
        definition = Definition(each.start, each.end, each.kind, name.parts, name.joined, scope.joined or None)
        children.append(definition)
        children = definition.children
    stack.append(_Open(each.end, name, children))


def _named(grammar: Grammar, scope: _Name, name: str, is_module: bool) -> _Name:
    name = clip(" ".join(name.split()).strip("\"'`"), NAME_CHARS)
    separator = grammar.module_separator if scope.is_module else grammar.separator
    joined = f"{scope.joined}{separator}{name}" if scope.parts else name
    return _Name((*scope.parts, name), joined, is_module)


def _extend(outermost: list[Definition], reach: Reach) -> None:
    """Give every definition what stands above it and behind it on its last line."""
    families = [(outermost, reach.source.first, len(reach.source.data))]
    while families:
        siblings, floor, ceiling = families.pop()
        for definition, following in zip_longest(siblings, siblings[1:]):
            definition.start = reach.start(definition.start, floor)
            definition.end = reach.end(definition.end, following.start if following else ceiling)
            floor = definition.end
            families.append((definition.children, definition.start, definition.end))
