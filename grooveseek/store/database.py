"""The one module that knows the SQLite driver: opens files, sets pragmas, runs transactions, words the driver's errors.

The driver is apsw, which brings its own SQLite: the interpreter's may be old, and FTS5 tables with
``contentless_delete`` need 3.43.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw

from grooveseek.errors import CorruptIndex, DiskFull, StoreError, WriterBusy

BUSY_TIMEOUT_MS = 30_000
_CHECKPOINT_TIMEOUT_MS = 1_000
_NO_ROOM = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}
"""The drive is full, a file may not grow further, the user's quota is used up."""
_FREE_SHARE = 0.25
_FREE_PAGES = 256
"""Free pages are given back once they are this share of the file and this many (1 MiB); fewer are soon used again."""
_PAGES_A_STEP = 2_000
_PRAGMAS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA cache_size = -65536",
    "PRAGMA mmap_size = 2147418112",
    "PRAGMA journal_size_limit = 33554432",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA trusted_schema = OFF",
)

_OUTERMOST = ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
_NESTED = ("SAVEPOINT nested", "RELEASE nested", "ROLLBACK TO nested; RELEASE nested")

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
        self._snapshot_stamp: tuple[int, int, int] | None = None  # of a reader in a snapshot, which sees no change
        self.rollbacks = 0  # after one, ids that this connection has seen are given anew
        _refuse_what_is_not_a_file(path)
        if create and not read_only:
            _create_private(path)
        with self._worded():
            self._connection = _open_for_reading(path) if read_only else _open_for_writing(path)
        try:
            with self._worded():
                self._prepare()
        except BaseException:
            self.close()
            raise

    def _prepare(self) -> None:
        self._connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        for pragma in _PRAGMAS:
            self._connection.execute(pragma)
        if not self.read_only and self.value("PRAGMA page_count") == 0:  # later it would only write a page, for nothing
            self._connection.execute("PRAGMA auto_vacuum = INCREMENTAL")

    def use_write_ahead_log(self) -> None:
        """Let readers and a writer work side by side, from now on. Writes to the file, so it must be known to be
        ours.
        """
        self.all("PRAGMA journal_mode = WAL")

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
        with self._worded():
            yield from cursor

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

    def total_changes(self) -> int:
        """Rows changed by this connection since it was opened, those of a full-text table's own tables included."""
        return int(self._connection.total_changes())

    def define(self, name: str, function: Callable[..., Any], arguments: int) -> None:
        """Make a deterministic Python function callable from SQL on this connection."""
        self._connection.create_scalar_function(name, function, arguments, deterministic=True)

    def tokenizer(self, name: str, arguments: Sequence[str]) -> Callable[[str], list[str]]:
        """One of FTS5's tokenizers as a function: a query's text to its tokens."""
        split = self._connection.fts5_tokenizer(name, list(arguments))

        def tokens(text: str) -> list[str]:
            found = split(
                text.encode(errors="replace"),
                apsw.FTS5_TOKENIZE_QUERY,
                None,
                include_offsets=False,
                include_colocated=False,
            )
            return [str(token) for token in found]

        return tokens

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. ``BEGIN IMMEDIATE``, because a reader that turns writer fails at once however long it may
        wait; a nested use is a savepoint."""
        nested = self._in_transaction()
        begin, commit, rollback = _NESTED if nested else _OUTERMOST
        with self._worded():
            self._connection.execute(begin)
        try:
            yield
            with self._worded():
                self._connection.execute(commit)
        except BaseException:
            # SQLite has rolled everything back by itself when the disk is full; then there is nothing to undo.
            self.rollbacks += 1
            with contextlib.suppress(apsw.Error):
                if self._in_transaction():
                    self._connection.execute(rollback)
            raise

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Statements inside see one state of the file, whatever is written meanwhile."""
        if self._in_transaction():
            yield
            return
        with self._worded():
            self._connection.execute("BEGIN")
        self._snapshot_stamp = self.version_stamp() if self.read_only else None
        try:
            yield
        finally:
            self._snapshot_stamp = None
            with contextlib.suppress(apsw.Error):
                if self._in_transaction():
                    self._connection.execute("COMMIT")

    def version_stamp(self) -> tuple[int, int, int]:
        """Changes whenever the file's content may have changed, by this connection or another.

        Other connections' commits count in the first number, this one's changes and what it took back in the second.
        Neither counts this connection's own :meth:`replace_content_with`, which shows in the third, :meth:`build`.
        """
        if self._snapshot_stamp is not None:
            return self._snapshot_stamp
        return int(self.value("PRAGMA data_version")), self.total_changes() + self.rollbacks, self.build()

    def build(self) -> int:
        """Changes whenever the whole content was replaced, and with it the meaning of every id.

        SQLite's backup raises the schema's version when it is done (https://sqlite.org/pragma.html#pragma_schema_version).
        """
        return int(self.value("PRAGMA schema_version"))

    def replace_content_with(self, other: Database) -> None:
        """Make this file's content that of ``other`` in one atomic step; readers keep the old content until it is done.

        SQLite's online backup copies pages inside one write transaction, so a crash on the way leaves the old content.
        """
        with self._worded(), self._connection.backup("main", other._connection, "main") as backup:
            while not backup.done:
                backup.step(-1)

    def give_back_free_pages(self, *, should_stop: Callable[[], bool] = lambda: False) -> None:
        """Return the space of deleted rows to the file system where it is much; step by step, so that the write-ahead
        log stays small and ``should_stop`` is asked now and then.
        """
        free, pages = self.value("PRAGMA freelist_count"), self.value("PRAGMA page_count")
        if free < max(_FREE_PAGES, _FREE_SHARE * pages):
            return
        while free and not should_stop():
            self.all(f"PRAGMA incremental_vacuum({_PAGES_A_STEP})")
            before, free = free, self.value("PRAGMA freelist_count")
            if free >= before:  # a file that was made without auto_vacuum keeps its pages
                break
        self.checkpoint()

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file and cut it, if no reader is in the way for long."""
        with contextlib.suppress(apsw.Error):
            self._connection.set_busy_timeout(_CHECKPOINT_TIMEOUT_MS)
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.set_busy_timeout(BUSY_TIMEOUT_MS)

    @contextlib.contextmanager
    def _worded(self) -> Iterator[None]:
        try:
            yield
        except apsw.Error as error:
            raise _in_words(error, self.path, self._system_errno()) from error

    def _system_errno(self) -> int:
        connection: apsw.Connection | None = getattr(self, "_connection", None)  # none while it is being opened
        try:
            return 0 if connection is None else int(connection.system_errno)
        except apsw.Error:  # closed by now
            return 0


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


def _create_private(path: Path) -> None:
    """Made by us first, so that the file never exists with a wider mode, not even for a moment."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise _disk_full(path) from error
        if not path.exists():  # one that is there and cannot be written is SQLite's to report
            raise StoreError(
                f"the index {path} cannot be created ({error.strerror}). Make its folder writable, "
                "or set [index].path in a config given with --config"
            ) from error


