"""One whole study: load the queries, run their legs, sweep, cross-validate, decide. Applies nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from grooveseek.errors import GoldenError, UsageError
from grooveseek.evaluation.hits import Level
from grooveseek.evaluation.measures import mean
from grooveseek.evaluation.runner import Progress
from grooveseek.evaluation.sources import Loaded, check_sources, golden_path, load_collection, load_golden
from grooveseek.evaluation.tune.crossval import CrossValidation, Floats, cross_validate
from grooveseek.evaluation.tune.decision import Decision, decide
from grooveseek.evaluation.tune.grid import Choice, Condition, Family, Grid, build_grid, condition_of
from grooveseek.evaluation.tune.notes import notes_on, warnings_on
from grooveseek.evaluation.tune.request import TuneRequest
from grooveseek.evaluation.tune.rows import Row, Sweep, Swept
from grooveseek.retrieval.pipeline import Searcher
from grooveseek.settings.sections import Settings
from grooveseek.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyResult:
    """One family under the cross-validation of its own choices.

    ``best`` is the place of its best condition on all queries, ``best_mean`` its mean there, which flatters it;
    ``held_out_mean`` is over queries that had no part in the choice.
    """

    family: Family
    conditions: int
    best: int
    best_mean: float
    held_out_mean: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """What a sweep found. ``means`` is each measure's mean under each condition, in the grid's order.

    ``queries`` stand in the order of their ids, as ``selections`` and ``differences`` do. ``configured`` is what the
    knowledge base runs now; ``configured_mean`` its primary measure.
    """

    golden: str
    choice: Choice
    level: Level
    grid: Grid
    primary: str
    means: Mapping[str, Floats]
    queries: tuple[Swept, ...]
    found: CrossValidation
    decision: Decision
    families: tuple[FamilyResult, ...]
    configured: Condition
    configured_mean: float
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def effective(self) -> int:
        """Queries with at least two full-text candidates."""
        return sum(query.effective for query in self.queries)

    @property
    def default(self) -> Condition:
        """What everything is held against."""
        return self.grid.conditions[self.grid.default]

    @property
    def refit(self) -> Condition:
        """The best condition on all queries."""
        return self.grid.conditions[self.found.refit]

    @property
    def recommended(self) -> Condition | None:
        """What to put into the configuration; None to keep what is there."""
        return self.refit if self.decision.adopt and self.refit.fusion != self.configured.fusion else None


def run_study(
    request: TuneRequest,
    *,
    root: Path,
    settings: Settings,
    store: Store,
    searcher: Searcher,
    progress: Progress | None = None,
) -> Study:
    """Sweep an open index; ``store`` is the one the searcher reads. Nothing is written.

    Raises GoldenError, also when no query can tell one setting from another, UsageError, StoreError, and the first
    query's failure when all failed.
    """
    if request.legs and request.choice is Choice.CONVEX:
        raise UsageError("--legs adds leg weights to rrf, and --family convex has none. Leave one of them out.")
    with store.snapshot():
        loaded = _load(request, root, settings, store)
        grid = build_grid(request.choice, legs=request.legs, has_context=_has_context(store))
        configured = condition_of(settings.search.fusion)
        sweep = Sweep(request, searcher, store, (*grid.conditions, configured))
        rows = sweep.run(sorted(loaded.golden.queries, key=lambda query: query.id), progress)
    _preflight([row.swept for row in rows], sweep.skipped, loaded.golden.name)
    study = _conclude(request, loaded.golden.name, grid, configured, rows)
    notes = (*loaded.notices, *notes_on(sweep.skipped, sweep.stale, settings))
    return replace(study, notes=notes, warnings=warnings_on(study.queries))


def _load(request: TuneRequest, root: Path, settings: Settings, store: Store) -> Loaded:
    check_sources(request.golden, request.queries, request.qrels)
    if request.queries is not None and request.qrels is not None:
        return load_collection(request.queries, request.qrels, store.documents.states())
    return load_golden(golden_path(root, request.golden, settings.eval.golden))


def _has_context(store: Store) -> bool:
    """Whether any chunk has something in the full-text tables' context column."""
    return store.meta.contextual and any(context.strip() for _, _, context, _ in store.documents.texts())


def _preflight(queries: Sequence[Swept], skipped: Sequence[str], golden: str) -> None:
    """Raise GoldenError, with the reason, when no query can tell one setting from another."""
    if not queries:
        raise GoldenError(
            f"{golden}: none of its {len(skipped)} queries expects a document, so there is nothing to tune by. "
            "Add queries with what answers them: `groove golden add`."
        )
    if any(query.effective for query in queries):
        return
    none = sum(query.fulltext_candidates == 0 for query in queries)
    raise GoldenError(
        f"{golden}: no query has 2 full-text candidates or more, so every setting of fusion orders them alike "
        f"({none} of {len(queries)} have none, {len(queries) - none} have one). Use words of the documents in the "
        "queries, or see with `groove status` whether the documents are indexed."
    )


def _conclude(
    request: TuneRequest,
    golden: str,
    grid: Grid,
    configured: Condition,
    rows: Sequence[Row],
) -> Study:
    """``rows`` have the grid's conditions and, last, what is configured."""
    size = len(grid.conditions)
    stacked = np.stack([row.values for row in rows], axis=-1)
    values = dict(zip((measure.name for measure in request.measures), stacked, strict=True))
    primary = values[request.primary.name]
    found = cross_validate(primary, grid.default, grid.preference())
    held_against = (grid.conditions[grid.default].fusion, grid.conditions[found.refit].fusion)
    incumbent = None if configured.fusion in held_against else primary[size]
    grid_values = {name: measured[:size] for name, measured in values.items()}
    decision = decide(grid_values.pop(request.primary.name), grid_values, grid.default, found, configured=incumbent)
    means = {name: _means(measured) for name, measured in values.items()}
    return Study(
        golden=golden,
        choice=request.choice,
        level=request.level,
        grid=grid,
        primary=request.primary.name,
        means={name: measured[:size] for name, measured in means.items()},
        queries=tuple(row.swept for row in rows),
        found=found,
        decision=decision,
        families=tuple(_family(grid, primary, means[request.primary.name], family) for family in grid.families),
        configured=configured,
        configured_mean=float(means[request.primary.name][size]),
    )


def _family(grid: Grid, primary: Floats, means: Floats, family: Family) -> FamilyResult:
    members = [place for place in grid.preference() if grid.conditions[place].family is family]
    found = cross_validate(primary, grid.default, members)
    held_out = primary[list(found.selections), np.arange(primary.shape[1])]
    return FamilyResult(
        family=family,
        conditions=len(members),
        best=found.refit,
        best_mean=float(means[found.refit]),
        held_out_mean=math.fsum(held_out) / len(held_out),
    )


def _means(values: Floats) -> Floats:
    """The mean of each row, as an evaluation takes it."""
    return np.array([mean(row).value for row in values.tolist()])
