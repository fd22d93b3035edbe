"""Looking at every file: which are as they were indexed, what the others' bytes hash to, and which cannot be read."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grooveseek.errors import FileSkipped
from grooveseek.indexing.events import Scanning, Skipped
from grooveseek.indexing.ledger import Ledger
from grooveseek.indexing.plan import ScannedFile
from grooveseek.indexing.prepare import content_hash
from grooveseek.knowledge_base.safe_read import SafeRead, read_checked
from grooveseek.knowledge_base.walk import Declined, Found
from grooveseek.parsing.protocol import Parser
from grooveseek.parsing.registry import Registry
from grooveseek.store.records import DocumentState

_RACY_NS = 2_000_000_000
"""A file written this shortly before it was read may be written again within the same tick of its clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What was found. ``unreachable`` are paths that are there but could not be looked at or read."""

    files: list[ScannedFile] = field(default_factory=list)
    unreachable: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanner:
    """Scans a folder against what is indexed of it (``states``). ``kept`` are paths of which something stays in the
    index when they are skipped.
    """

    root: Path
    registry: Registry
    states: Mapping[str, DocumentState]
    kept: Collection[str]
    ledger: Ledger

    def scan(self, entries: Sequence[Found | Declined], check: Callable[[], None]) -> Scan:
        """Look at each entry; ``check`` is called after each and may raise to stop."""
        scan = Scan()
        found = {entry.path for entry in entries if isinstance(entry, Found)}
        vanished_sizes = {state.size_bytes for path, state in self.states.items() if path not in found}
        for number, entry in enumerate(entries, start=1):
            self._look_at(entry, vanished_sizes, scan)
            self.ledger.tell(Scanning(done=number, total=len(entries)))
            check()
        return scan

    def _look_at(self, entry: Found | Declined, vanished_sizes: Collection[int], scan: Scan) -> None:
        if isinstance(entry, Declined):
            # a link is there and refused: what it held before goes. What the system would not show stays.
            skipped = Skipped(path=entry.path, reason=entry.reason, kept=entry.unreadable, declined=True)
            self.ledger.tell(skipped)
            if entry.unreadable:
                scan.unreachable.add(entry.path)
            return
        scanned = self._file(entry, vanished_sizes)
        if scanned is None:
            scan.unreachable.add(entry.path)
        else:
            scan.files.append(scanned)

    def _file(self, found: Found, vanished_sizes: Collection[int]) -> ScannedFile | None:
        """Hash a file, unless its size and time say that it is what was indexed, or it is new and cannot be a renamed
        one; ``None`` when it cannot be read.
        """
        parser = self.registry.parser_for(found.path)
        assert parser is not None  # the walk only finds registered extensions
        state = self.states.get(found.path)
        seen = ScannedFile(
            path=found.path, size_bytes=found.size, mtime_ns=found.mtime_ns, parser=parser.id, content_hash=None
        )
        if found.size not in vanished_sizes if state is None else _is_as_indexed(seen, state):
            return seen
        try:
            read = read_file(self.root, found.path, parser, self.registry)
        except FileSkipped as error:
            self.ledger.tell(Skipped(path=found.path, reason=str(error), kept=found.path in self.kept))
            return None
        except FileNotFoundError:  # gone between the walk and now: the next run sees a deletion
            return None
        return replace(
            seen, size_bytes=read.size, mtime_ns=trusted_time(read.mtime_ns), content_hash=content_hash(read.data)
        )


def _is_as_indexed(file: ScannedFile, state: DocumentState) -> bool:
    return (file.size_bytes, file.mtime_ns, file.parser) == (state.size_bytes, state.mtime_ns, state.parser)


def read_file(root: Path, path: str, parser: Parser, registry: Registry) -> SafeRead:
    """One file's bytes, within its parser's cap."""
    return read_checked(root / path, max_bytes=registry.cap_for(parser))


def trusted_time(mtime_ns: int) -> int:
    """The time to remember for a file just read; 0, which no file has, when it is too fresh to prove anything."""
    return 0 if time.time_ns() - mtime_ns < _RACY_NS else mtime_ns
