"""Writing and reading documents with all that hangs on them: chunks, vectors, both full-text tables, fields.

These belong together: a document is whole in every table or in none, so every writer here is one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import PurePosixPath

import numpy as np
import numpy.typing as npt

from grooveseek.model.document import Chunk, Notice, TableRow
from grooveseek.store.database import Database, Row
from grooveseek.store.records import ChunkRecord, DocumentRecord, DocumentState, StoredChunk
from grooveseek.text.fold import fold
from grooveseek.text.words import spell

VECTOR_TYPE = np.dtype("<f2")
_SINGLES = np.arange(2**16, dtype="<u2").view(VECTOR_TYPE).astype(np.float32)
"""What each float16 is as float32."""

_DOCUMENT_COLUMNS = (
    "path, title, category, topic, depth, date, tags, content_hash, size_bytes, mtime_ns, parser, parser_tags, "
    "frontmatter_unparsed, tags_unparseable, notices, is_source"
)
_STATE_COLUMNS = "path, content_hash, size_bytes, mtime_ns, parser"
_CHUNK_COLUMNS = (
    "idx, heading, level, heading_path, content, context, start_line, end_line, start_byte, end_byte, symbol_kind, "
    "scope, language, token_count, quality, table_rows"
)
_ID_BATCH = 500
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_DATES = frozenset({"date", "depth"})
"""Frontmatter that is filtered on, never searched for as words."""


class Documents:
    """The documents of one index."""

    def __init__(self, database: Database) -> None:
        self._db = database

    # -- writing ---------------------------------------------------------------------------------------------------

    def put(self, document: DocumentRecord, chunks: Sequence[ChunkRecord]) -> None:
        """Insert a document, or replace the one at its path with everything that hung on it."""
        with self._db.transaction():
            document_id = self._upsert(document)
            for record in chunks:
                self._insert_chunk(document_id, document, record)
            self._insert_fields(document_id, document.fields)

    def delete(self, path: str) -> bool:
        """Remove a document and everything of it; false when there is none at that path."""
        with self._db.transaction():
            document_id = self._id_of(path)
            if document_id is None:
                return False
            self._drop_chunks(document_id)
            self._db.execute("DELETE FROM documents WHERE id = ?", (document_id,))
            return True

    def rename(self, previous_path: str, path: str) -> None:
        """Give a document another path; its chunks and vectors stay."""
        with self._db.transaction():
            self._db.execute("UPDATE documents SET path = ? WHERE path = ?", (path, previous_path))

    def touch(self, path: str, *, size_bytes: int, mtime_ns: int) -> None:
        """Note that a file was seen unchanged with this size and time."""
        with self._db.transaction():
            self._db.execute(
                "UPDATE documents SET size_bytes = ?, mtime_ns = ? WHERE path = ?", (size_bytes, mtime_ns, path)
            )

    def _upsert(self, document: DocumentRecord) -> int:
        """The id of the document's row, on which nothing hangs now."""
        values = _document_values(document)
        document_id = self._id_of(document.path)
        marks = ", ".join("?" * len(values))
        if document_id is None:
            return self._db.insert(f"INSERT INTO documents ({_DOCUMENT_COLUMNS}) VALUES ({marks})", values)
        self._drop_chunks(document_id)
        self._db.execute(f"UPDATE documents SET ({_DOCUMENT_COLUMNS}) = ({marks}) WHERE id = ?", (*values, document_id))
        return document_id

    def _drop_chunks(self, document_id: int) -> None:
        for table in ("fts_trigram", "fts_words"):
            self._db.execute(
                f"DELETE FROM {table} WHERE rowid IN (SELECT id FROM chunks WHERE document_id = ?)", (document_id,)
            )
        self._db.execute("DELETE FROM chunks WHERE document_id = ?", (document_id,))
        self._db.execute("DELETE FROM document_fields WHERE document_id = ?", (document_id,))

    def _insert_chunk(self, document_id: int, document: DocumentRecord, record: ChunkRecord) -> None:
        values = (
            document_id,
            *_chunk_values(record),
            int(record.is_boilerplate),
            record.letters,
            record.readable,
            record.input_hash,
            len(record.vectors),
        )
        chunk_id = self._db.insert(
            f"INSERT INTO chunks (document_id, {_CHUNK_COLUMNS}, "
            "is_boilerplate, letters, readable, input_hash, windows) "
            f"VALUES ({', '.join('?' * len(values))})",
            values,
        )
        heading = indexed_heading(document, record.chunk)
        columns = (heading, record.indexed_context, record.chunk.content)
        for table, spelled in (("fts_trigram", _fold_for_index), ("fts_words", spell)):
            self._db.execute(
                f"INSERT INTO {table} (rowid, heading, context, content) VALUES (?, ?, ?, ?)",
                (chunk_id, *map(spelled, columns)),
            )
        self._db.execute_many(
            "INSERT INTO chunk_vectors (chunk_id, window, vector) VALUES (?, ?, ?)",
            ((chunk_id, window, pack(vector)) for window, vector in enumerate(record.vectors)),
        )

    def _insert_fields(self, document_id: int, fields: Mapping[str, tuple[str, ...]]) -> None:
        self._db.execute_many(
            "INSERT INTO document_fields (document_id, name, value) VALUES (?, ?, ?)",
            ((document_id, name, value) for name, values in fields.items() for value in values),
        )

    # -- reading ---------------------------------------------------------------------------------------------------

    def states(self) -> dict[str, DocumentState]:
        """Every document by path, with what tells whether its file changed."""
        return _states(self._db.execute(f"SELECT {_STATE_COLUMNS} FROM documents ORDER BY path"))

    def states_at(self, paths: Iterable[str]) -> dict[str, DocumentState]:
        """As :meth:`states`, for the documents at these paths and below them only. Costs what it gives."""
        rows = self._db.execute(
            f"SELECT {_STATE_COLUMNS} FROM documents WHERE id IN ("
            "SELECT d.id FROM json_each(:paths) p CROSS JOIN documents d ON d.path = p.value "
            # "0" is the character after "/": what lies between the two begins with the path and a slash
            "UNION SELECT d.id FROM json_each(:paths) p CROSS JOIN documents d "
            "ON d.path > p.value || '/' AND d.path < p.value || '0') ORDER BY path",
            {"paths": json.dumps(list(paths))},
        )
        return _states(rows)

    def topics(self) -> list[tuple[str | None, str | None, int]]:
        """(category, topic, number of documents), ordered by both, those without one first."""
        return [
            (category, topic, count)
            for category, topic, count in self._db.execute(
                "SELECT category, topic, count(*) FROM documents GROUP BY category, topic ORDER BY category, topic"
            )
        ]

    def get(self, path: str) -> DocumentRecord | None:
        """A document's record with its fields; ``None`` when there is none at that path."""
        row = self._db.one(f"SELECT {_DOCUMENT_COLUMNS}, id FROM documents WHERE path = ?", (path,))
        return None if row is None else _document_from(row, self._fields_of(row[-1]))

    def iterate(self) -> Iterator[DocumentRecord]:
        """Every document by path, without its fields."""
        for row in self._db.execute(f"SELECT {_DOCUMENT_COLUMNS} FROM documents ORDER BY path"):
            yield _document_from(row)

    def texts(self) -> Iterator[tuple[str, str | None, str, str]]:
        """(path, heading, context, content) of every chunk, by path and place."""
        yield from self._db.execute(
            "SELECT d.path, c.heading, c.context, c.content FROM chunks c JOIN documents d ON d.id = c.document_id "
            "ORDER BY d.path, c.idx"
        )

    def has_source_besides(self, path: str) -> bool:
        """Whether any document but the one at ``path`` is source code."""
        return bool(self._db.value("SELECT EXISTS (SELECT 1 FROM documents WHERE is_source AND path <> ?)", (path,)))

    def chunks_of(self, path: str) -> list[StoredChunk]:
        """A document's chunks in order."""
        ids = [
            row[0]
            for row in self._db.all(
                "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document_id WHERE d.path = ? ORDER BY c.idx",
                (path,),
            )
        ]
        by_id = self.chunks(ids)
        return [by_id[chunk_id] for chunk_id in ids]

    def chunks(self, ids: Iterable[int]) -> dict[int, StoredChunk]:
        """Chunks by id, each with its document. An id that is gone is left out."""
        wanted = [int(chunk_id) for chunk_id in ids]
        documents = ", ".join(f"d.{name.strip()}" for name in _DOCUMENT_COLUMNS.split(","))
        chunks = ", ".join(f"c.{name.strip()}" for name in _CHUNK_COLUMNS.split(","))
        found: dict[int, StoredChunk] = {}
        for start in range(0, len(wanted), _ID_BATCH):
            rows = self._db.execute(
                f"SELECT c.id, {chunks}, {documents} FROM chunks c JOIN documents d ON d.id = c.document_id "
                "WHERE c.id IN (SELECT value FROM json_each(?))",
                (json.dumps(wanted[start : start + _ID_BATCH]),),
            )
            found.update((row[0], _stored_chunk_from(row)) for row in rows)
        return found

    def vectors_by_input(self, hashes: Iterable[bytes]) -> dict[bytes, npt.NDArray[np.float32]]:
        """Vectors already made for these embedding inputs: hash to float32 [windows, dimension]. Missing ones are
        left out.
        """
        # Mostly there is none, as in a first run, and then looking each up costs least.
        holders: dict[int, tuple[bytes, int]] = {}
        for input_hash in dict.fromkeys(hashes):
            holder = self._db.one("SELECT min(id), windows FROM chunks WHERE input_hash = ?", (input_hash,))
            if holder is not None and holder[0] is not None:
                holders[holder[0]] = (input_hash, holder[1])
        if not holders:
            return {}
        rows = self._db.execute(
            "SELECT chunk_id, vector FROM chunk_vectors WHERE chunk_id IN (SELECT value FROM json_each(?)) "
            "ORDER BY chunk_id, window",
            (json.dumps(list(holders)),),
        )
        found: dict[bytes, npt.NDArray[np.float32]] = {}
        for chunk_id, group in groupby(rows, key=lambda row: row[0]):
            input_hash, windows = holders[chunk_id]
            blobs = [row[1] for row in group]
            if len(blobs) == windows:  # a damaged index must not hand its gaps on
                found[input_hash] = unpack(blobs)
        return found

    def _id_of(self, path: str) -> int | None:
        found = self._db.value("SELECT id FROM documents WHERE path = ?", (path,))
        return None if found is None else int(found)

    def _fields_of(self, document_id: int) -> dict[str, tuple[str, ...]]:
        fields: dict[str, tuple[str, ...]] = {}
        for name, value in self._db.execute(
            "SELECT name, value FROM document_fields WHERE document_id = ? ORDER BY rowid", (document_id,)
        ):
            fields[name] = (*fields.get(name, ()), value)
        return fields


