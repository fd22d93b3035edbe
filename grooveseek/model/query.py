"""What a caller asks for: the query, its filters, and the per-call switches of the optional stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from grooveseek.errors import QueryError


class Mode(StrEnum):
    """Which legs run: both, full text alone, or vectors alone."""

    HYBRID = "hybrid"
    KEYWORD = "keyword"
    SEMANTIC = "semantic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Conditions a chunk must meet, all of them (AND). ``None`` and empty mean the filter was not given.

    ``fields`` maps a declared frontmatter key to accepted values: OR within a key, AND across keys. ``path_globs`` is
    ``None`` when not given; an empty tuple is refused, because it would match nothing.
    """

    category: str | None = None
    topic: str | None = None
    path_globs: tuple[str, ...] | None = None
    tags_any: tuple[str, ...] = ()
    tags_all: tuple[str, ...] = ()
    date_from: str | None = None
    date_to: str | None = None
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    min_quality: float | None = None
    include_low_quality: bool = False
    symbol_kind: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """One search. ``None`` in a switch means "as configured"."""

    query: str
    limit: int = 10
    mode: Mode = Mode.HYBRID
    filters: Filters = field(default_factory=Filters)
    rerank: bool | None = None
    min_confidence_ratio: float | None = None
    mmr: bool | None = None
    mmr_lambda: float | None = None
    mmr_same_doc_penalty: float | None = None
    parent_retriever: bool | None = None
    explain: bool = False

    def __post_init__(self) -> None:
        """Take a mode by its name as well. Raises QueryError for another word."""
        try:
            object.__setattr__(self, "mode", Mode(self.mode))
        except ValueError:
            raise QueryError(f"mode is {self.mode!r}; allowed are {', '.join(Mode)}") from None
