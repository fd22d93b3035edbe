"""The shipped fake embedder, watched or made to fail."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.embedding.protocol import ModelIdentity, Vectors
from grooveseek.errors import BadVector, EmbeddingError


class WatchedEmbedder(FakeEmbedder):
    """Keeps every text it was asked to embed. ``before`` is called with each batch first, on the embedding thread."""

    def __init__(
        self,
        *,
        name: str = "fake",
        window: int = 256,
        dimension: int = 64,
        before: Callable[[Sequence[str]], None] = lambda _: None,
    ) -> None:
        super().__init__(dimension=dimension, window=window)
        self._name = name
        self.before = before
        self.texts: list[str] = []
        self._lock = threading.Lock()

    @property
    def identity(self) -> ModelIdentity:
        return replace(super().identity, name=self._name)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.before(texts)
        with self._lock:
            self.texts += texts
        return super().embed_documents(texts)

    def forget(self) -> None:
        """Start counting anew."""
        self.texts = []


class InstantEmbedder(FakeEmbedder):
    """One window a text and the same vector for all: what costs time in a run is then the run itself."""

    def windows(self, text: str) -> list[tuple[int, int]]:
        return [(0, len(text))]

    def count_tokens(self, text: str) -> int:
        return len(text) // 5

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        vector = super().embed_query("the same for all")
        return np.repeat(vector[np.newaxis], len(texts), axis=0)


def refuse_poison(texts: Sequence[str]) -> None:
    """A model that gives no usable vector for one text."""
    for text in texts:
        if "poison" in text:
            raise BadVector(f'the model gives a vector that is not finite for "{text[:20]}"')


def refuse_everything(_: Sequence[str]) -> None:
    """A model that stopped answering."""
    raise EmbeddingError("the model stopped answering")
