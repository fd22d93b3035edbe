from __future__ import annotations

from itertools import groupby

import click
import pytest
from click.shell_completion import CompletionItem
from grooveseek.cli.lazy import Entry, LazyGroup
from grooveseek.cli.main import COMMANDS, cli


def context() -> click.Context:
    return cli.make_context("groove", [], resilient_parsing=True)


def leaves(group: click.Group, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    found = []
    for name in group.list_commands(context()):
        command = group.get_command(context(), name)
        assert command is not None
        here = (*path, name)
        found += leaves(command, here) if isinstance(command, click.Group) else [(here, command)]
    return found


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_entry_of_the_table_is_a_command(name: str):
    assert isinstance(cli.get_command(context(), name), click.Command)


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_entry_has_a_line_of_help_that_fits(name: str):
    line = COMMANDS[name].help
    assert line.endswith(".")
    assert len(line) <= 80 - len("  completion  ")


def test_sections_stand_together():
    runs = [section for section, _ in groupby(entry.section for entry in COMMANDS.values())]
    assert len(runs) == len(set(runs))


@pytest.mark.parametrize(("path", "command"), [pytest.param(*leaf, id=" ".join(leaf[0])) for leaf in leaves(cli)])
def test_every_command_has_the_shared_options_and_help(path: tuple[str, ...], command: click.Command):
    options = {name for parameter in command.params for name in parameter.opts}
    assert {"--config", "--kb-path", "--no-color"} <= options
    assert command.help, path
    for option in [parameter for parameter in command.params if isinstance(parameter, click.Option)]:
        assert option.help or isinstance(option.type, click.Choice), option.name  # choices may explain themselves


def test_a_command_that_is_not_in_the_table_is_none():
    assert cli.get_command(context(), "nonsense") is None


def test_listing_and_completing_import_nothing():
    group = LazyGroup(
        "g",
        entries={
            "alpha": Entry("no.such.module:command", "The first.", "One"),
            "beta": Entry("no.such.module:command", "The second.", "Two"),
        },
    )
    ctx = click.Context(group, info_name="g")
    text = group.get_help(ctx)
    assert text.index("One:") < text.index("alpha") < text.index("Two:") < text.index("beta")
    assert "The second." in text
    items: list[CompletionItem[str]] = group.shell_complete(ctx, "al")
    assert [(item.value, item.help) for item in items] == [("alpha", "The first.")]
    with pytest.raises(click.UsageError, match=r"There is no command 'alhpa'\. Did you mean 'alpha'\?"):
        group.resolve_command(ctx, ["alhpa"])
    with pytest.raises(ModuleNotFoundError):
        group.get_command(ctx, "alpha")


def test_options_are_completed_too():
    items = cli.shell_complete(context(), "--v")
    assert [item.value for item in items] == ["--version"]
