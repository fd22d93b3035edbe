from __future__ import annotations

import io
import json
import subprocess
import sys
from enum import Enum, IntEnum, StrEnum
from pathlib import PurePosixPath
from types import MappingProxyType

import pytest
from grooveseek.cli.output import dump_json, say, tidy_streams, use_color, write, write_json


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environ", "no_color", "expected"),
    [
        (Terminal(), {}, False, True),
        (Terminal(), {"TERM": "xterm"}, False, True),
        (Terminal(), {}, True, False),
        (Terminal(), {"NO_COLOR": "1"}, False, False),
        (Terminal(), {"NO_COLOR": ""}, False, True),
        (Terminal(), {"TERM": "dumb"}, False, False),
        (io.StringIO(), {}, False, False),
        (None, {}, False, False),
    ],
)
def test_colour_is_for_terminals_that_nobody_forbade_it(
    stream: io.StringIO | None, environ: dict[str, str], no_color: bool, expected: bool
):
    assert use_color(stream, environ, no_color=no_color) is expected


@pytest.mark.parametrize(("text", "out"), [("a", "a\n"), ("a\n", "a\n"), ("", ""), ("a\n\n", "a\n\n")])
def test_text_ends_in_a_newline_unless_there_is_none(text: str, out: str, capsys: pytest.CaptureFixture[str]):
    write(text)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == (out, "")


def test_what_is_said_goes_to_stderr(capsys: pytest.CaptureFixture[str]):
    say("a note")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "a note\n")


def test_nothing_is_said_when_there_is_no_stderr(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stderr", None)
    say("nobody hears")


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Mode(StrEnum):
    HYBRID = "hybrid"


def test_json_keeps_order_and_takes_the_types_of_our_values():
    value = {
        "z": MappingProxyType({"b": (1, 2), "a": None}),
        "path": PurePosixPath("a/b"),
        "enums": [Colour.RED, Level.HIGH, Mode.HYBRID],
        "set": frozenset({"b", "a"}),
        "bool": True,
        "numbers": [1.5, float("nan"), float("inf"), -float("inf")],
        1: "é😀",
    }
    text = dump_json(value)
    assert list(json.loads(text)) == ["z", "path", "enums", "set", "bool", "numbers", "1"]
    assert json.loads(text) == {
        "z": {"b": [1, 2], "a": None},
        "path": "a/b",
        "enums": ["red", 3, "hybrid"],
        "set": ["a", "b"],
        "bool": True,
        "numbers": [1.5, None, None, None],
        "1": "é😀",
    }
    assert '"é😀"' in text
    assert text.startswith('{\n  "z": {\n    "b": [')


def test_json_refuses_what_it_has_no_form_for():
    with pytest.raises(TypeError, match="object has no JSON form"):
        dump_json([object()])


@pytest.mark.parametrize("ascii_only", [True, False])
def test_json_of_a_lone_surrogate_is_json_still(ascii_only: bool):
    text = dump_json({"n\udcff": "\udcffé"}, ascii_only=ascii_only)
    text.encode("utf-8")
    assert json.loads(text) == {"n\udcff": "\udcffé"}


def test_json_on_a_stream_without_unicode_is_escaped(monkeypatch: pytest.MonkeyPatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="latin-1", errors="backslashreplace"))
    write_json(["😀", "é"])
    assert json.loads(raw.getvalue().decode("ascii")) == ["😀", "é"]


@pytest.mark.parametrize(
    ("windows", "encoding", "expected"),
    [
        (False, "utf-8", "é日\\udcff".encode()),
        (False, "latin-1", b"\xe9\\u65e5\\udcff"),
        (True, "cp1252", "é日\\udcff".encode()),
    ],
)
def test_streams_take_every_character(windows: bool, encoding: str, expected: bytes, monkeypatch: pytest.MonkeyPatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding, newline="\n"))
    tidy_streams(windows=windows)
    write("é日\udcff")
    assert raw.getvalue() == expected + b"\n"


def test_streams_that_are_not_ours_to_change_are_left(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    tidy_streams()


def test_a_process_with_a_small_encoding_prints_all_the_same():
    program = "from grooveseek.cli.output import tidy_streams, write\ntidy_streams(windows=False)\nwrite('日')"
    environ = {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=environ, timeout=60)
    assert (done.stdout.strip(), done.returncode) == (b"\\u65e5", 0)
