"""Which document each chunk belongs to, for those who think in documents and search in chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from grooveseek.store.database import Database
from grooveseek.store.records import Ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Owners:
    """Every chunk of an index with its document. ``chunks`` ascend; ``documents`` has a document id for each of them,
    and ``paths`` each document's path.
    """

    chunks: Ids
    documents: Ids
    paths: Mapping[int, str]

    @classmethod
    def read(cls, database: Database) -> Owners:
        """All of them, as they stand now."""
        rows = database.all("SELECT id, document_id FROM chunks ORDER BY id")
        return cls(
            chunks=np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows)),
            documents=np.fromiter((row[1] for row in rows), dtype=np.int64, count=len(rows)),
            paths={row[0]: row[1] for row in database.execute("SELECT id, path FROM documents")},
        )

    def document_of(self, chunk_id: int) -> int:
        """The document of a chunk that is in the index."""
        return int(self.documents[np.searchsorted(self.chunks, chunk_id)])

    def chunks_where(self, wanted: Callable[[str], bool]) -> Ids:
        """Ids of the chunks whose document's path is wanted, ascending."""
        documents = [document for document, path in self.paths.items() if wanted(path)]
        chosen: Ids = self.chunks[np.isin(self.documents, documents)]
        return chosen

    def most_chunks(self) -> int:
        """Chunks of the document that has most."""
        return int(np.unique(self.documents, return_counts=True)[1].max(initial=0))
