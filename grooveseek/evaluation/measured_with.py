"""The fingerprint of an evaluation about to be made: what of the settings, the index and the golden set decides it."""

from __future__ import annotations

from grooveseek.evaluation.fingerprint import ConfigFingerprint, Scalar
from grooveseek.evaluation.golden import GoldenSet
from grooveseek.evaluation.measures import METRIC_VERSION
from grooveseek.evaluation.options import EvalOptions
from grooveseek.model.query import Mode
from grooveseek.retrieval.query import COMPILER_VERSION
from grooveseek.settings.sections import FusionSettings, SearchSettings
from grooveseek.store.meta import Meta

_BM25 = ("bm25_heading_weight", "bm25_context_weight", "bm25_content_weight")
_BY_METHOD = {"convex": ("alpha",), "rrf": ("rrf_k", "vector_weight", "fts_weight")}


def fingerprint_of(
    golden: GoldenSet, options: EvalOptions, search: SearchSettings, meta: Meta, *, reranker: str | None
) -> ConfigFingerprint:
    """What the run will be measured with. ``reranker`` is the cross-encoder that runs, by name.

    A setting that has no effect, such as the constants of a stage that is off, is left out, so that changing it makes
    no two runs incomparable.
    """
    return ConfigFingerprint(
        model={name: value for name, value in (meta.model_identity or {}).items() if _is_scalar(value)},
        reranker=reranker,
        mode=options.mode.value,
        limit=options.depth,
        k_values=options.k_values,
        level=options.level.value,
        gain=options.gain.value,
        golden=golden.sha256,
        metric_version=METRIC_VERSION,
        fts_query_version=COMPILER_VERSION,
        mmr=_mmr(options, search),
        parent_retriever=_parent_retriever(options, search),
        fusion=_fusion(search.fusion, options.mode),
        context="static" if meta.contextual else "off",
        chunking=str(meta.get("chunking_policy") or ""),
    )


def _mmr(options: EvalOptions, search: SearchSettings) -> dict[str, Scalar]:
    settings = search.mmr
    if not (settings.enabled if options.mmr is None else options.mmr):
        return {"enabled": False}
    penalty = options.mmr_same_doc_penalty
    return {
        "enabled": True,
        "lambda": settings.lambda_ if options.mmr_lambda is None else options.mmr_lambda,
        "same_doc_penalty": settings.same_doc_penalty if penalty is None else penalty,
    }


def _parent_retriever(options: EvalOptions, search: SearchSettings) -> dict[str, Scalar]:
    settings = search.parent_retriever
    if not (settings.enabled if options.parent_retriever is None else options.parent_retriever):
        return {"enabled": False}
    return {
        "enabled": True,
        "whole_doc_threshold_tokens": settings.whole_doc_threshold_tokens,
        "max_expanded_tokens": settings.max_expanded_tokens,
    }


def _fusion(settings: FusionSettings, mode: Mode) -> dict[str, Scalar]:
    names = () if mode is Mode.SEMANTIC else _BM25
    if mode is not Mode.HYBRID:
        return {name: getattr(settings, name) for name in names}
    constants = (*_BY_METHOD[settings.method], *names)
    return {"method": settings.method, **{name: getattr(settings, name) for name in constants}}


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)
