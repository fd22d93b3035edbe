"""The answer as JSON, built in one place for the command line and the MCP tool. What is not there is absent, not
null.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grooveseek.model.hit import Answer, Explanation, Hit, Legs

_DECIMALS = 6
Uri = Callable[[Hit], str | None]


def answer_as_json(answer: Answer, *, uri_of: Uri | None = None) -> dict[str, Any]:
    """The answer's JSON value. ``uri_of`` gives a hit's resource URI, where there is one."""
    result: dict[str, Any] = {
        "results": [hit_as_json(hit, uri=uri_of(hit) if uri_of else None) for hit in answer.hits],
        "low_confidence": answer.low_confidence,
        "confidence": round(answer.confidence, 4),
        "legs": legs_as_json(answer.legs),
        "filter_applied": dict(answer.filter_applied),
    }
    if answer.notes:
        result["notes"] = list(answer.notes)
    return result


def hit_as_json(hit: Hit, *, uri: str | None = None) -> dict[str, Any]:
    """One result's JSON value."""
    chunk = hit.chunk
    values: dict[str, Any] = {
        "score": round(hit.score, _DECIMALS),
        "path": hit.path,
        "title": hit.title,
        "heading": chunk.heading,
        "category": hit.category,
        "topic": hit.topic,
        "date": hit.date,
        "tags": list(hit.tags),
        "content": chunk.content,
        "match_spans": None if hit.match_spans is None else [{"start": s, "end": e} for s, e in hit.match_spans],
        "expanded_from": None if hit.expanded_from is None else dict(hit.expanded_from),
        "uri": uri,
        "heading_path": list(chunk.heading_path),
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
        "start_byte": chunk.start_byte,
        "end_byte": chunk.end_byte,
        "symbol_kind": chunk.symbol_kind,
        "scope": chunk.scope,
        "language": chunk.language,
        "table_rows": None
        if chunk.table_rows is None
        else [{"table": r.table, "row": r.row, "start": r.start, "end": r.end} for r in chunk.table_rows],
        "excerpt": True if hit.is_excerpt else None,
        "stale": True if hit.stale else None,
        "explain": None if hit.explanation is None else explanation_as_json(hit.explanation),
    }
    return {name: value for name, value in values.items() if value is not None}


def legs_as_json(legs: Legs) -> dict[str, Any]:
    """What each leg did. ``degraded`` is there always, and null when both legs did what was asked of them."""
    result: dict[str, Any] = {}
    if legs.vector_candidates is not None:
        result["vector"] = {"candidates": legs.vector_candidates}
    if legs.fulltext_candidates is not None:
        result["fulltext"] = {"candidates": legs.fulltext_candidates, "dropped_terms": list(legs.dropped_terms)}
    result["degraded"] = legs.degraded
    if legs.reason is not None:
        result["reason"] = legs.reason
    return result


def explanation_as_json(explanation: Explanation) -> dict[str, Any]:
    """How a hit came to its place."""
    values: dict[str, Any] = {
        "vector": _leg(explanation.vector_rank, explanation.vector_score, explanation.from_vector),
        "fulltext": _leg(explanation.fulltext_rank, explanation.fulltext_score, explanation.from_fulltext),
        "fused": {"rank": explanation.fused_rank, "score": round(explanation.fused_score, _DECIMALS)},
        "rerank": None
        if explanation.rerank_score is None
        else {"rank": explanation.rank_after_rerank, "score": round(explanation.rerank_score, _DECIMALS)},
        "mmr": None if explanation.rank_after_mmr is None else {"rank": explanation.rank_after_mmr},
    }
    return {name: value for name, value in values.items() if value is not None}


def _leg(rank: int | None, score: float | None, contribution: float) -> dict[str, Any] | None:
    if rank is None or score is None:
        return None
    return {"rank": rank, "score": round(score, _DECIMALS), "contribution": round(contribution, _DECIMALS)}
