from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from grooveseek import errors
from grooveseek._version import __version__
from grooveseek.cli.lazy import Entry
from grooveseek.cli.main import COMMANDS

Groove = Callable[..., Any]


def process(*argv: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grooveseek", *argv]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60, **options)


@pytest.fixture
def raising(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException | object], None]:
    """Put a command ``probe`` into the table that raises an exception, or returns a value."""

    def install(outcome: BaseException | object) -> None:
        @click.command()
        def probe() -> object:
            if isinstance(outcome, BaseException):
                raise outcome
            return outcome

        monkeypatch.setattr(sys.modules[__name__], "probe_command", probe, raising=False)
        monkeypatch.setitem(COMMANDS, "probe", Entry(f"{__name__}:probe_command", "A probe.", "Probe"))

    return install


def test_version_is_one_line(groove: Groove):
    answer = groove("--version")
    assert (answer.code, answer.out, answer.err) == (0, f"groove {__version__}\n", "")


def test_help_groups_the_commands_and_goes_to_stdout(groove: Groove):
    answer = groove("--help")
    assert (answer.code, answer.err) == (0, "")
    for name, entry in COMMANDS.items():
        assert f"{entry.section}:\n" in answer.out
        assert f"  {name} " in answer.out
    assert groove("-h").out == answer.out


def test_no_command_is_a_usage_error_that_shows_the_help(groove: Groove):
    answer = groove()
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("Usage: groove ")
    assert groove("config").code == 2


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["confg"], "groove: There is no command 'confg'. Did you mean 'config'?\nTry 'groove --help'.\n"),
        (["zzz"], "groove: There is no command 'zzz'.\nTry 'groove --help'.\n"),
        (["--frob"], "groove: No such option"),
        (["config", "show", "--format", "xml"], "groove: Invalid value for '--format': 'xml' is not one of "),
        (["config", "show", "extra"], "groove: Got unexpected extra argument"),
        (["completion"], "groove: Missing argument '"),
        (["config", "show", "--kb-path", ""], "groove: Invalid value for '--kb-path': the path is empty"),
    ],
)
def test_a_usage_error_is_said_once_with_the_way_to_help(groove: Groove, argv: list[str], message: str):
    answer = groove(*argv)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(message)
    assert answer.err.rstrip().endswith("--help'.")
    assert answer.err.count("groove: ") == 1


@pytest.mark.parametrize("error", [errors.NoIndex("Nothing is indexed yet."), errors.StoreError("x is broken.")])
def test_an_error_of_ours_is_said_once_with_its_exit_code(groove: Groove, raising: Any, error: errors.GrooveError):
    raising(error)
    answer = groove("probe")
    assert (answer.code, answer.out, answer.err) == (error.exit_code, "", f"groove: {error}\n")


def test_debug_shows_the_traceback_before_the_line(groove: Groove, raising: Any, monkeypatch: pytest.MonkeyPatch):
    raising(errors.StoreError("x is broken."))
    monkeypatch.setenv("GROOVE_DEBUG", "1")
    answer = groove("probe")
    assert answer.err.startswith("Traceback (most recent call last):\n")
    assert answer.err.endswith("\ngroove: x is broken.\n")
    for off in ("", "0"):
        monkeypatch.setenv("GROOVE_DEBUG", off)
        assert groove("probe").err == "groove: x is broken.\n"


def test_what_nobody_expected_is_one_line_with_how_to_report(groove: Groove, raising: Any):
    raising(ZeroDivisionError("division\nby zero"))
    answer = groove("probe")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "groove: a fault in groove itself (ZeroDivisionError: division by zero). Please report what it says with "
        "GROOVE_DEBUG=1 set, the command, and what `groove --version` says.\n"
    )


def test_what_nobody_expected_has_its_traceback_in_debug(groove: Groove, raising: Any, monkeypatch: pytest.MonkeyPatch):
    raising(KeyError())
    monkeypatch.setenv("GROOVE_DEBUG", "1")
    answer = groove("probe")
    assert "Traceback" in answer.err
    assert "groove: a fault in groove itself (KeyError). Please report it with the lines above" in answer.err


