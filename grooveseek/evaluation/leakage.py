"""Golden queries that stand in the indexed documents, where they find themselves.

A notes folder often holds the note its own golden set was written from. Such a document is found for every query it
quotes, whatever retrieval is worth, and pushes the real answer down.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grooveseek.evaluation.quotes import fold

MIN_CHARACTERS = 12
"""Shorter queries stand in ordinary text by chance."""

MIN_QUERIES = 2
"""One quoted query may be a document's own title."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedField:
    """One text a search looks into: a chunk's heading, context or content."""

    path: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A document and the ids of the golden queries it quotes, in the golden set's order."""

    path: str
    query_ids: tuple[str, ...]


def quoted_queries(fields: Iterable[IndexedField], queries: Mapping[str, str]) -> tuple[Leak, ...]:
    """Documents that quote two or more golden queries, by path.

    ``queries`` is query id to text. Texts are compared with white space folded; a query counts from 12 characters on,
    and when it stands inside one field. A query that only occurs inside a longer quoted one is not counted, and equal
    queries count as one.
    """
    long_enough = {text for text in map(fold, queries.values()) if len(text) >= MIN_CHARACTERS}
    longest_first = sorted(long_enough, key=lambda text: (-len(text), text))
    quoted: dict[str, set[str]] = {}
    for field in fields:
        if found := _quoted_in(fold(field.text), longest_first):
            quoted.setdefault(field.path, set()).update(found)
    return tuple(
        Leak(path=path, query_ids=tuple(i for i, query in queries.items() if fold(query) in texts))
        for path, texts in sorted(quoted.items())
        if len(texts) >= MIN_QUERIES
    )


def _quoted_in(text: str, longest_first: list[str]) -> list[str]:
    found = []
    for query in longest_first:
        if query in text:
            found.append(query)
            text = text.replace(query, "\0")  # so that a shorter query inside this one is not seen here
    return found
