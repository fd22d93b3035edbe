"""The settings in force: default < file < environment < flag, with where each came from."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from grooveseek.errors import ConfigError, UsageError
from grooveseek.settings.discovery import ConfigSource, discover
from grooveseek.settings.keys import Key, build, flatten, keys
from grooveseek.settings.loader import Provenance, load_settings, read_config
from grooveseek.settings.sections import Settings
from grooveseek.settings.trust import LOCAL_PROVIDERS, restrict
from grooveseek.settings.values import SettingValueError, check_together, check_value

Layer = Literal["default", "file", "environment", "flag"]

ENVIRONMENT: Mapping[str, str] = {"FASTEMBED_CACHE_DIR": "fastembed_cache_dir"}
"""Environment variables that are settings; an empty one counts as unset."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The settings in force. ``provenance`` has every key; ``lines`` those that the file set, with their lines."""

    settings: Settings
    source: ConfigSource
    provenance: Mapping[str, Layer]
    lines: Provenance
    warnings: tuple[str, ...]


def resolve_settings(
    config: Path | None,
    overrides: Mapping[str, object],
    cwd: Path,
    environ: Mapping[str, str],
    *,
    entry_point_dir: Path | None = None,
) -> Resolved:
    """Find groove.toml, read it, restrict it if need be, and put environment and flags on top.

    ``config`` is ``--config``. ``overrides`` are flags by dotted key (``search.mmr.lambda``); one that is ``None`` was
    not given; ``model`` names the endpoint's model where the vectors come from one. Relative paths in flags and
    environment start from ``cwd``. Raises ConfigError for the file and the environment, UsageError for a flag.
    """
    source = discover(config, cwd, entry_point_dir, environ)
    settings, lines, warnings = _from_file(source)
    environment = _from_environment(environ, cwd)
    flags = _from_flags(_for_endpoint(overrides) if _is_remote(settings) else overrides, cwd)
    values = flatten(settings) | environment | flags
    try:
        check_together(values)
    except SettingValueError as error:  # the file alone would have been refused on loading
        raise UsageError(str(error)) from error
    layers: dict[str, Layer] = {}
    layers |= dict.fromkeys(keys(), "default")
    layers |= dict.fromkeys(lines, "file")
    layers |= dict.fromkeys(environment, "environment")
    layers |= dict.fromkeys(flags, "flag")
    return Resolved(settings=build(values), source=source, provenance=layers, lines=lines, warnings=warnings)


def announce(resolved: Resolved) -> None:
    """Log what a start-up owes its user: one line with the file and its trust, and each warning."""
    _log.info("settings: %s", resolved.source.describe())
    for warning in resolved.warnings:
        _log.warning("%s", warning)


def _from_file(source: ConfigSource) -> tuple[Settings, Provenance, tuple[str, ...]]:
    if source.path is None:
        return Settings(), {}, ()
    loaded, lines = load_settings(read_config(source.path), source.path)
    settings, restrictions = restrict(loaded, lines, source)
    ignored = {restriction.key for restriction in restrictions if restriction.ignored}
    kept = {name: line for name, line in lines.items() if name not in ignored}
    return settings, kept, tuple(str(restriction) for restriction in restrictions)


def _from_environment(environ: Mapping[str, str], cwd: Path) -> dict[str, Any]:
    values = {}
    for variable, name in ENVIRONMENT.items():
        text = environ.get(variable)
        if text:
            try:
                values[name] = check_value(keys()[name], text, cwd)
            except SettingValueError as error:
                raise ConfigError(f"The environment variable {variable} {error}. Correct it or unset it.") from error
    return values


def _is_remote(settings: Settings) -> bool:
    return settings.embedding.provider not in LOCAL_PROVIDERS


def _for_endpoint(overrides: Mapping[str, object]) -> dict[str, object]:
    """``--model`` under the key that counts with an endpoint, where ``model`` at the top of the file does not."""
    return {"embedding.model" if name == "model" else name: value for name, value in overrides.items()}


def _from_flags(overrides: Mapping[str, object], cwd: Path) -> dict[str, Any]:
    given = {name: value for name, value in overrides.items() if value is not None}
    return {name: _flag(keys()[name], value, cwd) for name, value in given.items()}


def _flag(key: Key, value: object, cwd: Path) -> Any:
    try:
        return check_value(key, value, cwd)
    except SettingValueError as error:
        raise UsageError(f"{key.name} {error}.") from error
