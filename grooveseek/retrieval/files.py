"""What a search needs of the files behind its hits: whether they changed, and pieces of them."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from grooveseek.errors import FileSkipped
from grooveseek.knowledge_base.safe_read import read_checked
from grooveseek.store.records import DocumentRecord

_CACHED_FILES = 16
_MAX_BYTES = 64 * 1024 * 1024


class SourceFiles:
    """The knowledge base's files as one search sees them. Make a new one for each search."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read = lru_cache(maxsize=_CACHED_FILES)(self._read_uncached)

    def is_stale(self, document: DocumentRecord) -> bool:
        """Whether the file is no longer the one that was indexed: by size and time first, by its bytes where they
        differ.
        """
        try:
            status = (self._root / document.path).lstat()
        except OSError:
            return True
        if (status.st_size, status.st_mtime_ns) == (document.size_bytes, document.mtime_ns):
            return False
        return status.st_size != document.size_bytes or self._indexed_bytes(document) is None

    def slice(self, document: DocumentRecord, start: int, end: int) -> str | None:
        """Bytes ``start`` to ``end`` as text; ``None`` when the file is not what was indexed."""
        data = self._indexed_bytes(document)
        return None if data is None else data[start:end].decode("utf-8", "replace")

    def _indexed_bytes(self, document: DocumentRecord) -> bytes | None:
        data = self._read(document.path)
        return data if data is not None and hashlib.sha256(data).digest() == document.content_hash else None

    def _read_uncached(self, path: str) -> bytes | None:
        try:
            return read_checked(self._root / path, max_bytes=_MAX_BYTES).data
        except (FileSkipped, OSError):
            return None
