"""One run: scan the folder, compare with the index, write what changed, drop what is gone."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grooveseek.embedding.protocol import Embedder, Vectors
from grooveseek.errors import FileSkipped
from grooveseek.indexing.events import (
    Cancelled,
    CancelToken,
    Deleted,
    Event,
    Finished,
    Indexed,
    Listener,
    Renamed,
    Scanning,
    Skipped,
    Started,
    Summary,
    Unchanged,
)
from grooveseek.indexing.pipeline import EmbeddedDocument, EmbeddingPipeline
from grooveseek.indexing.plan import Plan, ScannedFile, is_at_or_below, make_plan
from grooveseek.indexing.policy import record_chunking_policy
from grooveseek.indexing.prepare import PreparedDocument, content_hash, parse_guarded, prepare, prepare_stored
from grooveseek.knowledge_base.addressing import is_addressable
from grooveseek.knowledge_base.exclusion import ExclusionRules
from grooveseek.knowledge_base.safe_read import SafeRead, read_checked
from grooveseek.knowledge_base.walk import Declined, Found, outermost, walk, walk_at
from grooveseek.model.document import ParsedDocument
from grooveseek.parsing.protocol import Parser
from grooveseek.parsing.registry import Registry
from grooveseek.store.meta import LastRun
from grooveseek.store.records import DocumentState
from grooveseek.store.store import Store

_RACY_NS = 2_000_000_000
"""A file written this shortly before it was read may be written again within the same tick of its clock."""

Parse = Callable[[Parser, bytes, str], ParsedDocument]


class _Stopped(Exception):  # noqa: N818 - a way out of the loops, not an error
    pass


@dataclass(slots=True)
class _Tally:
    indexed: int = 0
    updated: int = 0
    renamed: int = 0
    deleted: int = 0
    unchanged: int = 0
    embedded: int = 0
    reused: int = 0
    reported: int = 0
    total: int = 0
    skipped: list[Skipped] = field(default_factory=list)


class Indexer:
    """Keeps one index in step with one folder. The caller holds the writer's lock.

    ``reuse_from`` are other indexes of the same model whose vectors may be taken over, after those of the index written
    to. ``fallback`` is the index a rebuild replaces: a document whose file cannot
    be read today is taken over from it.
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
        reuse_from: Sequence[Store] = (),
        fallback: Store | None = None,
        parse: Parse = parse_guarded,
    ) -> None:
        self._root = root
        self._store = store
        self._embedder = embedder
        self._registry = registry
        self._rules = rules
        self._contextual = contextual
        self._declared_fields = tuple(declared_fields)
        self._sources = (store, *reuse_from)
        self._fallback = fallback
        self._parse = parse

    def run(
        self, *, reparse: bool = False, listener: Listener | None = None, cancel: CancelToken | None = None
    ) -> Summary:
        """Bring the whole folder up to date; ``reparse`` takes every file for changed.

        The events of one document come when it has been written. A cancelled run leaves every document whole.
        """
        return _Run(self, listener or _ignore, cancel or CancelToken()).whole_folder(reparse=reparse)

    def run_paths(
        self, paths: Collection[str], *, listener: Listener | None = None, cancel: CancelToken | None = None
    ) -> Summary:
        """Bring these paths, files or folders that are there or are gone, and what lies below them up to date.

        The same steps as :meth:`run`, confined to what is named: nothing else is looked at, on disk or in the index.
        The summary's counts, documents and chunks apart, are of these paths.
        """
        return _Run(self, listener or _ignore, cancel or CancelToken()).some_paths(paths)

    # -- steps a run is made of -------------------------------------------------------------------------------------

    def read(self, path: str, parser: Parser) -> SafeRead:
        """One file's bytes, within its parser's cap."""
        return read_checked(self._root / path, max_bytes=self._registry.cap_for(parser))

    def prepare(self, path: str) -> PreparedDocument:
        """Read and parse one file. Raises FileSkipped with a reason, or FileNotFoundError when it is gone."""
        parser = self._registry.parser_for(path)
        assert parser is not None  # the walk only finds registered extensions
        read = self.read(path, parser)
        return prepare(
            self._parse(parser, read.data, path),
            parser,
            self._embedder,
            path=path,
            data_hash=content_hash(read.data),
            size_bytes=read.size,
            mtime_ns=_trusted(read.mtime_ns),
            contextual=self._contextual,
        )

    def take_over(self, path: str) -> PreparedDocument | None:
        """A document as the index being replaced has it; ``None`` when it has none at that path."""
        record = self._fallback.documents.get(path) if self._fallback is not None else None
        parser = self._registry.parser_for(path)
        if self._fallback is None or record is None or parser is None:
            return None
        chunks = [stored.chunk for stored in self._fallback.documents.chunks_of(path)]
        return prepare_stored(record, chunks, parser, self._embedder, contextual=self._contextual)

    def paths_to_take_over(self, skipped: Collection[str]) -> list[str]:
        """Documents of the index being replaced whose files, or folders, were skipped."""
        paths = self._fallback.documents.states() if self._fallback is not None else ()
        return [path for path in paths if is_at_or_below(path, skipped)]

    def write(self, document: EmbeddedDocument) -> None:
        """Write one document: every insertion path meets here."""
        with self._store.transaction():
            record_chunking_policy(self._store, document.prepared.record)
            self._store.documents.put(document.prepared.record, document.chunks)

    def known_vectors(self, hashes: Sequence[bytes]) -> Mapping[bytes, Vectors]:
        """Vectors that exist already for these embedding inputs, in any index that may be asked."""
        known: dict[bytes, Vectors] = {}
        for source in self._sources:
            known |= source.documents.vectors_by_input(h for h in hashes if h not in known)
        return known


