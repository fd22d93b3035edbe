"""Tiny ONNX models for tests, built on the spot: a byte-level tokenizer over hashed byte trigrams, for any language.

The embedder adds up one pseudo-random row for each trigram of bytes; the cross-encoder's logit is 8 times the share of
the query's trigrams that the document has, minus 4.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
PRIME = 65521

Shape = list[int | None]


def tiny_embedder(directory: Path, *, dimension: int = 384, seed: int = 7, window: int = 512) -> Path:
    """A model directory whose model gives ``sentence_embedding`` [batch, dimension], not normalised."""
    write_tokenizer(directory, window)
    graph = Graph()
    graph.trigrams()
    multipliers = np.random.default_rng(seed).integers(1, PRIME, dimension, dtype=np.int64)
    graph.op("Mod", "gram", graph.const(np.int64(PRIME), "prime"), out="gram_mod")
    graph.op("Unsqueeze", "gram_mod", graph.const(np.array([2], np.int64), "axis2"), out="gram_column")
    graph.op("Mul", "gram_column", graph.const(multipliers, "multipliers"), out="gram_product")
    graph.op("Mod", "gram_product", "prime", out="gram_hash")
    graph.op("Cast", "gram_hash", out="hash_float", to=TensorProto.FLOAT)
    graph.op("Div", "hash_float", graph.const(np.float32((PRIME - 1) / 2), "half"), out="hash_scaled")
    graph.op("Sub", "hash_scaled", graph.const(np.float32(1), "one_float"), out="vectors")  # uniform in [-1, 1]
    graph.op("Cast", "real", out="real_float", to=TensorProto.FLOAT)
    graph.op("Unsqueeze", "real_float", "axis2", out="real_column")
    graph.op("Mul", "vectors", "real_column", out="kept")
    graph.op("ReduceSum", "kept", "axis1", out="summed", keepdims=0)
    graph.op("Add", "summed", graph.const(np.full((1, dimension), 1e-3, np.float32), "bias"), out="sentence_embedding")
    return graph.save(directory, "sentence_embedding", [None, dimension])


def tiny_token_embedder(directory: Path, *, dimension: int = 16, window: int = 512) -> Path:
    """A model directory whose model gives ``last_hidden_state``: a row for each token id plus one for each position.

    Padding has a row too, a large one, so that pooling which forgets the mask shows.
    """
    write_tokenizer(directory, window)
    table = np.random.default_rng(5).standard_normal((300, dimension)).astype(np.float32)
    table[0] = 1000.0
    positions = np.random.default_rng(6).standard_normal((window, dimension)).astype(np.float32) / 4
    graph = Graph()
    graph.op("Gather", graph.const(table, "table"), "input_ids", out="rows")
    graph.op("Shape", "input_ids", out="shape")
    graph.op("Slice", "shape", graph.const(np.array([1], np.int64), "one"), graph.const(np.array([2], np.int64), "two"),
             out="length")  # fmt: skip
    graph.op("Slice", graph.const(positions, "positions"), graph.const(np.array([0], np.int64), "zero"), "length",
             "zero", out="placed")  # fmt: skip
    graph.op("Add", "rows", "placed", out="last_hidden_state")
    return graph.save(directory, "last_hidden_state", [None, None, dimension])


def three_outputs(directory: Path) -> Path:
    """A model directory whose model gives rows of tokens, a pooler_output, and a sentence_embedding that is [3, 4]."""
    write_tokenizer(directory, 512)
    graph = Graph()
    graph.op("Cast", "input_ids", out="ids", to=TensorProto.FLOAT)
    graph.op("Unsqueeze", "ids", graph.const(np.array([2], np.int64), "axis2"), out="column")
    graph.op("Expand", "column", graph.const(np.array([1, 1, 2], np.int64), "wide"), out="last_hidden_state")
    graph.op("ReduceMin", "last_hidden_state", out="least", axes=[1], keepdims=0)
    graph.op("Identity", "least", out="pooler_output")
    graph.op("Mul", "least", graph.const(np.float32(0), "nothing"), out="zeros")
    graph.op("Add", "zeros", graph.const(np.array([[3, 4]], np.float32), "fixed"), out="sentence_embedding")
    rows = [None, 2]
    return graph.save(directory, "last_hidden_state", [None, None, 2], pooler_output=rows, sentence_embedding=rows)


def tiny_cross_encoder(directory: Path, *, window: int = 512) -> Path:
    """A model directory whose model gives ``logits`` [batch, 1]."""
    write_tokenizer(directory, window)
    graph = Graph()
    graph.trigrams()
    for segment, name in ((0, "in_query"), (1, "in_document")):
        graph.op("Equal", "segment0", graph.const(np.int64(segment), f"number{segment}"), out=f"is_{segment}")
        graph.op("And", f"is_{segment}", "real", out=name)
    graph.op("Unsqueeze", "gram", graph.const(np.array([2], np.int64), "axis2"), out="column")
    graph.op("Unsqueeze", "gram", "axis1", out="row")
    graph.op("Equal", "column", "row", out="equal")
    graph.op("Unsqueeze", "in_document", "axis1", out="document_row")
    graph.op("And", "equal", "document_row", out="found")
    graph.op("Cast", "found", out="found_float", to=TensorProto.FLOAT)
    graph.op("ReduceMax", "found_float", out="found_any", axes=[2], keepdims=0)
    graph.op("Cast", "in_query", out="query_float", to=TensorProto.FLOAT)
    graph.op("Mul", "found_any", "query_float", out="query_found")
    graph.op("ReduceSum", "query_found", "axis1", out="count_found", keepdims=1)
    graph.op("ReduceSum", "query_float", "axis1", out="count_query", keepdims=1)
    graph.op("Max", "count_query", graph.const(np.float32(1e-6), "epsilon"), out="denominator")
    graph.op("Div", "count_found", "denominator", out="share")
    graph.op("Mul", "share", graph.const(np.float32(8), "eight"), out="share8")
    graph.op("Sub", "share8", graph.const(np.float32(4), "four"), out="logits")
    return graph.save(directory, "logits", [None, 1])


def constant_model(directory: Path, rows: Sequence[float], *, name: str = "sentence_embedding") -> Path:
    """A model directory whose model gives the same row for every text, NaN and infinity included."""
    write_tokenizer(directory, 512)
    graph = Graph()
    graph.op("Shape", "input_ids", out="shape")
    graph.op("Gather", "shape", graph.const(np.array([0], np.int64), "first"), out="batch")
    graph.op("Concat", "batch", graph.const(np.array([len(rows)], np.int64), "width"), out="target", axis=0)
    graph.op("Expand", graph.const(np.array([rows], np.float32), "row"), "target", out=name)
    return graph.save(directory, name, [None, len(rows)])


def write_tokenizer(directory: Path, window: int, *, pad_id: int | None = None) -> None:
    """tokenizer.json and tokenizer_config.json: lower case, NFKC, one token a byte, [CLS] A [SEP] B [SEP]."""
    directory.mkdir(parents=True, exist_ok=True)
    vocabulary = {token: number for number, token in enumerate([*SPECIAL, *_byte_chars()])}

    def special(token: str, segment: int) -> dict[str, Any]:
        return {"SpecialToken": {"id": token, "type_id": segment}}

    def sequence(name: str, segment: int) -> dict[str, Any]:
        return {"Sequence": {"id": name, "type_id": segment}}

    single = [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0)]
    added = {"special": True, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": number, "content": token, **added} for number, token in enumerate(SPECIAL)],
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]},
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": single,
            "pair": [*single, sequence("B", 1), special("[SEP]", 1)],
            "special_tokens": {
                token: {"id": token, "ids": [vocabulary[token]], "tokens": [token]} for token in ("[CLS]", "[SEP]")
            },
        },
        "decoder": None,
        "model": {"type": "BPE", "unk_token": "[UNK]", "vocab": vocabulary, "merges": []},
    }
    (directory / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    config = {"model_max_length": window, "pad_token": "[PAD]"}
    (directory / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")


class Graph:
    """An ONNX graph being written, node by node."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def const(self, value: Any, name: str) -> str:
        """Name an array or a number."""
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def op(self, kind: str, *inputs: str, out: str, **attributes: Any) -> None:
        """Add a node with one output."""
        self.nodes.append(helper.make_node(kind, inputs, [out], **attributes))

    def trigrams(self) -> None:
        """``gram`` [batch, tokens - 2]: three ids as one number; ``real``: all three are bytes of the same text."""
        ends = {0: ("at0", "minus2"), 1: ("at1", "minus1"), 2: ("at2", "far")}
        numbers = {"at0": 0, "at1": 1, "at2": 2, "minus1": -1, "minus2": -2, "far": 2**31, "axis1": 1}
        for name, number in numbers.items():
            self.const(np.array([number], np.int64), name)
        for source, prefix in (("input_ids", "token"), ("token_type_ids", "segment")):
            for shift, (start, stop) in ends.items():
                self.op("Slice", source, start, stop, "axis1", out=f"{prefix}{shift}")
        self.op("Mul", "token0", self.const(np.int64(512), "radix"), out="high")
        self.op("Add", "high", "token1", out="pair")
        self.op("Mul", "pair", "radix", out="pair_high")
        self.op("Add", "pair_high", "token2", out="gram")
        self.const(np.int64(len(SPECIAL) - 1), "last_special")
        for shift in range(3):
            self.op("Greater", f"token{shift}", "last_special", out=f"byte{shift}")
        self.op("And", "byte0", "byte1", out="byte01")
        self.op("And", "byte01", "byte2", out="byte012")
        self.op("Equal", "segment0", "segment2", out="same_text")
        self.op("And", "byte012", "same_text", out="real")

    def save(self, directory: Path, output: str, shape: Shape, **more: Shape) -> Path:
        """Check the graph and write model.onnx with the output named, and ``more``. Returns the directory."""
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in INPUTS]
        shapes = {output: shape, **more}
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in shapes.items()]
        graph = helper.make_graph(self.nodes, "tiny", inputs, outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model)
        onnx.save(model, directory / "model.onnx")
        return directory


def _byte_chars() -> list[str]:
    """The character that stands for each byte in a byte-level vocabulary (the table GPT-2 introduced)."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = 256 - len(shown)
    return [chr(byte) for byte in shown] + [chr(256 + number) for number in range(hidden)]
