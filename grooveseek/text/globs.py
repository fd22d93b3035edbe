"""Path globs: ``*`` and ``?`` stay inside a segment, ``**`` crosses, ``{a,b}`` alternates, ``[a-z]`` is a set.

A glob led by ``!`` excludes. A path matches when it matches any including glob (or there is none) and no excluding one.
Case counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache


def compile_globs(globs: Iterable[str]) -> Callable[[str], bool]:
    """One predicate for a list of globs."""
    listed = tuple(globs)
    including = [translate(glob) for glob in listed if not glob.startswith("!")]
    excluding = [translate(glob[1:]) for glob in listed if glob.startswith("!")]

    def matches(path: str) -> bool:
        included = not including or any(pattern.fullmatch(path) for pattern in including)
        return included and not any(pattern.fullmatch(path) for pattern in excluding)

    return matches


@lru_cache(maxsize=1024)
def translate(glob: str) -> re.Pattern[str]:
    """One glob as a regular expression for the whole path. Unbalanced brackets and braces stand for themselves."""
    return re.compile(_Translator(glob).run(), re.DOTALL)


class _Translator:
    def __init__(self, glob: str) -> None:
        self._glob = glob
        self._at = 0
        self._open_braces = 0

    def run(self) -> str:
        parts: list[str] = []
        while self._at < len(self._glob):
            parts.append(self._step())
        return "".join(parts)

    def _step(self) -> str:
        char = self._glob[self._at]
        if char == "*":
            return self._stars()
        self._at += 1
        match char:
            case "?":
                return "[^/]"
            case "[":
                return self._set()
            case "{" if self._closing_brace() >= 0:
                self._open_braces += 1
                return "(?:"
            case "}" if self._open_braces:
                self._open_braces -= 1
                return ")"
            case "," if self._open_braces:
                return "|"
            case "\\" if self._at < len(self._glob):
                self._at += 1
                return re.escape(self._glob[self._at - 1])
            case _:
                return re.escape(char)

    def _stars(self) -> str:
        start = self._at
        while self._at < len(self._glob) and self._glob[self._at] == "*":
            self._at += 1
        if self._at - start == 1:
            return "[^/]*"
        whole_segment = (start == 0 or self._glob[start - 1] in "/{,") and self._glob[self._at : self._at + 1] == "/"
        if whole_segment:
            self._at += 1
            return "(?:.*/)?"  # `**/x` also means `x`
        return ".*"

    def _set(self) -> str:
        end = self._glob.find("]", self._at + 1)
        if end < 0:
            return r"\["
        body = self._glob[self._at : end]
        self._at = end + 1
        negated = body.startswith("!")
        escaped = "".join("\\" + char if char in "\\[]^&~|" else char for char in body.removeprefix("!"))
        expression = f"(?!/)[{'^' if negated else ''}{escaped}]"
        try:
            re.compile(expression)
        except re.error:
            return re.escape(f"[{body}]")
        return expression

    def _closing_brace(self) -> int:
        depth = 1
        for index in range(self._at, len(self._glob)):
            depth += {"{": 1, "}": -1}.get(self._glob[index], 0)
            if depth == 0:
                return index
        return -1
