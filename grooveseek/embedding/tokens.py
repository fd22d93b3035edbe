"""A model's tokenizer.json: encoding, counting and windows, with the file's own truncation and padding switched off."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grooveseek.embedding.windows import SLAB_CHARS, Cutter, Spans
from grooveseek.errors import EmbeddingError

_SURROGATE = re.compile("[\ud800-\udfff]")
_COUNT_CHARS = 1 << 18
_KEPT_TOKENS = 1 << 16
"""Tokens of encodings that wait for the model: those of the windows an indexing run has on their way. Some 6 MB."""


def clean(text: str) -> str:
    """The text with each lone surrogate replaced by U+FFFD; offsets stay what they were.

    The tokenizer takes valid Unicode only. Such strings come from file names and from JSON.
    """
    if text.isascii():
        return text
    return _SURROGATE.sub("�", text)


class ModelTokenizer:
    """A loaded tokenizer. Reading it is thread-safe: nothing here changes its settings after construction."""

    def __init__(self, path: Path, *, window: int, remedy: str) -> None:
        self._tokenizer = _load(path, remedy)
        self.window = window
        self.special = int(self._tokenizer.num_special_tokens_to_add(False))
        self.pad_id = _pad_id(self._tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._kept = _Kept(_KEPT_TOKENS)

    def count(self, text: str) -> int:
        """Tokens of the text, special tokens not included."""
        text = clean(text)
        if len(text) <= _COUNT_CHARS:
            return self._count(text)
        total, start = 0, 0
        while start < len(text):
            end = _white_space_before(text, start + _COUNT_CHARS, start)
            total += self._count(text[start:end])
            start = end
        return total

    def windows(self, text: str, prefix: str = "") -> list[tuple[int, int]]:
        """Character ranges of the text that fit the model's window with the prefix in front of each.

        Raises EmbeddingError when the prefix leaves no room for a text.
        """
        prefix = clean(prefix)
        capacity = self.window - self.special
        room = capacity - (self._count(prefix) if prefix else 0)
        if room < 1:
            raise EmbeddingError(
                f'the prefix "{prefix}" fills the model\'s window of {self.window} tokens: choose a shorter prefix'
            )
        text = clean(text)
        whole = self._plain(text) if len(text) <= SLAB_CHARS else None
        if whole is not None and len(whole) <= room and not prefix:
            if not len(whole) or not text.strip():
                return []
            self._kept.put(text, whole)
            return [(0, len(text))]

        def spans(piece: str) -> Spans:
            return _spans_of(whole if whole is not None and piece == text else self._plain(piece))

        def count(piece: str) -> int:
            encoding = self._plain(prefix + piece)
            if len(encoding) <= capacity:
                self._kept.put(prefix + piece, encoding)
            return len(encoding)

        overlap = min(self.window // 8, (room - 1) // 2)
        return Cutter(capacity=capacity, room=room, overlap=overlap, spans=spans, count=count).cut(text)

    def encode(self, texts: Sequence[str]) -> list[Any]:
        """``tokenizers.Encoding`` of each text, special tokens included, cut at the end to the window.

        A text that :meth:`windows` has just cut is not tokenised a second time.
        """
        cleaned = [clean(text) for text in texts]
        kept = [self._kept.take(text) for text in cleaned]
        missing = [text for text, encoding in zip(cleaned, kept, strict=True) if encoding is None]
        fresh = iter(self._tokenizer.encode_batch(missing, add_special_tokens=False))
        return [self._finished(next(fresh) if encoding is None else encoding) for encoding in kept]

    def _count(self, text: str) -> int:
        return len(self._tokenizer.encode_batch_fast([text], add_special_tokens=False)[0])

    def _plain(self, text: str) -> Any:
        # A batch of one: unlike encode it lets other threads run meanwhile.
        return self._tokenizer.encode_batch([text], add_special_tokens=False)[0]

    def _finished(self, encoding: Any) -> Any:
        encoding.truncate(max(self.window - self.special, 0))
        return self._tokenizer.post_process(encoding)


class _Kept:
    """Encodings of texts on their way to the model, without special tokens; the oldest go when there are too many."""

    def __init__(self, most_tokens: int) -> None:
        self._most = most_tokens
        self._tokens = 0
        self._by_text: dict[str, Any] = {}
        self._lock = threading.Lock()

    def put(self, text: str, encoding: Any) -> None:
        """Keep the encoding, unless it is empty."""
        if not len(encoding):
            return
        with self._lock:
            self._drop(text)
            self._by_text[text] = encoding
            self._tokens += len(encoding)
            while self._tokens > self._most:
                self._drop(next(iter(self._by_text)))

    def take(self, text: str) -> Any:
        """The text's encoding, which is not kept any longer; ``None`` when there is none."""
        with self._lock:
            return self._drop(text)

    def _drop(self, text: str) -> Any:
        encoding = self._by_text.pop(text, None)
        if encoding is not None:
            self._tokens -= len(encoding)
        return encoding


class PairTokenizer:
    """A cross-encoder's tokenizer: a query and a text become one sequence, the longer cut at its end until it fits."""

    def __init__(self, path: Path, *, window: int, remedy: str) -> None:
        self._tokenizer = _load(path, remedy)
        self.pad_id = _pad_id(self._tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(window, strategy="longest_first")

    def encode(self, query: str, texts: Sequence[str]) -> list[Any]:
        """``tokenizers.Encoding`` of (query, text) for each text."""
        query = clean(query)
        encodings: list[Any] = self._tokenizer.encode_batch([(query, clean(text)) for text in texts])
        return encodings


def _spans_of(encoding: Any) -> Spans:
    return Spans.of(encoding.offsets, [-1 if word is None else word for word in encoding.word_ids])


def _white_space_before(text: str, end: int, start: int) -> int:
    """Where to end a piece of at most ``end - start`` characters: before its last space or line break if it has one."""
    if end >= len(text):
        return len(text)
    at = max(text.rfind(" ", start + 1, end), text.rfind("\n", start + 1, end))
    return at if at > start else end


def _pad_id(tokenizer: Any) -> int:
    """What fills a batch's shorter rows. The mask hides it, so any valid id will do where the file names none."""
    return int((tokenizer.padding or {}).get("pad_id", 0))


def _load(path: Path, remedy: str) -> Any:
    from tokenizers import Tokenizer

    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises plain Exception for a missing and for a damaged file
        raise EmbeddingError(f"the tokenizer {path} cannot be loaded ({error}): {remedy}") from error
