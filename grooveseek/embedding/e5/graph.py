"""The model's graph: a BERT encoder whose products run in 8-bit integers and whose word table stays in 4 bits.

Weights are int8 per output channel in seven bits (processors without VNNI would saturate on eight). Activations are
quantised as the model runs, with one scale a tensor, so texts must be run one at a time. Inputs input_ids,
attention_mask and token_type_ids (ignored): int64 [batch, sequence], at most 512 long; output last_hidden_state:
float32 [batch, sequence, 384]. Pooling is the caller's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from grooveseek.embedding.e5.onnx_file import FLOAT, INT32, INT64, Graph
from grooveseek.embedding.e5.source import BLOCK, Floats, Source

POSITIONS = 512
_HIDDEN, _HEADS, _LAYERS, _INNER = 384, 12, 12, 1536
_EPSILON = 1e-12
_MICROSOFT = "com.microsoft"
_LARGEST = 64
"""Of a weight of seven bits."""

_OUTLIERS: dict[str, tuple[tuple[int, ...], ...]] = {
    "inner": (
        *((15, 60, 87, 321), (15, 321), (15, 321), (15, 321), (15,), (15, 35), (15, 35), (15, 35), (15, 35)),
        *((15, 35, 351), (15, 35, 351), (35, 146, 351)),
    ),
    "outer": (
        *((318,), (1462,), (354,), (408, 622), (778,), (658,), (1152,), (157, 413), (563,)),
        *((), (960, 1329), (119, 554, 578, 712, 1332, 1371)),
    ),
}
"""Input channels, by product and layer, whose values reach several times what the others do (measured over 60 English
and Japanese texts). They would set the one scale of the whole tensor and cost the others two to four bits, so they go
through a small float32 product of their own: cosine to full precision .9994 instead of .9966."""


def save_graph(source: Source, path: Path) -> None:
    """Write model.onnx."""
    builder = _Builder(source)
    builder.encoder()
    axes = ["batch", "sequence"]
    names = ("input_ids", "attention_mask", "token_type_ids")
    builder.graph.save(
        path,
        inputs=dict.fromkeys(names, (INT64, axes)),
        outputs={"last_hidden_state": (FLOAT, [*axes, _HIDDEN])},
        opsets={"": 18, _MICROSOFT: 1},
    )


class _Builder:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.graph = Graph("multilingual-e5-small")
        self.op, self.constant = self.graph.op, self.graph.constant

    def encoder(self) -> None:
        embedded = self.op("Add", [self.words(), self.positions()], "embedded")
        hidden = self.norm(embedded, "emb.ln", "hidden_0")
        mask = self.op("Cast", ["attention_mask"], "mask", to=INT32)
        for name, value in (("root2", np.sqrt(2)), ("one", 1), ("half", 0.5)):
            self.constant(name, np.array(value, np.float32))
        for layer in range(_LAYERS):
            out = "last_hidden_state" if layer == _LAYERS - 1 else f"hidden_{layer + 1}"
            hidden = self.layer(layer, hidden, mask, out)

    def words(self) -> str:
        """Rows of the word table, still in the wheel's blocks of 4 bits, unpacked after they were looked up."""
        table = self.source.blocks["emb.word"]
        kept, per_row = len(self.source.pieces), _HIDDEN // BLOCK  # the table's last rows belong to no piece
        halves = self.constant("word_halves", table.halves.reshape(-1, per_row, 16)[:kept])
        scales = self.constant("word_scales", table.scales.reshape(-1, per_row, 1)[:kept])
        packed = self.op("Gather", [halves, "input_ids"], "word_packed")  # [batch, sequence, 12, 16]
        low = self.op("BitwiseAnd", [packed, self.constant("fifteen", np.array(15, np.uint8))], "word_low")
        four = self.constant("four", np.array(4, np.uint8))
        high = self.op("BitShift", [packed, four], "word_high", direction="RIGHT")
        both = self.op("Cast", [self.op("Concat", [low, high], "word_both", axis=3)], "word_float", to=FLOAT)
        centred = self.op("Sub", [both, self.constant("eight", np.array(8, np.float32))], "word_centred")
        scale = self.op("Gather", [scales, "input_ids"], "word_scale")  # [batch, sequence, 12, 1]
        scaled = self.op("Mul", [centred, self.op("Cast", [scale], "word_scale_float", to=FLOAT)], "word_scaled")
        return self.op("Reshape", [scaled, self.constant("word_shape", _integers(0, 0, _HIDDEN))], "words")

    def positions(self) -> str:
        """The first rows of the position table. Every token is of type 0, whose row is added here already."""
        vectors = self.source.vectors
        table = vectors["emb.pos"].reshape(POSITIONS, _HIDDEN) + vectors["emb.type"][:_HIDDEN]
        first, second = self.constant("first", _integers(0)), self.constant("second", _integers(1))
        length = self.op("Gather", [self.op("Shape", ["input_ids"], "shape"), second], "length", axis=0)
        return self.op("Slice", [self.constant("position_table", table), first, length, first], "positions")

    def layer(self, number: int, hidden: str, mask: str, out: str) -> str:
        ours, theirs = f"layer_{number}", f"l{number}"
        attended = self.attention(hidden, mask, [f"{theirs}.{part}" for part in "qkv"], f"{ours}_attended")
        projected = self.linear(attended, f"{theirs}.ao", f"{ours}_projected", _HIDDEN)
        added = self.op("Add", [projected, hidden], f"{ours}_residual_1")
        middle = self.norm(added, f"{theirs}.aln", f"{ours}_norm_1")
        inner = self.linear(middle, f"{theirs}.fi", f"{ours}_inner", _INNER, _OUTLIERS["inner"][number])
        outer = self.linear(
            self.gelu(inner, ours), f"{theirs}.fo", f"{ours}_outer", _HIDDEN, _OUTLIERS["outer"][number]
        )
        return self.norm(self.op("Add", [outer, middle], f"{ours}_residual_2"), f"{theirs}.oln", out)

    def attention(self, x: str, mask: str, names: Sequence[str], out: str) -> str:
        weights = np.concatenate([self.source.blocks[f"{name}.w"].matrix(_HIDDEN).T for name in names], axis=1)
        bias = self.constant(f"{out}_b", np.concatenate([self.source.vectors[f"{name}.b"] for name in names]))
        activations, scale, zero = self.quantised(x)
        w, w_scale, w_zero = self.weights(out, weights)
        inputs = [activations, w, bias, scale, w_scale, mask, zero, w_zero]
        return self.op("QAttention", inputs, out, domain=_MICROSOFT, num_heads=_HEADS)

    def linear(self, x: str, name: str, out: str, rows: int, outliers: Sequence[int] = ()) -> str:
        """x @ W.T + b, the columns of the outliers apart."""
        weights = self.source.blocks[f"{name}.w"].matrix(rows).T
        bias = self.constant(f"{out}_b", self.source.vectors[f"{name}.b"])
        if not outliers:
            return self.op("Add", [self.product(x, weights, out), bias], out)
        columns = self.constant(f"{out}_columns", _integers(*outliers))
        few = self.op("Gather", [x, columns], f"{out}_few", axis=2)
        few = self.op("MatMul", [few, self.constant(f"{out}_few_w", weights[list(outliers)])], f"{out}_few_mm")
        rest = np.ones(len(weights), np.float32)
        rest[list(outliers)] = 0
        most = self.op("Mul", [x, self.constant(f"{out}_rest", rest)], f"{out}_others")
        product = self.op("Add", [self.product(most, weights * rest[:, None], out), bias], f"{out}_most")
        return self.op("Add", [product, few], out)

    def product(self, x: str, weights: Floats, out: str) -> str:
        activations, scale, zero = self.quantised(x)
        w, w_scale, w_zero = self.weights(out, weights)
        whole = self.op("MatMulInteger", [activations, w, zero, w_zero], f"{out}_int32")
        scales = self.op("Mul", [scale, w_scale], f"{out}_scales")
        return self.op("Mul", [self.op("Cast", [whole], f"{out}_float", to=FLOAT), scales], f"{out}_mm")

    def quantised(self, x: str) -> list[str]:
        """The activations as uint8, their scale and zero point."""
        names = [f"{x}_uint8", f"{x}_scale", f"{x}_zero"]
        self.op("DynamicQuantizeLinear", [x], names)
        return names

    def weights(self, out: str, weights: Floats) -> list[str]:
        """The weights [inputs, outputs] as int8, their scale an output, and zero points of zero."""
        scale, rounded = quantise(weights)
        return [
            self.constant(f"{out}_w", rounded),
            self.constant(f"{out}_w_scale", scale),
            self.constant(f"{out}_w_zero", np.zeros(len(scale), np.int8)),
        ]

    def norm(self, x: str, name: str, out: str) -> str:
        scale = self.constant(f"{out}_w", self.source.vectors[f"{name}.w"])
        shift = self.constant(f"{out}_b", self.source.vectors[f"{name}.b"])
        return self.op("LayerNormalization", [x, scale, shift], out, axis=-1, epsilon=_EPSILON)

    def gelu(self, x: str, ours: str) -> str:
        erf = self.op("Erf", [self.op("Div", [x, "root2"], f"{ours}_scaled")], f"{ours}_erf")
        both = self.op("Mul", [x, self.op("Add", [erf, "one"], f"{ours}_erf1")], f"{ours}_gelu2")
        return self.op("Mul", [both, "half"], f"{ours}_gelu")


def quantise(weights: Floats) -> tuple[Floats, npt.NDArray[np.int8]]:
    """A scale a column, and the weights divided by it: whole numbers from -64 to 64."""
    largest = np.abs(weights).max(axis=0)
    scale: Floats = np.where(largest == 0, np.float32(1), largest / np.float32(_LARGEST))
    return scale, np.rint(weights / scale).astype(np.int8)


def _integers(*values: int) -> npt.NDArray[np.int64]:
    return np.array(values, np.int64)
