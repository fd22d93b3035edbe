import importlib.util
import json
import math
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

PATH = Path(__file__).parents[2] / "scripts" / "build_all_minilm.py"
HIDDEN, HEADS, INNER, WORDS = 8, 2, 12, 20


@pytest.fixture
def script(monkeypatch):
    """The script, set to a model of one layer of eight channels."""
    spec = importlib.util.spec_from_file_location("build_all_minilm", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, value in {"HIDDEN": HIDDEN, "HEADS": HEADS, "LAYERS": 1}.items():
        monkeypatch.setattr(module, name, value)
    return module


def random_weights():
    rng = np.random.default_rng(3)
    shapes = {f"embeddings.{kind}_embeddings.weight": (rows, HIDDEN) for kind, rows in
              (("word", WORDS), ("token_type", 2), ("position", 16))}  # fmt: skip
    layer = "encoder.layer.0"
    sizes = {f"{layer}.attention.self.{part}": (HIDDEN, HIDDEN) for part in ("query", "key", "value")}
    sizes |= {f"{layer}.attention.output.dense": (HIDDEN, HIDDEN), f"{layer}.intermediate.dense": (INNER, HIDDEN)}
    sizes |= {f"{layer}.output.dense": (HIDDEN, INNER)}
    norms = ("embeddings.LayerNorm", f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm")
    for key, (out, into) in sizes.items():
        shapes |= {f"{key}.weight": (out, into), f"{key}.bias": (out,)}
    for key in norms:
        shapes |= {f"{key}.weight": (HIDDEN,), f"{key}.bias": (HIDDEN,)}
    return {key: rng.standard_normal(shape).astype(np.float32) for key, shape in shapes.items()}


def reference(weights, ids):
    """The encoder written out in numpy, from the papers: BERT's embeddings and one post-norm layer."""

    def linear(x, key):
        return x @ weights[f"{key}.weight"].T + weights[f"{key}.bias"]

    def norm(x, key):
        centred = x - x.mean(-1, keepdims=True)
        scale = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return centred / scale * weights[f"{key}.weight"] + weights[f"{key}.bias"]

    layer = "encoder.layer.0"
    x = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.token_type_embeddings.weight"][0]
    x = norm(x + weights["embeddings.position_embeddings.weight"][: len(ids)], "embeddings.LayerNorm")
    query, key, value = (
        linear(x, f"{layer}.attention.self.{part}").reshape(len(ids), HEADS, -1).swapaxes(0, 1)
        for part in ("query", "key", "value")
    )
    scores = np.exp(query @ key.swapaxes(1, 2) / math.sqrt(HIDDEN / HEADS))
    mixed = (scores / scores.sum(-1, keepdims=True) @ value).swapaxes(0, 1).reshape(len(ids), HIDDEN)
    y = norm(linear(mixed, f"{layer}.attention.output.dense") + x, f"{layer}.attention.output.LayerNorm")
    inner = linear(y, f"{layer}.intermediate.dense")
    gelu = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
    return norm(linear(gelu, f"{layer}.output.dense") + y, f"{layer}.output.LayerNorm")


def test_the_graph_computes_the_encoder(script):
    weights, ids = random_weights(), [3, 1, 4, 1, 5]
    session = onnxruntime.InferenceSession(script.build(weights).SerializeToString())
    batch = np.array([[*ids, 0, 0]], dtype=np.int64)
    feeds = {"input_ids": batch, "attention_mask": (batch > 0).astype(np.int64), "token_type_ids": batch * 0}
    hidden = session.run(["last_hidden_state"], feeds)[0][0, : len(ids)]
    assert np.allclose(hidden, reference(weights, ids), atol=1e-4)


def test_safetensors_are_read_by_name_and_shape(script, tmp_path):
    first, second = np.arange(6, dtype="<f4").reshape(2, 3), np.array([7.5], dtype="<f4")
    header = {
        "__metadata__": {"format": "pt"},
        "first": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
        "position_ids": {"dtype": "I64", "shape": [1], "data_offsets": [24, 32]},
        "second": {"dtype": "F32", "shape": [1], "data_offsets": [32, 36]},
    }
    text = json.dumps(header).encode()
    data = first.tobytes() + b"\1\0\0\0\0\0\0\0" + second.tobytes()
    path = tmp_path / "model.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    weights = script.read_safetensors(path)
    assert set(weights) == {"first", "second"}
    assert weights["first"].tolist() == first.tolist()
    assert weights["second"].tolist() == [7.5]
