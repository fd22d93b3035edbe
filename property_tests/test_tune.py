"""A sweep is the search itself under other constants, and a choice is what choosing by hand would choose."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.evaluation.evaluate import EvalRequest
from grooveseek.evaluation.hits import EvalHit, Level, Target, judged_of, rank_hits, ranking_of
from grooveseek.evaluation.options import EvalOptions
from grooveseek.evaluation.tune.crossval import cross_validate
from grooveseek.evaluation.tune.decision import selection_p
from grooveseek.evaluation.tune.grid import Choice, Condition, Grid, build_grid
from grooveseek.evaluation.tune.report.html import render_html
from grooveseek.evaluation.tune.report.json import render_json
from grooveseek.evaluation.tune.report.text import render_text
from grooveseek.evaluation.tune.request import TuneRequest
from grooveseek.evaluation.tune.sweep import NOWHERE, Pool, credited_ranks, measure_ranks, pool_of, ranks_under
from grooveseek.model.query import SearchRequest
from grooveseek.retrieval.legs import fulltext_scores
from grooveseek.retrieval.pipeline import LEG_DEPTH, LegResults, Searcher
from grooveseek.retrieval.query import compile_query
from grooveseek.settings.sections import ContextualSettings, FusionSettings, Settings
from grooveseek.store.fulltext import ColumnWeights
from grooveseek.store.ranking import labels_of
from hypothesis import given, settings
from hypothesis import strategies as st

WORDS = ("pump", "valve", "fog", "lamp", "deck", "salt", "crew", "horn", "rope", "tide", "部署", "手順", "AI")
QUERIES = (
    "pump valve",
    "fog -lamp",
    "AI",
    "deck salt crew rope",
    "部署の手順",
    '"fog lamp"',
    "horn tide pump fog",
    "zzz",
)
CONDITIONS = (
    *build_grid(Choice.ALL, legs=True, has_context=True).conditions,
    Condition(
        family=build_grid(Choice.RRF, legs=False, has_context=False).conditions[0].family,
        fusion=FusionSettings(method="rrf", rrf_k=7.5, bm25_heading_weight=0.0, vector_weight=0.3),
    ),
)
RELEVANCE = st.integers(0, 3)


def write_notes(folder: Path, notes: int, seed: int) -> None:
    """Notes of a few sections out of few words, some of them equal, so that scores tie."""
    source = random.Random(seed)
    for number in range(notes):
        parts = []
        for _ in range(source.randint(1, 3)):
            level = "#" * source.randint(1, 3)
            heading = " ".join(source.choices(WORDS, k=2))
            parts.append(f"{level} {heading}\n\n" + " ".join(source.choices(WORDS, k=source.randint(8, 30))) + "\n")
        (folder / f"{'twin' if number % 5 == 0 else 'note'}{number:03}.md").write_text(
            "# Fog\n\nThe fog and the lamp and the horn of the pump on the deck.\n"
            if number % 5 == 0
            else "\n".join(parts)
        )


@pytest.fixture(scope="module", params=[(40, True), (260, True), (40, False)], ids=["small", "deep", "no context"])
def kb(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    notes, contextual = request.param
    root = tmp_path_factory.mktemp("tune") / "kb"
    root.mkdir()
    write_notes(root, notes, seed=notes)
    opened = KnowledgeBase(
        Settings(kb_path=root, contextual=ContextualSettings(enabled=contextual)), embedder=FakeEmbedder()
    )
    opened.index()
    yield opened
    opened.close()


def searcher_under(kb: KnowledgeBase, fusion: FusionSettings) -> Searcher:
    changed = replace(kb.settings, search=replace(kb.settings.search, fusion=fusion))
    return Searcher(root=kb.root, store=kb.store(), embedder=kb.embedder, settings=changed)


def pool_for(kb: KnowledgeBase, query: str, conditions: list[Condition]) -> tuple[Pool, LegResults]:
    legs = kb.searcher().run_legs(SearchRequest(query=query))
    weightings = list(dict.fromkeys(condition.weights for condition in conditions))
    return pool_of(kb.store(), legs, weightings, LEG_DEPTH), legs


def searched(kb: KnowledgeBase, query: str, fusion: FusionSettings) -> list[EvalHit]:
    """What the search itself brings under these settings."""
    fused = searcher_under(kb, fusion).trace(SearchRequest(query=query)).fused
    labels = labels_of(kb.store().database, fused.ids)
    return [EvalHit(path=labels[i][0], chunk=labels[i][1], score=0.0, heading=labels[i][2]) for i in fused.ids.tolist()]


@settings(max_examples=25)
@given(query=st.sampled_from(QUERIES), chosen=st.lists(st.sampled_from(CONDITIONS), min_size=1, max_size=4))
def test_a_sweep_ranks_as_the_search_does_under_each_condition(
    kb: KnowledgeBase, query: str, chosen: list[Condition]
) -> None:
    pool, _ = pool_for(kb, query, chosen)
    ranks = ranks_under(pool, chosen)
    for row, condition in enumerate(chosen):
        found = [place for place in np.argsort(ranks[row], kind="stable") if ranks[row, place] != NOWHERE]
        assert [pool.hits[place] for place in found] == searched(kb, query, condition.fusion)


@settings(max_examples=25)
@given(
    query=st.sampled_from(QUERIES), condition=st.sampled_from(CONDITIONS), level=st.sampled_from(Level), data=st.data()
)
def test_a_sweep_measures_as_an_evaluation_does(
    kb: KnowledgeBase, query: str, condition: Condition, level: Level, data: st.DataObject
) -> None:
    paths = sorted(kb.store().documents.states())
    wanted = data.draw(st.lists(st.sampled_from([*paths, "gone.md"]), min_size=1, max_size=6, unique=True))
    targets = [
        Target(
            path=path,
            relevance=data.draw(st.integers(1, 4)),
            heading=data.draw(st.sampled_from([None, "Fog", "pump fog"])),
        )
        for path in wanted
    ]
    measures = TuneRequest().measures
    pool, _ = pool_for(kb, query, [condition])
    credited = credited_ranks(pool, ranks_under(pool, [condition]), targets, level)
    swept = measure_ranks(credited, targets, measures, depth=10)[:, 0]
    ranking = ranking_of(rank_hits(searched(kb, query, condition.fusion), targets, level)[:10])
    assert swept.tolist() == [measure.evaluate(ranking, judged_of(targets)) for measure in measures]


def golden_text(kb: KnowledgeBase, queries: list[str]) -> str:
    paths = sorted(kb.store().documents.states())
    entries = [
        {"id": f"q{QUERIES.index(query)}", "query": query, "expected": [{"path": paths[QUERIES.index(query) * 3]}]}
        for query in queries
    ]
    return json.dumps({"queries": entries}, ensure_ascii=False)


@pytest.mark.parametrize("choice", [Choice.RRF, Choice.CONVEX])
def test_the_default_has_the_figures_of_groove_eval(kb: KnowledgeBase, tmp_path: Path, choice: Choice) -> None:
    golden = tmp_path / "golden.yml"
    golden.write_text(golden_text(kb, list(QUERIES)), encoding="utf-8")
    study = kb.tune(TuneRequest(golden=golden, choice=choice))
    changed = replace(kb.settings, search=replace(kb.settings.search, fusion=study.default.fusion))
    with KnowledgeBase(changed, embedder=FakeEmbedder()) as other:
        options = EvalOptions(k_values=(1, 5, 10))
        run = other.evaluate(EvalRequest(golden=golden, options=options)).report.run
    assert {name: means[study.grid.default] for name, means in study.means.items()} == {
        name: run.metrics[name] for name in study.means
    }


@settings(max_examples=4)
@given(order=st.permutations(QUERIES))
def test_neither_the_order_of_queries_nor_a_second_run_changes_a_byte(kb: KnowledgeBase, order: list[str]) -> None:
    golden = kb.root.parent / "golden.yml"
    reports = []
    for queries in (list(QUERIES), order):
        golden.write_text(golden_text(kb, queries), encoding="utf-8")
        study = kb.tune(TuneRequest(golden=golden))
        reports.append((render_text(study), render_json(study), render_html(study)))
    assert reports[0] == reports[1]


def test_the_context_axis_is_swept_exactly_when_a_chunk_has_context(kb: KnowledgeBase, tmp_path: Path) -> None:
    golden = tmp_path / "golden.yml"
    golden.write_text(golden_text(kb, list(QUERIES)), encoding="utf-8")
    study = kb.tune(TuneRequest(golden=golden))
    assert study.grid.context_axis is kb.store().meta.contextual
    assert len(study.grid.conditions) == (384 if study.grid.context_axis else 96)


weights = st.floats(0, 10).map(lambda value: round(value, 3))


@settings(max_examples=25)
@given(
    query=st.sampled_from(QUERIES),
    weightings=st.lists(
        st.builds(ColumnWeights, heading=weights, context=weights, content=weights), min_size=1, max_size=5
    ),
)
def test_many_weightings_in_one_walk_score_as_one_at_a_time(
    kb: KnowledgeBase, query: str, weightings: list[ColumnWeights]
) -> None:
    compiled = compile_query(query)
    together_ids, together = fulltext_scores(kb.store(), compiled, weightings)
    for column, weighting in enumerate(weightings):
        alone_ids, alone = fulltext_scores(kb.store(), compiled, [weighting])
        assert together_ids.tolist() == alone_ids.tolist()
        assert together[:, column].tolist() == alone[:, 0].tolist()


# -- choosing ------------------------------------------------------------------------------------------------------

values_of = st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(5, 8), Fraction(1)])


@st.composite
def tables(draw: st.DrawFn, most_queries: int = 7) -> list[list[Fraction]]:
    queries = draw(st.integers(1, most_queries))
    return draw(st.lists(st.lists(values_of, min_size=queries, max_size=queries), min_size=1, max_size=8))


def array(table: list[list[Fraction]]) -> np.ndarray:
    return np.array([[float(value) for value in row] for row in table])


@given(table=tables(), data=st.data())
def test_leave_one_out_chooses_what_a_plain_loop_chooses(table: list[list[Fraction]], data: st.DataObject) -> None:
    preference = data.draw(st.permutations(range(len(table))))
    default = preference[0]
    found = cross_validate(array(table), default, preference)

    def best(queries: list[int]) -> int:
        chosen = preference[0]
        for row in preference:
            if sum(table[row][q] for q in queries) > sum(table[chosen][q] for q in queries):
                chosen = row
        return chosen

    everything = list(range(len(table[0])))
    folds = [best([q for q in everything if q != held_out]) for held_out in everything]
    assert list(found.selections) == folds
    assert found.refit == best(everything)
    assert list(found.differences) == [float(table[row][q] - table[default][q]) for q, row in enumerate(folds)]


@given(table=tables(), data=st.data())
def test_leave_one_out_does_not_depend_on_the_order_of_queries(
    table: list[list[Fraction]], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(table[0]))))
    values, preference = array(table), list(range(len(table)))
    found, again = cross_validate(values, 0, preference), cross_validate(values[:, order], 0, preference)
    assert again.refit == found.refit
    assert list(again.selections) == [found.selections[q] for q in order]


@given(table=tables())
def test_the_selection_test_is_the_share_of_sign_assignments_counted_by_hand(table: list[list[Fraction]]) -> None:
    """Without conditions below the default, where it is the plain maximum test."""
    values = [row for row in table if sum(row) >= sum(table[0])]
    best = max(range(len(values)), key=lambda row: sum(values[row]))
    differences = [[value - home for value, home in zip(row, values[0], strict=True)] for row in values]
    seen = sum(differences[best])
    assignments = list(itertools.product((1, -1), repeat=len(values[0])))
    extreme = sum(
        max(sum(sign * d for sign, d in zip(signs, row, strict=True)) for row in differences) >= seen
        for signs in assignments
    )
    expected = extreme / len(assignments) if seen > 0 else 1.0
    assert math.isclose(selection_p(array(values), 0, best), expected, abs_tol=1e-12)


@given(table=tables(), data=st.data())
def test_the_selection_test_ignores_the_order_of_conditions_and_repeats(
    table: list[list[Fraction]], data: st.DataObject
) -> None:
    best = max(range(len(table)), key=lambda row: sum(table[row]))
    p = selection_p(array(table), 0, best)
    order = data.draw(st.permutations(range(len(table))))
    again = selection_p(array([*(table[row] for row in order), table[best]]), order.index(0), order.index(best))
    assert 0 < p <= 1
    assert math.isclose(p, again, abs_tol=1e-12)


@given(choice=st.sampled_from(Choice), legs=st.booleans(), has_context=st.booleans())
def test_ties_go_to_the_default_then_to_its_neighbours(choice: Choice, legs: bool, has_context: bool) -> None:
    grid: Grid = build_grid(choice, legs=legs, has_context=has_context)
    size = len(grid.conditions)
    equal = np.full((size, 3), 0.5)
    assert cross_validate(equal, grid.default, grid.preference()).refit == grid.default
    equal[grid.default] = 0.0
    nearest = grid.conditions[cross_validate(equal, grid.default, grid.preference()).refit]
    assert nearest.family is grid.conditions[grid.default].family
    assert nearest.distance == 1