def test_a_broken_pipe_that_is_not_the_output_is_not_hushed(groove: Groove, raising: Any):
    raising(BrokenPipeError(32, "Broken pipe"))
    answer = groove("probe")
    assert answer.code == 2
    assert "BrokenPipeError" in answer.err


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), click.Abort()])
def test_an_interrupt_is_130(groove: Groove, raising: Any, stop: BaseException):
    raising(stop)
    answer = groove("probe")
    assert (answer.code, answer.out, answer.err) == (130, "", "groove: stopped.\n")


@pytest.mark.parametrize(("value", "code"), [(None, 0), (0, 0), (1, 1), ("text", 0)])
def test_what_a_command_returns_is_its_exit_code(groove: Groove, raising: Any, value: object, code: int):
    raising(value)
    assert groove("probe").code == code


def test_exit_from_inside_a_command_keeps_its_code(groove: Groove, raising: Any):
    raising(click.exceptions.Exit(1))
    assert groove("probe").code == 1


def test_argv_is_not_expanded_as_file_names(groove: Groove, tmp_path: Path):
    Path("a.toml").touch()
    answer = groove("config", "show", "--config", "*.toml")
    assert answer.code == 2
    assert "*.toml: there is no such file" in answer.err


def test_the_package_runs_as_a_module():
    done = process("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"groove {__version__}\n", "")


def test_main_reads_the_command_line_of_the_process_and_ends_it():
    program = (
        "import sys, threading; from grooveseek.cli import main; sys.argv = ['groove', *sys.argv[1:]]; "
        "threading.Thread(target=threading.Event().wait).start(); print('before'); main(); print('not reached')"
    )
    done = subprocess.run([sys.executable, "-c", program, "--version"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, f"before\ngroove {__version__}\n")
    done = subprocess.run([sys.executable, "-c", program, "no-such"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "before\n")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
@pytest.mark.parametrize("argv", [["config", "show"], ["--help"], ["config", "show", "--format", "json"]])
def test_a_reader_that_goes_away_is_no_fault(argv: list[str]):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "grooveseek", *argv], stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60
    )
    os.close(writing)
    assert done.returncode == 141
    assert [line for line in done.stderr.splitlines() if not line.startswith("info: ")] == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told():
    command = [sys.executable, "-m", "grooveseek", "config", "show"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 2
    assert "groove: The output could not be written: No space left on device.\n" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX descriptors")
def test_a_closed_stdout_is_told():
    done = process("config", "show", preexec_fn=lambda: os.close(1))
    assert done.returncode == 2
    assert "groove: There is no standard output to write to.\n" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_ends_a_process_with_130_and_no_traceback(tmp_path: Path):
    program = (
        "import os, signal, sys, click\n"
        "from grooveseek.cli import main\n"
        "from grooveseek.cli.lazy import Entry\n"
        "from grooveseek.cli.main import COMMANDS\n"
        "@click.command()\n"
        "def probe():\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    signal.pause()\n"
        "COMMANDS['probe'] = Entry('__main__:probe', 'A probe.', 'Probe')\n"
        "sys.exit(main(['probe']))\n"
    )
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "groove: stopped.\n")


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are Unicode there")
def test_a_name_that_is_not_unicode_does_not_stop_the_output(tmp_path: Path):
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/n\xffotes")
    Path(odd).mkdir()
    show = [sys.executable, "-m", "grooveseek", "config", "show"]
    for form in ("text", "json"):
        done = subprocess.run([*show, "--format", form, "--kb-path", odd], capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert b"n\\udcffotes" in done.stdout
    done = subprocess.run([*show, "--config", f"{odd}/x"], capture_output=True, timeout=60)
    assert done.returncode == 2
    assert b"n\\udcffotes/x: there is no such file" in done.stderr
