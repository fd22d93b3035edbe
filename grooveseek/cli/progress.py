"""How a run shows itself on stderr: a line a file, three lines in all, or a bar."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TextIO

from grooveseek.indexing.events import (
    Cancelled,
    Deleted,
    Event,
    Finished,
    Indexed,
    Listener,
    Renamed,
    Scanning,
    Skipped,
    Started,
    Waiting,
)

_PERIODIC_LINES = 20


@contextlib.contextmanager
def make_reporter(stream: TextIO, *, quiet: bool = False, bar: bool = False, color: bool = False) -> Iterator[Listener]:
    """A listener for the run's events, closed at the end. ``bar`` draws one on a terminal, in ``color`` or not."""
    if bar and stream.isatty():
        with _bar(stream, color=color) as listener:
            yield listener
    else:
        lines = _Lines(stream)
        yield lines.periodic if bar else lines.quiet if quiet else lines.verbose


def counted(count: int, noun: str) -> str:
    """A number of things in words."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


class _Lines:
    """Plain lines; what goes through a pipe or into a log."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._total = 0
        self._done = 0

    def verbose(self, event: Event) -> None:
        match event:
            case Indexed():
                added = f"{counted(event.chunks, 'chunk')}, {event.embedded} embedded"
                self._say(f"{'new' if event.is_new else 'updated'}  {event.path} ({added})")
                for notice in event.notices:
                    self._say(f"warning: {event.path}: {notice}")
            case Renamed():
                self._say(f"renamed  {event.previous_path} -> {event.path}")
            case Deleted():
                self._say(f"deleted  {event.path}")
            case Skipped():
                self._say(f"warning: skipped {event.path}: {event.reason}")
            case _:
                self.quiet(event)

    def quiet(self, event: Event) -> None:
        match event:
            case Waiting():
                self._say(f"Waiting for {event.holder} to end")
            case Started():
                self._say(f"Found {counted(event.found, 'document')}")
            case Indexed():
                for notice in event.notices:
                    self._say(f"warning: {event.path}: {notice}")
            case Skipped():
                self._say(f"warning: skipped {event.path}: {event.reason}")
            case _:
                pass

    def periodic(self, event: Event) -> None:
        if isinstance(event, Started):
            self._total, self._done = event.total, 0
        elif not isinstance(event, Waiting | Scanning | Finished | Cancelled) and self._total:
            self._done += 1
            step = -(-self._total // _PERIODIC_LINES)
            if self._done % step == 0 or self._done == self._total:
                self._say(f"Progress: {self._done}/{self._total} ({100 * self._done // self._total}%)")
        self.quiet(event)

    def _say(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # a closed stderr is no reason to stop indexing
            print(text, file=self._stream, flush=True)


@contextlib.contextmanager
def _bar(stream: TextIO, *, color: bool) -> Iterator[Listener]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    console = Console(file=stream, no_color=not color)
    with Progress(*columns, console=console, transient=False) as progress:
        task = progress.add_task("scanning", total=None, rate="")
        started = False

        def listen(event: Event) -> None:
            nonlocal started
            match event:
                case Waiting():
                    progress.update(task, description=f"waiting for {escape(event.holder)}")
                case Scanning():
                    progress.update(task, description="scanning", completed=event.done, total=event.total)
                case Started():
                    started = True
                    progress.reset(task, description="documents", total=event.total, rate="")
                case Skipped():
                    progress.console.print(f"skipped {event.path}: {event.reason}", markup=False, highlight=False)
                    progress.update(task, advance=int(started))
                case Finished() | Cancelled():
                    pass
                case _:
                    for notice in event.notices if isinstance(event, Indexed) else ():
                        progress.console.print(f"{event.path}: {notice}", markup=False, highlight=False)
                    speed = progress.tasks[0].speed
                    progress.update(task, advance=1, rate=f"{speed:.0f}/s" if speed else "")

        yield listen
