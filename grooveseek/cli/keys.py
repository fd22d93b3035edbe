"""Single keys from the terminal, without Return.

The terminal is in one mode for the whole dialogue, so that keys typed ahead are not lost between two questions.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator

ReadKey = Callable[[], str]
"""Waits for a key and gives its character. Raises EOFError when the terminal is gone, KeyboardInterrupt for Ctrl-C."""


@contextlib.contextmanager
def single_keys() -> Iterator[ReadKey]:
    """Take keys from stdin, which must be a terminal; its mode is as before afterwards."""
    if os.name == "nt":
        yield _windows_key
        return
    import termios

    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    mode = termios.tcgetattr(handle)
    mode[3] &= ~(termios.ICANON | termios.ECHO)  # Ctrl-C still interrupts
    mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
    termios.tcsetattr(handle, termios.TCSADRAIN, mode)
    try:
        yield lambda: posix_key(handle)
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def posix_key(handle: int) -> str:
    """One character from a file handle. A key that sends several, such as an arrow, is the escape character alone."""
    data = os.read(handle, 1)
    if not data or data == b"\x04":
        raise EOFError
    if data == b"\x1b":
        _discard_waiting(handle)
        return "\x1b"
    while (length := _utf8_length(data[0])) > len(data):
        more = os.read(handle, length - len(data))
        if not more:
            raise EOFError
        data += more
    return data.decode("utf-8", "replace")


def _windows_key() -> str:
    import msvcrt

    key: str = msvcrt.getwch()  # type: ignore[attr-defined]  # there on Windows
    if key in ("\x00", "\xe0"):  # an arrow or a function key, whose second half follows
        msvcrt.getwch()  # type: ignore[attr-defined]  # as above
        return "\x1b"
    if key == "\x03":
        raise KeyboardInterrupt
    if key in ("\x04", "\x1a"):
        raise EOFError
    return key


def _discard_waiting(handle: int) -> None:
    from select import select

    while select([handle], [], [], 0.02)[0]:
        if not os.read(handle, 64):
            return


def _utf8_length(first: int) -> int:
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
