"""Candidate queries for a golden set: the telling words of passages drawn from the index.

A known-item query made of a passage's own words is easier for full text than what people ask, and says nothing of
meaning. It is a start for somebody who will put it in their own words, which is why suggestions are only ever printed
as comments.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grooveseek.evaluation.curation.lines import entry_text
from grooveseek.evaluation.golden import Expected, GoldenQuery
from grooveseek.retrieval.query import compile_query, forms
from grooveseek.store.records import StoredChunk
from grooveseek.store.store import Store

WORDS = 4
"""Words of a suggestion: as many as people type into a search box."""

_CANDIDATES = 25
"""Words of a passage that are looked up."""

_LEAST_QUALITY = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Words that tell a passage from the others, and the passage itself, cut to its beginning."""

    query: GoldenQuery
    passage: str


def suggest(store: Store, *, count: int, seed: int = 0) -> tuple[Suggestion, ...]:
    """Up to ``count`` suggestions, each from another document, drawn at random by ``seed``."""
    with store.snapshot():
        paths = sorted(store.documents.states())
        random.Random(seed).shuffle(paths)  # noqa: S311 - a sample, not a secret
        found: list[Suggestion] = []
        for path in paths:
            if len(found) == count:
                break
            suggestion = _of_document(store, path, seed)
            if suggestion is not None:
                found.append(suggestion)
    return tuple(found)


def render_suggestions(suggestions: tuple[Suggestion, ...]) -> str:
    """Suggestions as comments of a golden file: pasted as they are, they do nothing."""
    lines = [
        "# Suggestions. The words are the document's own, which makes them easier than what people ask: put each in",
        "# your own words, check that the answer is right and the only one, and take the # away. Until then they are",
        "# comments.",
    ]
    for suggestion in suggestions:
        lines += ["#", f"# rewrite me. The passage: {suggestion.passage}"]
        lines += [f"# {line}" for line in entry_text(suggestion.query).splitlines()]
    return "\n".join(lines) + "\n"


def _of_document(store: Store, path: str, seed: int) -> Suggestion | None:
    chunks = [stored for stored in store.documents.chunks_of(path) if stored.quality >= _LEAST_QUALITY]
    if not chunks:
        return None
    stored = random.Random(f"{seed}\0{path}").choice(chunks)  # noqa: S311 - as above
    words = _telling_words(store, stored)
    if len(words) < 2:
        return None
    entry = Expected(path=path, heading=stored.chunk.heading)
    text = " ".join(words)
    return Suggestion(query=GoldenQuery(id=text[:32], query=text, expected=(entry,)), passage=_beginning(stored))


def _telling_words(store: Store, stored: StoredChunk) -> list[str]:
    """The words of a passage with the highest tf-idf that other documents have too, in the order they stand in."""
    counts = Counter(_words(stored.chunk.content))
    documents = _documents_with(store, counts)
    total = store.meta.counts()[1]
    weights = {word: counts[word] * math.log(total / found) for word, found in documents.items() if found > 0}
    best = sorted(weights, key=lambda word: (-weights[word], word))[:WORDS]
    return [word for word in counts if word in best]


def _documents_with(store: Store, counts: Mapping[str, int]) -> dict[str, int]:
    found = {}
    for word in sorted(counts, key=lambda word: (-counts[word], -len(word), word))[:_CANDIDATES]:
        for form in forms([word], spelled=True):
            found[word] = len(store.fulltext.ids_with_words(form))
    return found


def _words(text: str) -> Iterator[str]:
    """What a query of this text would look for, function words aside."""
    for line in text.splitlines():
        for word in compile_query(line.replace('"', " ").replace("-", " ")).words:
            if len(word) > 2 and not word.isdigit():
                yield word


def _beginning(stored: StoredChunk) -> str:
    text = " ".join(stored.chunk.content.split())
    return text if len(text) <= 160 else f"{text[:160]}…"
