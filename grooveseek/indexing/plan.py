"""What a run has to do, from what is on disk and what is indexed. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from grooveseek.store.records import DocumentState


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedFile:
    """A file as the scan found it. ``content_hash`` is ``None`` when there was no need to read it: size, time and
    parser say it is unchanged, or it is new and no vanished document had its size.
    """

    path: str
    size_bytes: int
    mtime_ns: int
    parser: str
    content_hash: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Each path in one list only; every list sorted by path."""

    changed: tuple[ScannedFile, ...]
    renamed: tuple[tuple[str, ScannedFile], ...]
    unchanged: tuple[ScannedFile, ...]
    deleted: tuple[str, ...]


def make_plan(
    files: Collection[ScannedFile], states: Mapping[str, DocumentState], unreachable: Collection[str], *, reparse: bool
) -> Plan:
    """Compare the scan with the index.

    ``unreachable`` are paths, of files or folders, that are there but could not be read: nothing at or below them is
    taken for deleted. ``reparse`` makes every file a changed one.
    """
    by_path = {file.path: file for file in sorted(files, key=lambda file: file.path)}
    vanished = [path for path in sorted(states) if path not in by_path and not is_at_or_below(path, unreachable)]
    renames = _pair_renames(by_path, states, vanished)
    renamed_to = {file.path for _, file in renames}
    renamed_from = {previous for previous, _ in renames}
    changed: list[ScannedFile] = []
    unchanged: list[ScannedFile] = []
    for path, file in by_path.items():
        if path in renamed_to:
            continue
        state = states.get(path)
        same = state is not None and file.parser == state.parser and file.content_hash in (None, state.content_hash)
        (unchanged if same and not reparse else changed).append(file)
    return Plan(
        changed=tuple(changed),
        renamed=tuple(renames),
        unchanged=tuple(unchanged),
        deleted=tuple(path for path in vanished if path not in renamed_from),
    )


def _pair_renames(
    by_path: Mapping[str, ScannedFile], states: Mapping[str, DocumentState], vanished: Collection[str]
) -> list[tuple[str, ScannedFile]]:
    """Vanished paths and new files with the same bytes, paired in the order of their paths."""
    waiting: dict[bytes, list[str]] = defaultdict(list)
    for path in vanished:
        waiting[states[path].content_hash].append(path)
    pairs: list[tuple[str, ScannedFile]] = []
    for path, file in by_path.items():
        if path not in states and file.content_hash is not None and waiting.get(file.content_hash):
            pairs.append((waiting[file.content_hash].pop(0), file))
    return pairs


def is_at_or_below(path: str, roots: Collection[str]) -> bool:
    """Whether a path is one of ``roots`` or lies below one; an empty root is the knowledge base itself."""
    if not roots:
        return False
    parts = path.split("/")
    return any("/".join(parts[:length]) in roots for length in range(1, len(parts) + 1)) or "" in roots
