"""What an index holds, down to the postings of its full-text tables, and whether it agrees with itself.

Read with the driver itself, past the product's own code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
from tests.support.index_rows import rows

FULLTEXT = ("fts_trigram", "fts_words")


@contextmanager
def raw(index: Path) -> Iterator[apsw.Connection]:
    """The file itself, opened by the driver alone."""
    connection = apsw.Connection(str(index), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(30_000)
    try:
        yield connection
    finally:
        connection.close()


def sql(index: Path, statement: str, *bindings: object) -> list[tuple[Any, ...]]:
    """All rows of one statement."""
    with raw(index) as connection:
        return connection.execute(statement, bindings).fetchall()


def everything(index: Path) -> dict[str, Any]:
    """Every row of every table, ids aside, and every posting: (term, path, chunk, column, place in the column)."""
    held: dict[str, Any] = dict(rows(index))
    with raw(index) as connection:
        places = {
            row[0]: row[1:]
            for row in connection.execute(
                "SELECT c.id, d.path, c.idx FROM chunks c JOIN documents d ON d.id = c.document_id"
            )
        }
        for table in FULLTEXT:
            connection.execute(f"CREATE VIRTUAL TABLE temp.v_{table} USING fts5vocab(main, {table}, instance)")
            held[f"{table} postings"] = sorted(
                (term, *places.get(row, ("no chunk", row)), column, offset)
                for term, row, column, offset in connection.execute(f"SELECT term, doc, col, offset FROM v_{table}")
            )
        held["facts"] = connection.execute(
            "SELECT key, value FROM index_meta WHERE key IN ('model_identity', 'contextual', 'root_name', "
            "'declared_fields', 'chunking_policy', 'reembed') ORDER BY key"
        ).fetchall()
    return held


def assert_same(index: Path, other: Path) -> None:
    """Two indexes hold the same, table by table."""
    mine, theirs = everything(index), everything(other)
    assert mine.keys() == theirs.keys()
    for table in mine:
        assert mine[table] == theirs[table], table


def assert_whole(index: Path) -> None:
    """Every document is whole: chunks in a row, as many vectors as windows, one row in each full-text table, nothing
    that belongs to nothing; and SQLite finds the file sound.
    """
    with raw(index) as connection:

        def column(statement: str) -> list[Any]:
            return [row[0] for row in connection.execute(statement)]

        assert column("PRAGMA integrity_check") == ["ok"]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        chunks = connection.execute(
            "SELECT id, document_id, idx, windows FROM chunks ORDER BY document_id, idx"
        ).fetchall()
        by_document: dict[int, list[int]] = {}
        for _, document, idx, _ in chunks:
            by_document.setdefault(document, []).append(idx)
        assert all(places == list(range(len(places))) for places in by_document.values())
        windows = Counter(column("SELECT chunk_id FROM chunk_vectors"))
        assert {chunk: count for chunk, _, _, count in chunks if count} == windows
        for table in FULLTEXT:
            assert sorted(column(f"SELECT rowid FROM {table}")) == sorted(chunk for chunk, *_ in chunks), table
            assert sorted(column(f"SELECT id FROM {table}_docsize")) == sorted(chunk for chunk, *_ in chunks), table
            connection.execute(f"CREATE VIRTUAL TABLE temp.w_{table} USING fts5vocab(main, {table}, instance)")
            assert set(column(f"SELECT DISTINCT doc FROM w_{table}")) <= {chunk for chunk, *_ in chunks}, table
