"""Facts about the index as a whole, kept as JSON under their names in ``index_meta``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from grooveseek.errors import ModelMismatch, StoreError
from grooveseek.store.database import Database
from grooveseek.store.records import CorpusSnapshot

FACTS: Mapping[str, str] = {
    "model_identity": "the embedding model, object: provider, name, revision, dimension, pooling, normalised, window, "
    "query_prefix, passage_prefix; compared as a whole",
    "contextual": "whether breadcrumbs were put in front of the texts, boolean",
    "root_name": "name of the knowledge base's folder",
    "declared_fields": "frontmatter keys that filters may ask for, array; as of the last completed run",
    "last_run": "the last completed run over the whole folder, object: finished_at (RFC 3339, UTC), seconds, "
    "documents, chunks, skipped",
    "chunking_policy": "name of the rules source code was cut by, or `legacy` for a mixture; absent without source "
    "code",
    "merged_at": "chunks ever written, and chunks there, when the full-text tables were last merged, array of two",
    "reembed": "in a half-built index only: whether it was begun to make every vector anew, boolean",
}
"""Every key of ``index_meta``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastRun:
    """The last indexing run that came to its end."""

    finished_at: str
    seconds: float
    documents: int
    chunks: int
    skipped: int


class Meta:
    """Typed access to ``index_meta``."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, key: str) -> Any:
        """The value, decoded; ``None`` when it was never set."""
        text = self._db.value("SELECT value FROM index_meta WHERE key = ?", (key,))
        return None if text is None else json.loads(text)

    def set(self, key: str, value: object) -> None:
        """Set a value of JSON's types."""
        text = json.dumps(value, ensure_ascii=False, sort_keys=True)
        with self._db.transaction():
            self._db.execute(
                "INSERT INTO index_meta (key, value) VALUES (?, ?) "
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (key, text),
            )

    def remove(self, key: str) -> None:
        """Forget a value."""
        with self._db.transaction():
            self._db.execute("DELETE FROM index_meta WHERE key = ?", (key,))

    @property
    def model_identity(self) -> dict[str, Any] | None:
        """The model the vectors were made with, as :class:`~grooveseek.embedding.protocol.ModelIdentity`'s fields."""
        value: dict[str, Any] | None = self.get("model_identity")
        return value

    def require_model(self, identity: Mapping[str, Any]) -> None:
        """Raise ModelMismatch unless the vectors were made with this model, or there are none yet."""
        recorded = self.model_identity
        if recorded is None or recorded == dict(identity):
            return
        differing = [
            f"{name}: {recorded.get(name)!r} there, {value!r} here"
            for name, value in identity.items()
            if recorded.get(name) != value
        ]
        raise ModelMismatch(
            f"the index {self._db.path} was built with the model {recorded.get('name')!r}, and the settings name "
            f"{identity['name']!r} ({'; '.join(differing)}). Set the model back, or run `groove index --force`"
        )

    def require_root(self, name: str) -> None:
        """Raise StoreError unless this is the index of a folder of that name, or of none yet.

        Indexes lie beside their folder, so two folders side by side want the same file.
        """
        recorded = self.get("root_name")
        if recorded not in (None, name):
            raise StoreError(
                f"the index {self._db.path} belongs to the folder {recorded!r}, not to {name!r}. Give this folder an "
                "index of its own with [index].path, or run `groove index --force` if the folder was renamed"
            )

    @property
    def contextual(self) -> bool:
        """Whether breadcrumbs were put in front of the texts."""
        return bool(self.get("contextual"))

    @property
    def declared_fields(self) -> tuple[str, ...]:
        """Frontmatter keys that filters may ask for, as of the last completed run."""
        return tuple(self.get("declared_fields") or ())

    @property
    def last_run(self) -> LastRun | None:
        """The last completed run."""
        value = self.get("last_run")
        return None if value is None else LastRun(**value)

    def record_run(self, run: LastRun, declared_fields: Sequence[str]) -> None:
        """Note a completed run and what it indexed the fields of."""
        with self._db.transaction():
            self.set("last_run", asdict(run))
            self.set("declared_fields", list(declared_fields))

    def counts(self) -> tuple[int, int]:
        """(documents, chunks)."""
        row = self._db.one("SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM chunks)")
        return (0, 0) if row is None else (row[0], row[1])

    def corpus_snapshot(self) -> CorpusSnapshot:
        """Counts and a SHA-256 over every chunk's place and text, in one read snapshot."""
        digest = hashlib.sha256()
        with self._db.snapshot():
            documents, chunks = self.counts()
            for path, index, heading, context, content in self._db.execute(
                "SELECT d.path, c.idx, c.heading, c.context, c.content FROM chunks c "
                "JOIN documents d ON d.id = c.document_id ORDER BY d.path, c.idx"
            ):
                line = json.dumps([path, index, heading, context, content], ensure_ascii=True)
                digest.update(line.encode("ascii") + b"\n")
        return CorpusSnapshot(documents=documents, chunks=chunks, digest=digest.hexdigest())
