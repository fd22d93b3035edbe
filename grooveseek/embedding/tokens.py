"""A model's tokenizer.json: encoding, counting and windows, with the file's own truncation and padding switched off."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grooveseek.embedding.windows import Cutter, Spans
from grooveseek.errors import EmbeddingError

_SURROGATE = re.compile("[\ud800-\udfff]")
_COUNT_CHARS = 1 << 18


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
        overlap = min(self.window // 8, (room - 1) // 2)
        cutter = Cutter(
            capacity=capacity,
            room=room,
            overlap=overlap,
            spans=self._spans,
            count=lambda piece: self._count(prefix + piece),
        )
        return cutter.cut(clean(text))

    def encode(self, texts: Sequence[str]) -> list[Any]:
        """``tokenizers.Encoding`` of each text, special tokens included, cut at the end to the window."""
        cleaned = [clean(text) for text in texts]
        encodings = self._tokenizer.encode_batch(cleaned)
        return [
            encoding if len(encoding) <= self.window else self._truncated(text)
            for text, encoding in zip(cleaned, encodings, strict=True)
        ]

    def _count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False))

    def _spans(self, text: str) -> Spans:
        # A batch of one: unlike encode it lets other threads run meanwhile.
        encoding = self._tokenizer.encode_batch([text], add_special_tokens=False)[0]
        return Spans.of(encoding.offsets, [-1 if word is None else word for word in encoding.word_ids])

    def _truncated(self, text: str) -> Any:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        encoding.truncate(max(self.window - self.special, 0))
        return self._tokenizer.post_process(encoding)


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
