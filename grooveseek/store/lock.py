"""One writer at a time: a lock file beside the index, and a note that says who holds it.

The lock is the operating system's and goes with its process, however that ends; the note may be left behind and is only
read while the lock is held.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from grooveseek.errors import StoreError, WriterBusy


def lock_path(database: Path) -> Path:
    """Where the lock of an index lies."""
    return database.with_name(database.name + ".lock")


def holder_path(database: Path) -> Path:
    """Where the holder of the lock says who it is."""
    return database.with_name(database.name + ".writer")


@contextlib.contextmanager
def writer_lock(database: Path, *, wait: bool, command: str) -> Iterator[None]:
    """Hold the writer's place. Raises WriterBusy, naming the holder, when another has it and ``wait`` is off."""
    lock = FileLock(lock_path(database), timeout=-1 if wait else 0, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        raise WriterBusy(
            f"{describe_holder(database)} is writing to {database}. Wait for it to end, or use --wait"
        ) from None
    except OSError as error:
        raise StoreError(
            f"the folder {database.parent} cannot be written ({error.strerror}), and the index goes there. "
            "Make it writable, or set [index].path in a config given with --config"
        ) from error
    try:
        _write_note(database, command)
        yield
    finally:
        with contextlib.suppress(OSError):
            holder_path(database).unlink()
        lock.release()


def describe_holder(database: Path) -> str:
    """Who says it is writing, in words."""
    try:
        note = json.loads(holder_path(database).read_text("utf-8"))
        return f"process {int(note['pid'])} ({note['command']}, since {note['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


def _write_note(database: Path, command: str) -> None:
    since = dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    note = json.dumps({"pid": os.getpid(), "command": command, "since": since})
    with contextlib.suppress(OSError):  # the note is a courtesy; the lock is what counts
        holder_path(database).write_text(note + "\n", "utf-8")
