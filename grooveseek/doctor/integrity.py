"""Integrity: do the index's tables agree, and are the vectors what a search takes them for?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from grooveseek.doctor.findings import Finding, Severity, about
from grooveseek.doctor.patient import Patient
from grooveseek.indexing.prepare import embedding_input
from grooveseek.model.document import Chunk
from grooveseek.store import audit, make_ready
from grooveseek.store.audit import Child, Damage, Table

REBUILD = "groove index --force"
REEMBED = "groove index --reembed"
START_ANEW = "Move the index file away, then run `groove index`"

_TABLES: tuple[Table, ...] = ("fts_trigram", "fts_words")
_CHILDREN: dict[Child, str] = {
    "chunks": "orphan-chunks",
    "chunk_vectors": "orphan-vectors",
    "document_fields": "orphan-fields",
}


def structure(patient: Patient) -> list[Finding]:
    """SQLite's own check of the file, and FTS5's of its tables."""
    damage = audit.structure(patient.store.database)
    return _error("structure", "SQLite finds the file damaged in {n} place{s}", damage, remedy=START_ANEW)


def chunks_without_vectors(patient: Patient) -> list[Finding]:
    """Chunks that search by meaning cannot find, or finds by less than all of their text."""
    damage = audit.chunks_short_of_vectors(patient.store.database)
    return _error("chunks-without-vectors", "{n} chunk{s} without all of the vectors made for them", damage)


def chunks_without_fulltext(patient: Patient) -> Iterator[Finding]:
    """Chunks that search by words cannot find."""
    for table in _TABLES:
        damage = audit.chunks_without_fulltext(patient.store.database, table)
        yield from _error("chunks-without-fulltext", f"{{n}} chunk{{s}} missing from {table}", damage)


def fulltext_without_chunks(patient: Patient) -> Iterator[Finding]:
    """Full-text rows left behind."""
    for table in _TABLES:
        damage = audit.fulltext_without_chunks(patient.store.database, table)
        yield from _error("orphan-fulltext", f"{{n}} row{{s}} of {table} whose chunk is gone", damage)


def orphans(patient: Patient) -> Iterator[Finding]:
    """Rows left behind in the ordinary tables."""
    for table, check in _CHILDREN.items():
        damage = audit.orphans(patient.store.database, table)
        yield from _error(check, f"{{n}} row{{s}} of {table} that belong to nothing", damage)


def vectors(patient: Patient) -> Iterator[Finding]:
    """Vectors of the wrong length, with components that are no numbers, or that are not unit vectors."""
    identity = patient.store.meta.model_identity
    if identity is None:
        return  # model-unrecorded says so
    damage = audit.vectors(patient.store.database, int(identity["dimension"]))
    length = f"{{n}} vector{{s}} of another dimension than the model's, {identity['dimension']}"
    yield from _error("vector-dimension", length, damage.wrong_length, remedy=REEMBED)
    numbers = "{n} vector{s} with components that are not finite numbers"
    yield from _error("vector-not-finite", numbers, damage.not_finite, remedy=REEMBED)
    yield from _error("vector-not-unit", "{n} vector{s} not of length 1", damage.not_unit, remedy=REEMBED)


def table_rows(patient: Patient) -> list[Finding]:
    """Table rows that a search leaves out of its answers, because they do not fit the chunk."""
    damage = audit.table_rows(patient.store.database)
    return _error("table-rows", "{n} chunk{s} whose table rows do not fit the text", damage)


def ready(patient: Patient) -> list[Finding]:
    """What searches of a large index read at once, where it is not what the tables say."""
    differing = make_ready.differing(patient.store.database)
    summary = "{n} piece{s} of ready-made search data unlike the tables"
    return about("ready", Severity.ERROR, summary, differing, remedy=REBUILD)


def chunk_texts(patient: Patient) -> list[Finding]:
    """Chunks whose text is not the one their vectors were made from."""
    contextual = patient.store.meta.contextual
    differing = [
        text.place
        for text in audit.chunk_texts(patient.store.database)
        if _input_hash(text, contextual=contextual) != text.input_hash
    ]
    return about(
        "chunk-text",
        Severity.ERROR,
        "{n} chunk{s} whose text is not what the vectors were made from",
        differing,
        remedy=REBUILD,
    )


def _input_hash(text: audit.ChunkText, *, contextual: bool) -> bytes:
    chunk = Chunk(index=0, content=text.content, heading=text.heading, context=text.context)
    return hashlib.sha256(embedding_input(chunk, contextual=contextual).encode("utf-8", "surrogatepass")).digest()


def _error(check: str, summary: str, damage: Damage, *, remedy: str = REBUILD) -> list[Finding]:
    return about(check, Severity.ERROR, summary, damage.examples, count=damage.count, remedy=remedy)
