"""All tools, in the order they are listed."""

from __future__ import annotations

from grooveseek.serving.tools import best_practice, document, graph, rebuild, search, topics
from grooveseek.serving.tools.spec import ToolSpec

TOOLS: tuple[ToolSpec, ...] = (
    search.TOOL,
    document.TOOL,
    topics.TOOL,
    best_practice.TOOL,
    graph.TOOL,
    rebuild.TOOL,
)
