from __future__ import annotations

import io
import logging
import sys
from collections.abc import Callable

import pytest
from grooveseek.cli.log import parse_levels, set_up_logging

DEFAULT = {"grooveseek": logging.INFO}


@pytest.mark.parametrize(
    ("text", "levels", "unknown"),
    [
        ("", DEFAULT, []),
        ("debug", {"grooveseek": logging.DEBUG}, []),
        (" WARN ", {"grooveseek": logging.WARNING}, []),
        ("off", {"grooveseek": logging.CRITICAL + 1}, []),
        ("store=debug", {**DEFAULT, "store": logging.DEBUG, "grooveseek.store": logging.DEBUG}, []),
        ("grooveseek.store = error", {**DEFAULT, "grooveseek.store": logging.ERROR}, []),
        ("error,mcp=info", {"grooveseek": logging.ERROR, "mcp": logging.INFO, "grooveseek.mcp": logging.INFO}, []),
        ("info,debug", {"grooveseek": logging.DEBUG}, []),
        (",,", DEFAULT, []),
        ("loud", DEFAULT, ["loud"]),
        ("=debug,x=,y=loud,error", {"grooveseek": logging.ERROR}, ["=debug", "x=", "y=loud"]),
    ],
)
def test_levels_are_read_part_by_part(text: str, levels: dict[str, int], unknown: list[str]):
    assert parse_levels(text) == (levels, unknown)


def log_lines(capsys: pytest.CaptureFixture[str], environ: dict[str, str], library: str = "some_library") -> list[str]:
    set_up_logging(environ)
    for name in ("grooveseek.store.x", library):
        for level in (logging.DEBUG, logging.INFO, logging.WARNING):
            logging.getLogger(name).log(level, "at %d", level)
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.splitlines()


def test_groove_says_info_and_libraries_warnings(capsys: pytest.CaptureFixture[str]):
    assert log_lines(capsys, {}) == ["info: at 20", "warning: at 30", "warning some_library: at 30"]


def test_debug_names_the_module(capsys: pytest.CaptureFixture[str]):
    lines = log_lines(capsys, {"GROOVE_LOG": "debug"})
    assert lines[0] == "debug grooveseek.store.x: at 10"
    assert not any("some_library: at 20" in line for line in lines)


def test_a_library_can_be_made_to_talk(capsys: pytest.CaptureFixture[str]):
    assert "info talkative: at 20" in log_lines(capsys, {"GROOVE_LOG": "talkative=info"}, "talkative")


def test_a_bad_level_is_a_warning_and_the_rest_holds(capsys: pytest.CaptureFixture[str]):
    lines = log_lines(capsys, {"GROOVE_LOG": "nonsense,warning"})
    assert lines[0].startswith(
        "warning: GROOVE_LOG: 'nonsense' is not understood and left out. Write a level (debug, info"
    )
    assert lines[1:] == ["warning: at 30", "warning some_library: at 30"]


def test_setting_up_twice_says_things_once(capsys: pytest.CaptureFixture[str]):
    set_up_logging({})
    assert log_lines(capsys, {}).count("info: at 20") == 1


def test_records_go_to_whatever_stderr_is_then(monkeypatch: pytest.MonkeyPatch):
    set_up_logging({})
    stand_in = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stand_in)
    logging.getLogger("grooveseek").info("hello")
    assert stand_in.getvalue() == "info: hello\n"
    monkeypatch.setattr(sys, "stderr", None)
    logging.getLogger("grooveseek").info("nobody hears")


def test_a_traceback_follows_its_line(capsys: pytest.CaptureFixture[str]):
    set_up_logging({})
    try:
        raise ValueError("inside")
    except ValueError:
        logging.getLogger("grooveseek").exception("outside")
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == ["error: outside", "Traceback (most recent call last):"]
    assert lines[-1] == "ValueError: inside"


def test_groove_log_is_read_at_start_up(groove: Callable[..., object], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GROOVE_LOG", "warning")
    assert groove("config", "show").err == ""  # type: ignore[attr-defined]  # an Answer
    monkeypatch.setenv("GROOVE_LOG", "info")
    assert groove("config", "show").err == "info: settings: no groove.toml, the defaults\n"  # type: ignore[attr-defined]  # an Answer
