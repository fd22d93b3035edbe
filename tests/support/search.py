"""Judging answers as a user sees them: by file, by heading trail, by the bytes on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grooveseek.app import KnowledgeBase
from grooveseek.model.hit import Hit

Span = tuple[int, int]


def hits(kb: KnowledgeBase, query: str, *, mode: str = "keyword", limit: int = 10) -> list[Hit]:
    """The hits of one search."""
    return list(kb.search(query, mode=mode, limit=limit).hits)


def paths(kb: KnowledgeBase, query: str, *, mode: str = "keyword", limit: int = 10) -> list[str]:
    """The files of one search's hits, without repeats, best first."""
    return list(dict.fromkeys(hit.path for hit in hits(kb, query, mode=mode, limit=limit)))


def file_spans(hit: Hit) -> Iterator[Span]:
    """Where a hit's match spans stand in the file on disk."""
    assert hit.chunk.start_byte is not None
    for start, end in hit.match_spans or ():
        yield hit.chunk.start_byte + start, hit.chunk.start_byte + end


def spans_in(kb: KnowledgeBase, query: str, path: str) -> list[Span]:
    """Every match span of a query in one file, in order."""
    return sorted(span for hit in hits(kb, query) if hit.path == path for span in file_spans(hit))


def text_at(root: Path, path: str, span: Span) -> str:
    """The bytes of a span, which must be valid UTF-8 by themselves."""
    return (root / path).read_bytes()[span[0] : span[1]].decode("utf-8")
