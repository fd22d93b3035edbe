"""Running an index: who may write, whether the model fits, and the forced rebuild that switches over at its end.

A forced rebuild writes a second index beside the first and copies it over in one atomic step when it is complete. Until
then searches answer from the old one; a crash or a cancel leaves the old one and keeps the half-built one, whose
finished embeddings the next forced rebuild takes over.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from grooveseek.embedding.protocol import Embedder
from grooveseek.errors import NoIndex, StoreError
from grooveseek.indexing.events import CancelToken, Listener, Summary, Waiting
from grooveseek.indexing.indexer import Indexer, Parse, Replacing
from grooveseek.indexing.ledger import Ledger
from grooveseek.indexing.prepare import parse_guarded
from grooveseek.knowledge_base.exclusion import ExclusionRules
from grooveseek.parsing.registry import Registry
from grooveseek.store.lock import writer_lock
from grooveseek.store.store import Store

_REEMBED = "reembed"
"""What a half-built index says of the build it belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexJob:
    """Everything a run needs to know. ``contextual`` is what the settings ask for; an existing index may say
    otherwise.
    """

    root: Path
    index_path: Path
    embedder: Embedder
    registry: Registry
    rules: ExclusionRules
    contextual: bool
    declared_fields: Sequence[str] = ()
    parse: Parse = parse_guarded
    command: str = "groove index"


def run_index(
    job: IndexJob,
    *,
    force: bool = False,
    reembed: bool = False,
    wait: bool = False,
    listener: Listener | None = None,
    cancel: CancelToken | None = None,
) -> Summary:
    """Bring the index up to date, or build it anew with ``force``. ``reembed`` is a forced build that reuses no vector.

    Raises WriterBusy when another process is writing and ``wait`` is off, ModelMismatch when the index was made with
    another model and this is not a forced build.
    """
    tell = listener or (lambda _: None)
    token = cancel or CancelToken()
    with writer_lock(
        job.index_path,
        wait=wait,
        command=job.command,
        on_wait=lambda holder: tell(Waiting(holder=holder)),
        should_stop=lambda: token.cancelled,
    ) as held:
        if not held:
            return Ledger(listener=tell).cancel(*_counts(job.index_path))
        with open_index(job) as live:
            if (force or reembed) and live.meta.counts()[0] > 0:
                return _rebuild(job, live, reembed=reembed, listener=tell, cancel=token)
            if force or reembed:
                _claim(live, job)
            else:
                _require_ours(live, job)
            return make_indexer(job, live).run(listener=tell, cancel=token)


def run_paths(
    job: IndexJob,
    paths: Collection[str],
    *,
    listener: Listener | None = None,
    cancel: CancelToken | None = None,
) -> Summary:
    """Bring single paths up to date: what a watcher saw change. An index that never saw a whole run gets one.

    Raises as :func:`run_index` does; it does not wait for another writer.
    """
    with writer_lock(job.index_path, wait=False, command=job.command), open_index(job) as live:
        _require_ours(live, job)
        indexer = make_indexer(job, live)
        if live.meta.last_run is None:
            return indexer.run(listener=listener, cancel=cancel)
        return indexer.run_paths(paths, listener=listener, cancel=cancel)


def _counts(index_path: Path) -> tuple[int, int]:
    """Documents and chunks of an index that somebody else is writing."""
    try:
        with Store.open_for_reading(index_path) as store:
            return store.meta.counts()
    except (NoIndex, StoreError):
        return 0, 0


def _require_ours(store: Store, job: IndexJob) -> None:
    """Raise unless the index is this folder's and this model's; one that is nobody's yet is claimed."""
    store.meta.require_root(job.root.name)
    store.meta.require_model(asdict(job.embedder.identity))
    if store.meta.model_identity is None:
        _claim(store, job)


@contextlib.contextmanager
def open_index(job: IndexJob) -> Iterator[Store]:
    """The job's index, opened for writing."""
    store = Store.open_for_writing(job.index_path)
    try:
        yield store
    finally:
        store.close()


def make_indexer(job: IndexJob, store: Store, replacing: Replacing | None = None) -> Indexer:
    """An indexer on an open index, in the index's own context mode."""
    return Indexer(
        root=job.root,
        store=store,
        embedder=job.embedder,
        registry=job.registry,
        rules=job.rules,
        contextual=store.meta.contextual,
        declared_fields=job.declared_fields,
        replacing=replacing,
        parse=job.parse,
    )


def building_path(index_path: Path) -> Path:
    """Where a forced rebuild grows before it takes the index's place."""
    return index_path.with_name(index_path.name + ".building")


def remove_database(path: Path) -> None:
    """Remove a database file, then what SQLite keeps beside it: a file without its log would look complete."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).unlink()


def _rebuild(job: IndexJob, live: Store, *, reembed: bool, listener: Listener, cancel: CancelToken) -> Summary:
    building = _open_building(job, reembed=reembed)

    def switch() -> None:
        live.database.replace_content_with(building.database)
        live.meta.remove(_REEMBED)
        live.database.checkpoint()

    replacing = Replacing(
        live=live,
        same_folder=live.meta.get("root_name") == job.root.name,
        same_model=live.meta.model_identity == asdict(job.embedder.identity) and not reembed,
        switch=switch,
    )
    try:
        summary = make_indexer(job, building, replacing).run(listener=listener, cancel=cancel)
    finally:
        building.close()
    if not summary.cancelled:
        remove_database(building_path(job.index_path))
    return summary


def _open_building(job: IndexJob, *, reembed: bool) -> Store:
    """The half-built index of an earlier try, if it was building the same thing, else an empty one."""
    path = building_path(job.index_path)
    try:
        with Store.open_for_reading(path) as left:
            usable = (
                left.meta.model_identity == asdict(job.embedder.identity)
                and left.meta.contextual == job.contextual
                and bool(left.meta.get(_REEMBED)) == reembed
            )
    except (NoIndex, StoreError):
        usable = False
    if not usable:
        remove_database(path)
    building = Store.open_for_writing(path)
    _claim(building, job)
    building.meta.set(_REEMBED, reembed)
    return building


def _claim(store: Store, job: IndexJob) -> None:
    """Record what this index is made with."""
    with store.transaction():
        store.meta.set("model_identity", asdict(job.embedder.identity))
        store.meta.set("contextual", job.contextual)
        store.meta.set("root_name", job.root.name)
