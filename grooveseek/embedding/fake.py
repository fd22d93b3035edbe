"""A deterministic embedder and reranker without a model: for tests, and for trying groove out in no time.

Texts that share words or character trigrams get a higher cosine, in any script. They know nothing of meaning.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from grooveseek.embedding.protocol import ModelIdentity, Vectors
from grooveseek.embedding.tokens import clean
from grooveseek.embedding.windows import Cutter, Spans

_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"\w+")


class FakeEmbedder:
    """An Embedder that adds up hashed features. A token is a word or a single other character.

    Like a model, it does not see what lies beyond ``window`` tokens, so a caller that forgets ``windows`` shows.
    """

    def __init__(self, dimension: int = 64, window: int = 256) -> None:
        self._identity = ModelIdentity(
            provider="fake",
            name="fake",
            revision="1",
            dimension=dimension,
            pooling="none",
            normalised=True,
            window=window,
        )

    @property
    def identity(self) -> ModelIdentity:
        """Provider and name are ``fake``."""
        return self._identity

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._identity.dimension

    @property
    def window(self) -> int:
        """Tokens of a text that count."""
        return self._identity.window

    @property
    def scripts(self) -> frozenset[str] | None:
        """None: it reads them all, or none."""
        return None

    @property
    def lowest_cosine(self) -> float:
        """As low as a cosine can be."""
        return -1.0

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Overlapping character ranges of at most ``window`` tokens; an eighth of them shared with the neighbour."""
        overlap = min(self.window // 8, (self.window - 1) // 2)
        cutter = Cutter(capacity=self.window, room=self.window, overlap=overlap, spans=_spans, count=self.count_tokens)
        return cutter.cut(text)

    def count_tokens(self, text: str) -> int:
        """Words, and other characters that are not white space."""
        return sum(1 for _ in _TOKEN.finditer(text))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """float32 [n, dimension], unit rows. A text without a token has a vector too, as with a model."""
        return np.array([self._embed(text) for text in texts], dtype=np.float32).reshape(len(texts), self.dimension)

    def embed_query(self, text: str) -> Vectors:
        """float32 [dimension], of unit length."""
        return self._embed(text)

    def _embed(self, text: str) -> Vectors:
        seen = " ".join(match.group() for _, match in zip(range(self.window), _TOKEN.finditer(text), strict=False))
        total = np.zeros(self.dimension, dtype=np.int64)
        for feature in _features(seen):
            total += _signs(feature, self.dimension)
        if not total.any():
            total = _signs("", self.dimension)
        vector: Vectors = (total / np.linalg.norm(total)).astype(np.float32)
        return vector


class FakeReranker:
    """A Reranker: 8 times the share of the query's features that the text has, minus 4."""

    name = "fake"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Between -4 and 4; -4 for a query without a word."""
        wanted = set(_features(query))
        return [8.0 * len(wanted & set(_features(text))) / max(len(wanted), 1) - 4.0 for text in texts]


def _features(text: str) -> Iterator[str]:
    """Each word, and the trigrams of the word between spaces; of words beyond ASCII the bigrams too, since a script
    without spaces has few words and they are long."""
    for word in _WORD.findall(unicodedata.normalize("NFKC", clean(text)).casefold()):
        yield word
        padded = f" {word} "
        yield from (padded[at : at + 3] for at in range(len(padded) - 2))
        if not word.isascii():
            yield from (word[at : at + 2] for at in range(len(word) - 1))


@lru_cache(maxsize=65_536)
def _signs(feature: str, dimension: int) -> np.typing.NDArray[np.int64]:
    """A feature's own row of +1 and -1."""
    digest = hashlib.shake_128(feature.encode()).digest((dimension + 7) // 8)
    bits = np.unpackbits(np.frombuffer(digest, dtype=np.uint8))[:dimension]
    return bits.astype(np.int64) * 2 - 1


def _spans(text: str) -> Spans:
    offsets = [match.span() for match in _TOKEN.finditer(text)]
    return Spans.of(offsets, list(range(len(offsets))))
