"""One run: scan the folder, compare with the index, write what changed, drop what is gone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grooveseek.embedding.protocol import Embedder, Vectors
from grooveseek.errors import DiskFull, FileSkipped
from grooveseek.indexing.events import (
    CancelToken,
    Deleted,
    Indexed,
    Listener,
    Renamed,
    Skipped,
    Started,
    Summary,
    Unchanged,
)
from grooveseek.indexing.ledger import Ledger
from grooveseek.indexing.pipeline import EmbeddedDocument, EmbeddingPipeline
from grooveseek.indexing.plan import Plan, is_at_or_below, make_plan
from grooveseek.indexing.policy import forget_policy_without_source, record_chunking_policy, take_policy_over
from grooveseek.indexing.prepare import PreparedDocument, content_hash, parse_guarded, prepare, prepare_stored
from grooveseek.indexing.scan import Scanner, read_file, trusted_time
from grooveseek.knowledge_base.addressing import is_addressable
from grooveseek.knowledge_base.exclusion import ExclusionRules
from grooveseek.knowledge_base.walk import Declined, Found, outermost, walk, walk_at
from grooveseek.model.document import ParsedDocument
from grooveseek.parsing.protocol import Parser
from grooveseek.parsing.registry import Registry
from grooveseek.store.meta import LastRun
from grooveseek.store.records import DocumentState
from grooveseek.store.store import Store

Parse = Callable[[Parser, bytes, str], ParsedDocument]


class _Stopped(Exception):  # noqa: N818 - a way out of the loops, not an error
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacing:
    """What a forced build takes the place of.

    ``same_folder``: ``live`` is an index of this folder, so a document whose file cannot be read today is taken over
    from it. ``same_model``: its vectors can be taken over. ``switch`` puts the new index in its place.
    """

    live: Store
    same_folder: bool
    same_model: bool
    switch: Callable[[], None]


class Indexer:
    """Keeps one index in step with one folder. The caller holds the writer's lock.

    ``replacing`` makes it a forced build: every file is parsed, and searches go on in the index that it replaces until
    all is done.
    """

    def __init__(
        self,
        *,
        root: Path,
        store: Store,
        embedder: Embedder,
        registry: Registry,
        rules: ExclusionRules,
        contextual: bool,
        declared_fields: Sequence[str] = (),
        replacing: Replacing | None = None,
        parse: Parse = parse_guarded,
    ) -> None:
        self.root = root
        self.store = store
        self.registry = registry
        self.rules = rules
        self.declared_fields = tuple(declared_fields)
        self.replacing = replacing
        self.embedder = embedder
        self._contextual = contextual
        self._parse = parse

    def run(self, *, listener: Listener | None = None, cancel: CancelToken | None = None) -> Summary:
        """Bring the whole folder up to date.

        The events of one document come when it has been written. A cancelled run leaves every document whole.
        """
        return _Run(self, listener or _ignore, cancel or CancelToken()).whole_folder()

    def run_paths(
        self, paths: Collection[str], *, listener: Listener | None = None, cancel: CancelToken | None = None
    ) -> Summary:
        """Bring these paths, files or folders that are there or are gone, and what lies below them up to date.

        The same steps as :meth:`run`, confined to what is named: nothing else is looked at, on disk or in the index.
        The summary's counts, documents and chunks apart, are of these paths.
        """
        return _Run(self, listener or _ignore, cancel or CancelToken()).some_paths(paths)

    # -- steps a run is made of -------------------------------------------------------------------------------------

    def prepare(self, path: str) -> PreparedDocument:
        """Read and parse one file. Raises FileSkipped with a reason, or FileNotFoundError when it is gone."""
        parser = self.registry.parser_for(path)
        assert parser is not None  # the walk only finds registered extensions
        read = read_file(self.root, path, parser, self.registry)
        return prepare(
            self._parse(parser, read.data, path),
            parser,
            self.embedder,
            path=path,
            data_hash=content_hash(read.data),
            size_bytes=read.size,
            mtime_ns=trusted_time(read.mtime_ns),
            contextual=self._contextual,
        )

    @property
    def predecessor(self) -> Store | None:
        """The index of the same folder that is being replaced."""
        return self.replacing.live if self.replacing is not None and self.replacing.same_folder else None

    def take_over(self, path: str) -> PreparedDocument | None:
        """A document as the index being replaced has it; ``None`` when it has none at that path, or no parser is
        enabled for it any more.
        """
        record = self.predecessor.documents.get(path) if self.predecessor is not None else None
        parser = self.registry.parser_for(path)
        if self.predecessor is None or record is None or parser is None:
            return None
        chunks = [stored.chunk for stored in self.predecessor.documents.chunks_of(path)]
        return prepare_stored(record, chunks, parser, self.embedder, contextual=self._contextual)

    def write(self, documents: Iterable[EmbeddedDocument], previous: Mapping[str, str]) -> None:
        """Write some documents, in the place of those at their ``previous`` paths if any, all in one transaction:
        every insertion path meets here.
        """
        with self.store.transaction():
            for document in documents:
                record = document.prepared.record
                if record.path in previous:
                    self.store.documents.rename(previous[record.path], record.path)
                record_chunking_policy(self.store, record, all_anew=self.replacing is not None)
                self.store.documents.put(record, document.chunks)

    def write_taken_over(self, document: EmbeddedDocument) -> None:
        """Write a document that :meth:`take_over` gave."""
        assert self.predecessor is not None
        with self.store.transaction():
            self.write((document,), {})
            take_policy_over(self.store, document.prepared.record, self.predecessor)

    def known_vectors(self, hashes: Sequence[bytes]) -> Mapping[bytes, Vectors]:
        """Vectors that exist already for these embedding inputs, in any index that may be asked."""
        known: dict[bytes, Vectors] = {}
        replaced = (self.replacing.live,) if self.replacing is not None and self.replacing.same_model else ()
        for source in (self.store, *replaced):
            known |= source.documents.vectors_by_input(h for h in hashes if h not in known)
        return known


class _Run:
    """The state of one run.

    ``_states`` is what the index written to holds in the run's scope, ``_known`` what searches find there: the same,
    but for a forced build.
    """

    def __init__(self, indexer: Indexer, listener: Listener, cancel: CancelToken) -> None:
        self._ix = indexer
        self._store = indexer.store
        self._ledger = Ledger(listener=listener, warnings=(*indexer.rules.warnings, *indexer.registry.refused))
        self._cancel = cancel
        self._states: Mapping[str, DocumentState] = {}
        self._known: Mapping[str, DocumentState] = {}

    def whole_folder(self) -> Summary:
        self._states = self._store.documents.states()
        predecessor = self._ix.predecessor
        self._known = predecessor.documents.states() if predecessor is not None else self._states
        if not self._bring_up_to_date(walk(self._ix.root, self._ix.rules, self._ix.registry.extensions)):
            return self._stopped()
        self._store.tidy(should_stop=lambda: self._cancel.cancelled)
        documents, chunks = self._store.meta.counts()
        self._record_run(documents, chunks)
        if self._ix.replacing is not None:
            self._ix.replacing.switch()
        return self._ledger.finish(documents, chunks)

    def some_paths(self, paths: Collection[str]) -> Summary:
        self._states = self._known = self._store.documents.states_at(
            outermost(path for path in paths if is_addressable(path))
        )
        if not self._bring_up_to_date(walk_at(self._ix.root, paths, self._ix.rules, self._ix.registry.extensions)):
            return self._stopped()
        self._store.tidy(should_stop=lambda: self._cancel.cancelled)
        return self._ledger.finish(*self._store.meta.counts())

    def _bring_up_to_date(self, entries: Iterable[Found | Declined]) -> bool:
        """Make what is indexed of the run's scope what is on disk of it; false when stopped on the way."""
        try:
            plan, gone = self._plan(list(entries))
            self._note_unchanged(plan)
            self._check()
            self._write_all(plan)
            self._take_over_skipped()
            self._check()
        except _Stopped:
            return False
        for path in sorted({*plan.deleted, *gone}):
            self._store.documents.delete(path)
            if path in gone:
                self._ledger.tell(Deleted(path=path))
        forget_policy_without_source(self._store)
        return True

    def _stopped(self) -> Summary:
        serving = self._store if self._ix.replacing is None else self._ix.replacing.live
        return self._ledger.cancel(*serving.meta.counts())

    def _check(self) -> None:
        if self._cancel.cancelled:
            raise _Stopped

    # -- planning --------------------------------------------------------------------------------------------------

    def _plan(self, entries: Sequence[Found | Declined]) -> tuple[Plan, set[str]]:
        """What to do, and the paths that searches will no longer find."""
        scanner = Scanner(
            root=self._ix.root,
            registry=self._ix.registry,
            states=self._states,
            kept=self._known.keys(),
            ledger=self._ledger,
        )
        scan = scanner.scan(entries, self._check)
        plan = make_plan(scan.files, self._states, scan.unreachable, reparse=self._ix.replacing is not None)
        present = {file.path for file in scan.files}
        renamed = {previous for previous, _ in plan.renamed}
        gone = {
            path
            for path in self._known
            if path not in present and path not in renamed and not is_at_or_below(path, scan.unreachable)
        }
        found = len(plan.changed) + len(plan.renamed) + len(plan.unchanged)
        self._ledger.tell(Started(total=found + len(gone), found=found))
        return plan, gone

    def _note_unchanged(self, plan: Plan) -> None:
        with self._store.transaction():
            for file in plan.unchanged:
                state = self._states[file.path]
                if (state.size_bytes, state.mtime_ns) != (file.size_bytes, file.mtime_ns):
                    self._store.documents.touch(file.path, size_bytes=file.size_bytes, mtime_ns=file.mtime_ns)
        for file in plan.unchanged:
            self._ledger.tell(Unchanged(path=file.path))

    def _pipeline(self) -> EmbeddingPipeline:
        return EmbeddingPipeline(self._ix.embedder, self._ix.known_vectors, lambda: self._cancel.cancelled)

    # -- writing ---------------------------------------------------------------------------------------------------

    def _write_all(self, plan: Plan) -> None:
        """Renames first (their vectors are taken over), then what changed, embedding beside parsing and writing."""
        previous = {file.path: old for old, file in plan.renamed}
        with self._pipeline() as pipeline:
            try:
                for file in (*(file for _, file in plan.renamed), *plan.changed):
                    self._check()
                    prepared = self._prepare(file.path, kept=file.path in self._known or file.path in previous)
                    for batch in pipeline.add(prepared) if prepared is not None else ():
                        self._write(batch, previous)
                for batch in pipeline.finish():
                    self._write(batch, previous)
                    self._check()
            except _Stopped:
                for batch in pipeline.abandon():
                    self._write(batch, previous)
                raise

    def _prepare(self, path: str, *, kept: bool) -> PreparedDocument | None:
        try:
            return self._ix.prepare(path)
        except FileSkipped as error:
            self._ledger.tell(Skipped(path=path, reason=str(error), kept=kept))
        except FileNotFoundError:
            self._ledger.tell(Skipped(path=path, reason="it went away while groove was indexing", kept=kept))
        return None

    def _write(self, batch: Sequence[EmbeddedDocument], previous: Mapping[str, str]) -> None:
        """Write a batch and tell of each document. In one transaction, since every commit makes another segment of the
        full-text tables; one document at a time where there is no room for all.
        """
        try:
            self._ix.write((document for document in batch if document.failure is None), previous)
        except DiskFull:
            if len(batch) == 1:
                raise
            for document in batch:
                self._write((document,), previous)
            return
        for document in batch:
            self._tell_of(document, previous.get(document.prepared.record.path))

    def _tell_of(self, document: EmbeddedDocument, old_path: str | None) -> None:
        record = document.prepared.record
        if document.failure is not None:
            kept = record.path in self._known or old_path is not None
            self._ledger.tell(Skipped(path=record.path, reason=document.failure, kept=kept))
            return
        self._ledger.embedded += document.embedded
        self._ledger.reused += document.reused
        if old_path is not None:
            self._ledger.tell(Renamed(path=record.path, previous_path=old_path))
            return
        notices = tuple(
            f"line {notice.line}: {notice.message}" if notice.line else notice.message for notice in record.notices
        )
        self._ledger.tell(
            Indexed(
                path=record.path,
                chunks=len(document.chunks),
                embedded=document.embedded,
                is_new=record.path not in self._known,
                notices=notices,
            )
        )

    def _take_over_skipped(self) -> None:
        """Keep, in a forced build, what the old index holds of files that could not be read or parsed this time."""
        if self._ix.predecessor is None:
            return
        skipped = {each.path for each in self._ledger.skipped if each.kept}
        present = self._store.documents.states()
        paths = [path for path in self._known if is_at_or_below(path, skipped) and path not in present]
        with self._pipeline() as pipeline:
            for path in paths:
                self._check()
                document = self._ix.take_over(path)
                for batch in pipeline.add(document) if document is not None else ():
                    self._write_taken_over(batch)
            for batch in pipeline.finish():
                self._write_taken_over(batch)

    def _write_taken_over(self, batch: Sequence[EmbeddedDocument]) -> None:
        for document in batch:
            if document.failure is None:
                self._ix.write_taken_over(document)
            else:
                reason = f"what was indexed of it before could not be kept: {document.failure}"
                self._ledger.tell(Skipped(path=document.prepared.record.path, reason=reason, kept=False))

    # -- the end ---------------------------------------------------------------------------------------------------

    def _record_run(self, documents: int, chunks: int) -> None:
        run = LastRun(
            finished_at=dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            seconds=round(self._ledger.seconds, 3),
            documents=documents,
            chunks=chunks,
            skipped=len(self._ledger.skipped),
        )
        self._store.meta.record_run(run, self._ix.declared_fields)


def _ignore(_: object) -> None:
    pass
