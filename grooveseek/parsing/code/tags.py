"""Reading a tags query: what of it says where definitions are.

A tags query also captures references, and it gathers doc comments with a repetition in front of a definition. Groove
needs neither, and both are dear: each open repetition or half-matched chain is a state the query engine carries along,
so that on long runs of comments or long call chains its time grows with the square of the file (80 seconds for a chain
of 50,000 calls, against a tenth of a second for parsing it). Comments are found by their own kind instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from grooveseek.parsing.code.predicates import renamed

_TOKEN = re.compile(r';[^\n]*|"(?:\\.|[^"\\])*"|[()\[\]]|[^\s()\[\]";]+')
_OURS = frozenset(("@scope", "@scope.file", "@declares", "@below"))
_CLOSING = {"(": ")", "[": "]"}
_ABOVE_KINDS = frozenset(
    ("attribute_item", "attribute_list", "attribute_declaration", "decorator", "annotation", "marker_annotation")
)


@dataclass(slots=True)
class _Group:
    """A bracketed part of a query."""

    opening: str
    items: list[str | _Group] = field(default_factory=list)


def keep_definitions(tags_query: str) -> str:
    """The patterns of a tags query that say where definitions and scopes are and what they are called.

    Directives (``#strip!`` and the like) and repetitions captured as ``@doc`` are taken out of them, and text
    predicates renamed. Raises ValueError where brackets do not match.
    """
    patterns = [pattern for pattern in _patterns(_read(tags_query)) if any(map(_is_wanted, _tokens(pattern)))]
    return "\n".join(" ".join(map(renamed, _tokens(_without_docs(pattern)))) for pattern in patterns)


def is_above_kind(kind: str) -> bool:
    """Whether a node of this kind, directly above a definition, belongs to it: comments, attributes, decorators."""
    return "comment" in kind or kind in _ABOVE_KINDS


def _is_wanted(token: str) -> bool:
    return token.startswith("@definition.") or token in _OURS


def _read(query: str) -> list[str | _Group]:
    open_groups = [_Group("")]
    for token in _TOKEN.findall(query):
        if token.startswith(";"):
            continue
        if token in _CLOSING:
            group = _Group(token)
            open_groups[-1].items.append(group)
            open_groups.append(group)
        elif token in _CLOSING.values():
            if _CLOSING.get(open_groups.pop().opening) != token:
                raise ValueError(f"{token} closes nothing")
        else:
            open_groups[-1].items.append(token)
    if len(open_groups) > 1:
        raise ValueError(f"{open_groups[-1].opening} is not closed")
    return open_groups[0].items


def _patterns(items: list[str | _Group]) -> list[list[str | _Group]]:
    """Top-level patterns: each a group (or a literal) with the captures behind it."""
    patterns: list[list[str | _Group]] = []
    for item in items:
        if not patterns or isinstance(item, _Group) or item.startswith('"') or item == "_":
            patterns.append([])
        patterns[-1].append(item)
    return patterns


def _without_docs(items: list[str | _Group]) -> list[str | _Group]:
    kept: list[str | _Group] = []
    place = 0
    while place < len(items):
        if _is_doc_run(items[place : place + 3]):
            place += 4 if items[place + 3 : place + 4] == ["."] else 3
            continue
        item = items[place]
        if isinstance(item, str):
            kept.append(item)
        elif not _is_directive(item):
            kept.append(_Group(item.opening, _without_docs(item.items)))
        place += 1
    return kept


def _is_doc_run(items: list[str | _Group]) -> bool:
    return len(items) == 3 and isinstance(items[0], _Group) and items[1] in ("*", "+", "?") and items[2] == "@doc"


def _is_directive(group: _Group) -> bool:
    first = group.items[0] if group.items else ""
    return isinstance(first, str) and first.startswith("#") and first.endswith("!")


def _tokens(items: list[str | _Group]) -> Iterator[str]:
    for item in items:
        if isinstance(item, str):
            yield item
        else:
            yield item.opening
            yield from _tokens(item.items)
            yield _CLOSING[item.opening]
