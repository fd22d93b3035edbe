"""Knowledge bases with a watched embedder, and what their runs told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.indexing.events import CancelToken, Event, Scanning, Summary
from grooveseek.settings.sections import Settings
from tests.conftest import write_files
from tests.knowledge_base.conftest import locked_out
from tests.support.embedders import WatchedEmbedder

__all__ = ["locked_out"]

Open = Callable[..., KnowledgeBase]


@pytest.fixture
def embedder() -> WatchedEmbedder:
    """One that counts."""
    return WatchedEmbedder()


@pytest.fixture
def open_base(tmp_path: Path, embedder: WatchedEmbedder) -> Iterator[Open]:
    """Open the knowledge base ``kb`` (or ``root``); ``files`` are written first."""
    opened: list[KnowledgeBase] = []

    def open_(
        files: Mapping[str, str | bytes] | None = None,
        *,
        root: Path | None = None,
        settings: Settings | None = None,
        embedder: WatchedEmbedder = embedder,
    ) -> KnowledgeBase:
        folder = root or tmp_path / "kb"
        folder.mkdir(exist_ok=True)
        write_files(folder, dict(files or {}))
        kb = KnowledgeBase(replace(settings or Settings(), kb_path=folder), embedder=embedder)
        opened.append(kb)
        return kb

    yield open_
    for kb in opened:
        kb.close()


@dataclass
class Told:
    """A listener that remembers, and may stop the run at an event it is asked about."""

    events: list[Event] = field(default_factory=list)
    cancel: CancelToken = field(default_factory=CancelToken)
    stop_at: Callable[[Event], bool] = lambda _: False

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        if self.stop_at(event):
            self.cancel.cancel()

    def of(self, *kinds: type) -> list[Event]:
        """The events of some kinds."""
        return [event for event in self.events if isinstance(event, kinds)]

    def lines(self) -> list[str]:
        """What happened to which document, in order; the scan left out."""
        return [
            " ".join(filter(None, (type(event).__name__, getattr(event, "path", ""))))
            for event in self.events
            if not isinstance(event, Scanning)
        ]


def counts(summary: Summary) -> dict[str, int]:
    """The summary's counts that are not 0."""
    names = ("indexed", "updated", "unchanged", "renamed", "deleted", "embedded", "reused")
    told = {name: getattr(summary, name) for name in names}
    told["skipped"] = len(summary.skipped)
    return {name: count for name, count in told.items() if count}
