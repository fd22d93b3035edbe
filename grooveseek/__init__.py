"""Local search over folders of notes, documents and source code, by meaning and by words, that measures itself.

The library surface::

    import grooveseek

    with grooveseek.open("notes") as kb:
        kb.index()
        for hit in kb.search("what do we do in fog").hits:
            print(hit.path, hit.score)

Everything reachable from here is documented in docs/library.md and keeps its meaning; the packages underneath may move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grooveseek._version import __version__

if TYPE_CHECKING:
    from grooveseek.app import KnowledgeBase
    from grooveseek.app import open_knowledge_base as open  # noqa: A004 - `grooveseek.open(...)` is how it is read

__all__ = ["KnowledgeBase", "__version__", "open"]


def __getattr__(name: str) -> Any:
    # Looked up when first used: `import grooveseek` alone must cost nothing.
    if name in ("KnowledgeBase", "open"):
        from grooveseek import app

        return app.KnowledgeBase if name == "KnowledgeBase" else app.open_knowledge_base
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
