"""Reading a file of the knowledge base: one open, and every decision taken from that one handle.

Whatever the walk saw may have been swapped since, so the checks are made on the handle the bytes then come from: a
symbolic link, a second hard link or a pipe put in the file's place is refused rather than read.

What this does not do: it does not look at the folders above the file (a folder swapped for a link between walk and
read is followed), it cannot see a second link that was removed again, and some file systems report one link for every
file. The knowledge base folder is not a security boundary; whoever can write into it chooses what is indexed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grooveseek.errors import Refused, Unreadable

_BLOCK = 1 << 20
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)  # a link in the last place is an error
    | getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer opens at once instead of never
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)  # a terminal device does not become ours
    | getattr(os, "O_BINARY", 0)  # Windows: no newline translation
    | getattr(os, "O_NOINHERIT", 0)  # Windows: what O_CLOEXEC is elsewhere
)
_CAN_REFUSE_LINKS = hasattr(os, "O_NOFOLLOW")
_LINK_ERRORS = {errno.ELOOP, errno.EMLINK, getattr(errno, "EFTYPE", errno.ELOOP)}
"""How open() says "a symbolic link": Linux and macOS, FreeBSD, NetBSD."""
_NO_FILE_ERRORS = {errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP}
"""How open() says "a socket" or "a device without a driver"."""
_MOUNT_POINT = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", 0xA0000003)
"""The reparse tag of an NTFS junction (Microsoft, [MS-FSCC] 2.1.2.1)."""

_LINK = "it is a symbolic link"
_KINDS = (
    (stat.S_ISLNK, _LINK),
    (stat.S_ISDIR, "it is a folder, not a file"),
    (stat.S_ISFIFO, "it is a named pipe, not a regular file"),
    (stat.S_ISSOCK, "it is a socket, not a regular file"),
    (stat.S_ISCHR, "it is a device, not a regular file"),
    (stat.S_ISBLK, "it is a device, not a regular file"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SafeRead:
    """A file's bytes. ``size`` is their number; ``mtime_ns`` was taken before they were read, so that a file changed
    meanwhile looks changed to the next run."""

    data: bytes
    size: int
    mtime_ns: int


def read_checked(
    path: Path, *, max_bytes: int | None, setting: str | None = "[index] max_raw_text_size or max_raw_binary_size"
) -> SafeRead:
    """Read a regular file with one name and at most ``max_bytes`` bytes (None: any size).

    ``setting`` is what the message about a file over the cap tells the reader to change (None: nothing can be). No
    message holds the path.
    Raises Refused for a file that may not be indexed, Unreadable when the operating system would not give it, and lets
    FileNotFoundError through: a file that is gone is a deletion, not a fault.
    """
    with _opened(path) as (handle, status):
        if max_bytes is not None and status.st_size > max_bytes:
            raise Refused(_over(status.st_size, max_bytes, setting))
        data = _read(handle, None if max_bytes is None else max_bytes + 1)
    if max_bytes is not None and len(data) > max_bytes:  # it grew while it was read
        raise Refused(_over(len(data), max_bytes, setting))
    return SafeRead(data=data, size=len(data), mtime_ns=status.st_mtime_ns)


def read_start(path: Path, *, count: int) -> bytes:
    """Read the first ``count`` bytes of a file under the checks of :func:`read_checked`, its size apart."""
    with _opened(path) as (handle, _):
        return _read(handle, count)


def why_refused(status: os.stat_result) -> str | None:
    """Say why a file of this kind is never indexed, as a clause about it; None for a regular file with one name.

    The walk asks this of what it finds and the reader of what it opened. A link count of 0 is taken as one name: some
    network file systems do not count.
    """
    if is_junction(status):
        return "it is a junction, a kind of link"
    if not stat.S_ISREG(status.st_mode):
        return next((words for is_kind, words in _KINDS if is_kind(status.st_mode)), "it is not a regular file")
    if status.st_nlink > 1:
        return f"it has {status.st_nlink} hard links, and a file with more than one name is not indexed"
    return None


def is_junction(status: os.stat_result) -> bool:
    """Whether this is an NTFS junction, which calls itself a folder. OneDrive's placeholders have other tags."""
    return getattr(status, "st_reparse_tag", 0) == _MOUNT_POINT


def os_reason(error: OSError) -> str:
    """The operating system's words for an error, without the path that ``str(error)`` adds."""
    return error.strerror or type(error).__name__


@contextmanager
def _opened(path: Path) -> Iterator[tuple[int, os.stat_result]]:
    """Open a file that may be indexed and give its handle and status, with every error in groove's own terms."""
    try:
        handle = _open(path)
        try:
            status = os.fstat(handle)
            reason = why_refused(status)
            if reason:
                raise Refused(reason)
            yield handle, status
        finally:
            os.close(handle)
    except FileNotFoundError:
        raise
    except NotADirectoryError as error:  # a folder above it became a file, so it is gone too
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path)) from error
    except OSError as error:
        raise Unreadable(f"it could not be read: {os_reason(error)}") from error


def _open(path: Path) -> int:
    try:
        if not _CAN_REFUSE_LINKS:
            _refuse_by_name(path)
        return os.open(path, _FLAGS)
    except ValueError as error:  # NUL, or text that no file name can be
        raise Refused("its name cannot exist on this file system") from error
    except OSError as error:
        if error.errno in _LINK_ERRORS:
            raise Refused(_LINK) from error
        if error.errno in _NO_FILE_ERRORS:
            raise Refused("it is a socket or a device, not a regular file") from error
        raise


def _refuse_by_name(path: Path) -> None:
    """Refuse links and folders where open() cannot (Windows: it follows the one and denies the other)."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise Refused(why_refused(status) or "it is not a regular file")


def _read(handle: int, limit: int | None) -> bytes:
    """Read up to ``limit`` bytes, or all there are."""
    parts: list[bytes] = []
    left = limit
    while left is None or left > 0:
        part = os.read(handle, _BLOCK if left is None else min(_BLOCK, left))
        if not part:
            break
        parts.append(part)
        left = None if left is None else left - len(part)
    return b"".join(parts)


def _over(size: int, limit: int, setting: str | None) -> str:
    advice = "this limit is fixed" if setting is None else f"raise {setting} to read it"
    return f"it has {size:,} bytes, over the limit of {limit:,}; {advice}"
