"""An index to write into, and records to write."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from grooveseek.model.document import Chunk
from grooveseek.store.records import ChunkRecord, DocumentRecord
from grooveseek.store.store import Store
from tests.knowledge_base.conftest import locked_out

__all__ = ["locked_out"]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Where the index goes."""
    return tmp_path / "index.db"


@pytest.fixture
def store(index: Path) -> Iterator[Store]:
    """A new index, open for writing."""
    with Store.open_for_writing(index) as opened:
        yield opened


def document(path: str = "a.md", **changes: object) -> DocumentRecord:
    """A document's record; whatever is not given is made up from its path."""
    values: dict[str, object] = {
        "path": path,
        "title": path,
        "content_hash": hashlib.sha256(path.encode()).digest(),
        "size_bytes": 100,
        "mtime_ns": 1,
        "parser": "md",
        **changes,
    }
    return DocumentRecord(**values)  # type: ignore[arg-type]


def chunk(content: str, index: int = 0, *, windows: int = 1, **changes: object) -> ChunkRecord:
    """A chunk's record with as many vectors (of four numbers) as asked for, made up from its content."""
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).digest()
    vectors = (
        np.frombuffer(digest[: 4 * max(windows, 1)], dtype=np.uint8).reshape(-1, 4)[:windows].astype(np.float32) + 1
    )
    values: dict[str, object] = {
        "chunk": Chunk(index=index, content=content),
        "token_count": len(content.split()),
        "quality": 1.0,
        "is_boilerplate": False,
        "letters": len(content),
        "readable": len(content),
        "input_hash": digest,
        "vectors": vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9),
        **changes,
    }
    return ChunkRecord(**values)  # type: ignore[arg-type]


def chunks(*contents: str) -> list[ChunkRecord]:
    """Chunks in a row."""
    return [chunk(content, index) for index, content in enumerate(contents)]
