"""Embedding with a model directory: our own runner on onnxruntime and tokenizers.

Both are imported and loaded on first use, so an embedder costs nothing until it embeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from grooveseek.embedding.files import check_hash
from grooveseek.embedding.lazy import Lazy
from grooveseek.embedding.pooling import Pooling, pool, unit_rows
from grooveseek.embedding.protocol import ModelIdentity, Vectors
from grooveseek.embedding.session import OnnxSession, run_all
from grooveseek.embedding.tokens import ModelTokenizer
from grooveseek.errors import EmbeddingError

_PREFERRED_OUTPUTS = ("sentence_embedding", "last_hidden_state", "token_embeddings")
_QUOTED_CHARS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """All there is to know about a model on disk before it runs.

    ``one_at_a_time``: each text needs a run of its own, because a batch shares the scale of dynamically quantised
    activations. ``remedy`` is the next step for a person whose copy is damaged. ``sha256`` holds the hashes that are
    known beforehand; such files are checked before they are loaded. ``session`` is set when the model had to be loaded
    to learn the rest.
    """

    identity: ModelIdentity
    model: Path
    tokenizer: Path
    scripts: frozenset[str] | None
    one_at_a_time: bool
    remedy: str
    sha256: Mapping[Path, str] = field(default_factory=dict)
    session: OnnxSession | None = None
    lowest_cosine: float = -1.0

    @property
    def pooling(self) -> Pooling:
        """The identity's pooling as a value."""
        return Pooling(self.identity.pooling)


class OnnxEmbedder:
    """An Embedder on a model directory. Thread-safe; several single-threaded runs happen at once.

    ``find`` says which model it is. It is called once, on first use, and may look at the disk or download; what it
    raises, the properties and methods here raise. ``threads`` is the number of runs at once, 0 for one a core: vectors
    do not depend on it.
    """

    def __init__(self, find: Callable[[], ModelCard], *, threads: int = 0) -> None:
        self._threads = threads
        self._card = Lazy(find)
        self._session = Lazy(self._load_session)
        self._tokenizer = Lazy(self._load_tokenizer)

    @property
    def identity(self) -> ModelIdentity:
        """See :class:`ModelIdentity`; known without loading the model when its files or the catalogue say enough."""
        return self._card.value.identity

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._card.value.identity.dimension

    @property
    def window(self) -> int:
        """Tokens a text may have, special tokens and prefix included."""
        return self._card.value.identity.window

    @property
    def scripts(self) -> frozenset[str] | None:
        """Writing systems the model reads; None for all."""
        return self._card.value.scripts

    @property
    def lowest_cosine(self) -> float:
        """The least cosine the model is known to give."""
        return self._card.value.lowest_cosine

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Overlapping character ranges of a passage that fit the model, as :class:`Embedder` says.

        Neighbours share about an eighth of the window. Lone surrogates count as one character each.
        """
        return self._tokenizer.value.windows(text, self.identity.passage_prefix)

    def count_tokens(self, text: str) -> int:
        """Tokens of the text alone: no special tokens, no prefix."""
        return self._tokenizer.value.count(text)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """float32 [n, dimension], unit rows in the order given; what goes beyond the window is cut off.

        Raises BadVector, naming the text's position from 0 and its beginning.
        """
        prefix = self.identity.passage_prefix
        return self._embed([prefix + text for text in texts], texts, "text")

    def embed_query(self, text: str) -> Vectors:
        """float32 [dimension], of unit length; what goes beyond the window is cut off."""
        vector: Vectors = self._embed([self.identity.query_prefix + text], [text], "query")[0]
        return vector

    def _embed(self, inputs: Sequence[str], texts: Sequence[str], noun: str) -> Vectors:
        card, session, tokenizer = self._card.value, self._session.value, self._tokenizer.value
        output = choose_output(session, card.pooling)

        def run(batch: list[Any]) -> Vectors:
            hidden, mask = session.run(batch, tokenizer.pad_id, output)
            return pool(hidden, mask, card.pooling)

        def complaint(index: int, fault: str) -> str:
            beginning = texts[index][:_QUOTED_CHARS]
            name = card.identity.name
            return f'the model {name} gives a vector that is {fault} for {noun} {index}, "{beginning}": {card.remedy}'

        pooled = run_all(tokenizer.encode(inputs), run, threads=self._threads, one_at_a_time=card.one_at_a_time)
        return unit_rows(_stacked(pooled, card), complaint)

    def _load_session(self) -> OnnxSession:
        card = self._card.value
        return card.session or OnnxSession(_checked(card.model, card), remedy=card.remedy)

    def _load_tokenizer(self) -> ModelTokenizer:
        card = self._card.value
        return ModelTokenizer(_checked(card.tokenizer, card), window=card.identity.window, remedy=card.remedy)


def _checked(path: Path, card: ModelCard) -> Path:
    if expected := card.sha256.get(path):
        check_hash(path, expected, card.remedy)
    return path


def _stacked(rows: list[Vectors], card: ModelCard) -> Vectors:
    dimension = card.identity.dimension
    if rows and rows[0].shape != (dimension,):
        raise EmbeddingError(
            f"the model {card.model} gives vectors of {rows[0].size} numbers where {dimension} are declared: "
            f"{card.remedy}"
        )
    return np.array(rows, dtype=np.float32).reshape(len(rows), dimension)


def choose_output(session: OnnxSession, pooling: Pooling) -> str:
    """The name of the output to pool. Raises EmbeddingError when the model has none of the kind pooling needs."""
    rank = 2 if pooling is Pooling.NONE else 3
    fitting: list[str] = [name for name, shape in session.outputs.items() if len(shape) == rank]
    if not fitting:
        raise EmbeddingError(
            f"the model {session.path} has no output to pool by {pooling}, only {', '.join(session.outputs)}: "
            "export it with last_hidden_state or sentence_embedding"
        )
    preferred = [name for name in _PREFERRED_OUTPUTS if name in fitting]
    return (preferred or fitting)[0]
