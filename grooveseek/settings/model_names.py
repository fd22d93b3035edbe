"""Whether ``model = "..."`` is a name or a directory."""

from __future__ import annotations

import os
import re
from pathlib import Path

_PART = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_PUBLISHED = re.compile(rf"{_PART}/{_PART}")


def names_directory(text: str, base: Path) -> bool:
    """Whether the text names a model directory rather than a model.

    A separator or ``~`` at the beginning makes it a path, save for the form models are published under at a Hugging
    Face hub, ``BAAI/bge-m3``: that is a name, unless there is such a directory. ``base`` is the directory that relative
    paths start from.
    """
    if _PUBLISHED.fullmatch(text):
        return os.path.isdir(base / text)  # noqa: PTH112 - Path.is_dir raises for a name too long for a file system
    return "/" in text or os.sep in text or text.startswith("~")
