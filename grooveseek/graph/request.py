"""What a caller asks of the connection graph. The names are those of the MCP tool and of the command's flags."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from grooveseek.errors import QueryError
from grooveseek.text.forms import composed
from grooveseek.text.globs import translate

SeedStrategy = Literal["all_chunks", "centroid"]
SEED_STRATEGIES: dict[str, SeedStrategy] = {
    "all_chunks": "all_chunks",
    "all-chunks": "all_chunks",
    "centroid": "centroid",
}
"""Every spelling of a strategy that is understood."""

RANGES: dict[str, tuple[float, float]] = {
    "depth": (1, 3),
    "fan_out": (1, 20),
    "min_similarity": (0.0, 1.0),
    "max_nodes": (1, 2000),
    "max_seed_chunks": (1, 1000),
}
"""Lowest and highest value of each parameter that is a number."""

MAX_EXCLUDED = 64
MAX_ITEM_BYTES = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRequest:
    """One walk from the document at ``start``.

    ``depth``: steps from it. ``fan_out``: nearest chunks each step adds to a node. ``min_similarity``: cosine below
    which two chunks are not connected. ``seed_strategy``: start at every chunk of the document (its first
    ``max_seed_chunks``), or at the mean of them all. ``dedup_by_path``: each document once. ``exclude_paths``:
    documents, folders or globs that are passed over. ``max_nodes``: nodes in all, those the walk starts from included.
    """

    start: str
    depth: int = 2
    fan_out: int = 5
    min_similarity: float = 0.3
    seed_strategy: str = "all_chunks"
    dedup_by_path: bool = False
    category: str | None = None
    topic: str | None = None
    exclude_paths: tuple[str, ...] = ()
    max_nodes: int = 100
    max_seed_chunks: int = 32

    def check(self) -> None:
        """Raise QueryError, naming the parameter and its range, for one that is out of it."""
        for name, (lowest, highest) in RANGES.items():
            value = getattr(self, name)
            if not math.isfinite(value) or not lowest <= value <= highest:
                raise QueryError(f"{name} is {value!r}; allowed is {lowest:g} to {highest:g}")
        if self.seed_strategy not in SEED_STRATEGIES:
            raise QueryError(f"seed_strategy is {self.seed_strategy!r}; allowed are all_chunks and centroid")
        if len(self.exclude_paths) > MAX_EXCLUDED:
            raise QueryError(f"exclude_paths has {len(self.exclude_paths)} items; at most {MAX_EXCLUDED} are allowed")
        for item in self.exclude_paths:
            if not item or len(item.encode("utf-8", "surrogatepass")) > MAX_ITEM_BYTES:
                raise QueryError(
                    f"an item of exclude_paths has 1 to {MAX_ITEM_BYTES} bytes, which {item[:40]!r} has not"
                )

    def excludes(self, path: str) -> bool:
        """Whether ``exclude_paths`` names this document, a folder above it, or a glob that it matches."""
        name = composed(path)
        return any(
            name == item or name.startswith(item.rstrip("/") + "/") or translate(item).fullmatch(name) is not None
            for item in map(composed, self.exclude_paths)
        )
