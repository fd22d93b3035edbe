"""Everything an index holds, row by row, without what may differ between two indexes of the same files: ids, file
times, and the record of the last run.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from grooveseek.app import KnowledgeBase
from grooveseek.store.store import Store

_DOCUMENTS = (
    "path, title, category, topic, depth, date, tags, content_hash, size_bytes, parser, parser_tags, is_source, "
    "frontmatter_unparsed, tags_unparseable, notices"
)
_CHUNKS = (
    "idx, heading, level, heading_path, content, context, start_line, end_line, start_byte, end_byte, symbol_kind, "
    "scope, language, token_count, quality, is_boilerplate, letters, readable, input_hash, windows, table_rows"
)


def rows(index: Path) -> dict[str, list[Any]]:
    """Table to its rows, in the order of paths and positions."""
    with Store.open_for_reading(index) as store:
        db = store.database
        chunks = ", ".join(f"c.{name.strip()}" for name in _CHUNKS.split(","))
        owned = "FROM chunks c JOIN documents d ON d.id = c.document_id"
        words = {
            table: [
                db.all(f"SELECT count(*) FROM {table}"),
                db.all(f"SELECT d.path, c.idx {owned} JOIN {table} f ON f.rowid = c.id ORDER BY d.path, c.idx"),
            ]
            for table in ("fts_trigram", "fts_words")
        }
        return {
            "documents": db.all(f"SELECT {_DOCUMENTS} FROM documents ORDER BY path"),
            "chunks": db.all(f"SELECT d.path, {chunks} {owned} ORDER BY d.path, c.idx"),
            "vectors": [
                (path, idx, window, hashlib.sha256(vector).hexdigest())
                for path, idx, window, vector in db.execute(
                    f"SELECT d.path, c.idx, v.window, v.vector {owned} JOIN chunk_vectors v ON v.chunk_id = c.id "
                    "ORDER BY d.path, c.idx, v.window"
                )
            ],
            "vector_count": db.all("SELECT count(*) FROM chunk_vectors"),
            "fields": db.all(
                "SELECT d.path, f.name, f.value FROM document_fields f JOIN documents d ON d.id = f.document_id "
                "ORDER BY 1, 2, 3"
            ),
            **words,
        }


def fresh_rows(kb: KnowledgeBase, scratch: Path) -> dict[str, list[Any]]:
    """The rows of an index made anew of the same folder in the same way. ``scratch`` is an empty place."""
    index = scratch / "fresh.db"
    index.unlink(missing_ok=True)
    settings = replace(kb.settings, index=replace(kb.settings.index, path=index))
    with KnowledgeBase(settings, embedder=kb.embedder) as fresh:
        fresh.index()
    return rows(index)
