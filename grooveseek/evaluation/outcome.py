"""What an evaluation found, ready to be shown in any format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from grooveseek.evaluation.compare import Comparison
from grooveseek.evaluation.evalrun import EvalRun
from grooveseek.evaluation.gate import GateDecision
from grooveseek.evaluation.hits import RankedHit
from grooveseek.evaluation.measures import Mean, Scores


class Leg(StrEnum):
    """What can be given credit for a result: one leg alone, or both fused."""

    VECTOR = "vector"
    FULLTEXT = "fulltext"
    FUSION = "fusion"


class Miss(StrEnum):
    """Why an expected document is not among the first k."""

    NOT_INDEXED = "not-indexed"
    IN_NO_POOL = "in-no-pool"
    BELOW_K = "below-k"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedOutcome:
    """Where one expected entry ended up. ``rank`` is its rank among all candidates, None when it was none."""

    path: str
    heading: str | None = None
    relevance: int = 1
    rank: int | None = None
    miss: Miss | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryReport:
    """One query: its measures, what each leg alone would have scored, its first hits, and where the answers were.

    ``line`` is the query's line in the golden file. ``metrics`` is empty when the query is not answerable or all its
    entries are stale, and all 0 when its search ``failed`` (the text says why).
    """

    id: str
    query: str
    line: int | None = None
    tags: tuple[str, ...] = ()
    answerable: bool = True
    failed: str | None = None
    metrics: Scores = field(default_factory=dict)
    legs: Mapping[Leg, Scores] = field(default_factory=dict)
    unjudged: Scores = field(default_factory=dict)
    expected: tuple[ExpectedOutcome, ...] = ()
    top: tuple[RankedHit, ...] = ()
    confidence: float | None = None
    low_confidence: bool | None = None

    @property
    def missed(self) -> bool:
        """Whether something was to be found and none of it was."""
        wanted = [entry for entry in self.expected if entry.relevance > 0]
        return bool(wanted) and all(entry.miss is not None for entry in wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A golden query that a document quotes, and that document's rank among the query's first k, if it is there."""

    query_id: str
    rank_in_top_k: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something about the golden set or the index that a person should look at. It changes no exit code.

    ``check`` is its stable name: ``golden-queries-quoted``, ``golden-stale``, ``golden-not-indexed``,
    ``fusion-below-leg``, ``query-failed``. ``path`` is the document it is about, ``line`` a line of the golden file.
    """

    check: str
    message: str
    path: str | None = None
    query_id: str | None = None
    line: int | None = None
    quoted: tuple[Quoted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPoint:
    """An earlier run's means, for plots; ``comparable`` when it was measured as this one was."""

    time: str
    metrics: Scores
    comparable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalReport:
    """Everything a report shows.

    ``golden`` is the golden file as messages call it. ``groups`` holds means over ``all`` answerable queries and over
    the ``single-answer`` and ``multi-answer`` ones; ``legs`` means for each leg. ``unjudged`` is empty unless judgments
    were imported. ``note`` says why nothing was compared, or what became of the history.
    """

    run: EvalRun
    golden: str
    primary: str
    queries: tuple[QueryReport, ...]
    groups: Mapping[str, Mapping[str, Mean]]
    legs: Mapping[Leg, Mapping[str, Mean]] = field(default_factory=dict)
    unjudged: Mapping[str, Mean] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    comparison: Comparison | None = None
    gate: GateDecision | None = None
    history: tuple[HistoryPoint, ...] = ()
    note: str | None = None
