"""One YAML document as a tree of nodes that keep their places, within limits.

PyYAML's own loader builds Python values: it loses what a number looked like, lets a repeated key overwrite the one
before it, fails on a date that is none, and follows aliases to any size. This reads its events instead and keeps the
text of every scalar. A tree that would write out to more than :data:`MAX_VALUES` values, nests deeper than
:data:`MAX_DEPTH` or contains itself is refused while it is read, so that whoever walks it needs no limits of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import yaml

MAX_CHARS = 256 * 1024
MAX_VALUES = 10_000
MAX_DEPTH = 64

_LOADER: type[yaml.CSafeLoader | yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


class YamlError(Exception):
    """The text is no YAML, or is refused. ``at`` is the character it shows at."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


@dataclass(slots=True)
class Scalar:
    """``value`` is the text after quoting is undone; ``start`` and ``end`` are where it stands, quotes included."""

    value: str
    start: int
    end: int
    is_null: bool
    is_plain: bool
    weight: int = 1


@dataclass(slots=True)
class Sequence:
    """A list of nodes. Aliased nodes are shared, never copied."""

    start: int
    items: list[Node] = field(default_factory=list)
    weight: int = 1


@dataclass(slots=True)
class Mapping:
    """Key and value nodes in the order written, repeats included."""

    start: int
    pairs: list[tuple[Node, Node]] = field(default_factory=list)
    weight: int = 1


Node = Scalar | Sequence | Mapping
NodeT = TypeVar("NodeT", Scalar, Sequence, Mapping)


@dataclass(frozen=True, slots=True)
class Repeat:
    """A key that stands in its mapping a second time. ``path`` is dotted, with list positions in brackets."""

    path: str
    at: int


@dataclass(frozen=True, slots=True)
class Tree:
    """``root`` is ``None`` for a text that says nothing (blank, or comments only)."""

    root: Node | None
    repeats: tuple[Repeat, ...]


def read_tree(text: str) -> Tree:
    """Read one document. Raises YamlError."""
    if len(text) > MAX_CHARS:
        raise YamlError(f"it is longer than {MAX_CHARS // 1024} Ki characters", 0)
    _check_characters(text)
    builder = _Builder()
    for event in _events(text):
        builder.take(event)
    return Tree(builder.root, tuple(builder.repeats))


def is_merge_key(node: Node) -> bool:
    """Whether a key is YAML's ``<<``, which takes over the pairs of another mapping."""
    return isinstance(node, Scalar) and node.is_plain and node.value == "<<"


def _check_characters(text: str) -> None:
    if unprintable := _UNPRINTABLE.search(text):
        raise YamlError(f"the character U+{ord(unprintable[0]):04X} is not allowed in it", unprintable.start())
    # PyYAML's Python scanner takes quadratic time over unclosed brackets before it gives its first event.
    depth = 0
    for bracket in re.finditer(r"[\[\]{}]", text):
        depth = depth + 1 if bracket[0] in "[{" else max(depth - 1, 0)
        if depth > MAX_DEPTH:
            raise YamlError(_too_deep(), bracket.start())


def _too_deep() -> str:
    return f"it nests deeper than {MAX_DEPTH} levels"


def _events(text: str) -> Iterator[yaml.Event]:
    try:
        yield from yaml.parse(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        raise YamlError(error.problem or str(error), _index(error.problem_mark or error.context_mark)) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # an escape such as "\UFFFFFFFF" is a ValueError
        raise YamlError(str(error), 0) from None


class _Mark(Protocol):
    """What the marks of PyYAML's two scanners have in common."""

    @property
    def index(self) -> int: ...


@dataclass(slots=True)
class _Open:
    """A container whose end has not come yet. ``label`` is its own part of a repeated key's path."""

    node: Sequence | Mapping
    label: str
    key: Node | None = None
    seen: set[str] = field(default_factory=set)


class _Builder:
    def __init__(self) -> None:
        self.root: Node | None = None
        self.repeats: list[Repeat] = []
        self._open: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        at = _index(event.start_mark)
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise YamlError("a second YAML document begins in it", at)
        elif isinstance(event, yaml.AliasEvent):
            self._attach(self._aliased(event.anchor or "", at), at)
        elif isinstance(event, yaml.ScalarEvent):
            self._attach(self._anchored(event.anchor, _scalar(event)), at)
        elif isinstance(event, yaml.SequenceStartEvent):
            self._enter(self._anchored(event.anchor, Sequence(at)), at)
        elif isinstance(event, yaml.MappingStartEvent):
            self._enter(self._anchored(event.anchor, Mapping(at)), at)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._attach(self._open.pop().node, at)

    def _anchored(self, anchor: str | None, node: NodeT) -> NodeT:
        if anchor is not None:
            self._anchors[anchor] = node
        return node

    def _aliased(self, anchor: str, at: int) -> Node:
        node = self._anchors.get(anchor)
        if node is None:
            raise YamlError(f'the alias "*{anchor}" refers to nothing', at)
        if any(each.node is node for each in self._open):
            raise YamlError(f'the value "&{anchor}" contains itself', at)
        return node

    def _enter(self, node: Sequence | Mapping, at: int) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise YamlError(_too_deep(), at)
        self._open.append(_Open(node, self._label()))

    def _label(self) -> str:
        if not self._open:
            return ""
        above = self._open[-1]
        if isinstance(above.node, Sequence):
            return f"[{len(above.node.items)}]"
        return f".{above.key.value}" if isinstance(above.key, Scalar) else ".?"

    def _attach(self, node: Node, at: int) -> None:
        if not self._open:
            self.root = node
            return
        above = self._open[-1]
        above.node.weight += node.weight
        if above.node.weight > MAX_VALUES:
            raise YamlError(f"written out without aliases it has more than {MAX_VALUES} values", at)
        if isinstance(above.node, Sequence):
            above.node.items.append(node)
        elif above.key is None:
            above.key = node
            self._note_key(above, node)
        else:
            above.node.pairs.append((above.key, node))
            above.key = None

    def _note_key(self, above: _Open, key: Node) -> None:
        if not isinstance(key, Scalar) or is_merge_key(key):
            return
        if key.value in above.seen:
            path = "".join(each.label for each in self._open) + f".{key.value}"
            self.repeats.append(Repeat(path.removeprefix("."), key.start))
        above.seen.add(key.value)


def _scalar(event: yaml.ScalarEvent) -> Scalar:
    is_plain = not event.style  # None in Python's scanner, "" in libyaml's
    return Scalar(
        value=event.value,
        start=_index(event.start_mark),
        end=_index(event.end_mark),
        is_null=is_plain and event.tag is None and event.value in _NULLS,
        is_plain=is_plain,
    )


def _index(mark: _Mark | None) -> int:
    """The character a mark points at. PyYAML sets one on every event it reads, but its types leave it out."""
    return mark.index if mark is not None else 0
