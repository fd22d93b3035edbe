"""What keeps an index small and quick after many changes: merging the full-text tables, writing down what searches of
a large one need in memory, giving free pages back.

Deleted rows stay in an FTS5 table as tombstones beside their postings until segments are merged. FTS5 can do that as it
goes (``deletemerge``), at a cost: 4,000 chunks took 6.9 s to delete with it, and 0.8 s without it and with one merge at
the end. So it is off, and a run that has changed much ends with a merge.
"""

from __future__ import annotations

from collections.abc import Callable

from grooveseek.store.database import Database
from grooveseek.store.make_ready import LARGE, make_ready
from grooveseek.store.meta import Meta
from grooveseek.store.ready import Ready

FEW_CHANGES = 64
CHANGED_SHARE = 0.2
"""A merge is due when more chunks than this, as a share of those there are, were written or deleted since the last."""

_TABLES = ("fts_trigram", "fts_words")
_PAGES_A_STEP = 500
_KEY = "merged_at"


def tidy(database: Database, *, should_stop: Callable[[], bool] = lambda: False) -> None:
    """Merge and shrink where it is worth it. Works in short transactions; whatever was stopped is done another time."""
    written, present = _chunks_written(database), _chunks_present(database)
    if _changes(database, written, present) > max(FEW_CHANGES, CHANGED_SHARE * present):
        for table in _TABLES:
            if not _merge(database, table, should_stop):
                return
        make_ready(database, should_stop=should_stop)
        if should_stop():
            return
        Meta(database).set(_KEY, [written, present])
    elif present >= LARGE and not Ready(database).keys("lengths"):  # an index that an earlier version made
        make_ready(database, should_stop=should_stop)
    database.give_back_free_pages(should_stop=should_stop)


def _changes(database: Database, written: int, present: int) -> int:
    """Chunks written and chunks deleted since the last merge."""
    written_then, present_then = Meta(database).get(_KEY) or (0, 0)
    new = written - written_then
    return int(new + (present_then + new - present))


def _chunks_written(database: Database) -> int:
    """Every chunk this file ever held."""
    return int(database.value("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'") or 0)


def _chunks_present(database: Database) -> int:
    return int(database.value("SELECT count(*) FROM chunks"))


def _merge(database: Database, table: str, should_stop: Callable[[], bool]) -> bool:
    """Merge all segments of a table into one, as FTS5's ``optimize`` does but in steps; false when stopped.

    The first step, with a negative number, puts the segments together; further ones go on with it. A step that changes
    less than two rows found nothing left to do (https://sqlite.org/fts5.html#the_merge_command).
    """
    pages = -_PAGES_A_STEP
    while not should_stop():
        with database.transaction():
            before = database.total_changes()
            database.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)", (pages,))
            if database.total_changes() - before < 2:
                return True
        pages = _PAGES_A_STEP
    return False
