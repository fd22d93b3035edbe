"""How far a long evaluation is, on stderr: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from grooveseek.cli.output import say

Progress = Callable[[int, int], None]

SECONDS_BETWEEN_LINES = 10.0


@contextlib.contextmanager
def query_progress(stream: TextIO | None, *, clock: Callable[[], float] = time.monotonic) -> Iterator[Progress]:
    """Something to call with how many queries are done, and how many there are. The bar is gone afterwards."""
    if stream is not None and stream.isatty():
        with _bar(stream) as progress:
            yield progress
    else:
        yield _lines(clock)


def _lines(clock: Callable[[], float]) -> Progress:
    last = clock()

    def progress(done: int, total: int) -> None:
        nonlocal last
        if done < total and clock() - last >= SECONDS_BETWEEN_LINES:
            last = clock()
            say(f"Measured {done} of {total} queries")

    return progress


@contextlib.contextmanager
def _bar(stream: TextIO) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("queries"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=stream), transient=True) as shown:
        task = shown.add_task("queries", total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)
