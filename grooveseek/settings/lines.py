"""Where each key of a TOML document stands, which :mod:`tomllib` does not say.

The scanner runs over text that tomllib has accepted, so it only has to know where things end, never whether they are
right (TOML 1.0, https://toml.io/en/v1.0.0).
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left

KeyPath = tuple[str | int, ...]
"""Names from the outermost table in; a number is the 0-based position in a list."""

_SPACES = re.compile(r"[ \t]*")
_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_NAME = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
# A multi-line string may end in up to two quotes of its own before the three that close it.
_SCALAR = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|[^,\]}#\n]+",
    re.DOTALL,
)


def key_lines(text: str) -> dict[KeyPath, int]:
    """The 1-based line of every table, key and list element of a valid TOML document, where it is first named.

    A table that is only implied (``a`` in ``[a.b]``) stands where it is implied first.
    """
    return _Scanner(text.replace("\r\n", "\n")).document()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.newlines = [match.start() for match in re.finditer("\n", text)]
        self.lines: dict[KeyPath, int] = {}
        self.last_element: dict[KeyPath, int] = {}  # of each array of tables

    def document(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        while self.skip(_BLANK) < len(self.text):
            if self.text[self.position] == "[":
                table = self.header()
            else:
                self.pair(table)
        return self.lines

    def header(self) -> KeyPath:
        """``[a.b]`` or ``[[a.b]]``: the path that the keys below it start from."""
        brackets = 2 if self.text.startswith("[[", self.position) else 1
        self.position += brackets
        path: KeyPath = ()
        for name in self.names():
            path = self.record((*self.entered(path), name))
        self.position += brackets
        if brackets == 2:
            self.last_element[path] = self.last_element.get(path, -1) + 1
            self.record(self.entered(path))
        return self.entered(path)

    def entered(self, path: KeyPath) -> KeyPath:
        """A name of an array of tables stands for its last element."""
        return (*path, self.last_element[path]) if path in self.last_element else path

    def pair(self, table: KeyPath) -> None:
        """``a.b = value``"""
        path = table
        for name in self.names():
            path = self.record((*path, name))
        self.position += 1  # the equals sign
        self.skip(_SPACES)
        self.value(path)

    def names(self) -> list[str]:
        found = []
        while True:
            self.skip(_SPACES)
            found.append(_plain(self.take(_NAME)))
            self.skip(_SPACES)
            if self.text[self.position] != ".":
                return found
            self.position += 1

    def value(self, path: KeyPath) -> None:
        opening = self.text[self.position]
        if opening == "[":
            self.list_of(path)
        elif opening == "{":
            self.inline_table(path)
        else:
            self.take(_SCALAR)

    def list_of(self, path: KeyPath) -> None:
        self.position += 1
        element = 0
        while self.more("]"):
            self.value(self.record((*path, element)))
            element += 1

    def inline_table(self, path: KeyPath) -> None:
        self.position += 1
        while self.more("}"):
            self.pair(path)

    def more(self, closing: str) -> bool:
        """Step over a comma, and over the closing bracket when nothing stands before it."""
        if self.text[self.skip(_BLANK)] == ",":
            self.position += 1
        if self.text[self.skip(_BLANK)] != closing:
            return True
        self.position += 1
        return False

    def record(self, path: KeyPath) -> KeyPath:
        self.lines.setdefault(path, bisect_left(self.newlines, self.position) + 1)
        return path

    def take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.position)
        assert match is not None, "tomllib accepted what the scanner cannot read"
        self.position = match.end()
        return match[0]

    def skip(self, pattern: re.Pattern[str]) -> int:
        self.take(pattern)
        return self.position


def _plain(name: str) -> str:
    """A key as written, without its quotes and escapes."""
    return next(iter(tomllib.loads(f"{name} = 0"))) if name[0] in "\"'" else name
