"""What the server needs of a knowledge base: the part of :class:`grooveseek.app.KnowledgeBase` it uses."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from grooveseek.embedding.protocol import Embedder
from grooveseek.indexing.events import CancelToken, Listener, Summary
from grooveseek.model.hit import Answer
from grooveseek.model.query import SearchRequest
from grooveseek.parsing.registry import Registry
from grooveseek.settings.sections import Settings
from grooveseek.store.store import Store


class Backend(Protocol):
    """A knowledge base, open. Everything here may be called from any thread."""

    settings: Settings
    root: Path
    index_path: Path

    @property
    def embedder(self) -> Embedder:
        """The embedding model, loaded on first use."""
        ...

    @property
    def registry(self) -> Registry:
        """The enabled parsers."""
        ...

    def search(self, query: SearchRequest) -> Answer:
        """Answer one search. Raises NoIndex, ModelMismatch, QueryError."""
        ...

    def store(self) -> Store:
        """This thread's connection for reading. Raises NoIndex."""
        ...

    def index(
        self,
        *,
        force: bool = False,
        listener: Listener | None = None,
        cancel: CancelToken | None = None,
        command: str = "groove index",
    ) -> Summary:
        """Bring the whole index up to date. Raises WriterBusy when another process writes."""
        ...

    def index_paths(
        self,
        paths: Collection[str],
        *,
        listener: Listener | None = None,
        cancel: CancelToken | None = None,
        command: str = "groove serve",
    ) -> Summary:
        """Bring single paths up to date. Raises as :meth:`index` does."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...
