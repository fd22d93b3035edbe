"""The patterns of ``.grooveignore``: gitignore's syntax as regular expressions that match in bounded time.

The syntax is gitignore(5) and, where that is silent, what git's own matcher does. Two things are different on purpose:
case never matters, in any script, and composed and decomposed spellings of a name are the same name (Unicode NFC).

The file may come with a folder somebody downloaded, so a pattern must not be able to stall a run. Every wildcard but
the last is therefore an atomic group that takes the first place that fits; for globs the first fit is always as good as
any other, so nothing is lost and the time stays a small multiple of name times pattern. (A plain translation needed 24
seconds for ``*a*a*a*a*a*b`` against one name of 150 characters, and each further star 25 times as much.)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

_ANY = "[^/]"
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "A-Za-z",  # case does not matter, so these two are letters
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Za-z",
    "xdigit": "0-9A-Fa-f",
}


class PatternError(ValueError):
    """A pattern that can match nothing; its text is a clause about it ("it has a [ without its ]")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One line of the file. ``regex`` is for the whole path when ``anchored``, for the last name otherwise."""

    regex: str
    negated: bool
    folders_only: bool
    anchored: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Neighbouring patterns of one sort as one expression: which of them matches makes no difference."""

    regex: re.Pattern[str]
    negated: bool
    folders_only: bool
    anchored: bool


class PatternList:
    """Patterns in the order of the file; of those that match a path the last one decides."""

    __slots__ = ("_latest_first",)

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._latest_first = tuple(_runs(patterns))[::-1]

    def excludes(self, rel: str, is_dir: bool) -> bool:
        """Whether the patterns exclude this one path; the folders above it are the caller's to ask about."""
        path = _composed(rel)
        name = path.rpartition("/")[2]
        for run in self._latest_first:
            if (is_dir or not run.folders_only) and run.regex.fullmatch(path if run.anchored else name):
                return not run.negated
        return False


def parse_pattern(line: str) -> Pattern | None:
    """Read one line, its newline taken off. None for a blank line or a comment; raises PatternError."""
    text = _without_trailing_spaces(_composed(line))
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    body = text[1:] if negated else text
    folders_only = body.endswith("/")
    body = body.removesuffix("/")
    if not body:
        raise PatternError("it names nothing")
    anchored = "/" in body
    tokens = _tokens(body.removeprefix("/"))
    regex = _path(tokens) if anchored else _segment(tokens)
    return Pattern(regex=regex, negated=negated, folders_only=folders_only, anchored=anchored)


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _without_trailing_spaces(line: str) -> str:
    r"""Take spaces off the end, but not one that is escaped (``a\ ``)."""
    bare = line.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if backslashes % 2 and bare != line else bare


def _runs(patterns: Iterable[Pattern]) -> Iterator[_Run]:
    for sort, members in groupby(patterns, lambda one: (one.negated, one.folders_only, one.anchored)):
        regex = re.compile("|".join(f"(?:{one.regex})" for one in members), re.IGNORECASE | re.DOTALL)
        negated, folders_only, anchored = sort
        yield _Run(regex=regex, negated=negated, folders_only=folders_only, anchored=anchored)


def _tokens(body: str) -> list[str]:
    """Cut a pattern into ``/``, ``*``, ``**`` and expressions that match exactly one character, never a ``/``."""
    tokens: list[str] = []
    at = 0
    while at < len(body):
        token, at = _next_token(body, at)
        tokens.append(token)
    return tokens


def _next_token(body: str, at: int) -> tuple[str, int]:
    char = body[at]
    if char == "[":
        return _bracket(body, at + 1)
    if char == "*":
        end = at + 1
        while body.startswith("*", end):
            end += 1
        return ("*" if end == at + 1 else "**"), end
    if char == "?":
        return _ANY, at + 1
    if char == "\\":
        return re.escape(_escaped(body, at)), at + 2
    return re.escape(char), at + 1


def _escaped(body: str, at: int) -> str:
    if at + 1 >= len(body):
        raise PatternError("it ends in a backslash that escapes nothing")
    return body[at + 1]


def _bracket(body: str, at: int) -> tuple[str, int]:
    """Translate ``[...]`` from behind its ``[``; give the expression and the place behind its ``]``."""
    negated = body.startswith(("!", "^"), at)
    start = at = at + negated
    members: list[str] = []
    while at == start or not body.startswith("]", at):  # a ] in first place stands for itself
        member, at = _member(body, at)
        members.append(member)
    return f"(?!/)[{'^' if negated else ''}{''.join(members)}]", at + 1


def _member(body: str, at: int) -> tuple[str, int]:
    """One class, range or character of a bracket."""
    named = re.compile(r"\[:([^]]*):\]").match(body, at)
    if named:
        if named[1] not in _CLASSES:
            raise PatternError(f"it has the unknown character class [:{named[1]}:]")
        return _CLASSES[named[1]], named.end()
    low, at = _bracket_char(body, at)
    if not body.startswith("-", at) or body.startswith("-]", at):
        return re.escape(low), at
    high, at = _bracket_char(body, at + 1)
    if high < low:
        raise PatternError(f"its range {low}-{high} is the wrong way round")
    return f"{re.escape(low)}-{re.escape(high)}", at


def _bracket_char(body: str, at: int) -> tuple[str, int]:
    if at >= len(body):
        raise PatternError("it has a [ without its ]")
    if body[at] == "\\":
        return _escaped(body, at), at + 2
    return body[at], at + 1


def _segment(tokens: Sequence[str]) -> str:
    """The expression for one name of a path: fixed pieces with wildcards between them."""
    pieces = [""]
    for token in tokens:
        if token in ("*", "**"):
            pieces.append("")
        else:
            pieces[-1] += token
    if len(pieces) == 1:
        return pieces[0]
    first, *middle, last = pieces
    return first + "".join(f"(?>{_ANY}*?{piece})" for piece in middle) + f"{_ANY}*{last}"


def _path(tokens: Sequence[str]) -> str:
    """The expression for a path from the root: blocks of names, with any number of folders between two blocks."""
    segments = _split(tokens, "/")
    if [] in segments:
        raise PatternError("it has an empty part (two / together)")
    first, *rest = _blocks(segments)
    if not rest:
        return first
    *middle, last = rest
    steps = [f"{first}/"] if first else []
    steps += [f"(?>(?:{_ANY}+/)*?{block}/)" for block in middle]
    steps.append(f"(?:{_ANY}+/)*{last}" if last else ".+")
    return "".join(steps)


def _blocks(segments: Sequence[list[str]]) -> list[str]:
    """Join the names between one ``**`` and the next; an empty block stands before a leading, after a trailing one."""
    blocks: list[list[str]] = [[]]
    for place, segment in enumerate(segments):
        if segment != ["**"]:
            blocks[-1].append(_segment(segment))
        elif place == 0 or segments[place - 1] != ["**"]:
            blocks.append([])
    return ["/".join(block) for block in blocks]


def _split(tokens: Sequence[str], separator: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == separator:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
