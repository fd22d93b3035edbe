"""The conditions of a sweep: every way of fusing that is tried, and how far each lies from the built-in one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product

from grooveseek.settings.sections import FusionSettings
from grooveseek.store.fulltext import ColumnWeights

RRF_K = (5.0, 10.0, 20.0, 30.0, 60.0, 100.0)
COLUMN_WEIGHTS = (0.5, 1.0, 2.0, 4.0)
LEG_WEIGHTS = ((1.0, 2.0), (2.0, 1.0), (0.5, 2.0), (2.0, 0.5))
"""(vector, full text): the pairs of {0.5, 1, 2} with different ratios, equal weights aside. Scaling both by one factor
scales every score and changes no order, so 5 of the 9 pairs differ."""
ALPHA = tuple(round(0.05 * step, 2) for step in range(21))


class Family(StrEnum):
    """Ways of fusing that are compared with one another."""

    VECTOR = "vector"
    FULLTEXT = "fulltext"
    RRF = "rrf"
    RRF_LEGS = "rrf-legs"
    CONVEX = "convex"


class Choice(StrEnum):
    """What ``--family`` takes."""

    RRF = "rrf"
    CONVEX = "convex"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One way of fusing, as ``[search.fusion]`` says it.

    ``steps`` is how many grid steps each axis stands from the family's built-in setting.
    """

    family: Family
    fusion: FusionSettings
    steps: tuple[int, ...] = ()

    @property
    def weights(self) -> ColumnWeights:
        """The full-text tables' column weights."""
        return columns_of(self.fusion)

    @property
    def distance(self) -> int:
        """Grid steps to the family's built-in setting, over all axes."""
        return sum(map(abs, self.steps))

    @property
    def label(self) -> str:
        """What sets it apart: ``rrf_k 60, weights 2/1/1``."""
        return label_of(self.family, self.fusion)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """What a sweep tries. ``default`` is the place of the built-in setting everything is held against.

    ``context_axis``: whether the weight of the context column was varied.
    """

    conditions: tuple[Condition, ...]
    default: int
    context_axis: bool

    @property
    def families(self) -> tuple[Family, ...]:
        """In the order they stand in."""
        return tuple(dict.fromkeys(condition.family for condition in self.conditions))

    def preference(self) -> list[int]:
        """Places in the order ties are settled: the default, its family by distance, the other families likewise."""
        home = self.conditions[self.default].family
        return sorted(
            range(len(self.conditions)),
            key=lambda place: (
                place != self.default,
                self.conditions[place].family is not home,
                self.conditions[place].distance,
                place,
            ),
        )


def build_grid(choice: Choice, *, legs: bool, has_context: bool) -> Grid:
    """The grid of ``--family``; ``legs`` adds leg weights to RRF.

    The default is the built-in setting of the family chosen; of all, the product's own.
    """
    weightings = list(_weightings(has_context))
    conditions: list[Condition] = []
    if choice is Choice.ALL:
        conditions += [Condition(family=Family.VECTOR, fusion=_leg_alone(fts_weight=0.0))]
        conditions += _rows(Family.FULLTEXT, [(_leg_alone(vector_weight=0.0), 0)], weightings)
    if choice is not Choice.CONVEX:
        conditions += _rows(Family.RRF, _rrf(((1.0, 1.0),)), weightings)
    if choice is Choice.ALL or (choice is Choice.RRF and legs):
        conditions += _rows(Family.RRF_LEGS, _rrf(LEG_WEIGHTS), weightings)
    if choice is not Choice.RRF:
        conditions += _rows(Family.CONVEX, _convex(), weightings)
    wanted = FusionSettings(method="rrf") if choice is Choice.RRF else FusionSettings()
    place = next(place for place, condition in enumerate(conditions) if condition.fusion == wanted)
    return Grid(conditions=tuple(conditions), default=place, context_axis=has_context)


