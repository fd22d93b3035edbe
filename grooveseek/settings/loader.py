"""groove.toml -> Settings, strictly: every complaint names the file, the line and the key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grooveseek.errors import ConfigError
from grooveseek.settings.keys import Key, build, flatten, keys, tables
from grooveseek.settings.lines import KeyPath, key_lines
from grooveseek.settings.sections import Settings
from grooveseek.settings.values import LEG_WEIGHTS, SettingValueError, check_together, check_value, describe

Provenance = Mapping[str, int]
"""The keys a file sets, by dotted name, with the 1-based line of each."""

_LARGEST_FILE = 1024 * 1024
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def load_settings(text: str, source: Path) -> tuple[Settings, Provenance]:
    """Settings from the text of a groove.toml, with the line of each key it sets. Raises ConfigError.

    ``source`` is the file the text came from, as an absolute path: messages name it, and relative paths in it start
    from its directory.
    """
    data, lines = _parse(text, source)
    loader = _Loader(source, lines)
    values = {key.name: loader.check(key, value) for key, value in loader.walk(data, ())}
    provenance = {name: lines[tuple(name.split("."))] for name in values}
    loader.check_together({**flatten(Settings()), **values}, provenance)
    return build(values), provenance


def read_config(path: Path) -> str:
    """The text of a groove.toml: UTF-8 of at most 1 MiB, a byte order mark stripped. Raises ConfigError."""
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}.") from error
    if len(raw) > _LARGEST_FILE:
        raise ConfigError(f"{path}: is larger than 1 MiB, which no groove.toml needs to be.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: is not UTF-8. Save the file as UTF-8.") from error


class _Loader:
    """One file's keys against the known ones."""

    def __init__(self, source: Path, lines: Mapping[KeyPath, int]) -> None:
        self.source = source
        self.lines = lines

    def walk(self, table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[tuple[Key, Any]]:
        """Each key of a table and of the tables in it, with its raw value. An unknown name ends the walk."""
        for name, value in table.items():
            here = (*path, name)
            dotted = _dotted(here)
            if dotted in tables():
                if not isinstance(value, dict):
                    raise self.error(here, f"must be a table, written [{dotted}], not {describe(value)}.")
                yield from self.walk(value, here)
            elif dotted in keys():
                yield keys()[dotted], value
            else:
                raise self.error(here, f"is not a setting. {_suggestion(dotted)}")

    def check(self, key: Key, value: object) -> Any:
        try:
            return check_value(key, value, self.source.parent)
        except SettingValueError as error:
            path: KeyPath = tuple(key.name.split("."))
            raise self.error(path, f"{error}.", error.element) from error

    def check_together(self, values: Mapping[str, Any], provenance: Provenance) -> None:
        try:
            check_together(values)
        except SettingValueError as error:
            line = max(provenance.get(name, 1) for name in LEG_WEIGHTS)
            raise ConfigError(f"{self.source}:{line}: {error}") from error

    def error(self, path: KeyPath, problem: str, element: int | None = None) -> ConfigError:
        line = self.lines[path if element is None else (*path, element)]
        return ConfigError(f"{self.source}:{line}: {_dotted(path)} {problem}")


def _parse(text: str, source: Path) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    try:
        return tomllib.loads(text), key_lines(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(_syntax_message(text, source, str(error))) from error
    except RecursionError:
        raise ConfigError(f"{source}:{_deepest_line(text)}: nests lists or tables too deeply to be read.") from None
    except ValueError as error:  # Python converts no more than some thousand digits
        longest = max(re.finditer(r"[0-9_]+", text), key=lambda match: len(match[0]))
        line = text.count("\n", 0, longest.start()) + 1
        raise ConfigError(
            f"{source}:{line}: holds a number of {len(longest[0])} digits, too long to be read."
        ) from error


def _deepest_line(text: str) -> int:
    """The 1-based line on which most brackets are open, near enough: those in texts and comments count as well."""
    depth = deepest = found = 0
    line = 1
    for character in text:
        line += character == "\n"
        depth += (character in "[{") - (character in "]}")
        if depth > deepest:
            deepest, found = depth, line
    return found


def _syntax_message(text: str, source: Path, problem: str) -> str:
    """tomllib puts the place in its text: ``... (at line 3, column 5)`` or ``... (at end of document)``."""
    match = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", problem)
    if match is None:
        return f"{source}: is not valid TOML: {problem}."
    reason = problem[: match.start()]
    if match[1] is None:
        last = max(len(text.splitlines()), 1)
        return f"{source}:{last}: is not valid TOML: {reason} at the end of the file."
    return f"{source}:{match[1]}: is not valid TOML: {reason} at column {match[2]}."


def _dotted(path: KeyPath) -> str:
    """A key path the way TOML writes it."""
    return ".".join(str(name) if _BARE.fullmatch(str(name)) else repr(name) for name in path)


def _suggestion(unknown: str) -> str:
    """A sentence that names the nearest known key: a likely misspelling, or the same name in another table."""
    from difflib import get_close_matches

    table, _, leaf = unknown.rpartition(".")
    known = [name for name in (*keys(), *sorted(tables())) if not unknown.startswith(f"{name}.")]
    siblings = {name.rpartition(".")[2]: name for name in known if name.rpartition(".")[0] == table}
    near = [siblings[match] for match in get_close_matches(leaf, siblings, n=1)]
    near += [name for name in known if name.rpartition(".")[2] == leaf]
    near += get_close_matches(unknown, known, n=1)
    if near:
        return f"Did you mean {near[0]}?"
    return f"The keys here are: {', '.join(siblings)}." if siblings else "See docs/configuration.md for the keys."
