"""The composition root: settings become an open knowledge base. The command line, the server and the library build
here.

Each part is imported where it is first needed: a search must not pay for parsers, nor ``--help`` for a model.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from grooveseek.errors import KnowledgeBaseError, UsageError
from grooveseek.model.query import SearchRequest
from grooveseek.settings.sections import Settings

if TYPE_CHECKING:
    from grooveseek.doctor.findings import Report
    from grooveseek.embedding.protocol import Embedder, Reranker
    from grooveseek.evaluation.evaluate import EvalRequest, Evaluation
    from grooveseek.evaluation.runner import Progress
    from grooveseek.evaluation.tune.request import TuneRequest
    from grooveseek.evaluation.tune.study import Study
    from grooveseek.indexing.build import IndexJob
    from grooveseek.indexing.events import CancelToken, Listener, Summary
    from grooveseek.model.hit import Answer
    from grooveseek.parsing.registry import Registry
    from grooveseek.retrieval.pipeline import Searcher
    from grooveseek.store.meta import LastRun
    from grooveseek.store.statistics import Statistics
    from grooveseek.store.store import Memory, Store

INDEX_NAME = ".groove.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What an index holds and how it was made. ``size_bytes`` counts the file and SQLite's files beside it."""

    index_path: Path
    size_bytes: int
    statistics: Statistics
    model: str
    contextual: bool
    chunking_policy: str | None
    last_run: LastRun | None
    declared_fields: tuple[str, ...]


def open_knowledge_base(
    kb_path: str | os.PathLike[str] | None = None,
    *,
    config: str | os.PathLike[str] | None = None,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
) -> KnowledgeBase:
    """Open the knowledge base in a folder, with the settings a ``groove`` command run here would use.

    ``config`` names a groove.toml; ``settings`` replaces looking for one; ``embedder`` replaces the model they name.
    Raises KnowledgeBaseError for a folder that is not there, ConfigError for a groove.toml that cannot be used.
    """
    if settings is None:
        from grooveseek.settings.effective import resolve_settings

        settings = resolve_settings(
            None if config is None else Path(config),
            {} if kb_path is None else {"kb_path": Path(kb_path)},
            Path.cwd(),
            os.environ,
        ).settings
    elif kb_path is not None:
        settings = replace(settings, kb_path=Path(kb_path))
    return KnowledgeBase(settings, embedder=embedder)


