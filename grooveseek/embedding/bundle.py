"""The model that comes with groove: all-MiniLM-L6-v2 in int8, ready without a download."""

from __future__ import annotations

from pathlib import Path

from grooveseek.embedding.catalog import DEFAULT_MODEL, MODELS
from grooveseek.embedding.files import revision
from grooveseek.embedding.runner import ModelCard

DIRECTORY = Path(__file__).parent / "bundled" / "all-minilm-l6-v2-int8"
HASHES = {
    "model.onnx": "cf61b15b1d555975e266567a48722cd48ddf1584f55c56bffeaa8c6a7cdf4c16",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
_REMEDY = "reinstall groove with pip install --force-reinstall grooveseek"


def bundled_card(directory: Path = DIRECTORY) -> ModelCard:
    """Describe the bundled model. Its files are not touched before they are loaded, and then checked against HASHES."""
    spec = MODELS[DEFAULT_MODEL]
    return ModelCard(
        identity=spec.identity(revision(*HASHES.values())),
        model=directory / "model.onnx",
        tokenizer=directory / "tokenizer.json",
        scripts=spec.scripts,
        lowest_cosine=spec.lowest_cosine,
        one_at_a_time=spec.one_at_a_time,
        remedy=_REMEDY,
        sha256={directory / name: expected for name, expected in HASHES.items()},
    )
