"""What every test may use: knowledge bases in temporary folders, with the shipped fake embedder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.settings.sections import Settings

OpenKb = Callable[..., KnowledgeBase]


@pytest.fixture
def open_kb(tmp_path: Path) -> Iterator[OpenKb]:
    """Open a knowledge base with the fake embedder; ``files`` (path to text or bytes) are written first."""
    opened: list[KnowledgeBase] = []

    def open_(
        root: Path | None = None, files: dict[str, str | bytes] | None = None, settings: Settings | None = None
    ) -> KnowledgeBase:
        folder = root or tmp_path / "kb"
        folder.mkdir(exist_ok=True)
        write_files(folder, files or {})
        kb = KnowledgeBase(replace(settings or Settings(), kb_path=folder), embedder=FakeEmbedder())
        opened.append(kb)
        return kb

    yield open_
    for kb in opened:
        kb.close()


def write_files(folder: Path, files: dict[str, str | bytes]) -> None:
    """Write files below a folder, text as UTF-8 with its line ends as they are."""
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
