"""One set of vectors in three forms: groove's own index, and sqlite-vec's two, an ordinary table and ``vec0``.

Only what a vector search reads is written: the text of the chunks is empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import apsw
import numpy as np
import sqlite_vec
from embeddings import DIMENSION, Vectors
from grooveseek.store.documents import pack
from grooveseek.store.store import Store

_CHUNKS_A_DOCUMENT = 1_000


def build_groove(path: Path, blocks: Iterable[Vectors]) -> None:
    """An index at ``path`` whose chunk n (from 1) has the n-th vector."""
    _remove(path)
    number = 0
    with Store.open_for_writing(path) as store:
        with store.transaction():
            for block in blocks:
                for start in range(0, len(block), _CHUNKS_A_DOCUMENT):
                    add_document(store, f"d{number:07}.md", block[start : start + _CHUNKS_A_DOCUMENT])
                    number += 1
        store.database.checkpoint()


def add_document(store: Store, name: str, vectors: Vectors) -> None:
    """A document with a chunk for each vector."""
    database = store.database
    document = database.insert(
        "INSERT INTO documents (path, title, tags, content_hash, size_bytes, mtime_ns, parser, parser_tags, is_source, "
        "frontmatter_unparsed, tags_unparseable, notices) VALUES (?, '', '[]', x'', 1, 1, 'md', '[]', 0, 0, 0, '[]')",
        (name,),
    )
    first = 1 + int(database.value("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'") or 0)
    database.execute_many(
        "INSERT INTO chunks (id, document_id, idx, heading_path, content, context, token_count, quality, "
        "is_boilerplate, letters, readable, input_hash, windows) VALUES (?, ?, ?, '[]', '', '', 1, 1, 0, 1, 1, x'', 1)",
        ((first + place, document, place) for place in range(len(vectors))),
    )
    database.execute_many(
        "INSERT INTO chunk_vectors (chunk_id, window, vector) VALUES (?, 0, ?)",
        ((first + place, pack(vector)) for place, vector in enumerate(vectors)),
    )


class SqliteVec:
    """sqlite-vec's ways to the nearest float32 vectors."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path))
        self._connection.enable_load_extension(True)
        self._connection.load_extension(sqlite_vec.loadable_path())
        self._connection.execute("PRAGMA cache_size = -65536; PRAGMA mmap_size = 2147418112").fetchall()

    def scan(self, query: bytes, k: int) -> list[int]:
        """By its scalar function over an ordinary table."""
        return self._ids("SELECT id FROM plain ORDER BY vec_distance_cosine(vector, ?) LIMIT ?", (query, k))

    def vec0(self, query: bytes, k: int) -> list[int]:
        """By its virtual table."""
        return self._ids("SELECT rowid FROM vec WHERE vector MATCH ? AND k = ? ORDER BY distance", (query, k))

    def build(self, blocks: Iterable[Vectors]) -> None:
        """Fill both tables."""
        run = self._connection.execute
        run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF").fetchall()
        run("CREATE TABLE plain (id INTEGER PRIMARY KEY, vector BLOB NOT NULL)")
        run(f"CREATE VIRTUAL TABLE vec USING vec0 (vector float[{DIMENSION}] distance_metric=cosine)")
        number = 0
        with self._connection:
            for block in blocks:
                rows = [(number + place + 1, vector.tobytes()) for place, vector in enumerate(block)]
                number += len(rows)
                self._connection.executemany("INSERT INTO plain VALUES (?, ?)", rows)
                self._connection.executemany("INSERT INTO vec (rowid, vector) VALUES (?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _ids(self, sql: str, bindings: tuple[bytes, int]) -> list[int]:
        return [row[0] for row in self._connection.execute(sql, bindings)]


def open_sqlite_vec(path: Path, blocks: Iterable[Vectors]) -> SqliteVec:
    """A file of both of sqlite-vec's forms, made anew."""
    _remove(path)
    made = SqliteVec(path)
    made.build(blocks)
    return made


def exact_nearest(blocks: Iterable[Vectors], queries: Vectors, k: int) -> list[list[int]]:
    """The ids of the ``k`` nearest of each query, by a product of matrices over the vectors as groove keeps them."""
    best = np.full((len(queries), 0), -2.0, dtype=np.float32)
    ids = np.zeros((len(queries), 0), dtype=np.int64)
    seen = 0
    for block in blocks:
        kept = block.astype(np.float16).astype(np.float32)
        best = np.concatenate([best, queries @ kept.T], axis=1)
        here = np.broadcast_to(np.arange(seen + 1, seen + 1 + len(block)), (len(queries), len(block)))
        ids = np.concatenate([ids, here], axis=1)
        seen += len(block)
        order = np.argsort(-best, axis=1, kind="stable")[:, :k]
        best, ids = np.take_along_axis(best, order, axis=1), np.take_along_axis(ids, order, axis=1)
    found: list[list[int]] = ids.tolist()
    return found


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