def _states(rows: Iterable[Row]) -> dict[str, DocumentState]:
    return {
        row[0]: DocumentState(path=row[0], content_hash=row[1], size_bytes=row[2], mtime_ns=row[3], parser=row[4])
        for row in rows
    }


def _fold_for_index(text: str) -> str:
    """NUL cannot stand in a MATCH expression: the query compiler takes it for a blank, so the index does."""
    return fold(text).replace("\0", " ")


def indexed_heading(document: DocumentRecord, chunk: Chunk) -> str:
    """The heading as the full-text tables see it.

    The first chunk also answers for what the document says of itself: its title, its file's name, its tags, its
    frontmatter's texts.
    """
    if chunk.index > 0:
        return chunk.heading or ""
    values = (value for name, values in document.fields.items() if name not in _DATES for value in values)
    name = PurePosixPath(document.path).stem
    lines = dict.fromkeys((document.title, chunk.heading or "", name, *document.tags, *values))
    return "\n".join(filter(None, lines))


def pack(vector: npt.NDArray[np.float32]) -> bytes:
    """A unit vector as the store keeps it: float16 (recall@10 against float32: .9998)."""
    return vector.astype(VECTOR_TYPE).tobytes()


def unpack(blobs: Sequence[bytes]) -> npt.NDArray[np.float32]:
    """Stored vectors as float32 [n, dimension]; [0, 0] for none."""
    if not blobs:
        return np.zeros((0, 0), dtype=np.float32)
    halves = np.frombuffer(b"".join(blobs), dtype="<u2").reshape(len(blobs), -1)
    return np.take(_SINGLES, halves, mode="clip")  # twice as quick as astype; no index is out of range


