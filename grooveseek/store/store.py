"""An open index: its parts behind one object."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from grooveseek.errors import NoIndex
from grooveseek.store import schema, upkeep
from grooveseek.store.database import Database
from grooveseek.store.documents import Documents
from grooveseek.store.fulltext import FullText
from grooveseek.store.memory import Revisions
from grooveseek.store.meta import Meta
from grooveseek.store.postings import PostingMemory
from grooveseek.store.records import CorpusSnapshot
from grooveseek.store.selection import Selection
from grooveseek.store.vectors import VectorIndex, VectorMemory


class Memory:
    """What the readers of one index file keep in memory together, in one process."""

    def __init__(self) -> None:
        self.vectors = VectorMemory()
        self.postings = PostingMemory()


class Store:
    """One index file, opened. A thread opens its own; readers never wait for a writer.

    Readers that are given the same ``memory`` share what they keep of the file in it.
    """

    def __init__(self, database: Database, memory: Memory | None = None) -> None:
        self.memory = memory = memory or Memory()
        self.database = database
        self.documents = Documents(database)
        revisions = Revisions(database)
        self.vectors = VectorIndex(database, revisions, memory.vectors)
        self.fulltext = FullText(database, revisions, memory.postings)
        self.selection = Selection(database)
        self.meta = Meta(database)

    @classmethod
    def open_for_writing(cls, path: Path) -> Store:
        """Open, create or migrate the index at ``path``."""
        database = Database(path)
        try:
            schema.prepare(database)
        except BaseException:
            database.close()
            raise
        return cls(database)

    @classmethod
    def open_for_reading(cls, path: Path, memory: Memory | None = None) -> Store:
        """Open an index that exists. Raises NoIndex when it does not."""
        if not path.exists() and not path.is_symlink():
            raise NoIndex(f"there is no index at {path} yet. Run `groove index` first")
        database = Database(path, read_only=True)
        try:
            if schema.check(database) == 0:
                raise NoIndex(f"the index at {path} is empty. Run `groove index` first")
            schema.require_current(database)
        except BaseException:
            database.close()
            raise
        return cls(database, memory)

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything written inside becomes visible at once, or not at all."""
        with self.database.transaction():
            yield

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Everything read inside is of one state of the index."""
        with self.database.snapshot():
            yield

    def tidy(self, *, should_stop: Callable[[], bool] = lambda: False) -> None:
        """After many changes: merge the full-text tables and give free pages back (see :mod:`.upkeep`)."""
        upkeep.tidy(self.database, should_stop=should_stop)

    def corpus_snapshot(self) -> CorpusSnapshot:
        """Counts and digest of what is indexed."""
        return self.meta.corpus_snapshot()
