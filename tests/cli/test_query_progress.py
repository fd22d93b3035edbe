from __future__ import annotations

import io

import pytest
from grooveseek.cli.query_progress import SECONDS_BETWEEN_LINES, query_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_there_is_a_bar_that_goes_away(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = Terminal()
    with query_progress(stream) as progress:
        progress(3, 7)
        progress(7, 7)
    assert "7/7" in stream.getvalue()
    assert stream.getvalue().endswith("\x1b[2K") or "\x1b[1A" in stream.getvalue()


def test_elsewhere_a_short_run_says_nothing(capsys: pytest.CaptureFixture[str]):
    with query_progress(io.StringIO()) as progress:
        for done in range(8):
            progress(done, 7)
    assert capsys.readouterr().err == ""


def test_elsewhere_a_long_run_says_a_line_now_and_then(capsys: pytest.CaptureFixture[str]):
    seconds = iter(range(0, 1000, 4))
    with query_progress(io.StringIO(), clock=lambda: float(next(seconds))) as progress:
        for done in range(8):
            progress(done, 7)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["Measured 2 of 7 queries", "Measured 5 of 7 queries"]
    assert SECONDS_BETWEEN_LINES == 10


def test_without_a_stderr_it_is_quiet(capsys: pytest.CaptureFixture[str]):
    with query_progress(None) as progress:
        progress(1, 2)
    assert capsys.readouterr().err == ""