def _open_for_writing(path: Path) -> apsw.Connection:
    return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)


def _open_for_reading(path: Path) -> apsw.Connection:
    """A WAL database needs its -shm file beside it; where that cannot be made, the file is read as it stands."""
    uri = path.resolve().as_uri()
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"{uri}?mode=ro", flags=flags)
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except (apsw.CantOpenError, apsw.ReadOnlyError) as error:
        connection.close()
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise StoreError(
                f"the index {path} cannot be read here: what was last written is still in {log.name}, and reading that "
                "needs a folder that can be written. Run `groove status` once as the folder's owner"
            ) from error
        return apsw.Connection(f"{uri}?mode=ro&immutable=1", flags=flags)
    except BaseException:
        connection.close()
        raise
    return connection


def _disk_full(path: Path) -> DiskFull:
    return DiskFull(f"no room left to write the index {path}. Free some space and run the command again")


def _in_words(error: apsw.Error, path: Path, system_errno: int) -> StoreError | WriterBusy:
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
            return _disk_full(path)
        case apsw.ReadOnlyError() | apsw.PermissionsError():
            return StoreError(
                f"the index {path} cannot be written. Make it and its folder writable, "
                "or set [index].path in a config given with --config"
            )
        case apsw.CantOpenError():
            return StoreError(
                f"the index {path} cannot be opened. Check that it and its folder can be read and written, "
                "or set [index].path in a config given with --config"
            )
        case apsw.IOError():
            # A full disk is called by its name only for ENOSPC on the database and its log: not for a quota, a file
            # that may not grow, or the shared memory beside them.
            code: int = error.extendedresult  # type: ignore[attr-defined]  # on every apsw error, not in its stubs
            if system_errno in _NO_ROOM or code == apsw.SQLITE_IOERR_SHMSIZE:
                return _disk_full(path)
            return StoreError(
                f"the index {path} could not be read or written (disk I/O error {code}). Check the "
                "drive, or put the index on another one with [index].path in a config given with --config"
            )
        case _:
            return StoreError(f"the index {path} could not be used ({type(error).__name__}: {detail})")
