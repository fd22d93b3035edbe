"""The keys of groove.toml as one flat table, read off the dataclasses of :mod:`grooveseek.settings.sections`.

Everything that handles settings by name (loading, trust, overrides, the template, the documentation) works on a flat
mapping of dotted key to value and turns it into :class:`Settings` at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import Any, cast, get_args, get_type_hints

from grooveseek.settings.sections import Settings


class Kind(Enum):
    """The type a key's value has, ``None`` aside, in the words of the documentation."""

    BOOL = "true or false"
    INT = "whole number"
    FLOAT = "number"
    TEXT = "text"
    PATH = "path"
    TEXTS = "list of texts"
    INTS = "list of whole numbers"


_KINDS: Mapping[Any, Kind] = {
    bool: Kind.BOOL,
    int: Kind.INT,
    float: Kind.FLOAT,
    str: Kind.TEXT,
    Path: Kind.PATH,
    tuple[str, ...]: Kind.TEXTS,
    tuple[int, ...]: Kind.INTS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key. ``name`` is dotted, as groove.toml spells it: ``search.mmr.lambda``. The rest is as in ``setting()``."""

    name: str
    kind: Kind
    default: Any
    help: str
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...] | None
    trusted: bool
    size: bool
    nonempty: bool
    form: str | None
    example: Any

    @property
    def table(self) -> str:
        """The dotted name of the table it stands in; empty for the top level."""
        return self.name.rpartition(".")[0]

    @property
    def leaf(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]


@cache
def keys() -> Mapping[str, Key]:
    """Every key by dotted name, in the order the dataclasses declare them."""
    return MappingProxyType({key.name: key for key in _walk(Settings, "")})


@cache
def tables() -> frozenset[str]:
    """The dotted name of every table, those that only hold tables included; the top level is not among them."""
    parts = (key.table.split(".") for key in keys().values() if key.table)
    return frozenset(".".join(names[: end + 1]) for names in parts for end in range(len(names)))


def flatten(settings: Settings) -> dict[str, Any]:
    """The settings as dotted key -> value; the inverse of :func:`build`."""
    values = {}
    for name in keys():
        value: Any = settings
        for part in name.split("."):
            value = getattr(value, _FIELD_NAMES.get(part, part))
        values[name] = value
    return values


def build(values: Mapping[str, Any]) -> Settings:
    """Settings from checked values; a key that is missing gets its default."""
    return cast(Settings, _build(Settings, values, ""))


_FIELD_NAMES = {"lambda": "lambda_"}  # a word of Python's own, so the attribute has a trailing underscore


def _walk(section: type, prefix: str) -> Iterator[Key]:
    for field, name, hint in _members(section, prefix):
        if is_dataclass(hint):
            yield from _walk(hint, name + ".")
        else:
            yield Key(name=name, kind=_kind(hint), default=field.default, **field.metadata)


def _build(section: type, values: Mapping[str, Any], prefix: str) -> object:
    arguments = {}
    for field, name, hint in _members(section, prefix):
        if is_dataclass(hint):
            arguments[field.name] = _build(hint, values, name + ".")
        elif name in values:
            arguments[field.name] = values[name]
    return section(**arguments)


def _members(section: type, prefix: str) -> Iterator[tuple[Any, str, type]]:
    """Each field of a section with its dotted name and its type."""
    hints = _hints(section)
    for field in fields(section):
        yield field, prefix + field.name.rstrip("_"), hints[field.name]


@cache
def _hints(section: type) -> dict[str, Any]:
    return get_type_hints(section)


def _kind(hint: Any) -> Kind:
    """``X | None`` is kept as ``X``: whether there is a value is the default's business."""
    alternatives = [part for part in get_args(hint) if part is not NoneType]
    return _KINDS[alternatives[0] if NoneType in get_args(hint) else hint]
