"""Examples of a documentation page: files it shows and commands it runs, so that a test can run them again.

A file is an indented block under a line that ends in its name in backquotes and a colon; a session is an indented block
of ``$ command`` lines, each with what it prints to stdout. ``...`` alone stands for any number of lines.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"((?:^    .*\n|^\n(?=(?:\n)*    ))+)", re.MULTILINE)
_NAME = re.compile(r"`([^`\s]+/[^`\s]+)`:\s*$")


@dataclass(frozen=True)
class Command:
    argv: list[str]
    output: str


@dataclass(frozen=True)
class Page:
    files: dict[str, str]
    sessions: list[list[Command]]


def read_page(path: Path) -> Page:
    """The files and sessions of a page, in order."""
    text = path.read_text(encoding="utf-8")
    files: dict[str, str] = {}
    sessions: list[list[Command]] = []
    for block in _BLOCK.finditer(text):
        content = re.sub(r"^ {4}", "", block[0].strip("\n"), flags=re.MULTILINE) + "\n"
        before = text[: block.start()].rstrip().rpartition("\n")[2]
        named = _NAME.search(before)
        if content.startswith("$ "):
            sessions.append(_commands(content))
        elif named is not None:
            files[named[1]] = content
    return Page(files=files, sessions=sessions)


def matches(output: str, expected: str) -> bool:
    """Whether an output is what the page shows, ``...`` lines aside."""
    parts = re.split(r"^\.\.\.\n", expected, flags=re.MULTILINE)
    return re.fullmatch("(?:.*\n)*?".join(map(re.escape, parts)), output) is not None


def _commands(content: str) -> list[Command]:
    commands = []
    for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
        line, _, output = part.partition("\n")
        commands.append(Command(argv=shlex.split(line), output=output.strip("\n") + "\n" if output.strip() else ""))
    return commands