class KnowledgeBase:
    """A folder with its index: index it, search it, ask how it is.

    Safe to use from several threads; each gets its own connection to the index.
    """

    def __init__(self, settings: Settings, *, embedder: Embedder | None = None) -> None:
        if settings.kb_path is None:
            raise UsageError("no knowledge base is named. Use --kb-path FOLDER, or set kb_path in groove.toml")
        from grooveseek.knowledge_base.walk import check_root

        self.settings = settings
        self.root = check_root(settings.kb_path)
        self.index_path = index_path(self.root, settings)
        if embedder is not None:
            self.embedder = embedder
        self._local = threading.local()
        self._memories: weakref.WeakValueDictionary[Any, Memory] = weakref.WeakValueDictionary()
        self._opened: weakref.WeakSet[Store] = weakref.WeakSet()  # a thread that ends takes its connection with it
        self._lock = threading.RLock()

    def __enter__(self) -> KnowledgeBase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection this knowledge base opened. It may be used again, and opens new ones then."""
        with self._lock:
            for store in self._opened:
                store.close()
            self._opened.clear()
            self._local = threading.local()

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, made once however many threads ask at the same time."""
        with self._lock:
            if name not in self.__dict__:
                self.__dict__[name] = make()
            return self.__dict__[name]

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model the settings name. Loaded when it is first asked for a vector."""
        from grooveseek.embedding.factory import build_embedder

        made: Embedder = self._once("embedder", lambda: build_embedder(self.settings, environ=os.environ))
        return made

    @cached_property
    def registry(self) -> Registry:
        """The parsers the settings enable."""
        from grooveseek.parsing.registry import Registry

        made: Registry = self._once("registry", lambda: Registry.from_settings(self.settings))
        return made

    # -- indexing --------------------------------------------------------------------------------------------------

    def index(
        self,
        *,
        force: bool = False,
        reembed: bool = False,
        wait: bool = False,
        listener: Listener | None = None,
        cancel: CancelToken | None = None,
        command: str = "groove index",
    ) -> Summary:
        """Bring the index up to date with the folder, or build it anew with ``force``.

        ``listener`` gets the run's events, ``cancel`` stops it between documents. ``reembed`` is a forced build that
        makes every vector anew. ``wait`` waits for another writer instead of raising WriterBusy; ``command`` is how
        this run names itself to others that want to write.
        """
        from grooveseek.indexing.build import run_index

        job = self.index_job(command)
        return run_index(job, force=force, reembed=reembed, wait=wait, listener=listener, cancel=cancel)

    def index_paths(
        self,
        paths: Collection[str],
        *,
        listener: Listener | None = None,
        cancel: CancelToken | None = None,
        command: str = "groove serve",
    ) -> Summary:
        """Bring single paths, of files or folders that came, changed or went, up to date; the rest is not looked at.

        Raises as :meth:`index` does.
        """
        from grooveseek.indexing.build import run_paths

        return run_paths(self.index_job(command), paths, listener=listener, cancel=cancel)

    def index_job(self, command: str = "groove index") -> IndexJob:
        """Everything an indexing run needs, from the settings."""
        from grooveseek.indexing.build import IndexJob
        from grooveseek.knowledge_base.exclusion import ExclusionRules

        return IndexJob(
            root=self.root,
            index_path=self.index_path,
            embedder=self.embedder,
            registry=self.registry,
            rules=ExclusionRules.load(self.root, self.settings.exclude_dirs),
            contextual=self.settings.contextual.enabled,
            declared_fields=self._declared_fields(),
            command=command,
        )

    def _declared_fields(self) -> Sequence[str]:
        from grooveseek.validation.schema import declared_fields

        return declared_fields(self.root)

    # -- searching -------------------------------------------------------------------------------------------------

    def search(self, query: str | SearchRequest, **options: Any) -> Answer:
        """Search; ``options`` are the fields of :class:`SearchRequest` when ``query`` is text.

        Raises NoIndex before the first ``index()``, ModelMismatch when the index was made with another model,
        QueryError for a parameter out of range.
        """
        request = query if isinstance(query, SearchRequest) else SearchRequest(query=query, **options)
        return self.searcher().search(request)

    def searcher(self) -> Searcher:
        """This thread's searcher."""
        from grooveseek.retrieval.pipeline import Searcher

        store = self.store()
        store.meta.require_root(self.root.name)
        store.meta.require_model(asdict(self.embedder.identity))
        searcher: Searcher | None = getattr(self._local, "searcher", None)
        if searcher is None:
            searcher = Searcher(
                root=self.root,
                store=store,
                embedder=self.embedder,
                settings=self.settings,
                reranker=None if self.settings.reranker == "none" else lambda: self.reranker,
            )
            self._local.searcher = searcher
        return searcher

    @cached_property
    def reranker(self) -> Reranker:
        """The cross-encoder the settings name. Loaded when a search first uses it."""
        from grooveseek.embedding.factory import build_reranker

        name = self.settings.reranker
        made: Reranker = self._once("reranker", lambda: build_reranker(self.settings, name, environ=os.environ))
        return made

    def store(self) -> Store:
        """This thread's connection to the index, for reading. Raises NoIndex when there is none.

        A long-lived process may see the file deleted and built anew; it is opened again then.
        """
        store: Store | None = getattr(self._local, "store", None)
        file = file_identity(self.index_path)
        if store is not None and file == self._local.file:
            return store
        if store is not None:
            self._forget(store)
        from grooveseek.store.store import Memory, Store

        with self._lock:  # lives as long as a connection that holds its file open, so no later file gets it
            memory = self._memories.setdefault(file, Memory())
        store = Store.open_for_reading(self.index_path, memory)
        self._local.store, self._local.file = store, file
        with self._lock:
            self._opened.add(store)
        return store

    def _forget(self, store: Store) -> None:
        self._local.store = self._local.searcher = None
        with self._lock:
            self._opened.discard(store)
        store.close()

    # -- measuring -------------------------------------------------------------------------------------------------

    def evaluate(self, request: EvalRequest | None = None, *, progress: Progress | None = None) -> Evaluation:
        """Run golden queries through the search and measure what comes back; by default the folder's own golden file,
        compared with nothing and kept nowhere.

        ``progress`` hears how many queries are done. Raises GoldenError, UsageError, HistoryError, and what a search
        raises when every query fails.
        """
        from grooveseek.evaluation.evaluate import EvalRequest, evaluate

        reranker = self.settings.reranker
        return evaluate(
            request or EvalRequest(),
            root=self.root,
            settings=self.settings,
            searcher=self.searcher(),
            store=self.store(),
            reranker=None if reranker == "none" else PurePath(reranker).name,
            progress=progress,
        )

    def tune(self, request: TuneRequest | None = None, *, progress: Progress | None = None) -> Study:
        """Sweep the constants of fusion over golden queries and say whether another setting has earned its place.

        Changes nothing and never runs a reranker. Raises GoldenError, UsageError, and what a search raises when every
        query fails.
        """
        from grooveseek.evaluation.tune.request import TuneRequest
        from grooveseek.evaluation.tune.study import run_study

        return run_study(
            request or TuneRequest(),
            root=self.root,
            settings=self.settings,
            store=self.store(),
            searcher=self.searcher(),
            progress=progress,
        )

    # -- status ----------------------------------------------------------------------------------------------------

    def status(self) -> Status:
        """What the index holds. Raises NoIndex when there is none."""
        from grooveseek.store.statistics import gather

        store = self.store()
        identity: Mapping[str, Any] = store.meta.model_identity or {}
        return Status(
            index_path=self.index_path,
            size_bytes=index_size(self.index_path),
            statistics=gather(store.database, quality_threshold=self.settings.quality_filter.threshold),
            model=str(identity.get("name", "none")),
            contextual=store.meta.contextual,
            chunking_policy=store.meta.get("chunking_policy"),
            last_run=store.meta.last_run,
            declared_fields=store.meta.declared_fields,
        )

    def examine(self, *, deep: bool = False) -> Report:
        """Look for damage, for documents that are not served, and for what has changed. Changes nothing.

        ``deep`` reads every file and compares the documents with one another. Raises NoIndex when there is no index.
        """
        from grooveseek.doctor.examine import examine
        from grooveseek.doctor.patient import Patient

        def admit(store: Store) -> Patient:
            return Patient(
                root=self.root,
                index_path=self.index_path,
                store=store,
                settings=self.settings,
                registry=self.registry,
                identity=lambda: self.embedder.identity,
                environ=os.environ,
                deep=deep,
            )

        return examine(self.index_path, admit, deep=deep)


def index_path(root: Path, settings: Settings) -> Path:
    """Where a knowledge base's index lies: beside the folder, or where a trusted config says."""
    if settings.index.path is not None:
        return settings.index.path
    if root.parent == root:
        raise KnowledgeBaseError(f"{root} is the root of a file system and has no folder to put the index in")
    return root.parent / INDEX_NAME


def file_identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from another one put in its place; ``None`` when there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def index_size(path: Path) -> int:
    """Bytes of the index file and of what SQLite keeps beside it."""
    sizes = (path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm"))
    return sum(file.stat().st_size for file in sizes if file.exists())