def columns_of(fusion: FusionSettings) -> ColumnWeights:
    """The full-text tables' column weights."""
    return ColumnWeights(
        heading=fusion.bm25_heading_weight,
        context=fusion.bm25_context_weight,
        content=fusion.bm25_content_weight,
    )


def condition_of(fusion: FusionSettings) -> Condition:
    """Settings someone configured, less what their method does not look at."""
    built_in = FusionSettings()
    if fusion.method == "convex":
        used = replace(fusion, rrf_k=built_in.rrf_k, vector_weight=1.0, fts_weight=1.0)
    else:
        used = replace(fusion, alpha=built_in.alpha)
    return Condition(family=family_of(fusion), fusion=used)


def family_of(fusion: FusionSettings) -> Family:
    """Where settings someone configured belong."""
    if fusion.method == "convex":
        return Family.CONVEX
    if fusion.fts_weight == 0:
        return Family.VECTOR
    if fusion.vector_weight == 0:
        return Family.FULLTEXT
    return Family.RRF if fusion.vector_weight == fusion.fts_weight else Family.RRF_LEGS


def label_of(family: Family, fusion: FusionSettings) -> str:
    """What sets a way of fusing apart, in a few words. Weights are those of heading, context and content."""
    columns = columns_of(fusion)
    weights = f"weights {columns.heading:g}/{columns.context:g}/{columns.content:g}"
    match family:
        case Family.VECTOR:
            return "vector leg alone"
        case Family.FULLTEXT:
            return f"full-text leg alone, {weights}"
        case Family.CONVEX:
            return f"convex, alpha {fusion.alpha:g}, {weights}"
        case Family.RRF:
            return f"rrf_k {fusion.rrf_k:g}, {weights}"
        case Family.RRF_LEGS:
            return f"rrf_k {fusion.rrf_k:g}, legs {fusion.vector_weight:g}/{fusion.fts_weight:g}, {weights}"


def _weightings(has_context: bool) -> Iterator[tuple[ColumnWeights, int]]:
    """Column weights with their steps from the built-in ones."""
    built_in = columns_of(FusionSettings())
    contexts = COLUMN_WEIGHTS if has_context else (built_in.context,)
    for heading, context, content in product(COLUMN_WEIGHTS, contexts, COLUMN_WEIGHTS):
        pairs = ((heading, built_in.heading), (context, built_in.context), (content, built_in.content))
        steps = sum(abs(COLUMN_WEIGHTS.index(weight) - COLUMN_WEIGHTS.index(home)) for weight, home in pairs)
        yield ColumnWeights(heading=heading, context=context, content=content), steps


def _rrf(legs: Sequence[tuple[float, float]]) -> Iterator[tuple[FusionSettings, int]]:
    built_in = FusionSettings(method="rrf")
    for rrf_k, (place, (vector, fulltext)) in product(RRF_K, enumerate(legs)):
        steps = abs(RRF_K.index(rrf_k) - RRF_K.index(built_in.rrf_k)) + place // 2
        yield replace(built_in, rrf_k=rrf_k, vector_weight=vector, fts_weight=fulltext), steps


def _convex() -> Iterator[tuple[FusionSettings, int]]:
    built_in = FusionSettings(method="convex")
    for place, alpha in enumerate(ALPHA):
        yield replace(built_in, alpha=alpha), abs(place - ALPHA.index(built_in.alpha))


def _leg_alone(*, vector_weight: float = 1.0, fts_weight: float = 1.0) -> FusionSettings:
    return FusionSettings(method="rrf", vector_weight=vector_weight, fts_weight=fts_weight)


def _rows(
    family: Family, methods: Iterable[tuple[FusionSettings, int]], weightings: Sequence[tuple[ColumnWeights, int]]
) -> list[Condition]:
    return [
        Condition(
            family=family,
            fusion=replace(
                method,
                bm25_heading_weight=weights.heading,
                bm25_context_weight=weights.context,
                bm25_content_weight=weights.content,
            ),
            steps=(method_steps, weight_steps),
        )
        for (method, method_steps), (weights, weight_steps) in product(methods, weightings)
    ]
