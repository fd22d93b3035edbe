"""A program on a terminal of its own: what it shows, and keys pressed at it."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_SECONDS = 60.0


def _take_terminal(handle: int) -> None:
    """Make it the session's terminal, so that Ctrl-C reaches the program."""
    import fcntl
    import termios

    fcntl.ioctl(handle, termios.TIOCSCTTY, 0)


class Terminal:
    """``groove ARGV`` with a pseudo-terminal as stdin, stdout and stderr. POSIX only."""

    def __init__(self, argv: Sequence[str], cwd: Path) -> None:
        import pty

        self._master, slave = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "grooveseek", *argv],
            cwd=cwd,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: _take_terminal(slave),
        )
        os.close(slave)
        self.text = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._master)

    def wait_for(self, words: str) -> str:
        """Read until these words have come since the last key; what was shown since then."""
        deadline = time.monotonic() + _SECONDS
        while words not in self.text:
            assert time.monotonic() < deadline, f"never shown: {words!r}, but: {self.text}"
            assert self._read(), f"ended without {words!r}: {self.text}"
        return self.text

    def press(self, keys: str) -> None:
        """Send keys; what was shown before is forgotten."""
        self.text = ""
        os.write(self._master, keys.encode())

    def end(self) -> int:
        """Read to the end; the exit code."""
        while self._read():
            pass
        return self._process.wait(_SECONDS)

    def _read(self) -> bool:
        """Take what is there, waiting a while; false at the end."""
        if not select.select([self._master], [], [], _SECONDS)[0]:
            return False
        try:
            data = os.read(self._master, 65_536)
        except OSError:  # how Linux says that nobody holds the other side any more
            return False
        self.text += _ESCAPES.sub("", data.decode("utf-8", "replace")).replace("\r\n", "\n")
        return bool(data)
