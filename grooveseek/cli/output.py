"""Writing: text and JSON to stdout, everything else to stderr, colour or not."""

from __future__ import annotations

import contextlib
import errno
import io
import math
import os
import sys
from collections.abc import Mapping
from enum import Enum
from pathlib import PurePath
from typing import Any, TextIO

from grooveseek.errors import GrooveError


class OutputError(GrooveError):
    """stdout refused what was written to it: a full disk, mostly."""

    slug = "output"


def use_color(stream: TextIO | None, environ: Mapping[str, str], *, no_color: bool) -> bool:
    """Colour only on a terminal that has it, and not when ``--no-color`` or ``NO_COLOR`` (no-color.org) forbids it."""
    if no_color or environ.get("NO_COLOR") or environ.get("TERM") == "dumb" or stream is None:
        return False
    return stream.isatty()


def write(text: str) -> None:
    """Text to stdout, ended by a newline. Raises OutputError, or the OSError of a pipe that nobody reads."""
    if sys.stdout is None:
        raise OutputError("There is no standard output to write to.")
    try:
        sys.stdout.write(text if text.endswith("\n") or not text else text + "\n")
        sys.stdout.flush()
    except OSError as error:
        if reader_is_gone(error):
            raise
        raise OutputError(f"The output could not be written: {error.strerror or error}.") from error


def write_json(value: object) -> None:
    """A value to stdout as JSON (see :func:`dump_json`)."""
    encoding = getattr(sys.stdout, "encoding", None) or ""
    write(dump_json(value, ascii_only=encoding.lower().replace("-", "") != "utf8"))


def dump_json(value: object, *, ascii_only: bool = False) -> str:
    """JSON with two spaces of indentation, keys in the order given: equal values give equal bytes.

    Numbers that are not finite become ``null``, since JSON has no word for them. Paths become text, enumerations their
    value, sets sorted lists. Lone surrogates, which a file name may hold, are written as escapes.
    """
    import json

    text = json.dumps(_plain(value), indent=2, ensure_ascii=ascii_only, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode()  # what Python writes for a surrogate is JSON's escape too


def say(text: str) -> None:
    """A line on stderr. It is lost when stderr is gone: there is nobody left to tell."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            print(text, file=sys.stderr, flush=True)  # noqa: T201 - this is the place that prints


def tidy_streams(*, windows: bool = os.name == "nt") -> None:
    """Let no character stop the output: what the encoding lacks is escaped, and Windows speaks UTF-8 on pipes too."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8" if windows else None, errors="backslashreplace")


def reader_is_gone(error: OSError) -> bool:
    """Whether an error means that nobody reads stdout or stderr any more, rather than some other pipe or socket."""
    if os.name == "nt":  # which says EINVAL for a closed pipe, and has no poll to ask
        return error.errno in (errno.EPIPE, errno.EINVAL)
    return error.errno == errno.EPIPE and any(_has_no_reader(stream) for stream in (sys.stdout, sys.stderr))


def discard_output() -> None:
    """Point stdout at nothing, so that the interpreter's last flush does not fail as well."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _has_no_reader(stream: TextIO | None) -> bool:
    from select import POLLERR, poll

    try:
        descriptor = stream.fileno() if stream is not None else -1
    except (OSError, ValueError):  # not a file, or closed
        return False
    poller = poll()
    poller.register(descriptor, 0)
    return any(events & POLLERR for _, events in poller.poll(0))


def _plain(value: Any) -> Any:
    """The value in JSON's own types."""
    if isinstance(value, Enum):
        return _plain(value.value)
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(member) for member in value]
    if isinstance(value, (set, frozenset)):
        return sorted(_plain(member) for member in value)
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
