"""What a study comes to: the sentence, and the lines for groove.toml."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from grooveseek.evaluation.tune.grid import Condition, Family
from grooveseek.evaluation.tune.study import Study
from grooveseek.settings.sections import FusionSettings

_WEIGHTS = ("bm25_heading_weight", "bm25_context_weight", "bm25_content_weight")
_LEGS = ("vector_weight", "fts_weight")
_KEYS = {
    Family.VECTOR: _LEGS,
    Family.FULLTEXT: (*_LEGS, *_WEIGHTS),
    Family.RRF: ("rrf_k", *_WEIGHTS),
    Family.RRF_LEGS: ("rrf_k", *_LEGS, *_WEIGHTS),
    Family.CONVEX: ("alpha", *_WEIGHTS),
}

FAMILY_NAMES = {
    Family.VECTOR: "vector leg alone",
    Family.FULLTEXT: "full-text leg alone",
    Family.RRF: "RRF",
    Family.RRF_LEGS: "RRF, legs weighted",
    Family.CONVEX: "convex combination",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryChange:
    """A held-out query that its fold's choice changes. ``difference`` is of the primary measure."""

    id: str
    query: str
    difference: float


def snippet(condition: Condition) -> str:
    """The condition as it stands in groove.toml, every key that matters to it."""
    fusion = condition.fusion
    lines = [f'method = "{fusion.method}"']
    lines += [f"{key} = {float(getattr(fusion, key))!r}" for key in _KEYS[condition.family]]
    return "\n".join(["[search.fusion]", *lines]) + "\n"


def verdict(study: Study) -> str:
    """The recommendation in a sentence or two."""
    if study.recommended is not None:
        return (
            f"Recommended: {study.refit.label}. On queries that had no part in the choice it gains "
            f"{study.decision.evidence.mean:+.3f} {study.primary} over the default. Nothing was changed."
        )
    if study.decision.adopt:
        return f"Keep what is configured ({study.configured.label}): it is what this sweep would recommend."
    failed = [criterion.said for criterion in study.decision.criteria if not criterion.holds]
    keep = f"Keep the defaults: no other setting has earned its place ({failed[0]})."
    if study.configured.fusion in (study.default.fusion, FusionSettings()):
        return keep
    return f"{keep} What is configured now is another: {study.configured.label}."


def configured_line(study: Study) -> str | None:
    """What is configured, where that is not the default the sweep is held against."""
    if study.configured.fusion == study.default.fusion:
        return None
    said = f"Configured now: {study.configured.label}, {study.primary} {study.configured_mean:.3f}."
    if any(condition.fusion.method == study.configured.fusion.method for condition in study.grid.conditions):
        return said
    return f"{said} --family {study.configured.fusion.method} sweeps that method, --family all compares them."


def axes_line(study: Study) -> str:
    """What was varied."""
    names = ", ".join(FAMILY_NAMES[family] for family in study.grid.families)
    said = f"{len(study.grid.conditions)} conditions: {names}."
    if study.grid.context_axis:
        return said
    return f"{said} The context weight was not varied: no chunk has context in the index."


def selections(study: Study) -> list[tuple[str, int]]:
    """What the folds chose, commonest first, with how many chose it."""
    counts = Counter(study.found.selections)
    order = sorted(counts, key=lambda place: (-counts[place], place))
    return [(study.grid.conditions[place].label, counts[place]) for place in order]


def changes(study: Study) -> list[QueryChange]:
    """Held-out queries that change, the largest loss first."""
    pairs = zip(study.queries, study.found.differences, strict=True)
    changed = [
        QueryChange(id=query.id, query=query.query, difference=difference)
        for query, difference in pairs
        if abs(difference) > 1e-9
    ]
    return sorted(changed, key=lambda change: (change.difference, change.id))


def reminder(study: Study) -> str | None:
    """What to do before adopting."""
    if study.recommended is None:
        return None
    return "Confirm it before adopting: put the lines in, and run `groove eval` with the reranker you use."