def _document_values(document: DocumentRecord) -> Row:
    return (
        document.path,
        document.title,
        document.category,
        document.topic,
        document.depth,
        document.date,
        _json(document.tags),
        document.content_hash,
        document.size_bytes,
        document.mtime_ns,
        document.parser,
        _json(document.parser_tags),
        int(document.frontmatter_unparsed),
        int(document.tags_unparseable),
        _json([[notice.message, notice.line] for notice in document.notices]),
        int(document.is_source),
    )


def _chunk_values(record: ChunkRecord) -> Row:
    chunk = record.chunk
    rows = None if chunk.table_rows is None else _json([[r.table, r.row, r.start, r.end] for r in chunk.table_rows])
    return (
        chunk.index,
        chunk.heading,
        chunk.level,
        _json(chunk.heading_path),
        chunk.content,
        chunk.context,
        chunk.start_line,
        chunk.end_line,
        chunk.start_byte,
        chunk.end_byte,
        chunk.symbol_kind,
        chunk.scope,
        chunk.language,
        record.token_count,
        record.quality,
        rows,
    )


def _document_from(row: Row, fields: Mapping[str, tuple[str, ...]] | None = None) -> DocumentRecord:
    return DocumentRecord(
        path=row[0],
        title=row[1],
        category=row[2],
        topic=row[3],
        depth=row[4],
        date=row[5],
        tags=tuple(json.loads(row[6])),
        content_hash=row[7],
        size_bytes=row[8],
        mtime_ns=row[9],
        parser=row[10],
        parser_tags=tuple(json.loads(row[11])),
        frontmatter_unparsed=bool(row[12]),
        tags_unparseable=bool(row[13]),
        notices=tuple(Notice(message=message, line=line) for message, line in json.loads(row[14])),
        is_source=bool(row[15]),
        fields=fields or {},
    )


