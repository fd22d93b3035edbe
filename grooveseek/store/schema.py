"""The schema, and the way old files become new ones.

``SCHEMA_VERSION`` stands in the file as ``PRAGMA user_version``. A migration is a function from one version to the
next, run in a transaction of its own; opening a file for writing runs what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grooveseek.errors import CorruptIndex, NewerSchema, StoreError
from grooveseek.store.database import Database

SCHEMA_VERSION = 2
APPLICATION_ID = 0x67727631  # "grv1": tells groove's files from other SQLite files

WORD_TOKENIZER = ("porter", ("unicode61", "remove_diacritics", "2", "categories", "L* M* N* P* S* C*"))
"""What the word table's ``tokenize`` below says, name and arguments: for tokenizing a query as it does."""

SCHEMA = """
-- One row a file. AUTOINCREMENT: within one build of the index no id is used twice, and sqlite_sequence counts the rows
-- that were ever written.
CREATE TABLE documents (
    id                   INTEGER PRIMARY KEY AUTOINCREMENT,
    path                 TEXT NOT NULL UNIQUE,           -- relative to the knowledge base, with /
    title                TEXT NOT NULL,
    category             TEXT,
    topic                TEXT,
    depth                TEXT,
    date                 TEXT,                           -- YYYY-MM-DD or RFC 3339
    tags                 TEXT NOT NULL,                  -- JSON array of strings
    content_hash         BLOB NOT NULL,                  -- SHA-256 of the file's bytes
    size_bytes           INTEGER NOT NULL,
    mtime_ns             INTEGER NOT NULL,               -- of the file when it was read
    parser               TEXT NOT NULL,
    parser_tags          TEXT NOT NULL,                  -- JSON array: tags the parser added, never the author's
    is_source            INTEGER NOT NULL,               -- source code: what the chunking policy speaks of
    frontmatter_unparsed INTEGER NOT NULL,
    tags_unparseable     INTEGER NOT NULL,
    notices              TEXT NOT NULL                   -- JSON array of {message, line}
) STRICT;

CREATE INDEX documents_by_hash ON documents (content_hash);

-- One row a chunk. The text is the file's own; folding and word spelling happen on the way into the full-text tables.
CREATE TABLE chunks (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id    INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    idx            INTEGER NOT NULL,                     -- position in the document, from 0
    heading        TEXT,
    level          INTEGER,
    heading_path   TEXT NOT NULL,                        -- JSON array, outermost first
    content        TEXT NOT NULL,
    context        TEXT NOT NULL,                        -- breadcrumb; used where the context mode says so
    start_line     INTEGER,                              -- 1-based; of extracted text NULL, as the next three
    end_line       INTEGER,                              -- inclusive
    start_byte     INTEGER,                              -- of the content in the file
    end_byte       INTEGER,                              -- exclusive
    symbol_kind    TEXT,
    scope          TEXT,
    language       TEXT,
    token_count    INTEGER NOT NULL,                     -- of the content, as the embedding model counts
    quality        REAL NOT NULL,                        -- 0 to 1
    is_boilerplate INTEGER NOT NULL,                     -- says nothing: TBD and the like
    letters        INTEGER NOT NULL,                     -- letters in the content
    readable       INTEGER NOT NULL,                     -- of them, in scripts the embedding model reads
    input_hash     BLOB NOT NULL,                        -- SHA-256 of the text given to the embedding model
    windows        INTEGER NOT NULL,                     -- rows this chunk has in chunk_vectors; 0: nothing to embed
    table_rows     TEXT,                                 -- JSON array of [table, row, start, end]
    UNIQUE (document_id, idx)
) STRICT;

CREATE INDEX chunks_by_input ON chunks (input_hash);
CREATE INDEX chunks_by_quality ON chunks (quality, is_boilerplate);

-- One row a window of a chunk: float16, little-endian, unit length.
CREATE TABLE chunk_vectors (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    chunk_id INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    window   INTEGER NOT NULL,
    vector   BLOB NOT NULL,
    UNIQUE (chunk_id, window)
) STRICT;

-- Substrings of three characters and more, in any script. Contentless: deleting needs the row's id alone, so an index
-- written with one version of Unicode's tables stays whole when edited with another.
CREATE VIRTUAL TABLE fts_trigram USING fts5 (
    heading, context, content, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
);

-- Words, stemmed, and characters and pairs of unspaced scripts (see grooveseek.text.words). The words come separated by
-- spaces, so every other character belongs to one: marks too, and letters that SQLite's Unicode tables do not know yet.
CREATE VIRTUAL TABLE fts_words USING fts5 (
    heading, context, content, content = '', contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* M* N* P* S* C*'"
);

-- Deleting must not merge as it goes, which made it slower than writing; grooveseek.store.upkeep merges after a run.
INSERT INTO fts_trigram (fts_trigram, rank) VALUES ('deletemerge', 0);
INSERT INTO fts_words (fts_words, rank) VALUES ('deletemerge', 0);

-- Frontmatter values that can be filtered on, one row a value.
CREATE TABLE document_fields (
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    value       TEXT NOT NULL
) STRICT;

CREATE INDEX document_fields_by_value ON document_fields (name, value);
CREATE INDEX document_fields_by_document ON document_fields (document_id);

-- Facts about the index as a whole, JSON values (see grooveseek.store.meta).
CREATE TABLE index_meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

-- What searches of a large index need in memory, ready to be read: made from the other tables after a run that changed
-- much. A piece says of which state of the index it is; what came and went since is seen to by its reader.
CREATE TABLE ready (
    kind  TEXT NOT NULL,                                 -- lengths, codes or words
    key   TEXT NOT NULL,                                 -- of words the stem, of codes the segment's number
    last  INTEGER NOT NULL,                              -- the last chunk id ever given then
    count INTEGER NOT NULL,                              -- chunks there were then
    ids   BLOB NOT NULL,                                 -- chunks, ascending: int32, little-endian
    data  BLOB NOT NULL,                                 -- a number of words a chunk; signs; a count a chunk and column
    PRIMARY KEY (kind, key)
) STRICT;
"""


