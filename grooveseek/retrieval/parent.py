"""The parent retriever: a hit shown with its neighbours, or with its whole document. Display only; nothing moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from grooveseek.model.document import Chunk
from grooveseek.store.records import StoredChunk

Slice = Callable[[int, int], str | None]
"""(start byte, end byte) to that part of the document's file; ``None`` when the file is not what was indexed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """How a hit's content was widened. ``from_index == to_index``: considered, and nothing fitted."""

    kind: str
    from_index: int
    to_index: int
    total_chunks: int

    def as_json(self) -> dict[str, object]:
        """The answer's ``expanded_from``."""
        if self.kind == "whole_document":
            return {"kind": self.kind, "total_chunks": self.total_chunks}
        return {"kind": self.kind, "from_index": self.from_index, "to_index": self.to_index}


def expand(
    hit: StoredChunk, siblings: Sequence[StoredChunk], slice_file: Slice, *, whole_below: int, max_tokens: int
) -> tuple[Chunk, Expansion]:
    """The chunk to show instead of ``hit``, and what it was made from. ``siblings`` are all the document's chunks in
    order.

    A hit of fewer than ``whole_below`` tokens shows its whole document where that keeps within ``max_tokens``; any
    other, its neighbours of the same heading level for as long as they keep within it.
    """
    place = next(i for i, sibling in enumerate(siblings) if sibling.chunk.index == hit.chunk.index)
    whole = tokens_of(hit) < whole_below and sum(map(tokens_of, siblings)) <= max_tokens
    first, last = (0, len(siblings) - 1) if whole else _adjacent(siblings, place, max_tokens)
    expansion = Expansion(
        kind="whole_document" if whole else "adjacent",
        from_index=siblings[first].chunk.index,
        to_index=siblings[last].chunk.index,
        total_chunks=len(siblings),
    )
    if first == last:
        return hit.chunk, expansion
    return _merged(hit.chunk, [sibling.chunk for sibling in siblings[first : last + 1]], slice_file), expansion


def tokens_of(stored: StoredChunk) -> int:
    """The chunk's tokens, or a guess of one for four characters when none are on record."""
    return stored.token_count or -(-len(stored.chunk.content) // 4)


def _adjacent(siblings: Sequence[StoredChunk], place: int, max_tokens: int) -> tuple[int, int]:
    """Grow after and before in turn, each side until a chunk of another level or one that would not fit."""
    level = siblings[place].chunk.level
    first = last = place
    total = tokens_of(siblings[place])
    growing = [1, -1]
    while growing:
        for step in tuple(growing):
            candidate = last + 1 if step > 0 else first - 1
            fits = (
                0 <= candidate < len(siblings)
                and siblings[candidate].chunk.level == level
                and total + tokens_of(siblings[candidate]) <= max_tokens
            )
            if not fits:
                growing.remove(step)
                continue
            total += tokens_of(siblings[candidate])
            first, last = min(first, candidate), max(last, candidate)
    return first, last


def _merged(hit: Chunk, chunks: Sequence[Chunk], slice_file: Slice) -> Chunk:
    """The file's own text from the first chunk to the last; the chunks' texts, without a place, where that is not to
    be had.
    """
    start, end = chunks[0].start_byte, chunks[-1].end_byte
    text = slice_file(start, end) if start is not None and end is not None else None
    if text is not None:
        return replace(
            hit,
            content=text,
            start_byte=start,
            end_byte=end,
            start_line=chunks[0].start_line,
            end_line=chunks[-1].end_line,
            table_rows=None,
        )
    parts = [
        f"{chunk.heading}\n\n{chunk.content}" if chunk.heading and chunk.heading != chunk.content else chunk.content
        for chunk in chunks
    ]
    return replace(
        hit,
        content="\n\n".join(parts),
        start_byte=None,
        end_byte=None,
        start_line=chunks[0].start_line,
        end_line=chunks[-1].end_line,
        table_rows=None,
    )
