"""From the settings to an embedder and a reranker. Nothing heavy is imported before one of them is used, and of the
ways to come by a model only the one that is asked for: every search from a cold start passes here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from grooveseek.embedding.cache import check_cache_dir, resolve_cache_dir
from grooveseek.embedding.catalog import ModelSpec, resolve_model
from grooveseek.embedding.protocol import Embedder, Reranker
from grooveseek.embedding.runner import ModelCard, OnnxEmbedder
from grooveseek.errors import ConfigError
from grooveseek.settings.sections import EmbeddingSettings, Settings

FAKE = "fake"
"""The name of the embedder and of the reranker that need no model, as ``model`` or ``reranker``. For tests."""


def build_embedder(settings: Settings, *, environ: Mapping[str, str]) -> Embedder:
    """The embedder that `[embedding].provider` and `model` ask for; prefixes and threads of the settings win.

    Raises ConfigError for an unknown provider or model name, and for a cache directory that cannot be used. Whether the
    model's files are there shows on first use.
    """
    check_cache_dir(settings.fastembed_cache_dir, environ)
    if settings.model == FAKE:
        from grooveseek.embedding.fake import FakeEmbedder

        return FakeEmbedder()
    provider = settings.embedding.provider
    if provider not in PROVIDERS:
        raise ConfigError(
            f'[embedding] provider = "{provider}" is not available in this version: use {" or ".join(PROVIDERS)}'
        )
    return PROVIDERS[provider](settings, environ)


def build_reranker(settings: Settings, name: str, *, environ: Mapping[str, str]) -> Reranker:
    """The cross-encoder called ``name``, which is not ``none``. Raises as :func:`build_embedder` does."""
    if name == FAKE:
        from grooveseek.embedding.fake import FakeReranker

        return FakeReranker()
    from grooveseek.embedding.rerank import load_reranker

    def cache_dir() -> Path:
        return resolve_cache_dir(settings.fastembed_cache_dir, environ)

    return load_reranker(name, cache_dir=cache_dir, environ=environ, threads=settings.embedding.threads)


def _build_local(settings: Settings, environ: Mapping[str, str]) -> Embedder:
    find = _finder(resolve_model(settings.model), settings, environ)
    return OnnxEmbedder(lambda: _with_prefixes(find(), settings.embedding), threads=settings.embedding.threads)


def _build_remote(settings: Settings, environ: Mapping[str, str]) -> Embedder:
    from grooveseek.embedding.remote import build_remote

    return build_remote(settings.embedding, environ)


def _finder(found: ModelSpec | Path, settings: Settings, environ: Mapping[str, str]) -> Callable[[], ModelCard]:
    if isinstance(found, Path):
        from grooveseek.embedding.local import local_card

        return lambda: local_card(found)
    files = found.files
    if files is None and found.extra is None:
        from grooveseek.embedding.bundle import bundled_card

        return bundled_card
    cache_dir = resolve_cache_dir(settings.fastembed_cache_dir, environ)
    if files is None:
        from grooveseek.embedding.multilingual import multilingual_card

        return lambda: multilingual_card(cache_dir)
    from grooveseek.embedding.hub import hub_card

    return lambda: hub_card(found, files, cache_dir=cache_dir, environ=environ)


def _with_prefixes(card: ModelCard, settings: EmbeddingSettings) -> ModelCard:
    identity = replace(
        card.identity,
        query_prefix=settings.query_prefix or card.identity.query_prefix,
        passage_prefix=settings.passage_prefix or card.identity.passage_prefix,
    )
    return replace(card, identity=identity)


PROVIDERS: Mapping[str, Callable[[Settings, Mapping[str, str]], Embedder]] = {
    "local": _build_local,
    "fastembed": _build_local,
    "openai": _build_remote,  # grooveseek.embedding.remote.PROVIDER, which is not imported for its name alone
}
"""Where vectors can come from, by `[embedding].provider`. The first two mean ONNX models on this machine."""