def _stored_chunk_from(row: Row) -> StoredChunk:
    document = _document_from(row[17:])
    content = row[5]
    chunk = Chunk(
        index=row[1],
        heading=row[2],
        level=row[3],
        heading_path=tuple(json.loads(row[4])),
        content=content,
        context=row[6],
        start_line=row[7],
        end_line=row[8],
        start_byte=row[9],
        end_byte=row[10],
        symbol_kind=row[11],
        scope=row[12],
        language=row[13],
        table_rows=table_rows_that_fit(row[16], content),
    )
    return StoredChunk(
        id=row[0],
        document=document,
        chunk=chunk,
        token_count=row[14],
        quality=row[15],
    )


def table_rows_that_fit(stored: str | None, content: str) -> tuple[TableRow, ...] | None:
    """A chunk's table rows, or ``None`` when there are none or what is stored cannot be sliced out of the content."""
    if stored is None:
        return None
    data = content.encode("utf-8", "surrogatepass")
    try:
        rows = tuple(TableRow(table=t, row=r, start=s, end=e) for t, r, s, e in json.loads(stored))
        for row in rows:
            if not 0 <= row.start <= row.end <= len(data):
                return None
            data[row.start : row.end].decode("utf-8")
    except (ValueError, TypeError):
        return None
    return rows


def _json(value: Sequence[object]) -> str:
    return _encode(value) if value else "[]"
