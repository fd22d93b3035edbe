"""Ending a server by its process id, having made sure that the process is groove."""

from __future__ import annotations

import contextlib
import ntpath
import os
import posixpath
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from grooveseek.errors import ServiceError
from grooveseek.service.probe import ServerStatus, ask_status, is_free

SECONDS = 10.0
"""How long a server may take to let go of its address; it promises to end within 5 seconds."""

_PROGRAMS = frozenset({"groove", "groove-svc"})
_MODULES = frozenset({"grooveseek", "grooveseek.cli.launcher"})
_PYTHON = re.compile(r"(?i)(?:python|pypy)w?[0-9.]*t?")
_FLAGS = frozenset({"-P", "-I", "-E", "-s", "-S", "-u", "-B", "-O", "-OO"})
_PAUSE = 0.1


def stop_server(
    bind: str,
    *,
    ask: Callable[[str], ServerStatus | None] = ask_status,
    end: Callable[[int], None] | None = None,
    free: Callable[[str], bool] = is_free,
    seconds: float = SECONDS,
) -> int:
    """End the server that answers at ``bind``, and return its process id once its address can be bound again.

    The process is ended only when its command line is groove's. Raises ServiceError when nothing answers, when the
    process is another program, and when the address stays taken.
    """
    status = ask(bind)
    if status is None:
        raise ServiceError(f"No groove answers at {bind}, so it is not known which process to end.")
    (end or end_process)(status.pid)
    deadline = time.monotonic() + seconds
    while not free(bind):
        if time.monotonic() >= deadline:
            raise ServiceError(
                f"{bind} is still taken {seconds:.0f} seconds after process {status.pid} was told to end."
            )
        time.sleep(_PAUSE)
    return status.pid


def end_process(pid: int) -> None:
    """Tell a groove server to end; one that has ended meanwhile is well. Raises ServiceError for any other process.

    The process is held from before it is looked at until it is told, where the system can do that, so that the id
    cannot pass to another in between.
    """
    if pid == os.getpid():
        raise ServiceError(f"Process {pid} is this very program, not a server.")
    with contextlib.suppress(ProcessLookupError):
        if sys.platform == "win32":
            _end_on_windows(pid)
        else:
            _end_on_posix(pid)


def is_groove_server(command: Sequence[str]) -> bool:
    """Whether a command line is a server's: ``groove serve``, ``python -m grooveseek serve`` or ``groove-svc``."""
    start = _after_program(command)
    return start is not None and (start[0] or "serve" in command[start[1] :])


def command_line(pid: int, *, platform: str = sys.platform) -> list[str]:
    """The arguments a process was started with. Raises ProcessLookupError when there is no such process."""
    if platform == "linux":
        try:
            raw = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError as error:
            raise ProcessLookupError(pid) from error
        return [os.fsdecode(word) for word in raw.rstrip(b"\0").split(b"\0")]
    if platform == "win32":
        return windows_words(
            _printed(["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", _query(pid)], pid)
        )
    return _printed(["ps", "-ww", "-o", "command=", "-p", str(pid)], pid).split()


def windows_words(line: str) -> list[str]:
    """A Windows command line cut at blanks outside quotes, the quotes taken off. Enough to recognise, not to run."""
    words: list[str] = []
    current, inside = "", False
    for character in line.strip() + " ":
        if character == '"':
            inside = not inside
        elif character in " \t" and not inside:
            words += [current] if current else []
            current = ""
        else:
            current += character
    return words


def _after_program(words: Sequence[str]) -> tuple[bool, int] | None:
    """Whether it is the launcher, and where groove's own arguments begin; ``None`` for another program.

    groove is the program itself, or the script or module of a Python. What comes after is arguments, which may say
    anything. ps on macOS cuts paths at their blanks, so several words may come before Python's name.
    """
    python = False
    for position, word in enumerate(words):
        if word == "-m" and python:
            module = words[position + 1] if position + 1 < len(words) else ""
            return (module == "grooveseek.cli.launcher", position + 2) if module in _MODULES else None
        if _stem(word) in _PROGRAMS and (position == 0 or python):
            return _stem(word) == "groove-svc", position + 1
        if python and word not in _FLAGS:
            return None  # another script
        python = python or _PYTHON.fullmatch(_stem(word)) is not None
    return None


def _stem(word: str) -> str:
    name = ntpath.basename(posixpath.basename(word))
    return name[:-4] if name.lower().endswith(".exe") else name


def _refuse_others(pid: int) -> None:
    command = command_line(pid)
    if not is_groove_server(command):
        shown = " ".join(command)[:80] or "without a command line"
        raise ServiceError(f"Process {pid} is not a groove server but another program ({shown}). It was left alone.")


def _end_on_posix(pid: int) -> None:
    with _held(pid) as send:
        _refuse_others(pid)
        try:
            send(signal.SIGTERM)
        except PermissionError as error:
            raise ServiceError(f"Process {pid} belongs to another user, and cannot be ended.") from error


@contextlib.contextmanager
def _held(pid: int) -> Iterator[Callable[[int], None]]:
    """How to signal the process. Linux keeps hold of it (pidfd_open(2)); others leave a moment's doubt."""
    if sys.platform == "linux":
        descriptor = os.pidfd_open(pid)
        try:
            yield lambda number: signal.pidfd_send_signal(descriptor, number)
        finally:
            os.close(descriptor)
    else:
        yield lambda number: os.kill(pid, number)


def _query(pid: int) -> str:
    return (
        "[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false; "
        f"(Get-CimInstance Win32_Process -Filter 'ProcessId = {pid:d}').CommandLine"
    )


def _printed(command: Sequence[str], pid: int) -> str:
    done = subprocess.run(
        command,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=30,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    if done.returncode != 0 or not done.stdout.strip():
        raise ProcessLookupError(pid)
    return done.stdout


def _end_on_windows(pid: int) -> None:
    """An open handle keeps Windows from giving the id to another process."""
    if sys.platform == "win32":
        import ctypes

        terminate_and_query, no_such_process = 0x1001, 87
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.OpenProcess.restype = ctypes.c_void_p
        handle = ctypes.c_void_p(kernel.OpenProcess(terminate_and_query, False, pid))
        if not handle:
            if ctypes.get_last_error() == no_such_process:
                return
            raise ServiceError(f"Process {pid} cannot be ended: {ctypes.FormatError(ctypes.get_last_error())}")
        try:
            _refuse_others(pid)
            if not kernel.TerminateProcess(handle, 0):
                raise ServiceError(f"Process {pid} cannot be ended: {ctypes.FormatError(ctypes.get_last_error())}")
        finally:
            kernel.CloseHandle(handle)
