"""Noticing what changes in a knowledge base, as paths that were touched. What became of them is for the index to ask.

The operating system's notifications come through watchfiles. On Linux they are asked for folder by folder: a recursive
watch there follows symbolic links, and one link to a folder above makes it report files under names nothing else knows.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grooveseek.knowledge_base.exclusion import IGNORE_FILE, ExclusionRules
from grooveseek.knowledge_base.safe_read import is_junction
from grooveseek.knowledge_base.walk import extension_of

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

log = logging.getLogger(__name__)

MAX_BATCHES = 64
"""Batches kept for an index that is busy. Beyond that, one run over the whole folder is cheaper than the list."""
MAX_PATHS = 1000
"""Paths in one batch above which the whole folder is looked at. Bursts are also where a system drops notifications."""
_ADDED, _DELETED = 1, 3  # watchfiles.Change, which is not imported for two numbers
_WAIT_MS = 1000
_RETRY_SECONDS = (1.0, 5.0, 15.0, 60.0)
_LIMIT_HINT = (
    "The limit is the system's, on Linux fs.inotify.max_user_watches; until it is raised the whole folder is looked at "
    "once a minute"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Paths, of files or folders, that appeared, changed or went away; or ``everything`` may have."""

    paths: frozenset[str] = frozenset()
    everything: bool = False

    def __or__(self, other: Changes) -> Changes:
        everything = self.everything or other.everything
        return Changes(paths=frozenset() if everything else self.paths | other.paths, everything=everything)

    def __bool__(self) -> bool:
        return self.everything or bool(self.paths)


EVERYTHING = Changes(everything=True)
NOTHING = Changes()


