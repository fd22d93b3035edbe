"""What must be equal for two evaluation runs to be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One setting that two runs do not share. ``key`` is dotted: ``fusion.rrf_k``."""

    key: str
    current: object
    previous: object

    def __str__(self) -> str:
        return f"{self.key} is {_shown(self.current)}, was {_shown(self.previous)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFingerprint:
    """Everything that decides an evaluation's figures, apart from the documents themselves.

    ``model`` holds the parts of the embedding model's identity, ``golden`` the SHA-256 of the golden set, ``context``
    the context mode and ``chunking`` the chunking policy the index was built with.
    """

    model: Mapping[str, Scalar] = field(default_factory=dict)
    reranker: str | None = None
    mode: str = "hybrid"
    limit: int = 10
    k_values: tuple[int, ...] = (1, 5, 10)
    level: str = "chunk"
    gain: str = "linear"
    golden: str = ""
    metric_version: int = 1
    fts_query_version: int = 1
    mmr: Mapping[str, Scalar] = field(default_factory=dict)
    parent_retriever: Mapping[str, Scalar] = field(default_factory=dict)
    fusion: Mapping[str, Scalar] = field(default_factory=dict)
    context: str = ""
    chunking: str = ""

    def __post_init__(self) -> None:
        for name in ("model", "mmr", "parent_retriever", "fusion"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def flat(self) -> dict[str, object]:
        """Dotted key to value, in field order."""
        found: dict[str, object] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Mapping):
                found |= {f"{item.name}.{key}": part for key, part in value.items()}
            else:
                found[item.name] = value
        return found

    def differences(self, previous: ConfigFingerprint) -> tuple[Difference, ...]:
        """What differs, in field order; empty when the two can be compared."""
        mine, other = self.flat(), previous.flat()
        return tuple(
            Difference(key=key, current=mine.get(key), previous=other.get(key))
            for key in dict.fromkeys([*mine, *other])
            if mine.get(key) != other.get(key)
        )


def _shown(value: object) -> str:
    if value is None or value == "":
        return "none"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    text = str(value)
    return text[:12] + "…" if len(text) == 64 else text  # a SHA-256 says no more whole than cut
