"""One evaluation run as it is kept: figures, rankings, and what they were measured with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar

from grooveseek.evaluation.fingerprint import ConfigFingerprint, Scalar
from grooveseek.evaluation.hits import EvalHit

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What was indexed. ``digest`` covers every indexed chunk, so equal digests mean equal documents."""

    documents: int
    chunks: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRun:
    """One query's measures and first hits. ``failed`` says why when its search did not run; its measures are 0 then.

    ``metrics`` is empty for a query that is not answerable.
    """

    metrics: Mapping[str, float] = field(default_factory=dict)
    top: tuple[EvalHit, ...] = ()
    failed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalRun:
    """``time`` is RFC 3339 in UTC. ``metrics`` are means over ``averaged`` answerable queries; NaN where undefined.

    ``auroc`` has ``confidence`` and ``low_confidence`` when the golden set has queries that cannot be answered.
    ``queries`` is by query id, in golden order.
    """

    time: str
    metrics: Mapping[str, float]
    averaged: int
    queries: Mapping[str, QueryRun]
    fingerprint: ConfigFingerprint
    corpus: Corpus
    auroc: Mapping[str, float] = field(default_factory=dict)


def encode_run(run: EvalRun) -> dict[str, Any]:
    """The run as JSON values; NaN becomes null."""
    fingerprint = {item.name: getattr(run.fingerprint, item.name) for item in fields(run.fingerprint)}
    return {
        "time": run.time,
        "averaged": run.averaged,
        "metrics": _numbers(run.metrics),
        "auroc": _numbers(run.auroc),
        "corpus": asdict(run.corpus),
        "fingerprint": {key: _plain(value) for key, value in fingerprint.items()},
        "queries": {query_id: _encode_query(query) for query_id, query in run.queries.items()},
    }


def decode_run(value: object) -> EvalRun:
    """The inverse of :func:`encode_run`. Raises ValueError, naming the key, for anything it could not have written."""
    run = _typed(value, dict, "run")
    corpus = _need(run, "corpus", dict)
    return EvalRun(
        time=_need(run, "time", str),
        averaged=_need(run, "averaged", int),
        metrics=_decode_numbers(_need(run, "metrics", dict)),
        auroc=_decode_numbers(_need(run, "auroc", dict)),
        corpus=Corpus(
            documents=_need(corpus, "documents", int),
            chunks=_need(corpus, "chunks", int),
            digest=_need(corpus, "digest", str),
        ),
        fingerprint=_decode_fingerprint(_need(run, "fingerprint", dict)),
        queries={query_id: _decode_query(query) for query_id, query in _need(run, "queries", dict).items()},
    )


def _encode_query(query: QueryRun) -> dict[str, Any]:
    encoded: dict[str, Any] = {"metrics": _numbers(query.metrics), "top": [_encode_hit(hit) for hit in query.top]}
    return encoded if query.failed is None else encoded | {"failed": query.failed}


def _encode_hit(hit: EvalHit) -> dict[str, Any]:
    encoded = {"path": hit.path, "chunk": hit.chunk, "score": hit.score}
    return encoded if hit.heading is None else encoded | {"heading": hit.heading}


def _decode_query(value: object) -> QueryRun:
    query = _typed(value, dict, "query")
    return QueryRun(
        metrics=_decode_numbers(_need(query, "metrics", dict)),
        top=tuple(_decode_hit(hit) for hit in _need(query, "top", list)),
        failed=_optional_text(query.get("failed"), "failed"),
    )


def _decode_hit(value: object) -> EvalHit:
    hit = _typed(value, dict, "hit")
    return EvalHit(
        path=_need(hit, "path", str),
        chunk=_need(hit, "chunk", int),
        score=_number(hit.get("score"), "score"),
        heading=_optional_text(hit.get("heading"), "heading"),
    )


def _decode_fingerprint(value: dict[str, Any]) -> ConfigFingerprint:
    read: dict[str, Any] = {}
    for item in fields(ConfigFingerprint):
        if item.name not in value:
            raise ValueError(f"fingerprint.{item.name} is missing")
        read[item.name] = _fingerprint_part(item.name, str(item.type), value[item.name])
    return ConfigFingerprint(**read)


def _fingerprint_part(name: str, declared: str, value: object) -> object:
    if declared.startswith("Mapping"):
        return {key: _scalar(part, f"{name}.{key}") for key, part in _typed(value, dict, name).items()}
    if declared.startswith("tuple"):
        return tuple(_typed(part, int, name) for part in _typed(value, list, name))
    if declared == "str | None":
        return _optional_text(value, name)
    return _typed(value, int if declared == "int" else str, name)


def _numbers(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def _decode_numbers(values: dict[str, Any]) -> dict[str, float]:
    return {name: math.nan if value is None else _number(value, name) for name, value in values.items()}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{name} is {value!r}, not a finite number")
    return float(value)


def _optional_text(value: object, name: str) -> str | None:
    return None if value is None else _typed(value, str, name)


def _scalar(value: object, name: str) -> Scalar:
    if value is None or isinstance(value, str | int | float):
        return value
    raise ValueError(f"{name} is {value!r}, not a single value")


def _need(mapping: dict[str, Any], key: str, kind: type[_T]) -> _T:
    if key not in mapping:
        raise ValueError(f"{key} is missing")
    return _typed(mapping[key], kind, key)


def _typed(value: object, kind: type[_T], name: str) -> _T:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{name} is {type(value).__name__}, not {kind.__name__}")
    return value
