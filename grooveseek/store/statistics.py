"""Figures about what an index holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grooveseek.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Counts of one state of the index. ``readable_share`` is of the letters in all chunks, 1.0 without any."""

    documents: int
    chunks: int
    documents_by_parser: Mapping[str, int]
    chunks_by_parser: Mapping[str, int]
    frontmatter_unparsed: int
    tags_unparseable: int
    documents_with_notices: int
    chunks_of_quality: int
    chunks_without_vector: int
    chunks_of_several_windows: int
    readable_share: float
    documents_by_parser_tag: Mapping[str, int]


def gather(database: Database, *, quality_threshold: float) -> Statistics:
    """Count everything in one read snapshot. ``quality_threshold``: at or above it a chunk passes the quality
    filter.
    """
    with database.snapshot():
        unparsed, untagged, noticed = database.one(
            "SELECT ifnull(sum(frontmatter_unparsed), 0), ifnull(sum(tags_unparseable), 0), "
            "ifnull(sum(notices <> '[]'), 0) FROM documents"
        ) or (0, 0, 0)
        chunks, passing, wordless, several, letters, readable = database.one(
            "SELECT count(*), ifnull(sum(quality >= ?), 0), ifnull(sum(windows = 0), 0), ifnull(sum(windows > 1), 0), "
            "ifnull(sum(letters), 0), ifnull(sum(readable), 0) FROM chunks",
            (quality_threshold,),
        ) or (0, 0, 0, 0, 0, 0)
        by_parser = _counts(database, "SELECT parser, count(*) FROM documents GROUP BY parser ORDER BY parser")
        return Statistics(
            documents=sum(by_parser.values()),
            chunks=chunks,
            documents_by_parser=by_parser,
            chunks_by_parser=_counts(
                database,
                "SELECT d.parser, count(*) FROM chunks c JOIN documents d ON d.id = c.document_id "
                "GROUP BY d.parser ORDER BY d.parser",
            ),
            frontmatter_unparsed=unparsed,
            tags_unparseable=untagged,
            documents_with_notices=noticed,
            chunks_of_quality=passing,
            chunks_without_vector=wordless,
            chunks_of_several_windows=several,
            readable_share=readable / letters if letters else 1.0,
            documents_by_parser_tag=_counts(
                database,
                "SELECT t.value, count(*) FROM documents d, json_each(d.parser_tags) t "
                "GROUP BY t.value ORDER BY t.value",
            ),
        )


def _counts(database: Database, sql: str) -> dict[str, int]:
    return {row[0]: row[1] for row in database.execute(sql)}
