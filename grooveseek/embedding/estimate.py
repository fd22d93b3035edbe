"""How much text a model reads whose tokenizer is not at hand: an estimate by characters, on the safe side."""

from __future__ import annotations

import re

from grooveseek.embedding.tokens import clean
from grooveseek.embedding.windows import Cutter, Spans
from grooveseek.errors import ConfigError

WINDOW = 512
"""Tokens a text may have: what the smaller models on such servers read. A larger window would lose the end of texts
there without a word, and a chunk of more windows is found by its best one."""

_SPECIAL = 2
_PIECE = re.compile(r"[A-Za-z]{1,3}|[0-9]{1,2}|[\u00c0-\u052f]{1,2}|\S")
"""What counts as one token: three letters of English, two digits, two other letters of the Latin, Greek and Cyrillic
alphabets, or one character of anything else. Tokenizers cut prose less finely."""


def count(text: str) -> int:
    """Tokens of the text, rather too many than too few."""
    return sum(1 for _ in _PIECE.finditer(text))


def windows(text: str, prefix: str = "") -> list[tuple[int, int]]:
    """Character ranges that fit the window with the prefix in front of each; neighbours share an eighth of it.

    Raises ConfigError when the prefix leaves no room for a text.
    """
    capacity = WINDOW - _SPECIAL
    room = capacity - count(prefix)
    if room < WINDOW // 8:
        raise ConfigError(f'the prefix "{prefix[:60]}" is too long for a window of {WINDOW} tokens: shorten it')
    cutter = Cutter(
        capacity=capacity,
        room=room,
        overlap=min(WINDOW // 8, (room - 1) // 2),
        spans=_spans,
        count=lambda piece: count(prefix + piece),
    )
    return cutter.cut(clean(text))


def truncated(text: str, prefix: str = "") -> str:
    """The beginning of the text that fits the window, the whole of it as a rule."""
    if len(text) <= WINDOW // 2 and len(prefix) <= WINDOW // 4:
        return text
    ranges = windows(text, prefix)
    return text[: ranges[0][1]] if len(ranges) > 1 else text


def _spans(text: str) -> Spans:
    offsets: list[tuple[int, int]] = []
    words: list[int] = []
    word = end = -1
    for match in _PIECE.finditer(text):
        if match.start() != end or not _joins(match.group()):
            word += 1
        words.append(word)
        offsets.append(match.span())
        end = match.end()
    return Spans.of(offsets, words)


def _joins(piece: str) -> bool:
    """Whether a piece belongs to the word it touches: letters of an alphabet and digits do."""
    return piece[0].isalnum() and piece[0] <= "\u052f"