def _add_ready(database: Database) -> None:
    """Version 2: what searches of a large index need in memory, filled by the next run that changes much; and the
    chunks of low quality without a walk through all.
    """
    for statement in _statements(SCHEMA):
        if " ready (" in statement or " chunks_by_quality " in statement:
            database.execute(statement)


MIGRATIONS: Mapping[int, Callable[[Database], None]] = {1: _add_ready}
"""Version to the function that takes a file from it to the next one."""


def prepare(database: Database) -> None:
    """Create the schema in an empty file, or migrate an older one forward. Raises NewerSchema for a later groove's."""
    version = check(database)
    database.use_write_ahead_log()
    if version == SCHEMA_VERSION:
        return
    if version == 0:
        with database.transaction():
            if check(database) == 0:
                _create(database)
        return
    for step in range(version, SCHEMA_VERSION):
        with database.transaction():
            MIGRATIONS[step](database)
            database.execute(f"PRAGMA user_version = {step + 1}")


def check(database: Database) -> int:
    """The file's schema version; 0 for an empty file. Raises for another program's file and for a newer schema."""
    version = int(database.value("PRAGMA user_version"))
    tables = int(database.value("SELECT count(*) FROM sqlite_schema"))
    if tables == 0:
        return 0
    if int(database.value("PRAGMA application_id")) != APPLICATION_ID:
        raise CorruptIndex(f"{database.path} is a SQLite file but not a groove index; move it away or set [index].path")
    if version > SCHEMA_VERSION:
        raise NewerSchema(
            f"the index {database.path} has schema version {version}, and this groove knows versions up to "
            f"{SCHEMA_VERSION}. Upgrade groove, or move the file away and run `groove index`"
        )
    return version


def require_current(database: Database) -> None:
    """For readers, which must not migrate: raise unless the file has this version's schema."""
    version = check(database)
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"the index {database.path} has schema version {version}; run `groove index` once to bring it to "
            f"version {SCHEMA_VERSION}"
        )


def _create(database: Database) -> None:
    for statement in _statements(SCHEMA):
        database.execute(statement)
    database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _statements(script: str) -> list[str]:
    """The statements of a script without the comments, which hold semicolons of their own."""
    lines = (line.split("--")[0].rstrip() for line in script.splitlines())
    return [statement.strip() for statement in "\n".join(lines).split(";") if statement.strip()]
