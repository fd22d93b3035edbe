"""The folder as it is now beside the index as it was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grooveseek.errors import FileSkipped
from grooveseek.indexing.plan import is_at_or_below
from grooveseek.indexing.prepare import content_hash, parse_guarded
from grooveseek.knowledge_base.exclusion import ExclusionRules
from grooveseek.knowledge_base.safe_read import read_checked
from grooveseek.knowledge_base.walk import Declined, Found, walk
from grooveseek.parsing.registry import Registry
from grooveseek.store.records import DocumentState

MAX_TRIALS = 200
"""Most new or changed files that are parsed to learn whether a run would index them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """Paths by what has become of them. ``unusable`` and ``declined`` say why no run indexes them."""

    changed: tuple[str, ...]
    added: tuple[str, ...]
    gone: tuple[str, ...]
    unusable: Mapping[str, str]
    declined: tuple[Declined, ...]

    @classmethod
    def look(
        cls,
        root: Path,
        rules: ExclusionRules,
        registry: Registry,
        states: Mapping[str, DocumentState],
        *,
        deep: bool,
    ) -> Disk:
        """Compare the folder with the index.

        A file whose size and time are those recorded is taken for unchanged; one whose time differs is read and hashed,
        and with ``deep`` every file is.
        """
        comparison = _Comparison(root, registry, deep=deep)
        for entry in walk(root, rules, registry.extensions):
            if isinstance(entry, Declined):
                comparison.declined.append(entry)
            else:
                comparison.take(entry, states.get(entry.path))
        return comparison.result(states)


@dataclass(slots=True)
class _Comparison:
    root: Path
    registry: Registry
    deep: bool = field(kw_only=True)
    present: set[str] = field(default_factory=set)
    changed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    unusable: dict[str, str] = field(default_factory=dict)
    declined: list[Declined] = field(default_factory=list)
    trials: int = 0

    def take(self, found: Found, state: DocumentState | None) -> None:
        """Sort in one file that is there."""
        self.present.add(found.path)
        if state is not None and not self.deep and (found.size, found.mtime_ns) == (state.size_bytes, state.mtime_ns):
            return
        try:
            if self._is_news(found.path, state):
                (self.added if state is None else self.changed).append(found.path)
        except FileNotFoundError:
            self.present.discard(found.path)
        except FileSkipped as error:
            self.unusable[found.path] = str(error)

    def _is_news(self, path: str, state: DocumentState | None) -> bool:
        """Whether a run would find something new here. Raises FileSkipped where it would give up on the file."""
        parser = self.registry.parser_for(path)
        assert parser is not None  # the walk only finds registered extensions
        data = read_checked(self.root / path, max_bytes=self.registry.cap_for(parser)).data
        if state is not None and content_hash(data) == state.content_hash:
            return False
        if self.trials < MAX_TRIALS:
            self.trials += 1
            parse_guarded(parser, data, path)
        return True

    def result(self, states: Mapping[str, DocumentState]) -> Disk:
        """What it all comes to. A document of a kind no longer enabled is not gone: its file was not looked for."""
        unreachable = {entry.path for entry in self.declined if entry.unreadable}
        gone = [
            path
            for path in states
            if path not in self.present
            and not is_at_or_below(path, unreachable)
            and self.registry.parser_for(path) is not None
        ]
        return Disk(
            changed=tuple(self.changed),
            added=tuple(self.added),
            gone=tuple(gone),
            unusable=self.unusable,
            declined=tuple(self.declined),
        )
