"""``groove completion``: the script a shell needs to complete groove's commands and options, which is click's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grooveseek.cli.options import Invocation, common_options
from grooveseek.cli.output import write

if TYPE_CHECKING:
    from click.shell_completion import ShellComplete

SHELLS = ("bash", "zsh", "fish")


@click.command()
@common_options
@click.argument("shell", type=click.Choice(SHELLS))
def command(invocation: Invocation, shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash  eval "$(groove completion bash)"                 in ~/.bashrc
    zsh   eval "$(groove completion zsh)"                  in ~/.zshrc
    fish  groove completion fish > ~/.config/fish/completions/groove.fish
    """
    write(_completer(click.get_current_context().find_root().command, shell).source())


def answer_shell(cli: click.Command, request: str) -> int:
    """What a completion script asked for: ``bash_complete`` and the like, the words typed so far in the environment."""
    shell, _, what = request.partition("_")
    if shell not in SHELLS or what not in ("complete", "source"):
        return 1
    completer = _completer(cli, shell)
    write(completer.complete() if what == "complete" else completer.source())
    return 0


def _completer(cli: click.Command, shell: str) -> ShellComplete:
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None, "click knows the shells named above"
    return found(cli, {}, "groove", "_GROOVE_COMPLETE")