class _Run:
    """The state of one run."""

    def __init__(self, indexer: Indexer, listener: Listener, cancel: CancelToken) -> None:
        self._ix = indexer
        self._store = indexer._store
        self._tell = listener
        self._cancel = cancel
        self._tally = _Tally()
        self._started = time.monotonic()

    def whole_folder(self, *, reparse: bool) -> Summary:
        states = self._store.documents.states()
        entries = walk(self._ix._root, self._ix._rules, self._ix._registry.extensions)
        if not self._bring_up_to_date(states, entries, reparse=reparse):
            return self._stopped()
        self._take_over_skipped()
        return self._complete()

    def some_paths(self, paths: Collection[str]) -> Summary:
        scope = outermost(path for path in paths if is_addressable(path))
        states = self._store.documents.states_at(scope)
        entries = walk_at(self._ix._root, paths, self._ix._rules, self._ix._registry.extensions)
        if not self._bring_up_to_date(states, entries, reparse=False):
            return self._stopped()
        summary = self._summary(cancelled=False)
        self._report(Finished(summary=summary))
        return summary

    def _bring_up_to_date(
        self, states: Mapping[str, DocumentState], entries: Iterable[Found | Declined], *, reparse: bool
    ) -> bool:
        """Make what is indexed of one scope (``states``) what is on disk of it; false when stopped on the way."""
        try:
            files, unreachable = self._scan(states, list(entries))
            plan = make_plan(files, states, unreachable, reparse=reparse)
            self._tally.total = len(plan.changed) + len(plan.renamed) + len(plan.unchanged) + len(plan.deleted)
            self._report(Started(total=self._tally.total))
            self._note_unchanged(plan, states)
            self._check()
            self._write_all(plan, states)
            self._check()
        except _Stopped:
            return False
        for path in plan.deleted:
            self._store.documents.delete(path)
            self._tally.deleted += 1
            self._report(Deleted(path=path))
        return True

    def _stopped(self) -> Summary:
        summary = self._summary(cancelled=True)
        self._report(Cancelled(done=self._tally.reported, total=self._tally.total, summary=summary))
        return summary

    # -- scanning --------------------------------------------------------------------------------------------------

    def _scan(
        self, states: Mapping[str, DocumentState], entries: Sequence[Found | Declined]
    ) -> tuple[list[ScannedFile], set[str]]:
        files: list[ScannedFile] = []
        unreachable: set[str] = set()
        for number, entry in enumerate(entries, start=1):
            if isinstance(entry, Declined):
                # a link is there and refused: what it held before goes. What the system would not show stays.
                self._skip(entry.path, entry.reason, kept=entry.unreadable, declined=True)
                if entry.unreadable:
                    unreachable.add(entry.path)
            else:
                scanned = self._scan_file(entry, states.get(entry.path))
                if scanned is None:
                    unreachable.add(entry.path)
                else:
                    files.append(scanned)
            self._report(Scanning(done=number, total=len(entries)))
            self._check()
        return files, unreachable

    def _scan_file(self, found: Found, state: DocumentState | None) -> ScannedFile | None:
        """Hash a file unless its size and time say that it is what was indexed; ``None`` when it cannot be read."""
        parser = self._ix._registry.parser_for(found.path)
        assert parser is not None
        if state is not None and (state.size_bytes, state.mtime_ns, state.parser) == (
            found.size,
            found.mtime_ns,
            parser.id,
        ):
            return ScannedFile(path=found.path, size_bytes=found.size, mtime_ns=found.mtime_ns, content_hash=None)
        try:
            read = self._ix.read(found.path, parser)
        except FileSkipped as error:
            self._skip(found.path, str(error), kept=state is not None)
            return None
        except FileNotFoundError:  # gone between the walk and now: the next run sees a deletion
            return None
        return ScannedFile(
            path=found.path,
            size_bytes=read.size,
            mtime_ns=_trusted(read.mtime_ns),
            content_hash=content_hash(read.data),
        )

    def _note_unchanged(self, plan: Plan, states: Mapping[str, DocumentState]) -> None:
        with self._store.transaction():
            for file in plan.unchanged:
                state = states[file.path]
                if (state.size_bytes, state.mtime_ns) != (file.size_bytes, file.mtime_ns):
                    self._store.documents.touch(file.path, size_bytes=file.size_bytes, mtime_ns=file.mtime_ns)
        for file in plan.unchanged:
            self._tally.unchanged += 1
            self._report(Unchanged(path=file.path))

    # -- writing ---------------------------------------------------------------------------------------------------

    def _write_all(self, plan: Plan, states: Mapping[str, DocumentState]) -> None:
        """Renames first (their vectors are taken over), then what changed, embedding beside parsing and writing."""
        previous = {file.path: old for old, file in plan.renamed}
        with EmbeddingPipeline(self._ix._embedder, self._ix.known_vectors) as pipeline:
            try:
                for file in (*(file for _, file in plan.renamed), *plan.changed):
                    self._check()
                    prepared = self._prepare(file.path, kept=file.path in states or file.path in previous)
                    if prepared is not None:
                        self._write(pipeline.add(prepared), states, previous)
            finally:
                # also when stopped: what was embedded is written, so that nothing is embedded twice
                self._write(pipeline.drain(only_begun=self._cancel.cancelled), states, previous)

    def _prepare(self, path: str, *, kept: bool) -> PreparedDocument | None:
        try:
            return self._ix.prepare(path)
        except FileSkipped as error:
            self._skip(path, str(error), kept=kept)
        except FileNotFoundError:
            self._skip(path, "it went away while groove was indexing", kept=kept)
        self._tally.reported += 1
        return None

    def _write(
        self, ready: Iterable[EmbeddedDocument], states: Mapping[str, DocumentState], previous: Mapping[str, str]
    ) -> None:
        for document in ready:
            path = document.prepared.record.path
            if document.failure is not None:
                self._skip(path, document.failure, kept=path in states or path in previous)
                self._tally.reported += 1
                continue
            with self._store.transaction():
                if path in previous:
                    self._store.documents.rename(previous[path], path)
                self._ix.write(document)
            self._count(document, states, previous)

    def _count(
        self, document: EmbeddedDocument, states: Mapping[str, DocumentState], previous: Mapping[str, str]
    ) -> None:
        record = document.prepared.record
        self._tally.embedded += document.embedded
        self._tally.reused += document.reused
        if record.path in previous:
            self._tally.renamed += 1
            self._report(Renamed(path=record.path, previous_path=previous[record.path]))
            return
        is_new = record.path not in states
        if is_new:
            self._tally.indexed += 1
        else:
            self._tally.updated += 1
        notices = tuple(
            f"line {notice.line}: {notice.message}" if notice.line else notice.message for notice in record.notices
        )
        self._report(
            Indexed(
                path=record.path,
                chunks=len(document.chunks),
                embedded=document.embedded,
                is_new=is_new,
                notices=notices,
            )
        )

    def _take_over_skipped(self) -> None:
        present = self._store.documents.states()
        paths = self._ix.paths_to_take_over({skipped.path for skipped in self._tally.skipped})
        with EmbeddingPipeline(self._ix._embedder, self._ix.known_vectors) as pipeline:
            for path in paths:
                document = None if path in present else self._ix.take_over(path)
                for ready in () if document is None else pipeline.add(document):
                    self._ix.write(ready)
            for ready in pipeline.drain():
                self._ix.write(ready)

    # -- reporting -------------------------------------------------------------------------------------------------

    def _report(self, event: Event) -> None:
        if isinstance(event, Indexed | Renamed | Unchanged | Deleted):
            self._tally.reported += 1
        self._tell(event)

    def _skip(self, path: str, reason: str, *, kept: bool, declined: bool = False) -> None:
        skipped = Skipped(path=path, reason=reason, kept=kept, declined=declined)
        self._tally.skipped.append(skipped)
        self._report(skipped)

    def _check(self) -> None:
        if self._cancel.cancelled:
            raise _Stopped

    def _complete(self) -> Summary:
        summary = self._summary(cancelled=False)
        run = LastRun(
            finished_at=dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            seconds=round(summary.seconds, 3),
            documents=summary.documents,
            chunks=summary.chunks,
            skipped=len(summary.skipped),
        )
        self._store.meta.record_run(run, self._ix._declared_fields)
        self._report(Finished(summary=summary))
        return summary

    def _summary(self, *, cancelled: bool) -> Summary:
        tally = self._tally
        documents, chunks = self._store.meta.counts()
        return replace(
            Summary(),
            indexed=tally.indexed,
            updated=tally.updated,
            unchanged=tally.unchanged,
            renamed=tally.renamed,
            deleted=tally.deleted,
            skipped=tuple(tally.skipped),
            warnings=self._ix._rules.warnings,
            documents=documents,
            chunks=chunks,
            embedded=tally.embedded,
            reused=tally.reused,
            seconds=time.monotonic() - self._started,
            cancelled=cancelled,
        )


def _trusted(mtime_ns: int) -> int:
    """The time to remember for a file just read; 0, which no file has, when it is too fresh to prove anything."""
    return 0 if time.time_ns() - mtime_ns < _RACY_NS else mtime_ns


def _ignore(_: Event) -> None:
    pass
