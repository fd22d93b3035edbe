"""Indexes whose vectors are given, so that what is near what can be worked out by hand."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.model.document import Chunk
from grooveseek.store.records import ChunkRecord, DocumentRecord
from grooveseek.store.store import Store

Vector = Sequence[float]


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A chunk: its windows' directions (none: nothing to embed), made unit vectors on the way in."""

    windows: tuple[Vector, ...]
    quality: float = 1.0
    heading: str | None = None
    content: str = "text"


def at(degrees: float, *, quality: float = 1.0, heading: str | None = None) -> Piece:
    """A chunk in the plane; the cosine of two is the cosine of their angles' difference."""
    angle = math.radians(degrees)
    return Piece(windows=((math.cos(angle), math.sin(angle)),), quality=quality, heading=heading)


def write_store(
    path: Path, documents: Mapping[str, Sequence[Piece]], *, categories: Mapping[str, str] | None = None
) -> None:
    """Make an index of documents by path; ``categories`` go by path too."""
    dimension = max((len(w) for pieces in documents.values() for p in pieces for w in p.windows), default=2)
    with Store.open_for_writing(path) as store, store.transaction():
        store.meta.set("model_identity", asdict(FakeEmbedder(dimension).identity))
        for name, pieces in documents.items():
            record = DocumentRecord(
                path=name,
                title=name,
                content_hash=hashlib.sha256(name.encode()).digest(),
                size_bytes=1,
                mtime_ns=1,
                parser="md",
                category=(categories or {}).get(name),
            )
            store.documents.put(record, [_record(index, piece, dimension) for index, piece in enumerate(pieces)])


def _record(index: int, piece: Piece, dimension: int) -> ChunkRecord:
    vectors = np.array(piece.windows, dtype=np.float32).reshape(len(piece.windows), dimension)
    return ChunkRecord(
        chunk=Chunk(index=index, content=piece.content, heading=piece.heading, start_line=1, end_line=1),
        token_count=1,
        quality=piece.quality,
        is_boilerplate=False,
        letters=1,
        readable=1,
        input_hash=hashlib.sha256(piece.content.encode()).digest(),
        vectors=vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9),
    )
