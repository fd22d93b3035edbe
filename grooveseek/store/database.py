"""The one module that knows the SQLite driver: opens files, sets pragmas, runs transactions, words the driver's errors.

The driver is apsw, which brings its own SQLite: the interpreter's may be old, and FTS5 tables with
``contentless_delete`` need 3.43.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw

from grooveseek.errors import CorruptIndex, DiskFull, StoreError, WriterBusy

BUSY_TIMEOUT_MS = 30_000
_PRAGMAS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA cache_size = -65536",
    "PRAGMA mmap_size = 2147418112",
    "PRAGMA journal_size_limit = 67108864",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA trusted_schema = OFF",
)

Bindings = Sequence[Any] | Mapping[str, Any]
Row = tuple[Any, ...]


class Database:
    """One connection to one file. Not for use by two threads at once; a thread opens its own.

    Writers go through :meth:`transaction`; readers that need several statements to agree go through :meth:`snapshot`.
    """

    def __init__(self, path: Path, *, read_only: bool = False, create: bool = True) -> None:
        """Open ``path``. A new file gets mode 0600; a symbolic link in its place is refused."""
        self.path = path
        self.read_only = read_only
        _refuse_what_is_not_a_file(path)
        with self._worded():
            self._connection = self._open(read_only=read_only, create=create)
            self._connection.set_busy_timeout(BUSY_TIMEOUT_MS)
            for pragma in _PRAGMAS:
                self._connection.execute(pragma)
            if not read_only:
                self._connection.execute("PRAGMA journal_mode = WAL")

    def _open(self, *, read_only: bool, create: bool) -> apsw.Connection:
        if read_only:
            return _open_for_reading(self.path)
        if create and not self.path.exists():
            # Created by us first, so that the file never exists with a wider mode, not even for a moment.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        return apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READWRITE)

    def close(self) -> None:
        """Close the connection; a second call does nothing."""
        with contextlib.suppress(apsw.Error):
            self._connection.close()

    def execute(self, sql: str, bindings: Bindings = ()) -> Iterator[Row]:
        """Run one statement and iterate its rows."""
        with self._worded():
            cursor = self._connection.execute(sql, bindings)
        return self._rows(cursor)

    def _rows(self, cursor: apsw.Cursor) -> Iterator[Row]:
        while True:
            with self._worded():
                row = next(cursor, None)
            if row is None:
                return
            yield row

    def all(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """All rows of one statement."""
        with self._worded():
            return list(self._connection.execute(sql, bindings))

    def one(self, sql: str, bindings: Bindings = ()) -> Row | None:
        """The first row, or ``None``."""
        with self._worded():
            return next(iter(self._connection.execute(sql, bindings)), None)

    def value(self, sql: str, bindings: Bindings = ()) -> Any:
        """The first column of the first row; ``None`` without a row."""
        row = self.one(sql, bindings)
        return None if row is None else row[0]

    def execute_many(self, sql: str, rows: Iterable[Bindings]) -> None:
        """Run one statement for each row of bindings."""
        with self._worded():
            self._connection.executemany(sql, rows)

    def insert(self, sql: str, bindings: Bindings = ()) -> int:
        """Run an INSERT and give the new row's id."""
        with self._worded():
            self._connection.execute(sql, bindings)
            return int(self._connection.last_insert_rowid())

    def _in_transaction(self) -> bool:
        return bool(self._connection.in_transaction)

    def changes(self) -> int:
        """Rows the last statement changed."""
        return int(self._connection.changes())

    def define(self, name: str, function: Callable[..., Any], arguments: int) -> None:
        """Make a deterministic Python function callable from SQL on this connection."""
        self._connection.create_scalar_function(name, function, arguments, deterministic=True)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. ``BEGIN IMMEDIATE``, because a reader that turns writer fails at once however long it may
        wait; a nested use is a savepoint."""
        if self._in_transaction():
            with self._connection:
                yield
            return
        with self._worded():
            self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            with self._worded():
                self._connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(apsw.Error):
                if self._in_transaction():
                    self._connection.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Statements inside see one state of the file, whatever is written meanwhile."""
        if self._in_transaction():
            yield
            return
        with self._worded():
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            with contextlib.suppress(apsw.Error):
                if self._in_transaction():
                    self._connection.execute("COMMIT")

    def version_stamp(self) -> tuple[int, int]:
        """Changes whenever the file's content may have changed, by this connection or another."""
        return int(self.value("PRAGMA data_version")), int(self._connection.total_changes())

    def replace_content_with(self, other: Database) -> None:
        """Make this file's content that of ``other`` in one atomic step; readers keep the old content until it is done.

        SQLite's online backup copies pages inside one write transaction, so a crash on the way leaves the old content.
        """
        with self._worded(), self._connection.backup("main", other._connection, "main") as backup:
            while not backup.done:
                backup.step(-1)

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file and cut it, if no reader is in the way."""
        with contextlib.suppress(apsw.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextlib.contextmanager
    def _worded(self) -> Iterator[None]:
        try:
            yield
        except apsw.Error as error:
            raise _in_words(error, self.path) from error


def _refuse_what_is_not_a_file(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"the index {path} cannot be looked at: {error.strerror}") from error
    if stat.S_ISLNK(mode):
        raise StoreError(f"the index {path} is a symbolic link, which groove does not follow; remove it")
    if not stat.S_ISREG(mode):
        raise StoreError(f"the index {path} is not a regular file; remove it or set [index].path")


def _open_for_reading(path: Path) -> apsw.Connection:
    """A WAL database needs its -shm file beside it; where that cannot be made, the file is read as it stands."""
    uri = path.resolve().as_uri()
    connection = apsw.Connection(f"{uri}?mode=ro", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        connection.close()
        return apsw.Connection(f"{uri}?mode=ro&immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    return connection


def _in_words(error: apsw.Error, path: Path) -> StoreError | WriterBusy:
    detail = str(error).rstrip(".")
    match error:
        case apsw.NotADBError() | apsw.CorruptError():
            return CorruptIndex(
                f"the index {path} is damaged or not a groove index ({detail}). "
                "Move it away and run `groove index` to build a new one"
            )
        case apsw.BusyError() | apsw.LockedError():
            return WriterBusy(
                f"another process has been writing to {path} for {BUSY_TIMEOUT_MS // 1000} seconds; try again"
            )
        case apsw.FullError():
            return DiskFull(f"no room left to write the index {path}. Free some space and run the command again")
        case apsw.ReadOnlyError() | apsw.PermissionsError():
            return StoreError(
                f"the index {path} cannot be written. Make it and its folder writable, "
                "or set [index].path in a config given with --config"
            )
        case apsw.CantOpenError():
            return StoreError(
                f"the index {path} cannot be opened. Check that its folder exists and can be written, "
                "or set [index].path in a config given with --config"
            )
        case _:
            return StoreError(f"the index {path} could not be used ({type(error).__name__}: {detail})")
