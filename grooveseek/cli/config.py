"""``groove config``: the settings in force, and a template to start from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grooveseek.cli.options import Invocation, common_options, working_directory
from grooveseek.cli.output import say, write, write_json
from grooveseek.errors import UsageError

if TYPE_CHECKING:
    from grooveseek.settings.effective import Resolved


@click.group()
def command() -> None:
    """Show the settings in force, or write a template."""


@command.command()
@common_options
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="text is valid TOML.")
def show(invocation: Invocation, form: str) -> None:
    """Show the settings in force.

    Each with where it came from: default, file, environment or flag.
    """
    resolved = invocation.resolve()
    if form == "json":
        write_json(config_as_json(resolved))
    else:
        write(render_config(resolved, color=invocation.color))


@command.command()
@common_options
@click.option("--force", is_flag=True, help="Replace a file that exists.")
@click.argument("path", required=False, type=click.Path(path_type=Path))
def init(invocation: Invocation, path: Path | None, force: bool) -> None:
    """Write a groove.toml to start from.

    It has every key with its meaning, and each active value is the default, so it changes nothing as it is.

    PATH is the file, or the folder to put it in; ./groove.toml when it is left out. --kb-path is written into it.
    """
    if path is not None and invocation.config is not None:
        raise UsageError("--config and PATH both name the file to write. Give one of them.")
    target = _target(path or invocation.config or Path())
    _write_file(target, _template(invocation.kb_path), replace=force)
    say(f"groove: wrote {target}.")


def config_as_json(resolved: Resolved) -> dict[str, Any]:
    """The settings as data: ``source``, each key's ``value``, ``from`` and ``line``, and the warnings."""
    from grooveseek.settings.keys import flatten, keys

    settings = {}
    for name, value in flatten(resolved.settings).items():
        shown = "unlimited" if keys()[name].size and value is None else value
        settings[name] = {"value": shown, "from": resolved.provenance[name]}
        if resolved.provenance[name] == "file":
            settings[name]["line"] = resolved.lines[name]
    source = resolved.source
    return {
        "source": {"path": source.path, "origin": source.origin, "trusted": source.trusted},
        "settings": settings,
        "warnings": resolved.warnings,
    }


def render_config(resolved: Resolved, *, color: bool) -> str:
    """The settings as TOML, a comment behind each with where it came from."""
    lines = [f"# {resolved.source.describe()}"]
    for table, members in groupby(_rows(resolved), key=lambda row: row[0]):
        lines += ["", f"[{table}]"] if table else [""]
        for _, entry, origin in members:
            comment = f"# {origin}"
            lines.append(f"{entry:<44}  {click.style(comment, dim=True) if color else comment}")
    return "\n".join(lines)


def _rows(resolved: Resolved) -> Iterator[tuple[str, str, str]]:
    """Table, ``key = value``, and origin of each setting."""
    from grooveseek.settings.keys import flatten, keys
    from grooveseek.settings.template import shown_value

    values = flatten(resolved.settings)
    for name, key in keys().items():
        shown = shown_value(key, values[name])
        origin = resolved.provenance[name]
        entry = f"# {key.leaf} is not set" if shown is None else f"{key.leaf} = {shown}"
        yield key.table, entry, f"file, line {resolved.lines[name]}" if origin == "file" else origin


def _target(path: Path) -> Path:
    from grooveseek.settings.discovery import FILE_NAME

    try:
        target = working_directory() / path.expanduser()
    except RuntimeError:
        raise UsageError(f"{path}: starts with a home directory that is not known.") from None
    return target / FILE_NAME if target.is_dir() else target


def _template(kb_path: Path | None) -> str:
    from grooveseek.settings.template import render_template

    if kb_path is None:
        return render_template()
    try:
        return render_template({"kb_path": working_directory() / kb_path.expanduser()})
    except (ValueError, RuntimeError) as error:
        raise UsageError(f"--kb-path cannot be written into a groove.toml: {error}.") from error


def _write_file(path: Path, text: str, *, replace: bool) -> None:
    """The file appears whole or not at all when it replaces another one."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.tmp") if replace else path
    try:
        with draft.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        if replace:
            draft.replace(path)
    except FileExistsError:
        raise UsageError(f"{draft}: exists already. --force replaces it.") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}.") from error
