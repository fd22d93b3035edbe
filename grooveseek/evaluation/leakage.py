"""Golden queries that stand in the indexed documents, where they find themselves.

A notes folder often holds the note its own golden set was written from. Such a document is found for every query it
quotes, whatever retrieval is worth, and pushes the real answer down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
    finder = _Finder({text for text in map(fold, queries.values()) if len(text) >= MIN_CHARACTERS})
    quoted: dict[str, set[str]] = {}
    for field in fields:
        if found := finder.quoted_in(fold(field.text)):
            quoted.setdefault(field.path, set()).update(found)
    return tuple(
        Leak(path=path, query_ids=tuple(i for i, query in queries.items() if fold(query) in texts))
        for path, texts in sorted(quoted.items())
        if len(texts) >= MIN_QUERIES
    )


def fields_of(chunks: Iterable[tuple[str, str | None, str, str]]) -> Iterator[IndexedField]:
    """The fields of chunks that are (path, heading, context, content), empty ones left out."""
    for path, *texts in chunks:
        yield from (IndexedField(path=path, text=text) for text in texts if text)


class _Finder:
    """Looks for many queries in many texts.

    A query's words other than its first and last stand between blanks wherever it is quoted. So a text is searched only
    for the queries whose longest such word it has, and for the few queries that have none.
    """

    def __init__(self, queries: set[str]) -> None:
        self._by_word: dict[str, list[str]] = {}
        self._without: list[str] = []
        for query in sorted(queries):
            inner = query.split(" ")[1:-1]
            listed = self._by_word.setdefault(max(inner, key=len), []) if inner else self._without
            listed.append(query)

    def quoted_in(self, text: str) -> list[str]:
        """The queries that stand in a folded text, those within a longer one left out."""
        words = self._by_word.keys() & set(text.split(" "))
        candidates = self._without + [query for word in words for query in self._by_word[word]]
        found = []
        for query in sorted(candidates, key=lambda query: (-len(query), query)):
            if query in text:
                found.append(query)
                text = text.replace(query, "\0")  # so that a shorter query inside this one is not seen here
        return found
