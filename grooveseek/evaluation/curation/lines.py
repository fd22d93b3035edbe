"""A golden query as the lines of a golden file."""

from __future__ import annotations

import json
from collections.abc import Iterator

from grooveseek.evaluation.golden import ID_CHARACTERS, Expected, GoldenQuery

_PLAIN_STARTS = "!&*-?|>@`\"'%#{}[],:=~<"


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
        yield f"{margin}  tags: [{', '.join(scalar(tag, inside='flow') for tag in query.tags)}]"
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


def scalar(text: str, *, inside: str = "block") -> str:
    """Text as a YAML scalar on one line: plain where YAML reads it back as the same text, else in double quotes."""
    import yaml

    plain = text and text == text.strip() and text[0] not in _PLAIN_STARTS and text.isprintable()
    if plain and inside == "flow" and any(mark in text for mark in "[]{},"):
        plain = False
    if plain:
        try:
            if yaml.safe_load(f"- {text}\n") == [text]:
                return text
        except yaml.YAMLError:
            pass
    # JSON's strings are YAML's, except for the two line ends that JSON leaves as they are and characters YAML forbids
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(mark if mark.isprintable() else f"\\U{ord(mark):08x}" for mark in quoted)
