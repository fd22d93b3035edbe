"""The options every command has, and what a command gets of them."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grooveseek.cli.output import use_color
from grooveseek.errors import UsageError

if TYPE_CHECKING:
    from grooveseek.settings.effective import Resolved


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What the shared options said. ``color`` is for stdout, ``color_stderr`` for progress and the like."""

    config: Path | None = None
    kb_path: Path | None = None
    color: bool = False
    color_stderr: bool = False

    def resolve(self, overrides: Mapping[str, object] | None = None) -> Resolved:
        """The settings in force, announced in the log. ``overrides`` are the command's own flags by dotted key.

        Raises ConfigError and UsageError.
        """
        from grooveseek.settings.discovery import entry_point_directory
        from grooveseek.settings.effective import announce, resolve_settings

        resolved = resolve_settings(
            self.config,
            {"kb_path": self.kb_path, **(overrides or {})},
            working_directory(),
            os.environ,
            entry_point_dir=entry_point_directory(sys.argv[0]),
        )
        announce(resolved)
        return resolved


def common_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command ``--config``, ``--kb-path`` and ``--no-color``; its callback gets an Invocation first.

    Stands between ``@click.command()`` and the command's own options, after which these are listed.
    """

    @functools.wraps(function)
    def callback(*args: Any, config: Path | None, kb_path: Path | None, no_color: bool, **kwargs: Any) -> Any:
        invocation = Invocation(
            config=config,
            kb_path=kb_path,
            color=use_color(sys.stdout, os.environ, no_color=no_color),
            color_stderr=use_color(sys.stderr, os.environ, no_color=no_color),
        )
        return function(invocation, *args, **kwargs)

    # click lists parameters from the last to the first.
    callback.__click_params__ = [*reversed(_shared()), *getattr(function, "__click_params__", [])]  # type: ignore[attr-defined]  # click's own way to hand options down
    return callback


def _shared() -> list[click.Option]:
    path = click.Path(path_type=Path)
    return [
        click.Option(
            ["--config"], type=path, callback=_not_empty, metavar="FILE", help="The groove.toml to use, and to trust."
        ),
        click.Option(["--kb-path"], type=path, callback=_not_empty, metavar="DIR", help="The folder to search."),
        click.Option(["--no-color"], is_flag=True, help="No colour, not on a terminal either."),
    ]


def _not_empty(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
    """``--kb-path "$NOTES"`` with NOTES unset would mean the working directory."""
    if value is not None and value == Path():
        raise click.BadParameter("the path is empty; write . for the working directory.", ctx, param)
    return value


def working_directory() -> Path:
    """Where groove was started. Raises UsageError when that folder has been removed since."""
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError("The working directory no longer exists. Change to one that does.") from error
