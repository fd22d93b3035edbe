"""Real models for the tests of this folder: tiny ones built here, and the bundled one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from grooveseek.embedding.bundle import DIRECTORY, bundled_card
from grooveseek.embedding.runner import OnnxEmbedder
from tests.support import tiny_models

TEXTS = [
    "Bread rises because yeast makes gas.",
    "short",
    "",
    "A much longer passage about submarines, periscopes, ballast tanks and the pressure of deep water. " * 4,
    "日本語の文章も、そのまま読めます。",
    "naïve café — “quotes”, [MASK] and <tags>\n\twith tabs",
    "tokens_with_underscores and CamelCaseNames()",
    "x",
]
"""Eight and more lengths, scripts and oddities; every model here reads them whole."""


@pytest.fixture(scope="session")
def embedder_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that pools by itself, 384 dimensions."""
    return tiny_models.tiny_embedder(tmp_path_factory.mktemp("models") / "tiny-embedder")


@pytest.fixture(scope="session")
def token_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a row for each token, 16 dimensions, whose padding would spoil a pooling that forgot the mask."""
    return tiny_models.tiny_token_embedder(tmp_path_factory.mktemp("models") / "tiny-tokens")


@pytest.fixture(scope="session")
def cross_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder."""
    return tiny_models.tiny_cross_encoder(tmp_path_factory.mktemp("models") / "tiny-cross")


@pytest.fixture(scope="session")
def bundled() -> OnnxEmbedder:
    """The bundled model, loaded once for all tests."""
    return OnnxEmbedder(bundled_card)


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[Path], Path]:
    """A copy of a model directory that a test may spoil."""

    def copy(directory: Path = DIRECTORY) -> Path:
        return Path(shutil.copytree(directory, tmp_path / "copy"))

    return copy
