"""Embedding with an OpenAI-compatible server: ``POST {base_url}/embeddings``.

Sends the texts of the knowledge base to that server, and only there. What comes back is checked before it is believed.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from logging import getLogger
from typing import Any

import numpy as np

from grooveseek.embedding import estimate
from grooveseek.embedding.endpoint import BaseUrl, Endpoint, Key, ShouldStop, StoppedWaitingError
from grooveseek.embedding.pooling import unit_rows
from grooveseek.embedding.protocol import ModelIdentity, Vectors
from grooveseek.embedding.tokens import clean
from grooveseek.errors import ConfigError, EmbeddingError
from grooveseek.settings.sections import EmbeddingSettings

PROVIDER = "openai"
DOCUMENT_ATTEMPTS = 5
QUERY_ATTEMPTS = 2
"""Fewer than for documents: a person waits for the answer."""

_NUMBER_BYTES = 64
_REPLY_BYTES = 1 << 20
"""What a reply may have, beside so much for each number: indented JSON takes about 35 bytes a number."""
_QUOTED_CHARS = 60
_logger = getLogger(__name__)


class RemoteEmbedder:
    """An Embedder on an OpenAI-compatible server. Thread-safe.

    The server's tokenizer is not known, so windows and token counts are estimates by characters
    (:mod:`grooveseek.embedding.estimate`). Vectors are scaled to length 1 here.
    """

    def __init__(self, endpoint: Endpoint, identity: ModelIdentity, *, batch_size: int) -> None:
        self._endpoint = endpoint
        self._identity = identity
        self._batch_size = batch_size

    @property
    def identity(self) -> ModelIdentity:
        """Known without asking the server. The revision is the server's host, port and path: servers that take any
        model's name are common, so the same name elsewhere is another model until the index is built anew.
        """
        return self._identity

    @property
    def dimension(self) -> int:
        """Length of a vector, as declared; what comes back is compared with it."""
        return self._identity.dimension

    @property
    def window(self) -> int:
        """Tokens a text may have, by the estimate."""
        return self._identity.window

    @property
    def scripts(self) -> frozenset[str] | None:
        """None: nothing is known of what it cannot read."""
        return None

    @property
    def lowest_cosine(self) -> float:
        """Nothing is known of that either."""
        return -1.0

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Overlapping character ranges of a passage, about 1500 characters of English or 500 of Japanese each."""
        return estimate.windows(text, self._identity.passage_prefix)

    def count_tokens(self, text: str) -> int:
        """An estimate, rather too high."""
        return estimate.count(text)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """float32 [n, dimension], unit rows in the order given; what goes beyond the window is cut off.

        Raises EmbeddingError when the server cannot be used, BadVector for a row that is not finite or of no length.
        """
        return self._embed_batches(texts, None)

    def embed_documents_until(self, texts: Sequence[str], should_stop: ShouldStop) -> Vectors:
        """The rows of the batches that were answered before ``should_stop`` ended the wait for an answer, or the pause
        between two attempts. Raises as :meth:`embed_documents` does.
        """
        return self._embed_batches(texts, should_stop)

    def _embed_batches(self, texts: Sequence[str], should_stop: ShouldStop | None) -> Vectors:
        prefix = self._identity.passage_prefix
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), self._batch_size):
            batch = texts[start : start + self._batch_size]
            try:
                answered = self._embed(batch, prefix, start, attempts=DOCUMENT_ATTEMPTS, should_stop=should_stop)
            except StoppedWaitingError:
                return vectors[:start]
            vectors[start : start + len(batch)] = answered
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """float32 [dimension], of unit length. Raises as :meth:`embed_documents` does."""
        prefix = self._identity.query_prefix
        vector: Vectors = self._embed([text], prefix, 0, attempts=QUERY_ATTEMPTS)[0]
        return vector

    def _embed(
        self,
        texts: Sequence[str],
        prefix: str,
        start: int,
        *,
        attempts: int,
        should_stop: ShouldStop | None = None,
    ) -> Vectors:
        # Servers refuse an empty text; a space has a vector as an empty text has with a local model.
        inputs = [(prefix + estimate.truncated(clean(text), prefix)) or " " for text in texts]
        body = {"model": self._identity.name, "input": inputs, "encoding_format": "float"}
        most = _REPLY_BYTES + len(texts) * self.dimension * _NUMBER_BYTES
        reply = self._endpoint.post(body, most=most, attempts=attempts, should_stop=should_stop)

        def complaint(index: int, fault: str) -> str:
            beginning = texts[index][:_QUOTED_CHARS]
            return (
                f'the endpoint {self._endpoint.name} gives a vector that is {fault} for text {start + index}, "'
                f'{beginning}": see whether its model is meant for embedding'
            )

        return unit_rows(self._rows(reply, len(texts)), complaint)

    def _rows(self, reply: Any, count: int) -> Vectors:
        """The reply's vectors in the order of the texts."""
        items = reply.get("data") if isinstance(reply, dict) else None
        if not isinstance(items, list) or not all(isinstance(item, dict) and "embedding" in item for item in items):
            raise self._unusable('no list "data" of embeddings')
        if len(items) != count:
            raise self._unusable(f"{len(items)} vectors for {count} texts")
        vectors = [self._vector(item["embedding"]) for item in self._in_order(items)]
        return np.array(vectors, dtype=np.float32).reshape(count, self.dimension)

    def _in_order(self, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """By their index fields; as they came where none has one."""
        places: list[Any] = [item.get("index") for item in items]
        if places.count(None) == len(places):
            return items
        if not all(type(place) is int for place in places) or sorted(places) != list(range(len(items))):
            raise self._unusable(f"index fields that are not 0 to {len(items) - 1}, each once")
        return sorted(items, key=lambda item: int(item["index"]))

    def _vector(self, embedding: Any) -> Vectors:
        try:
            vector = _decoded(embedding) if isinstance(embedding, str) else _numbers(embedding)
        except (ValueError, TypeError, OverflowError):
            raise self._unusable("an embedding that is neither a list of numbers nor float32 in base64") from None
        if vector.shape != (self.dimension,):
            raise EmbeddingError(
                f"the endpoint {self._endpoint.name} gives vectors of {vector.size} numbers where [embedding] "
                f"dimension declares {self.dimension}: set dimension = {vector.size}, or name another model"
            )
        return vector

    def _unusable(self, what: str) -> EmbeddingError:
        return EmbeddingError(
            f"the endpoint {self._endpoint.name} answers with {what}: see that [embedding] base_url and model name an "
            "OpenAI-compatible embedding model"
        )


def build_remote(
    settings: EmbeddingSettings, environ: Mapping[str, str], *, sleep: Callable[[float], None] | None = None
) -> RemoteEmbedder:
    """The embedder of ``provider = "openai"``. Nothing is sent yet.

    Raises ConfigError when base_url, model or dimension is not set, or base_url cannot be used.
    """
    base_url, model, dimension = settings.base_url, settings.model, settings.dimension
    if not base_url or not model or dimension is None:
        wanted = {"base_url": base_url, "model": model, "dimension": dimension}
        missing = ", ".join(name for name, value in wanted.items() if not value)
        raise ConfigError(f'[embedding] provider = "{PROVIDER}" needs {missing} too: set it in the same section')
    base = BaseUrl.parse(base_url)
    if not (base.encrypted or base.loopback):
        _logger.warning("The endpoint %s is plain http: texts and key cross the network unencrypted", base.name)
    identity = ModelIdentity(
        provider=PROVIDER,
        name=model,
        revision=base.name,
        dimension=dimension,
        pooling="remote",
        normalised=True,
        window=estimate.WINDOW,
        query_prefix=settings.query_prefix,
        passage_prefix=settings.passage_prefix,
    )
    key = _key_from(settings.api_key_env, environ)
    endpoint = Endpoint(base, "/embeddings", key=key, timeout=settings.timeout_secs, sleep=sleep)
    return RemoteEmbedder(endpoint, identity, batch_size=settings.batch_size)


def _key_from(variable: str | None, environ: Mapping[str, str]) -> Key:
    """Reads the key when it is needed, so that no object holds it."""

    def key() -> str | None:
        if variable is None:
            return None
        value = environ.get(variable, "").strip()
        if not value:
            raise ConfigError(
                f"[embedding] api_key_env names the variable {variable}, which is not set: set it, or leave "
                "api_key_env out for a server without a key"
            )
        if not value.isascii() or not value.isprintable() or " " in value:
            raise ConfigError(f"the variable {variable} does not hold a key: it has spaces or unusual characters")
        return value

    return key


def _decoded(text: str) -> Vectors:
    """Little-endian float32 in base64, what ``encoding_format = "base64"`` means."""
    return np.frombuffer(b64decode(text, validate=True), dtype="<f4").astype(np.float32)


def _numbers(values: Any) -> Vectors:
    if not isinstance(values, list) or not all(type(value) in (int, float) for value in values):
        raise TypeError("not a list of numbers")
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused as such
        return np.array(values, dtype=np.float64).astype(np.float32)
