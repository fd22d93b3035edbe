"""Path globs: ``*`` and ``?`` stay inside a segment, ``**`` crosses, ``{a,b}`` alternates, ``[a-z]`` is a set.

A glob led by ``!`` excludes. A path matches when it matches any including glob (or there is none) and no excluding one.
Case counts; composed and decomposed spellings of a letter are the same. Braces are expanded first, as a shell does, so
``{x,**}/y`` is ``x/y`` and ``**/y``; ``**/`` also stands for no folder at all. ``[!a]`` is any character but ``a``, a
``]`` that comes first in a set belongs to it, and no set holds ``/``. A backslash takes the next character's meaning
away. Brackets and braces that are not closed stand for themselves, and so does a set whose range runs backwards.

Globs come from anyone who may search, so no glob is slow: matching takes at most quadratic time in the path's length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise, product
from math import prod

from grooveseek.errors import QueryError
from grooveseek.text.forms import composed

MAX_ALTERNATIVES = 100
"""Globs that one glob's braces may stand for."""

_MAX_DEPTH = 10

_STAR = "[^/]*?"
_CROSS = ".*?"
_FOLDERS = "(?:.*?/)??"


def compile_globs(globs: Iterable[str]) -> Callable[[str], bool]:
    """One predicate for a list of globs. Raises as :func:`translate` does."""
    listed = tuple(map(composed, globs))
    including = [translate(glob) for glob in listed if not glob.startswith("!")]
    excluding = [translate(glob[1:]) for glob in listed if glob.startswith("!")]

    def matches(path: str) -> bool:
        name = composed(path)
        included = not including or any(pattern.fullmatch(name) for pattern in including)
        return included and not any(pattern.fullmatch(name) for pattern in excluding)

    return matches


@lru_cache(maxsize=1024)
def translate(glob: str) -> re.Pattern[str]:
    """One glob as a regular expression for the whole path (``fullmatch``).

    Raises QueryError for braces that stand for more than 100 globs, or are nested deeper than 10.
    """
    expressions = dict.fromkeys(map(_expression, _alternatives(glob, glob)))
    return re.compile("|".join(expressions), re.DOTALL)


# -- braces --------------------------------------------------------------------------------------------------------


def _alternatives(glob: str, whole: str, depth: int = 0) -> list[str]:
    """The brace-free globs that a glob stands for, in order. ``whole`` is what a message quotes."""
    parts: list[list[str]] = []
    at = 0
    while at < len(glob):
        commas, end = _brace(glob, at) if glob[at] == "{" else ([], -1)
        if end >= 0:
            members = [glob[left + 1 : right] for left, right in pairwise((at, *commas, end))]
            _check(depth < _MAX_DEPTH, whole)
            parts.append([each for member in members for each in _alternatives(member, whole, depth + 1)])
            _check(prod(map(len, parts)) <= MAX_ALTERNATIVES, whole)
            at = end + 1
        else:
            step = 2 if glob[at] == "\\" else 1
            parts.append([glob[at : at + step]])
            at += step
    return list(map("".join, product(*parts)))


def _check(fine: bool, glob: str) -> None:
    if not fine:
        raise QueryError(
            f"the braces of the glob {glob[:60]!r} stand for more than {MAX_ALTERNATIVES} globs, or are nested deeper "
            f"than {_MAX_DEPTH}. Use fewer of them, or several globs"
        )


def _brace(glob: str, start: int) -> tuple[list[int], int]:
    """Where the top-level commas and the end of the brace that opens at ``start`` stand; end -1 when it is not closed.

    Braces inside are stepped over, whatever follows a backslash too.
    """
    commas: list[int] = []
    depth, at = 0, start
    while at < len(glob):
        char = glob[at]
        if char == "\\":
            at += 1
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return commas, at
        elif char == "," and depth == 1:
            commas.append(at)
        at += 1
    return commas, -1


# -- one brace-free glob -------------------------------------------------------------------------------------------


def _expression(glob: str) -> str:
    """The regular expression, built so that it need not try every way to share a path out among the stars.

    What stands between two wildcards is matched where it first occurs and never looked for again (``(?>...)``): a later
    place leaves no path open that the first one closes, since the next wildcard reaches from the first to the later.
    Only ``**`` in front of the last piece, and the last ``*``, are tried further, for they must meet the path's end.
    """
    pieces: list[list[str]] = [[""]]  # pieces between ``**``, each a list of what stands between ``*``
    crossings: list[str] = []
    for token in _tokens(glob):
        if token in (_CROSS, _FOLDERS):
            crossings.append(token)
            pieces.append([""])
        elif token == _STAR:
            pieces[-1].append("")
        else:
            pieces[-1][-1] += token
    *early, last = pieces
    leads = ["", *crossings]
    found = [f"(?>{lead}{_first_occurrence(piece)})" for lead, piece in zip(leads, early, strict=False)]
    return "".join([*found, leads[-1], _to_the_end(last)])


def _first_occurrence(piece: list[str]) -> str:
    return piece[0] + "".join(f"(?>{_STAR}{fixed})" for fixed in piece[1:])


def _to_the_end(piece: list[str]) -> str:
    if len(piece) == 1:
        return piece[0]
    return f"{_first_occurrence(piece[:-1])}{_STAR}{piece[-1]}"


def _tokens(glob: str) -> Iterable[str]:
    at = 0
    previous = ""
    while at < len(glob):
        token, at = _token(glob, at)
        if token == _FOLDERS == previous:  # `**/**/` is `**/`
            continue
        yield token
        previous = token


def _token(glob: str, at: int) -> tuple[str, int]:
    """The expression of the token at a place, and where the next one begins."""
    char = glob[at]
    match char:
        case "*":
            return _stars(glob, at)
        case "?":
            return "[^/]", at + 1
        case "[":
            return _set(glob, at)
        case "\\" if at + 1 < len(glob):
            return re.escape(glob[at + 1]), at + 2
        case _:
            return re.escape(char), at + 1


def _stars(glob: str, at: int) -> tuple[str, int]:
    end = at
    while glob[end : end + 1] == "*":
        end += 1
    if end - at == 1:
        return _STAR, end
    if (at == 0 or glob[at - 1] == "/") and glob[end : end + 1] == "/":
        return _FOLDERS, end + 1
    return _CROSS, end


def _set(glob: str, at: int) -> tuple[str, int]:
    start = at + 1
    negated = glob[start : start + 1] == "!"
    start += negated
    end = glob.find("]", start + 1)
    body = _members(glob[start:end]) if end >= 0 else None
    if body is None:
        return r"\[", at + 1
    return f"(?!/)[{'^' if negated else ''}{body}]", end + 1


def _members(body: str) -> str | None:
    """A set's inside for ``re``; ``None`` when a range runs backwards."""
    parts: list[str] = []
    at = 0
    while at < len(body):
        if body[at + 1 : at + 2] == "-" and at + 2 < len(body):
            low, high = body[at], body[at + 2]
            if low > high:
                return None
            parts.append(f"{re.escape(low)}-{re.escape(high)}")
            at += 3
        else:
            parts.append(re.escape(body[at]))
            at += 1
    return "".join(parts)
