"""Whether an index's tables still agree with one another, row by row and both ways. Reads only.

A disagreement raises no error in a search: it takes results out of one leg without a word. What SQLite and FTS5 say of
their own structures comes from ``PRAGMA integrity_check``, which since SQLite 3.44 asks every virtual table as well.
The full-text tables keep no text, so FTS5 can check how its postings are built and not which words they stand for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from grooveseek.errors import CorruptIndex
from grooveseek.store.database import Database, Row
from grooveseek.store.documents import VECTOR_TYPE, table_rows_that_fit

EXAMPLES = 5
"""Most examples kept of one kind of damage."""

_MESSAGES = 100
_BLOCK = 4096
_UNIT_TOLERANCE = 0.01
"""How far a stored vector's length may be from 1: float16 rounds 384 components to within .0005 of it."""

Table = Literal["fts_trigram", "fts_words"]
Child = Literal["chunks", "chunk_vectors", "document_fields"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """How many rows have it, and the first few of them in words."""

    count: int = 0
    examples: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.count > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorDamage:
    """What is wrong with stored vectors, each row under one heading only."""

    wrong_length: Damage
    not_finite: Damage
    not_unit: Damage


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkText:
    """The parts of a chunk that its vector was made from, and the hash recorded of them. ``place`` names it."""

    place: str
    heading: str | None
    context: str
    content: str
    input_hash: bytes


def structure(database: Database) -> Damage:
    """What SQLite and FTS5 find wrong with the file's pages, indexes and full-text structures."""
    try:
        rows = database.all(f"PRAGMA integrity_check({_MESSAGES})")
    except CorruptIndex as error:  # too damaged for SQLite to say where
        return _damage([str(error)])
    return _damage(str(row[0]) for row in rows if row[0] != "ok")


def chunks_short_of_vectors(database: Database) -> Damage:
    """Chunks that have another number of vectors than were made for them."""
    rows = database.execute(
        "SELECT d.path, c.idx, c.start_line, c.end_line FROM chunks c LEFT JOIN documents d ON d.id = c.document_id "
        "WHERE c.windows <> (SELECT count(*) FROM chunk_vectors v WHERE v.chunk_id = c.id)"
    )
    return _damage(map(_place, rows))


def chunks_without_fulltext(database: Database, table: Table) -> Damage:
    """Chunks that a full-text table does not have."""
    rows = database.execute(
        "SELECT d.path, c.idx, c.start_line, c.end_line FROM chunks c LEFT JOIN documents d ON d.id = c.document_id "
        f"WHERE NOT EXISTS (SELECT 1 FROM {table}_docsize f WHERE f.id = c.id)"
    )
    return _damage(map(_place, rows))


def fulltext_without_chunks(database: Database, table: Table) -> Damage:
    """Rows of a full-text table whose chunk is gone."""
    rows = database.execute(
        f"SELECT f.id FROM {table}_docsize f WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.id = f.id)"
    )
    return _damage(f"{table} row {row[0]}" for row in rows)


def orphans(database: Database, table: Child) -> Damage:
    """Rows of a table that belong to something which is gone."""
    rows = database.execute(f"PRAGMA foreign_key_check({table})")
    return _damage(f"{table} row {row[1]}" for row in rows)


def vectors(database: Database, dimension: int) -> VectorDamage:
    """Vectors of another length than ``dimension`` (components), with components that are no numbers, or not of length
    1.
    """
    wrong_length, not_finite, not_unit = _Collector(), _Collector(), _Collector()
    for rows in _vector_blocks(database):
        fitting = [row for row in rows if len(row[2]) == dimension * VECTOR_TYPE.itemsize]
        wrong_length.add(row[0] for row in rows if len(row[2]) != dimension * VECTOR_TYPE.itemsize)
        lengths = _lengths([row[2] for row in fitting], dimension)
        not_finite.add(fitting[i][0] for i in np.flatnonzero(~np.isfinite(lengths)).tolist())
        off = np.abs(lengths - 1) > _UNIT_TOLERANCE  # false for what is not finite: comparisons with NaN are
        not_unit.add(fitting[i][0] for i in np.flatnonzero(off & np.isfinite(lengths)).tolist())
    return VectorDamage(
        wrong_length=wrong_length.damage(database),
        not_finite=not_finite.damage(database),
        not_unit=not_unit.damage(database),
    )


def table_rows(database: Database) -> Damage:
    """Chunks whose recorded table rows cannot be cut out of their text."""
    rows = database.execute(
        "SELECT d.path, c.idx, c.start_line, c.end_line, c.table_rows, c.content FROM chunks c "
        "LEFT JOIN documents d ON d.id = c.document_id WHERE c.table_rows IS NOT NULL"
    )
    return _damage(_place(row) for row in rows if table_rows_that_fit(row[4], row[5]) is None)


def chunk_texts(database: Database) -> Iterator[ChunkText]:
    """Every chunk's text with its recorded hash, by id. A byte that is not UTF-8 any more comes as U+FFFD."""
    for row in database.execute(
        "SELECT d.path, c.idx, c.start_line, c.end_line, CAST(c.heading AS BLOB), CAST(c.context AS BLOB), "
        "CAST(c.content AS BLOB), c.input_hash FROM chunks c LEFT JOIN documents d ON d.id = c.document_id "
        "ORDER BY c.id"
    ):
        yield ChunkText(
            place=_place(row),
            heading=None if row[4] is None else row[4].decode("utf-8", "replace"),
            context=row[5].decode("utf-8", "replace"),
            content=row[6].decode("utf-8", "replace"),
            input_hash=row[7],
        )


def cut_by_lines(database: Database, parser_tag: str) -> Damage:
    """Source files that carry a tag of the parser's and were cut by lines.

    An author can write any tag into a note. The parser's own are in a column that no author reaches, and what they say
    has to show in the chunks: lines, and no definition.
    """
    rows = database.execute(
        "SELECT d.path FROM documents d WHERE EXISTS (SELECT 1 FROM json_each(d.parser_tags) t WHERE t.value = ?) "
        "AND EXISTS (SELECT 1 FROM chunks c WHERE c.document_id = d.id "
        "AND c.start_line IS NOT NULL AND c.symbol_kind IS NULL) ORDER BY d.path",
        (parser_tag,),
    )
    return _damage(row[0] for row in rows)


def has_source(database: Database) -> bool:
    """Whether the index holds any source code."""
    return bool(database.value("SELECT EXISTS (SELECT 1 FROM documents WHERE is_source)"))


def duplicate_files(database: Database) -> list[tuple[str, ...]]:
    """Paths of documents with the same bytes, a group an entry."""
    rows = database.execute(
        "SELECT json_group_array(path) FROM (SELECT path, content_hash FROM documents ORDER BY path) "
        "GROUP BY content_hash HAVING count(*) > 1 ORDER BY min(path)"
    )
    return [tuple(json.loads(row[0])) for row in rows]


def document_texts(database: Database) -> Iterator[tuple[str, list[str]]]:
    """Each document's path with the text of its chunks in order."""
    path: str | None = None
    parts: list[str] = []
    for row in database.execute(
        "SELECT d.path, c.content FROM chunks c JOIN documents d ON d.id = c.document_id ORDER BY d.path, c.idx"
    ):
        if row[0] != path and path is not None:
            yield path, parts
            parts = []
        path = row[0]
        parts.append(row[1])
    if path is not None:
        yield path, parts


class _Collector:
    """Chunk ids of one kind of damage: all are counted, the first are named."""

    def __init__(self) -> None:
        self._count = 0
        self._first: list[int] = []

    def add(self, chunk_ids: Iterable[int]) -> None:
        for chunk_id in chunk_ids:
            self._count += 1
            if len(self._first) < EXAMPLES:
                self._first.append(chunk_id)

    def damage(self, database: Database) -> Damage:
        return Damage(count=self._count, examples=tuple(_named(database, chunk_id) for chunk_id in self._first))


def _vector_blocks(database: Database) -> Iterator[list[Row]]:
    block: list[Row] = []
    for row in database.execute("SELECT chunk_id, window, vector FROM chunk_vectors ORDER BY chunk_id, window"):
        block.append(row)
        if len(block) == _BLOCK:
            yield block
            block = []
    if block:
        yield block


def _lengths(blobs: list[bytes], dimension: int) -> npt.NDArray[np.float32]:
    """The Euclidean length of each; NaN or infinity where a component is."""
    matrix = np.frombuffer(b"".join(blobs), dtype=VECTOR_TYPE).reshape(len(blobs), dimension).astype(np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        lengths: npt.NDArray[np.float32] = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    return lengths


def _named(database: Database, chunk_id: int) -> str:
    row = database.one(
        "SELECT d.path, c.idx, c.start_line, c.end_line FROM chunks c JOIN documents d ON d.id = c.document_id "
        "WHERE c.id = ?",
        (chunk_id,),
    )
    return f"chunk {chunk_id}" if row is None else _place(row)


def _place(row: Row) -> str:
    """A chunk as a person finds it: path and lines, or its position where there are none."""
    path, index, start, end = row[:4]
    shown = "a document that is gone" if path is None else path
    return f"{shown} chunk {index}" if start is None else f"{shown}:{start}-{end}"


def _damage(found: Iterable[str]) -> Damage:
    count = 0
    examples: list[str] = []
    for example in found:
        count += 1
        if len(examples) < EXAMPLES:
            examples.append(example)
    return Damage(count=count, examples=tuple(examples))
