"""What an embedding model is to the rest of groove."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelIdentity:
    """What must be equal for two vectors to be comparable. Stored in the index and compared as a whole."""

    provider: str
    name: str
    revision: str
    dimension: int
    pooling: str
    normalised: bool
    window: int
    query_prefix: str = ""
    passage_prefix: str = ""


class Embedder(Protocol):
    """Text to unit vectors.

    ``scripts`` are the writing systems the model reads, named as :func:`grooveseek.text.scripts.script_of` names
    them; ``None`` means all. ``window`` is the number of tokens one text may have, special tokens included.
    """

    @property
    def identity(self) -> ModelIdentity:
        """What the index stores and compares. May look for the model, and raise ModelUnavailable or EmbeddingError."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def window(self) -> int:
        """Tokens one text may have, special tokens and prefix included."""
        ...

    @property
    def scripts(self) -> frozenset[str] | None:
        """Writing systems the model reads; None for all."""
        ...

    @property
    def lowest_cosine(self) -> float:
        """The least cosine this model is known to give to any two texts; -1.0, the least there is, where none is known.

        A model whose cosines all lie close together is told apart by where they begin, not by their size.
        """
        ...

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Cut a text into overlapping pieces the model can read whole.

        Character ranges (end exclusive), in order, covering every token of the text and every character that is not
        white space; the whole text as one range when it fits. A text without a token gives an empty list: there is
        nothing to embed.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """How many tokens the text has, special tokens not included."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """float32 [n, dimension], unit rows, in the order given. A text's vector does not depend on its neighbours,
        beyond the rounding of float32 (cosine 1 - 1e-6) for a model that runs several texts at once.

        Raises BadVector for a row that is not finite or has no length.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """float32 [dimension], of unit length."""
        ...


@runtime_checkable
class PatientEmbedder(Protocol):
    """An Embedder that may wait long before it has an answer, and can be told not to."""

    def embed_documents_until(self, texts: Sequence[str], should_stop: Callable[[], bool]) -> Vectors:
        """As ``embed_documents``; the rows of the first texts only, once ``should_stop`` says so."""
        ...


class Reranker(Protocol):
    """A cross-encoder: scores a query against each text on its own. Higher is better; raw logits, no range promised."""

    @property
    def name(self) -> str:
        """What a person calls it."""
        ...

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, in the order given. Raises EmbeddingError when the model cannot be used."""
        ...