class Backlog:
    """Changes waiting to be indexed. Bounded: what does not fit becomes EVERYTHING. Safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting = NOTHING
        self._batches = 0

    def add(self, changes: Changes) -> None:
        """Put a batch behind the others."""
        with self._lock:
            self._batches += 1
            overflow = self._batches > MAX_BATCHES or len(self._waiting.paths) + len(changes.paths) > MAX_PATHS
            self._waiting = EVERYTHING if overflow else self._waiting | changes

    def take(self) -> Changes:
        """All that waits, as one batch; nothing is left."""
        with self._lock:
            taken, self._waiting, self._batches = self._waiting, NOTHING, 0
            return taken

    def __bool__(self) -> bool:
        return bool(self._waiting)


class _FolderReplacedError(OSError):
    """The root is gone, or is another folder than the one being watched."""


class Watcher:
    """Watches one knowledge base.

    ``extensions`` are those of the registered parsers; ``load_rules`` reads the exclusion rules as they stand now;
    ``debounce_ms`` is how long a burst of changes is gathered into one batch; ``decisive`` are files in the root that
    bear on every document.
    """

    def __init__(
        self,
        root: Path,
        *,
        extensions: frozenset[str],
        load_rules: Callable[[], ExclusionRules],
        debounce_ms: int,
        decisive: frozenset[str] = frozenset({IGNORE_FILE}),
        folder_by_folder: bool = sys.platform not in ("win32", "darwin"),
    ) -> None:
        self._root = root
        self._decisive = decisive
        self._extensions = extensions
        self._load_rules = load_rules
        self._rules = load_rules()
        self._debounce_ms = debounce_ms
        self._folder_by_folder = folder_by_folder
        self._folders: set[str] = set()
        self._native: RustNotify | None = None

    @property
    def active(self) -> bool:
        """Whether the system's notifications are coming in at this moment."""
        return self._native is not None

    def run(
        self, deliver: Callable[[Changes], None], stop: threading.Event, ready: Callable[[], None] = lambda: None
    ) -> None:
        """Deliver batches until ``stop`` is set. ``ready`` is called once nothing can be missed any more.

        When the system cannot watch, says so once and delivers EVERYTHING now and then instead.
        """
        from watchfiles._rust_notify import WatchfilesRustInternalError

        failures, said = 0, ""
        while not stop.is_set():
            try:
                self._open()
                ready()
                if failures:
                    deliver(EVERYTHING)  # nobody saw what happened in between
                    log.info("changes in the folder are noticed again")
                failures, said = 0, ""
                self._follow(deliver, stop)
            except (OSError, WatchfilesRustInternalError) as error:
                self._close()
                said = _say_once(error, said)
                ready()
                deliver(EVERYTHING)
                stop.wait(_RETRY_SECONDS[min(failures, len(_RETRY_SECONDS) - 1)])
                failures += 1
        self._close()

    # -- following -------------------------------------------------------------------------------------------------

    def _follow(self, deliver: Callable[[Changes], None], stop: threading.Event) -> None:
        identity = self._identity()
        step = max(1, min(100, self._debounce_ms))
        while not stop.is_set():
            assert self._native is not None
            raw = self._native.watch(self._debounce_ms, step, _WAIT_MS, stop)
            if isinstance(raw, str):  # "timeout", "stop" or "signal"
                if self._identity() != identity:
                    raise _FolderReplacedError(f"{self._root} is gone or was replaced")
                continue
            changes = self._understand(raw)
            if changes:
                deliver(changes)

    def _understand(self, raw: set[tuple[int, str]]) -> Changes:
        """What a set of notifications means for the index; watches what is new on the way."""
        events = [(kind, self._relative(path)) for kind, path in raw]
        if any(not rel or rel in self._decisive for _, rel in events):
            self._rules = self._load_rules()
            self._open()
            return EVERYTHING
        paths: set[str] = set()
        arrived: set[str] = set()
        for kind, rel in events:
            if self._matters(kind, rel):
                paths.add(rel)
                if kind != _DELETED and self._folder_by_folder and self._is_folder(rel):
                    arrived.add(rel)
        if arrived:
            paths |= self._reopen(arrived)
        return EVERYTHING if len(paths) > MAX_PATHS else Changes(paths=frozenset(paths))

    def _matters(self, kind: int, rel: str) -> bool:
        if rel.startswith("../") or rel == "..":
            return False
        is_folder = self._is_folder(rel)
        if self._rules.is_excluded(rel, is_folder):
            return False
        if extension_of(rel.rpartition("/")[2]) in self._extensions:
            return True
        if is_folder:
            return kind == _ADDED or os.name != "nt"  # Windows reports a folder whenever something in it changed
        return self._was_folder(rel) and not os.path.lexists(self._root / rel)

    def _was_folder(self, rel: str) -> bool:
        return rel in self._folders if self._folder_by_folder else True

    def _relative(self, path: str) -> str:
        rel = os.path.relpath(path, self._root)
        return "" if rel == "." else rel.replace(os.sep, "/")

    def _is_folder(self, rel: str) -> bool:
        return _is_real_folder(self._root / rel)

    def _identity(self) -> tuple[int, int] | None:
        try:
            status = self._root.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    # -- what is watched -------------------------------------------------------------------------------------------

    def _open(self) -> None:
        """Watch the whole folder from now on."""
        if not self._folder_by_folder:
            self._replace_native([self._root], recursive=True)
            return
        self._folders = set(self._list_folders(""))
        self._replace_native(self._watched_paths(), recursive=False)
        self._settle({""})

    def _reopen(self, arrived: set[str]) -> set[str]:
        """Watch folders that arrived as well; what was touched meanwhile is given back."""
        self._folders = {
            folder for folder in self._folders if not _is_at_or_below(folder, arrived) and self._is_folder(folder)
        }
        for folder in arrived:
            self._folders.update(self._list_folders(folder))
        missed = self._replace_native(self._watched_paths(), recursive=False)
        missed |= self._settle(arrived)
        return {rel for kind, rel in missed if self._matters(kind, rel)}

    def _settle(self, roots: set[str]) -> set[tuple[int, str]]:
        """Look again until nothing is there that came between the listing and the watch on it."""
        missed: set[tuple[int, str]] = set()
        while True:
            found = {folder for root in roots for folder in self._list_folders(root)}
            if found <= self._folders:
                return missed
            self._folders |= found
            missed |= self._replace_native(self._watched_paths(), recursive=False)

    def _watched_paths(self) -> list[Path]:
        return [self._root, *(self._root / folder for folder in sorted(self._folders))]

    def _replace_native(self, paths: list[Path], *, recursive: bool) -> set[tuple[int, str]]:
        """Watch ``paths`` instead of what was watched; notifications that had come in by then are given back."""
        from watchfiles._rust_notify import RustNotify

        existing = [str(path) for path in paths if _is_real_folder(path)]
        if str(self._root) not in existing:
            raise _FolderReplacedError(f"{self._root} is gone")
        native = RustNotify(existing, False, False, _WAIT_MS, recursive, True)
        pending: set[tuple[int, str]] = set()
        if self._native is not None:
            left = self._native.watch(1, 1, 1, None)
            if not isinstance(left, str):
                pending = {(kind, self._relative(path)) for kind, path in left}
        self._close()
        self._native = native
        return pending

    def _close(self) -> None:
        if self._native is not None:
            self._native.close()
            self._native = None

    def _list_folders(self, start: str) -> Iterator[str]:
        """``start`` and the real folders below it that no rule excludes; the root itself is left out."""
        waiting = [start]
        while waiting:
            rel = waiting.pop()
            if rel:
                if self._rules.is_excluded(rel, is_dir=True) or not self._is_folder(rel):
                    continue
                yield rel
            try:
                with os.scandir(self._root / rel) as entries:
                    waiting += [
                        f"{rel}/{entry.name}" if rel else entry.name
                        for entry in entries
                        if entry.is_dir(follow_symlinks=False)
                    ]
            except OSError:  # gone again, or not ours to read: the walk says so when it comes by
                continue


def _say_once(error: Exception, said: str) -> str:
    """Log why nothing is noticed, unless that was said last; what was said now."""
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    if reason != said:
        hint = f". {_LIMIT_HINT}" if "limit" in reason.lower() else ""
        log.warning("changes in the folder are not noticed as they happen: %s%s", reason, hint)
    return reason


def _is_real_folder(path: Path) -> bool:
    """Whether this is a folder and no link to one."""
    try:
        status = path.lstat()
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(status.st_mode) and not is_junction(status)


def _is_at_or_below(rel: str, roots: set[str]) -> bool:
    parts = rel.split("/")
    return any("/".join(parts[:length]) in roots for length in range(1, len(parts) + 1))
