"""Keeping the index in step while the server runs: one thread writes, and everything else asks it how things stand."""

from __future__ import annotations

import datetime as dt
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from grooveseek.errors import GrooveError, WriterBusy
from grooveseek.indexing.events import (
    Cancelled,
    CancelToken,
    Event,
    Finished,
    Listener,
    Scanning,
    Skipped,
    Started,
    Summary,
    Waiting,
)
from grooveseek.knowledge_base.exclusion import IGNORE_FILE, ExclusionRules
from grooveseek.knowledge_base.watch import EVERYTHING, Backlog, Changes, Watcher
from grooveseek.serving.backend import Backend
from grooveseek.validation.schema import SCHEMA_FILE

log = logging.getLogger(__name__)

_COMMAND = "groove serve"
_BUSY_SECONDS = 1.0
"""How long to wait when another process writes: it has seen the same changes, and mostly brings them in itself."""
_RETRY_SECONDS = (5.0, 15.0, 60.0, 300.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """The run that is going on. ``total`` is ``None`` until the folder has been looked through."""

    what: str
    started: dt.datetime = field(default_factory=lambda: dt.datetime.now(dt.UTC))
    done: int = 0
    total: int | None = None

    @property
    def seconds(self) -> float:
        """Since it began."""
        return (dt.datetime.now(dt.UTC) - self.started).total_seconds()

    def describe(self) -> str:
        """How far it is, in words."""
        return "looking through the folder" if self.total is None else f"{self.done} of {self.total} documents"


@dataclass(slots=True, kw_only=True)
class _Rebuild:
    force: bool
    listener: Listener
    cancel: CancelToken
    result: Future[Summary] = field(default_factory=Future)
    asked: float = field(default_factory=time.monotonic)


class IndexKeeper:
    """Catches up at the start, then follows the watcher and the calls for a rebuild, one thing at a time. Without a
    watcher it leaves an index that is there to whoever keeps it.

    A failure is logged and tried again later; it never ends the thread, nor a search.
    """

    def __init__(self, kb: Backend, *, watch: bool, on_change: Callable[[], None] = lambda: None) -> None:
        """``on_change`` is called, on the keeper's thread, after a run that changed what is indexed."""
        self._kb = kb
        self._on_change = on_change
        self._backlog = Backlog()
        if watch or not _is_built(kb):
            self._backlog.add(EVERYTHING)  # the start-up run
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._watching = threading.Event()
        self._lock = threading.Lock()
        self._rebuild: _Rebuild | None = None
        self._activity: Activity | None = None
        self._cancel = CancelToken()
        self._declined: set[str] = set()
        self._failures, self._said = 0, ""
        self._not_before = 0.0
        self._watcher = self._make_watcher() if watch else None
        self._threads = [threading.Thread(target=self._work, name="groove-keeper", daemon=True)]
        if self._watcher is not None:
            self._threads.append(threading.Thread(target=self._watch, name="groove-watcher", daemon=True))

    # -- for everyone else -----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin with the start-up run. Call once."""
        for thread in self._threads:
            thread.start()

    def begin_stop(self) -> None:
        """Ask for the end, from anywhere, a signal handler included. A run stops between two documents."""
        self._stop.set()
        self._cancel.cancel()
        self._wake.set()

    def stop(self, timeout: float) -> bool:
        """Stop; whether all came to rest within ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        self.begin_stop()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    @property
    def activity(self) -> Activity | None:
        """The run that is going on; ``None`` when the index is at rest."""
        return self._activity

    @property
    def watching(self) -> bool:
        """Whether changes in the folder are noticed as they happen."""
        return self._watcher is not None and self._watcher.active

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being indexed and nothing waits to be."""
        return self._activity is None and not self._backlog and self._rebuild is None

    def rebuild(self, *, force: bool, listener: Listener, cancel: CancelToken) -> Future[Summary]:
        """Ask for a run over the whole folder, after what is going on now; its result, or its error, to wait for.

        Raises WriterBusy, naming how long the first has run, when one was asked for already.
        """
        with self._lock:
            if self._rebuild is not None:
                seconds = time.monotonic() - self._rebuild.asked
                raise WriterBusy(
                    f"a rebuild is running already, for {seconds:.0f} seconds now. Wait for it to end; searches work "
                    "meanwhile"
                )
            self._rebuild = _Rebuild(force=force, listener=listener, cancel=cancel)
            result = self._rebuild.result
        self._wake.set()
        return result

    # -- the two threads -------------------------------------------------------------------------------------------

    def _make_watcher(self) -> Watcher:
        return Watcher(
            self._kb.root,
            extensions=self._kb.registry.extensions,
            load_rules=lambda: ExclusionRules.load(self._kb.root, self._kb.settings.exclude_dirs),
            debounce_ms=self._kb.settings.watch.debounce_ms,
            decisive=frozenset({IGNORE_FILE, SCHEMA_FILE}),
        )

    def _watch(self) -> None:
        assert self._watcher is not None
        try:
            self._watcher.run(self._note, self._stop, self._watching.set)
        except Exception:
            log.exception("watching the folder failed; changes are not noticed any more")
        finally:
            self._watching.set()

    def _note(self, changes: Changes) -> None:
        self._backlog.add(changes)
        self._wake.set()

    def _work(self) -> None:
        if self._watcher is not None:
            self._watching.wait()  # before the start-up run, so that no change falls between the two
        while not self._stop.is_set():
            self._wake.clear()
            if self._rebuild is not None:
                self._run_rebuild(self._rebuild)
            elif self._backlog and time.monotonic() >= self._not_before:
                self._work_off(self._backlog.take())
            else:
                self._wake.wait(max(0.05, self._not_before - time.monotonic()) if self._backlog else None)
        self._refuse_rebuild()

    def _refuse_rebuild(self) -> None:
        waiting, self._rebuild = self._rebuild, None
        if waiting is not None:
            waiting.result.cancel()

    def _run_rebuild(self, asked: _Rebuild) -> None:
        if self._stop.is_set() or not asked.result.set_running_or_notify_cancel():
            self._rebuild = None
            return
        self._cancel = asked.cancel
        if self._stop.is_set():
            asked.cancel.cancel()
        try:
            what = "a forced rebuild" if asked.force else "a rebuild"
            summary = self._observed(
                what,
                lambda listener: self._kb.index(
                    force=asked.force, listener=listener, cancel=asked.cancel, command=_COMMAND
                ),
                asked.listener,
            )
        except Exception as error:  # noqa: BLE001 - whoever waits for the result gets it, whatever it is
            self._rebuild = None
            asked.result.set_exception(error)
        else:
            self._rebuild = None
            asked.result.set_result(summary)

    def _work_off(self, changes: Changes) -> None:
        self._cancel = CancelToken()
        if self._stop.is_set():
            return
        try:
            self._apply(changes)
        except WriterBusy as error:
            log.debug("%s; trying again", error)
            self._put_off(changes, _BUSY_SECONDS)
        except GrooveError as error:
            self._failed(str(error))
        except Exception as error:
            if self._said != (said := f"{type(error).__name__}: {error}"):
                log.exception("indexing failed")
            self._said = said
            self._failed(said)
        else:
            self._failures, self._said = 0, ""

    def _apply(self, changes: Changes) -> None:
        everything = changes.everything or any(self._concerns_declined(path) for path in changes.paths)
        if everything:
            self._declined.clear()
            self._observed(
                "bringing the index up to date",
                lambda listener: self._kb.index(listener=listener, cancel=self._cancel, command=_COMMAND),
            )
            return
        before = len(self._declined)
        self._observed(
            f"{len(changes.paths)} changed paths",
            lambda listener: self._kb.index_paths(
                changes.paths, listener=listener, cancel=self._cancel, command=_COMMAND
            ),
        )
        if len(self._declined) > before:
            self._backlog.add(EVERYTHING)

    def _concerns_declined(self, path: str) -> bool:
        """A hard link that comes or goes changes what becomes of the file's other names, and nothing says which."""
        return any(path == other or other.startswith(f"{path}/") for other in self._declined)

    def _failed(self, reason: str) -> None:
        if reason != self._said:
            log.warning("the index could not be brought up to date: %s", reason)
            self._said = reason
        self._put_off(EVERYTHING, _RETRY_SECONDS[min(self._failures, len(_RETRY_SECONDS) - 1)])
        self._failures += 1

    def _put_off(self, changes: Changes, seconds: float) -> None:
        self._backlog.add(changes)
        self._not_before = time.monotonic() + seconds

    # -- one run ---------------------------------------------------------------------------------------------------

    def _observed(self, what: str, run: Callable[[Listener], Summary], listener: Listener = lambda _: None) -> Summary:
        self._activity = Activity(what=what)

        def observe(event: Event) -> None:
            self._follow(event)
            listener(event)

        try:
            summary = run(observe)
        finally:
            self._activity = None
        if summary.indexed or summary.updated or summary.renamed or summary.deleted:
            log.info("%s: %s", what, told(summary))
            self._on_change()
        return summary

    def _follow(self, event: Event) -> None:
        activity = self._activity
        if activity is None:
            return
        match event:
            case Waiting() | Scanning() | Finished() | Cancelled():
                return
            case Started():
                self._activity = replace(activity, done=0, total=event.total)
            case Skipped():
                if event.declined:
                    self._declined.add(event.path)
            case _:
                self._activity = replace(activity, done=activity.done + 1)


def _is_built(kb: Backend) -> bool:
    """Whether there is an index that saw a whole run."""
    try:
        return kb.store().meta.last_run is not None
    except GrooveError:
        return False


def told(summary: Summary) -> str:
    """What a run did, in words."""
    counts = {
        "new": summary.indexed,
        "updated": summary.updated,
        "renamed": summary.renamed,
        "deleted": summary.deleted,
        "skipped": len(summary.skipped),
    }
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing to do"
