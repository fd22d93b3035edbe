"""``groove-schema.toml``: what the frontmatter of a knowledge base's documents has to look like.

The file stands in the knowledge base's folder. Every complaint about it names the line and the key.
"""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from grooveseek.errors import FileSkipped, SchemaError
from grooveseek.knowledge_base.safe_read import read_checked
from grooveseek.settings.lines import KeyPath, key_lines

SCHEMA_FILE = "groove-schema.toml"
MAX_SCHEMA_BYTES = 1024 * 1024
TYPES = ("string", "array")


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRule:
    """What one frontmatter key must be. ``None`` is a constraint not given.

    ``type`` is one of :data:`TYPES`. ``pattern`` is searched for (``re.search``) and ``enum`` looked up in a text, or
    in each element of a list. Lengths count a text's characters or a list's elements.
    """

    required: bool = False
    type: str | None = None
    pattern: re.Pattern[str] | None = None
    enum: tuple[str, ...] | None = None
    min_length: int | None = None
    max_length: int | None = None
    allow_empty: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The rules by frontmatter key, in the order of the file."""

    source: Path
    fields: Mapping[str, FieldRule] = field(default_factory=lambda: MappingProxyType({}))
    allow_unknown_fields: bool = True


def schema_of(root: Path) -> Schema | None:
    """The schema in a knowledge base's folder, ``None`` without one. Raises SchemaError.

    It is read as any file of the folder is: a link in its place is refused.
    """
    path = root / SCHEMA_FILE
    try:
        data = read_checked(path, max_bytes=MAX_SCHEMA_BYTES, setting=None).data
    except FileNotFoundError:
        return None
    except FileSkipped as error:
        raise SchemaError(f"{path}: cannot be used: {error}") from error
    return parse_schema(data, path)


def load_schema(path: Path) -> Schema:
    """The schema in a file that somebody named. Raises SchemaError when it is missing or says what no schema can."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_SCHEMA_BYTES + 1)
    except OSError as error:
        raise SchemaError(f"{path}: cannot be read: {error.strerror or error}. Name a schema with --schema") from error
    if len(data) > MAX_SCHEMA_BYTES:
        raise SchemaError(f"{path}: is larger than 1 MiB, which no schema needs to be")
    return parse_schema(data, path)


def declared_fields(root: Path) -> tuple[str, ...]:
    """The frontmatter keys that the knowledge base's schema declares, and so may be filtered on; none without one.

    Raises SchemaError for a schema that says what none can.
    """
    schema = schema_of(root)
    return () if schema is None else tuple(schema.fields)


def parse_schema(data: bytes, source: Path) -> Schema:
    """A schema from its file's bytes; ``source`` is what messages call it. Raises SchemaError naming line and key."""
    text = _decode(data, source)
    reader = _Reader(source, text)
    reader.only((), ("fields", "options"))
    reader.only(("options",), ("allow_unknown_fields",))
    tables = reader.table(("fields",))
    return Schema(
        source=source,
        fields=MappingProxyType({name: _rule(reader, ("fields", name)) for name in tables}),
        allow_unknown_fields=reader.get(("options", "allow_unknown_fields"), _boolean, default=True),
    )


def _rule(reader: _Reader, path: KeyPath) -> FieldRule:
    reader.only(path, tuple(_CONSTRAINTS))
    rule = FieldRule(
        **{name: reader.get((*path, name), check) for name, check in _CONSTRAINTS.items() if name in reader.table(path)}
    )
    if rule.min_length is not None and rule.max_length is not None and rule.min_length > rule.max_length:
        raise reader.error((*path, "min_length"), f"is {rule.min_length}, more than max_length, {rule.max_length}")
    return rule


class _Reader:
    """A TOML document whose values are asked for by path and refused by line."""

    def __init__(self, source: Path, text: str) -> None:
        self.source = source
        try:
            self.data: dict[str, Any] = tomllib.loads(text)
            self.lines = key_lines(text)
        except tomllib.TOMLDecodeError as error:
            raise SchemaError(_syntax(source, text, str(error))) from error
        except (RecursionError, ValueError) as error:  # nested too deeply; a number of too many digits
            raise SchemaError(f"{source}: cannot be read: {error}") from error

    def error(self, path: KeyPath, problem: str) -> SchemaError:
        named = ".".join(_shown(name) for name in path if isinstance(name, str))
        return SchemaError(f"{self.source}:{self.lines.get(path, 1)}: {named} {problem}")

    def table(self, path: KeyPath) -> dict[str, Any]:
        """The table at ``path``; an empty one where there is none."""
        value: Any = self.data
        for length, name in enumerate(path, start=1):
            value = value.get(name, {})
            if not isinstance(value, dict):
                raise self.error(path[:length], "must be a table")
        found: dict[str, Any] = value
        return found

    def only(self, path: KeyPath, known: tuple[str, ...]) -> None:
        """Refuse a key that the table at ``path`` cannot have."""
        for name in self.table(path):
            if name not in known:
                raise self.error((*path, name), f"is not a key of a schema. {_nearest(name, known)}")

    def get(self, path: KeyPath, check: Callable[[Any], Any], *, default: Any = None) -> Any:
        """The value at ``path``, as ``check`` gives it."""
        table = self.table(path[:-1])
        if path[-1] not in table:
            return default
        try:
            return check(table[str(path[-1])])
        except _Wrong as wrong:
            raise self.error(path if wrong.element is None else (*path, wrong.element), str(wrong)) from None


class _Wrong(Exception):  # noqa: N818 - a clause on its way to a SchemaError, not an error of its own
    def __init__(self, problem: str, element: int | None = None) -> None:
        super().__init__(problem)
        self.element = element


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Wrong("must be true or false")
    return value


def _length(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _Wrong(f"must be a whole number, 0 or more, not {value!r}")
    return value


def _type(value: Any) -> str:
    if value not in TYPES:
        raise _Wrong(f'must be "string" or "array", not {value!r}')
    return str(value)


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise _Wrong("must be a list of at least one text")
    for place, element in enumerate(value):
        if not isinstance(element, str):
            raise _Wrong(f"must hold texts only, and has {element!r}; write it in quotes", place)
    return tuple(value)


def _pattern(value: Any) -> re.Pattern[str]:
    if not isinstance(value, str):
        raise _Wrong("must be a text, a regular expression")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # "[[" may mean something else one day; today it does not
            return re.compile(value)
    except (re.error, RecursionError, OverflowError) as error:
        raise _Wrong(f"is no regular expression: {error}") from None


_CONSTRAINTS: Mapping[str, Callable[[Any], Any]] = {
    "required": _boolean,
    "type": _type,
    "pattern": _pattern,
    "enum": _texts,
    "min_length": _length,
    "max_length": _length,
    "allow_empty": _boolean,
}


def _decode(data: bytes, source: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SchemaError(f"{source}:{line}: is not UTF-8. Save the file as UTF-8") from error


def _syntax(source: Path, text: str, problem: str) -> str:
    """tomllib puts the place in its text: ``... (at line 3, column 5)`` or ``... (at end of document)``."""
    place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", problem)
    line = place[1] if place is not None and place[1] else str(max(len(text.splitlines()), 1))
    return f"{source}:{line}: is not valid TOML: {problem if place is None else problem[: place.start()]}"


def _shown(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else repr(name)


def _nearest(name: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f"Did you mean {near[0]}?" if near else f"There are: {', '.join(known)}"
