"""A study's result as JSON: every figure under stable keys. An undefined figure is null."""

from __future__ import annotations

import json
import math
from typing import Any

from grooveseek.evaluation.tune.decision import Evidence
from grooveseek.evaluation.tune.grid import Condition
from grooveseek.evaluation.tune.report.verdict import changes, selections, snippet, verdict
from grooveseek.evaluation.tune.study import Study


def render_json(study: Study) -> str:
    """The report as indented JSON."""
    return json.dumps(study_values(study), ensure_ascii=False, allow_nan=False, indent=2)


def study_values(study: Study) -> dict[str, Any]:
    """The report as JSON values. ``recommendation`` is null when nothing is to be changed."""
    recommended = study.recommended
    return {
        "golden": study.golden,
        "family": study.choice.value,
        "level": study.level.value,
        "primary": study.primary,
        "queries": len(study.queries),
        "effective_queries": study.effective,
        "conditions": len(study.grid.conditions),
        "context_axis": study.grid.context_axis,
        "recommendation": None
        if recommended is None
        else {"settings": settings_of(recommended), "snippet": snippet(recommended)},
        "verdict": verdict(study),
        "criteria": [
            {"name": criterion.name, "holds": criterion.holds, "said": criterion.said}
            for criterion in study.decision.criteria
        ],
        "default": _condition(study, study.grid.default),
        "best": _condition(study, study.found.refit),
        "configured": {**settings_of(study.configured), study.primary: _number(study.configured_mean)},
        "held_out": _evidence(study.decision.evidence),
        "families": [
            {
                "family": family.family.value,
                "conditions": family.conditions,
                "best": settings_of(study.grid.conditions[family.best]),
                "best_mean": family.best_mean,
                "held_out_mean": family.held_out_mean,
            }
            for family in study.families
        ],
        "selections": [{"setting": label, "folds": count} for label, count in selections(study)],
        "changes": [
            {"id": change.id, "query": change.query, "difference": change.difference} for change in changes(study)
        ],
        "failed": [{"id": query.id, "reason": query.failed} for query in study.queries if query.failed],
        "sweep": [_condition(study, place) for place in range(len(study.grid.conditions))],
        "notes": list(study.notes),
        "warnings": list(study.warnings),
    }


def settings_of(condition: Condition) -> dict[str, Any]:
    """The condition's keys of ``[search.fusion]``, all of them."""
    fusion = condition.fusion
    return {
        "method": fusion.method,
        "rrf_k": fusion.rrf_k,
        "alpha": fusion.alpha,
        "bm25_heading_weight": fusion.bm25_heading_weight,
        "bm25_context_weight": fusion.bm25_context_weight,
        "bm25_content_weight": fusion.bm25_content_weight,
        "vector_weight": fusion.vector_weight,
        "fts_weight": fusion.fts_weight,
    }


def _condition(study: Study, place: int) -> dict[str, Any]:
    condition = study.grid.conditions[place]
    metrics = {name: _number(float(means[place])) for name, means in study.means.items()}
    return {"family": condition.family.value, "settings": settings_of(condition), "metrics": metrics}


def _evidence(evidence: Evidence) -> dict[str, Any]:
    interval = evidence.interval
    return {
        "mean": _number(evidence.mean),
        "standard_error": _number(evidence.standard_error),
        "interval": None if interval.note else [interval.low, interval.high],
        "interval_note": interval.note,
        "wins": evidence.counts.wins,
        "losses": evidence.counts.losses,
        "ties": evidence.counts.ties,
        "sign_p": _number(evidence.sign_p),
        "randomisation_p": _number(evidence.randomisation_p),
        "selection_p": _number(evidence.selection_p),
        "three_standard_errors": evidence.three_se,
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
