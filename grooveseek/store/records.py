"""What goes into the store and what comes out of it: plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from grooveseek.model.document import Chunk, Notice

Ids = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRecord:
    """One document's own row. ``fields`` are the frontmatter values that filters can ask for."""

    path: str
    title: str
    content_hash: bytes
    size_bytes: int
    mtime_ns: int
    parser: str
    category: str | None = None
    topic: str | None = None
    depth: str | None = None
    date: str | None = None
    tags: tuple[str, ...] = ()
    parser_tags: tuple[str, ...] = ()
    frontmatter_unparsed: bool = False
    tags_unparseable: bool = False
    is_source: bool = False
    notices: tuple[Notice, ...] = ()
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRecord:
    """One chunk ready to be written: the parser's chunk, its figures, and its vectors (float32 [windows,
    dimension]).
    """

    chunk: Chunk
    token_count: int
    quality: float
    is_boilerplate: bool
    letters: int
    readable: int
    input_hash: bytes
    vectors: npt.NDArray[np.float32]
    indexed_context: str = ""
    """The context as the full-text tables see it: empty unless the context mode is on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentState:
    """What the indexer needs to know of a document to tell whether its file changed."""

    path: str
    content_hash: bytes
    size_bytes: int
    mtime_ns: int
    parser: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChunk:
    """A chunk as it stands in the index, with its document's data, ready to be shown."""

    id: int
    document: DocumentRecord
    chunk: Chunk
    token_count: int
    quality: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """A leg's answer: chunk ids with scores, best first, ties by path and then position in the document."""

    ids: Ids
    scores: Scores

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusSnapshot:
    """Counts and a digest of the indexed chunks, all read in one state of the file."""

    documents: int
    chunks: int
    digest: str
