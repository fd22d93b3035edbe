"""A click group that imports a command's module when the command is run, and not before."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Entry(NamedTuple):
    """A command before it is imported: ``module:attribute``, its line in the list of commands, and its part of it."""

    target: str
    help: str
    section: str


class LazyGroup(click.Group):
    """Commands from a table. Listing, completing and misspelling them imports none."""

    def __init__(self, *args: Any, entries: Mapping[str, Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command."""
        if cmd_name not in self.entries:
            return None
        module, _, attribute = self.entries[cmd_name].target.partition(":")
        return cast(click.Command, getattr(import_module(module), attribute))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with the nearest command named when there is none of that name."""
        name = args[0]
        if name not in self.entries and not name.startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            near = get_close_matches(name, self.entries, n=1)
            ctx.fail(f"There is no command {name!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, a heading a section."""
        width = max(map(len, self.entries))
        for section, members in groupby(self.entries.items(), key=lambda item: item[1].section):
            with formatter.section(section):
                formatter.write_dl([(name.ljust(width), entry.help) for name, entry in members])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Options as click finds them, command names from the table."""
        from click.shell_completion import CompletionItem

        names = [name for name in self.entries if name.startswith(incomplete)]
        commands = [CompletionItem(name, help=self.entries[name].help) for name in names]
        return commands + click.Command.shell_complete(self, ctx, incomplete)
