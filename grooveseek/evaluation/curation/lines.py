"""A golden query as the lines of a golden file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from grooveseek.evaluation.golden import ID_CHARACTERS, Expected, GoldenQuery

_PLAIN = re.compile(r"[^\W_](?:[\w .,/()'+&?!-]*[\w.,/()'+&?!-])?")
_PLAIN_IN_BRACKETS = re.compile(r"[^\W_](?:[\w ./+-]*[\w./+-])?")
"""Begins like a word, and has no mark that means something to YAML: fewer texts than could be plain."""


def entry_text(query: GoldenQuery) -> str:
    """The query as it stands in a golden file, at the left margin."""
    return "".join(f"{line}\n" for line in entry_lines(query, 0))


def entry_lines(query: GoldenQuery, indent: int) -> Iterator[str]:
    """The query as one item of a list in block style, its dash at this column."""
    margin = " " * indent
    lead = f"{margin}- "
    if query.id != query.query[:ID_CHARACTERS]:
        yield f"{lead}id: {scalar(query.id)}"
        lead = f"{margin}  "
    yield f"{lead}query: {scalar(query.query)}"
    if query.tags:
        yield f"{margin}  tags: [{', '.join(scalar(tag, in_brackets=True) for tag in query.tags)}]"
    if not query.answerable:
        yield f"{margin}  answerable: false"
        yield f"{margin}  expected: []"
        return
    yield f"{margin}  expected:"
    for entry in query.expected:
        first, *rest = _expected_lines(entry)
        yield f"{margin}    - {first}"
        yield from (f"{margin}      {line}" for line in rest)


def _expected_lines(entry: Expected) -> Iterator[str]:
    yield f"path: {scalar(entry.path)}"
    if entry.heading is not None:
        yield f"heading: {scalar(entry.heading)}"
    if entry.relevance != 1:
        yield f"relevance: {entry.relevance}"
    if entry.quote is not None:
        yield f"quote: {scalar(entry.quote)}"


def scalar(text: str, *, in_brackets: bool = False) -> str:
    """Text as a YAML scalar on one line: plain where every reader takes it for this text, else in double quotes."""
    if (_PLAIN_IN_BRACKETS if in_brackets else _PLAIN).fullmatch(text) and _is_text(text):
        return text
    # JSON's strings are YAML's, but for characters that YAML forbids or takes for the end of a line
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(mark if mark.isprintable() else f"\\U{ord(mark):08x}" for mark in quoted)


def _is_text(plain: str) -> bool:
    """Whether YAML takes it for text, and not for a number, a date, a truth value or nothing."""
    import yaml

    loaded: object = yaml.safe_load(plain)
    return loaded == plain
