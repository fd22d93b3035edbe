"""Which chunks a search may answer with: filters as one SQL query that gives a set of chunk ids.

Both legs take the same set and look at nothing else, so a filtered search is the true top of the filtered population.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np

from grooveseek.model.query import Filters
from grooveseek.store.database import Database
from grooveseek.store.records import Ids
from grooveseek.text.dates import in_range
from grooveseek.text.forms import spellings
from grooveseek.text.globs import compile_globs


class Selection:
    """Filters to chunk ids, for one index."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._db.define("groove_date_in_range", in_range, 3)
        self._low_quality: dict[tuple[float, bool], Ids] = {}
        self._stamp: tuple[int, int, int] | None = None

    def chunk_ids(self, filters: Filters) -> Ids | None:
        """Ids of the chunks that meet every filter, ascending; ``None`` when there is no filter at all.

        ``min_quality`` counts as a filter. The default quality rule does not: the legs apply it themselves.
        """
        conditions, bindings = _conditions(filters)
        if filters.path_globs is not None:
            conditions.append("d.id IN (SELECT value FROM json_each(:documents))")
            bindings["documents"] = json.dumps(self._documents_matching(filters.path_globs))
        if not conditions:
            return None
        rows = self._db.all(
            "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document_id WHERE "
            + " AND ".join(conditions)
            + " ORDER BY c.id",
            bindings,
        )
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))

    def low_quality_ids(self, threshold: float, *, boilerplate_only: bool) -> Ids:
        """Chunks the default quality rule leaves out, ascending.

        Few words make a vector that is near everything, so the vector leg leaves short chunks out; a word that stands
        in a short chunk stands there all the same, so the full-text leg leaves out boilerplate only. Every search asks
        for both, so the answer is kept until the index changes.
        """
        stamp = self._db.version_stamp()
        if stamp != self._stamp:
            self._low_quality, self._stamp = {}, stamp
        asked = (threshold, boilerplate_only)
        if asked not in self._low_quality:
            rows = self._db.all(  # the planner, without statistics, would walk the texts for the order
                "SELECT id FROM chunks INDEXED BY chunks_by_quality WHERE quality < ? AND (is_boilerplate OR NOT ?)",
                asked,
            )
            self._low_quality[asked] = np.sort(np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows)))
        return self._low_quality[asked]

    def _documents_matching(self, globs: tuple[str, ...]) -> list[int]:
        matches = compile_globs(globs)
        return [row[0] for row in self._db.execute("SELECT id, path FROM documents") if matches(row[1])]


def _conditions(filters: Filters) -> tuple[list[str], dict[str, object]]:
    conditions: list[str] = []
    bindings: dict[str, object] = {}

    def equal(column: str, name: str, value: str | None) -> None:
        if value is not None:
            conditions.append(f"{column} IN (SELECT value FROM json_each(:{name}))")
            bindings[name] = json.dumps(spellings(value))

    equal("d.category", "category", filters.category)
    equal("d.topic", "topic", filters.topic)
    equal("c.symbol_kind", "symbol_kind", filters.symbol_kind)
    equal("c.language", "language", filters.language)
    if filters.tags_any:
        conditions.append(
            "EXISTS (SELECT 1 FROM json_each(d.tags) t WHERE t.value IN (SELECT value FROM json_each(:tags_any)))"
        )
        bindings["tags_any"] = json.dumps(_any_spelling(filters.tags_any))
    if filters.tags_all:
        conditions.append(
            "NOT EXISTS (SELECT 1 FROM json_each(:tags_all) w WHERE NOT EXISTS (SELECT 1 FROM json_each(w.value) s "
            "WHERE s.value IN (SELECT value FROM json_each(d.tags))))"
        )
        bindings["tags_all"] = json.dumps([spellings(tag) for tag in filters.tags_all])
    if filters.date_from is not None or filters.date_to is not None:
        conditions.append("d.date IS NOT NULL AND groove_date_in_range(d.date, :date_from, :date_to)")
        bindings.update(date_from=filters.date_from, date_to=filters.date_to)
    for number, (name, values) in enumerate(sorted(filters.fields.items())):
        conditions.append(
            f"EXISTS (SELECT 1 FROM document_fields f WHERE f.document_id = d.id AND f.name = :field{number} "
            f"AND f.value IN (SELECT value FROM json_each(:values{number})))"
        )
        bindings[f"field{number}"] = name
        bindings[f"values{number}"] = json.dumps(_any_spelling(values))
    if filters.min_quality is not None and not filters.include_low_quality:
        conditions.append("c.quality >= :min_quality")
        bindings["min_quality"] = filters.min_quality
    return conditions, bindings


def _any_spelling(values: Iterable[str]) -> list[str]:
    return [spelling for value in values for spelling in spellings(value)]
