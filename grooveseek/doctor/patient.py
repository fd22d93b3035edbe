"""What the checks look at: an open index, the folder it is of, and the settings in force."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grooveseek.doctor.disk import Disk
from grooveseek.embedding.protocol import ModelIdentity
from grooveseek.knowledge_base.exclusion import ExclusionRules
from grooveseek.knowledge_base.servable import ServableRules
from grooveseek.parsing.registry import Registry
from grooveseek.settings.sections import Settings
from grooveseek.store.records import DocumentState
from grooveseek.store.store import Store


@dataclass(frozen=True, kw_only=True)
class Patient:
    """One knowledge base under examination. Read only: no check changes anything.

    ``identity`` asks the embedding model who it is, and may raise; ``deep`` allows checks that read every file.
    """

    root: Path
    index_path: Path
    store: Store
    settings: Settings
    registry: Registry
    identity: Callable[[], ModelIdentity]
    environ: Mapping[str, str]
    deep: bool = False

    @cached_property
    def rules(self) -> ExclusionRules:
        """What is out of bounds, as an indexing run would see it."""
        return ExclusionRules.load(self.root, self.settings.exclude_dirs)

    @cached_property
    def servable(self) -> ServableRules:
        """The server's own rules."""
        return ServableRules(self.registry)

    @cached_property
    def states(self) -> dict[str, DocumentState]:
        """Every indexed document by path."""
        return self.store.documents.states()

    @cached_property
    def disk(self) -> Disk:
        """The folder beside the index, looked at once."""
        return Disk.look(self.root, self.rules, self.registry, self.states, deep=self.deep)
