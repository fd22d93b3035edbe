"""The table of commands, and the one place where an error becomes a line on stderr and an exit code.

To add a command ``NAME``, write ``grooveseek/cli/NAME.py`` with a click command called ``command`` whose callback
returns its exit code (``None`` for 0), and add one line to ``COMMANDS``. Sections are listed in the order of the table:
index and search, measure, audit, serve, settings.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

import click

from grooveseek._version import __version__
from grooveseek.cli.lazy import Entry, LazyGroup
from grooveseek.cli.output import discard_output, reader_is_gone, say, tidy_streams
from grooveseek.errors import GrooveError

SEARCH = "Index and search"
MEASURE = "Measure"
AUDIT = "Audit"
SERVE = "Serve"
SETTINGS = "Settings"

COMMANDS: dict[str, Entry] = {
    "index": Entry("grooveseek.cli.index:command", "Bring the index in step with the folder.", SEARCH),
    "search": Entry("grooveseek.cli.search:command", "Search the knowledge base.", SEARCH),
    "graph": Entry("grooveseek.cli.graph:command", "Show what lies near a document.", SEARCH),
    "status": Entry("grooveseek.cli.status:command", "Show what the index holds and how it was made.", SEARCH),
    "eval": Entry("grooveseek.cli.eval:command", "Measure retrieval with golden queries.", MEASURE),
    "tune": Entry("grooveseek.cli.tune:command", "Look for better fusion settings; applies nothing.", MEASURE),
    "golden": Entry("grooveseek.cli.golden:command", "Make and check a golden set.", MEASURE),
    "validate": Entry("grooveseek.cli.validate:command", "Check frontmatter against a schema.", AUDIT),
    "doctor": Entry("grooveseek.cli.doctor:command", "Examine the index; reports, never repairs.", AUDIT),
    "serve": Entry("grooveseek.cli.serve:command", "Serve the knowledge base to MCP clients.", SERVE),
    "service": Entry("grooveseek.cli.service:command", "Keep a server running in the background.", SERVE),
    "config": Entry("grooveseek.cli.config:command", "Show the settings in force, or write a template.", SETTINGS),
    "completion": Entry("grooveseek.cli.completion:command", "Print a shell's completion script.", SETTINGS),
}

_NO_ARGUMENTS: tuple[type[click.ClickException], ...] = tuple(
    filter(None, [getattr(click.exceptions, "NoArgsIsHelpError", None)])  # click before 8.2 prints the help itself
)
_INTERRUPTED = 130  # 128 + SIGINT, as shells count
_PIPE_CLOSED = 141  # 128 + SIGPIPE, likewise


@click.command(
    cls=LazyGroup,
    entries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="groove %(version)s")
def cli() -> None:
    """Search folders of notes, documents and source code on this machine, by meaning and by words.

    Results go to stdout, everything else to stderr. Exit codes: 0 all is well, 1 something was found or refused, 2 it
    could not run. `groove COMMAND --help` explains a command.
    """
    from grooveseek.cli.log import set_up_logging

    set_up_logging(os.environ)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code. Raises nothing of its own.

    When none is given it is the one of the process, which is groove's own then and ends here with the code.
    """
    tidy_streams()
    if argv is None:
        leave(_answer(sys.argv[1:]))
    return _answer(list(argv))


def leave(code: int) -> NoReturn:
    """End the process at once: without taking apart the interpreter and the libraries it has loaded, which is a tenth
    of what a search costs, and without waiting for threads, which may be blocked for good or in the middle of a batch.

    What a command writes is either whole or not there when it has returned, and its index is closed.
    """
    if "logging" in sys.modules:
        sys.modules["logging"].shutdown()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):  # none; nobody reads it; closed
            stream.flush()
    os._exit(code)


def debug_wanted(environ: Mapping[str, str]) -> bool:
    """Whether ``GROOVE_DEBUG`` asks for tracebacks."""
    return environ.get("GROOVE_DEBUG", "") not in ("", "0")


def _answer(arguments: list[str]) -> int:
    """Run, and report any error once."""
    try:
        return _run(arguments)
    except click.exceptions.Exit as request:
        return request.exit_code
    except (KeyboardInterrupt, click.Abort):
        say("groove: stopped.")
        return _INTERRUPTED
    except click.ClickException as error:
        return _report_usage(error)
    except GrooveError as error:
        _print_traceback()
        say(f"groove: {error}")
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the last line of defence; the unexpected is reported in words as well
        if isinstance(error, OSError) and reader_is_gone(error):
            discard_output()
            return _PIPE_CLOSED
        return _report_unexpected(error)


def _run(arguments: list[str]) -> int:
    request = os.environ.get("_GROOVE_COMPLETE")
    if request:  # from the script that `groove completion` printed
        from grooveseek.cli.completion import answer_shell

        return answer_shell(cli, request)
    with cli.make_context("groove", arguments) as context:
        code = cli.invoke(context)
    return code if isinstance(code, int) else 0


def _report_usage(error: click.ClickException) -> int:
    if isinstance(error, _NO_ARGUMENTS):
        say(error.format_message())  # the help of a group
        return 2
    _print_traceback()
    say(f"groove: {error.format_message()}")
    if isinstance(error, click.UsageError) and error.ctx is not None:
        say(f"Try '{error.ctx.command_path} --help'.")
    return 2


def _report_unexpected(error: Exception) -> int:
    _print_traceback()
    what = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(":")[:300]
    if debug_wanted(os.environ):
        way_out = "Please report it with the lines above, the command, and what `groove --version` says."
    else:
        way_out = "Please report what it says with GROOVE_DEBUG=1 set, the command, and what `groove --version` says."
    say(f"groove: a fault in groove itself ({what}). {way_out}")
    return 2


def _print_traceback() -> None:
    if debug_wanted(os.environ):
        import traceback

        say(traceback.format_exc().rstrip())
