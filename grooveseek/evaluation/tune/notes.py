"""What a person should hear beside the figures."""

from __future__ import annotations

from collections.abc import Sequence

from grooveseek.evaluation.report.plain import plural
from grooveseek.evaluation.tune.rows import Swept
from grooveseek.settings.sections import Settings

FEW_QUERIES = 50
"""Below this many effective queries a warning is given."""


def warnings_on(queries: Sequence[Swept]) -> tuple[str, ...]:
    """What limits how far the figures can be trusted."""
    warnings = [f"the query {query.id!r} failed and counts 0: {query.failed}" for query in queries if query.failed]
    effective = sum(query.effective for query in queries)
    if effective < FEW_QUERIES:
        warnings.append(
            f"{plural(effective, 'query has', 'queries have')} 2 full-text candidates or more; with fewer than "
            f"{FEW_QUERIES} only a large gain can be told from chance"
        )
    return tuple(warnings)


def notes_on(skipped: Sequence[str], stale: Sequence[str], settings: Settings) -> tuple[str, ...]:
    """What was left out of the sweep, and what the search does after fusion."""
    notes: list[str] = []
    if skipped:
        notes.append(f"{plural(len(skipped), 'query expects', 'queries expect')} nothing and took no part")
    if stale:
        notes.append(f"quotes that no longer stand in their document were left out of {', '.join(stale)}")
    if settings.reranker != "none":
        notes.append(
            f"the reranker {settings.reranker} did not run; confirm what you adopt with "
            f"`groove eval --reranker {settings.reranker}`"
        )
    if settings.search.mmr.enabled:
        notes.append("MMR is on in the settings and was left out; what is measured is the order before it")
    return tuple(notes)
