"""What each way of reporting writes for a run's events."""

from __future__ import annotations

import io
import re

import pytest
from grooveseek.cli.progress import make_reporter
from grooveseek.indexing.events import (
    Cancelled,
    Deleted,
    Event,
    Finished,
    Indexed,
    Renamed,
    Scanning,
    Skipped,
    Started,
    Summary,
    Unchanged,
    Waiting,
)

RUN: list[Event] = [
    Waiting(holder="process 7 (groove serve, since 2026-03-14)"),
    Scanning(done=1, total=5),
    Skipped(path="link.md", reason="it is a symbolic link", kept=False, declined=True),
    Started(total=6, found=5),
    Unchanged(path="same.md"),
    Renamed(path="to.md", previous_path="from.md"),
    Indexed(path="new.md", chunks=3, embedded=2, is_new=True, notices=("line 2: odd",)),
    Indexed(path="old.md", chunks=1, embedded=0, is_new=False),
    Skipped(path="bad.md", reason="the md parser failed", kept=True),
    Deleted(path="gone.md"),
    Finished(summary=Summary()),
]


def written(events: list[Event], **options: bool) -> list[str]:
    stream = io.StringIO()
    with make_reporter(stream, **options) as listener:
        for event in events:
            listener(event)
    return stream.getvalue().splitlines()


def test_a_line_for_each_file_that_something_was_done_with():
    assert written(RUN) == [
        "Waiting for process 7 (groove serve, since 2026-03-14) to end",
        "warning: skipped link.md: it is a symbolic link",
        "Found 5 documents",
        "renamed  from.md -> to.md",
        "new  new.md (3 chunks, 2 embedded)",
        "warning: new.md: line 2: odd",
        "updated  old.md (1 chunk, 0 embedded)",
        "warning: skipped bad.md: the md parser failed",
        "deleted  gone.md",
    ]


def test_quiet_keeps_to_what_was_found_and_warnings():
    assert written(RUN, quiet=True) == [
        "Waiting for process 7 (groove serve, since 2026-03-14) to end",
        "warning: skipped link.md: it is a symbolic link",
        "Found 5 documents",
        "warning: new.md: line 2: odd",
        "warning: skipped bad.md: the md parser failed",
    ]


def test_progress_where_there_is_no_terminal_counts_every_document_once():
    lines = [line for line in written(RUN, bar=True) if line.startswith("Progress")]
    assert lines == [f"Progress: {done}/6 ({100 * done // 6}%)" for done in range(1, 7)]


@pytest.mark.parametrize("total", [1, 7, 19, 20, 21, 39, 40, 41, 100, 1234, 100_000])
def test_about_twenty_lines_of_progress_whatever_the_number_of_documents(total: int):
    events: list[Event] = [Started(total=total, found=total), *(Unchanged(path=str(number)) for number in range(total))]
    lines = [line for line in written(events, bar=True) if line.startswith("Progress")]
    assert len(lines) == total if total < 20 else 10 < len(lines) <= 21
    assert lines[-1] == f"Progress: {total}/{total} (100%)"


def test_nothing_to_do_is_no_progress():
    assert written([Started(total=0, found=0), Finished(summary=Summary())], bar=True) == ["Found 0 documents"]


def test_a_cancelled_run_says_no_more():
    events: list[Event] = [Started(total=3, found=3), Cancelled(done=0, total=3, summary=Summary(cancelled=True))]
    for options in ({}, {"quiet": True}, {"bar": True}):
        assert written(events, **options) == ["Found 3 documents"]


def test_a_stream_that_is_gone_does_not_end_the_run():
    stream = io.StringIO()
    with make_reporter(stream) as listener:
        stream.close()
        for event in RUN:
            listener(event)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("color", [False, True])
def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, color: bool):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    stream = Terminal()
    with make_reporter(stream, bar=True, color=color) as listener:
        for event in RUN:
            listener(event)
    drawn = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue())
    assert "documents" in drawn
    assert "6/6" in drawn
    assert "skipped bad.md: the md parser failed" in drawn
    assert "new.md: line 2: odd" in drawn
    assert bool(re.search(r"\x1b\[[0-9;]*m", stream.getvalue())) == color


def test_names_with_markup_are_shown_as_they_are(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = Terminal()
    with make_reporter(stream, bar=True) as listener:
        listener(Waiting(holder="process [red]7[/red]"))
        listener(Started(total=1, found=1))
        listener(Skipped(path="[bold]a[/nothing].md", reason="[link", kept=False))
    assert "[bold]a[/nothing].md: [link" in stream.getvalue()
