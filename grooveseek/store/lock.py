"""One writer at a time: a lock file beside the index, and a note that says who holds it.

The lock is the operating system's and goes with its process, however that ends; the note may be left behind and is only
read while the lock is held.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from grooveseek.errors import StoreError, WriterBusy

_POLL_SECONDS = 0.1


def lock_path(database: Path) -> Path:
    """Where the lock of an index lies."""
    return database.with_name(database.name + ".lock")


def holder_path(database: Path) -> Path:
    """Where the holder of the lock says who it is."""
    return database.with_name(database.name + ".writer")


@contextlib.contextmanager
def writer_lock(
    database: Path,
    *,
    wait: bool,
    command: str,
    on_wait: Callable[[str], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Iterator[bool]:
    """Hold the writer's place. Raises WriterBusy, naming the holder, when another has it and ``wait`` is off.

    Waiting starts with one call of ``on_wait``, with who holds it in words, and ends early when ``should_stop`` says
    so: then the block is entered with False, and without the lock.
    """
    lock = FileLock(lock_path(database), mode=0o600)
    held = _try(lock, database)
    if not held:
        if not wait:
            raise WriterBusy(f"{describe_holder(database)} is writing to {database}. Wait for it to end, or use --wait")
        on_wait(describe_holder(database))
        while not held and not should_stop():
            time.sleep(_POLL_SECONDS)
            held = _try(lock, database)
    if not held:
        yield False
        return
    try:
        _write_note(database, command)
        yield True
    finally:
        with contextlib.suppress(OSError):
            holder_path(database).unlink()
        lock.release()


def _try(lock: FileLock, database: Path) -> bool:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    except OSError as error:
        raise StoreError(
            f"the folder {database.parent} cannot be written ({error.strerror or error}), and the index goes there. "
            "Make it writable, or set [index].path in a config given with --config"
        ) from error
    return True


def describe_holder(database: Path) -> str:
    """Who says it is writing, in words."""
    try:
        note = json.loads(holder_path(database).read_text("utf-8"))
        return f"process {int(note['pid'])} ({note['command']}, since {note['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


def _write_note(database: Path, command: str) -> None:
    since = dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    note = json.dumps({"pid": os.getpid(), "command": command, "since": since}) + "\n"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    with contextlib.suppress(OSError):  # the note is a courtesy; the lock is what counts
        handle = os.open(holder_path(database), flags, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(note)
