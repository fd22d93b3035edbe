"""Putting bytes in a file's place in one step."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def replace_whole(path: Path, data: bytes) -> None:
    """The file holds these bytes afterwards, or what it held before if anything fails. Raises OSError.

    They are written beside it first, so that both are on one file system. The new file has the old one's permissions.
    """
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        with temporary.open("xb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        with contextlib.suppress(FileNotFoundError):
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
