"""What a search cannot do without: load a model and embed one text. ``python bare_model.py MODEL_DIRECTORY TEXT``.

The yardstick of cold.py: onnxruntime, tokenizers and numpy with groove's files and session options, and nothing else.
"""

from __future__ import annotations

import sys

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

directory, text = sys.argv[1:]
tokenizer = Tokenizer.from_file(f"{directory}/tokenizer.json")
tokenizer.no_padding()
tokenizer.no_truncation()
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(f"{directory}/model.onnx", options, providers=["CPUExecutionProvider"])
encoding = tokenizer.encode(text)
feeds = {
    "input_ids": np.array([encoding.ids]),
    "attention_mask": np.array([encoding.attention_mask]),
    "token_type_ids": np.array([encoding.type_ids]),
}
hidden = session.run(None, {node.name: feeds[node.name] for node in session.get_inputs()})[0][0]
vector = hidden.mean(axis=0)
print(float(np.linalg.norm(vector)))
