"""fastembed as an independent judge: the vectors and scores it computes from the same model directory."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

_numbers = itertools.count()


def fastembed_vectors(directory: Path, texts: Sequence[str], *, pooling: str, dimension: int, batch: int) -> Any:
    """float32 [n, dimension], normalised. ``pooling`` is fastembed's name: MEAN, CLS, LAST_TOKEN or DISABLED."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    name = f"oracle/{next(_numbers)}"  # the registry is global and takes a name once
    TextEmbedding.add_custom_model(
        name,
        pooling=PoolingType[pooling],
        normalization=True,
        sources=ModelSource(hf="none/none"),
        dim=dimension,
        model_file="model.onnx",
    )
    model = TextEmbedding(
        name, cache_dir=str(directory), specific_model_path=str(directory), local_files_only=True, threads=1
    )
    return np.array(list(model.embed(list(texts), batch_size=batch)))


def fastembed_scores(directory: Path, query: str, texts: Sequence[str]) -> list[float]:
    """A cross-encoder's raw logits."""
    from fastembed.common.model_description import ModelSource
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    name = f"oracle/{next(_numbers)}"
    TextCrossEncoder.add_custom_model(name, sources=ModelSource(hf="none/none"), model_file="model.onnx")
    model = TextCrossEncoder(
        name, cache_dir=str(directory), specific_model_path=str(directory), local_files_only=True, threads=1
    )
    return list(model.rerank(query, list(texts)))
