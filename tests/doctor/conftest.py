"""A healthy knowledge base to do damage to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.settings.sections import ParserSettings, Settings

NOTES = {
    "boats/hull.md": "---\ntitle: Hull\ntags: [paint]\nstatus: done\n---\n\n# Hull\n\nScrape and prime the hull.\n\n"
    "## Paint\n\nPaint it twice in dry weather.\n",
    "boats/mast.md": "# Mast\n\nStep the mast with the crane.\n",
    "garden/soil.md": "# Soil\n\nCompost makes heavy soil easier.\n\n## Lime\n\nLime in autumn.\n",
    "plan.md": "Words without any heading.\n",
}
SETTINGS = Settings(parsers=ParserSettings(enabled=("md", "txt", "rs")))


@pytest.fixture
def kb(open_kb) -> KnowledgeBase:
    """Four notes, indexed."""
    opened: KnowledgeBase = open_kb(files=dict(NOTES), settings=SETTINGS)
    opened.index()
    return opened


@pytest.fixture
def reopened(open_kb) -> Callable[..., KnowledgeBase]:
    """The same knowledge base with other settings."""

    def reopen(kb: KnowledgeBase, **changes: object) -> KnowledgeBase:
        other: KnowledgeBase = open_kb(root=kb.root, settings=replace(SETTINGS, **changes))
        return other

    return reopen
