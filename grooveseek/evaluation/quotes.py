"""Where a golden entry's quote stands: text names the chunk that holds it, whatever the chunking."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from grooveseek.evaluation.golden import Expected, GoldenQuery
from grooveseek.evaluation.hits import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A query's entries made ready, and those whose quote no longer stands in an indexed document."""

    targets: tuple[Target, ...]
    stale: tuple[Expected, ...] = ()


def resolve_quotes(query: GoldenQuery, contents_of: Callable[[str], Mapping[int, str] | None]) -> Resolved:
    """Match a query's quotes with chunks.

    ``contents_of`` gives a document's chunks, index to content in reading order, or None when it is not indexed. An
    entry whose document is there without its quote is stale: the golden set needs repair, and the entry counts neither
    as found nor as missed. An entry whose document is not indexed stays a target, and will be missed.
    """
    targets = []
    stale = []
    for entry in query.expected:
        chunks = None
        if entry.quote is not None and (contents := contents_of(entry.path)) is not None:
            chunks = chunks_with(entry.quote, contents)
            if not chunks:
                stale.append(entry)
                continue
        targets.append(Target(path=entry.path, relevance=entry.relevance, heading=entry.heading, chunks=chunks))
    return Resolved(targets=tuple(targets), stale=tuple(stale))


def chunks_with(quote: str, contents: Mapping[int, str]) -> frozenset[int]:
    """Indices of the chunks that hold the quote, white space folded.

    A quote that no chunk holds whole, because chunking cut through it, belongs to every chunk it touches.
    """
    wanted = fold(quote)
    folded = {index: fold(content) for index, content in contents.items()}
    whole = frozenset(index for index, text in folded.items() if wanted in text)
    return whole or _touched(wanted, folded)


def fold(text: str) -> str:
    """Every run of white space as one blank, none at the ends."""
    return " ".join(text.split())


def _touched(wanted: str, folded: Mapping[int, str]) -> frozenset[int]:
    indices: Sequence[int] = [index for index, text in folded.items() if text]
    start = " ".join(folded[index] for index in indices).find(wanted)
    if start < 0 or not wanted:
        return frozenset()
    touched = set()
    position = 0
    for index in indices:
        end = position + len(folded[index])
        if position < start + len(wanted) and end > start:
            touched.add(index)
        position = end + 1
    return frozenset(touched)
