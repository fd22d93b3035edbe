"""Finding a file by a name that was typed in the other Unicode form."""

from __future__ import annotations

import os
from pathlib import Path

from grooveseek.text.forms import composed


def respelled(root: Path, rel: str) -> str | None:
    """The name of the file that ``rel`` spells composed where the disk has it decomposed, or the other way round.

    ``None`` when there is no such file, or more than one. ``rel`` is addressable, and below ``root``.
    """
    if rel.isascii():
        return None
    parts: list[str] = []
    for part in rel.split("/"):
        names = _names(root.joinpath(*parts), part)
        if len(names) != 1:
            return None
        parts += names
    return "/".join(parts)


def _names(folder: Path, part: str) -> list[str]:
    """What is called ``part`` in a folder: the name as it stands before its other spellings."""
    try:
        names = [name for name in os.listdir(folder) if composed(name) == composed(part)]  # noqa: PTH208 - names are wanted
    except OSError:
        return []
    return [part] if part in names else names
