"""``groove-svc``: the server without a window, for the Windows Task Scheduler.

A gui script has no console and opens none; its process is the server itself, so that the task is running as long as the
server is. What the server says goes to ``groove.log`` beside the settings.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

LOG_NAME = "groove.log"
LARGEST_LOG = 1 << 20
_USAGE = "groove-svc: usage: groove-svc --config FILE [options of groove serve]"


def main(argv: Sequence[str] | None = None) -> int:
    """Serve over HTTP with the settings that ``--config`` names; the exit code. It takes serve's other options too."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    config = named_config(arguments)
    if config is None:
        if sys.stderr is not None:
            sys.stderr.write(f"{_USAGE}\n")
        return 2
    try:
        log = open_log(Path(config).parent / LOG_NAME)
    except OSError:
        log = None  # a server without a log is better than none
    if log is not None:
        sys.stdout = sys.stderr = log
    from grooveseek.cli.main import main as groove

    return groove(["serve", "--transport", "http", *arguments])


def named_config(arguments: Sequence[str]) -> str | None:
    """The value of ``--config``, in either of its spellings."""
    for position, argument in enumerate(arguments):
        if argument.startswith("--config="):
            return argument.partition("=")[2] or None
        if argument == "--config":
            return arguments[position + 1] if position + 1 < len(arguments) else None
    return None


def open_log(path: Path) -> TextIO:
    """The log, to append to; one larger than 1 MiB is set aside first, in place of the one before. Raises OSError."""
    if path.exists() and path.stat().st_size > LARGEST_LOG:
        path.replace(path.with_name(f"{path.name}.1"))
    return path.open("a", encoding="utf-8", errors="backslashreplace", buffering=1)


if __name__ == "__main__":
    sys.exit(main())
