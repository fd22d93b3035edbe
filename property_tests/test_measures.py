"""Every measure equals ir_measures' value on the same run and judgments; so do the files groove exports."""

import math
from collections.abc import Mapping

import ir_measures
import pytest
from grooveseek.evaluation.exchange import export_collection
from grooveseek.evaluation.hits import EvalHit, Level, Target, judged_of, rank_hits, ranking_of
from grooveseek.evaluation.measures import (
    NDCG,
    Gain,
    Measure,
    Unjudged,
    auroc,
    parse_measure,
    score_run,
    standard_measures,
)
from grooveseek.evaluation.trec import read_qrels, read_run, write_qrels, write_run
from grooveseek.model.judgments import Qrels, Run
from hypothesis import example, given, settings
from hypothesis import strategies as st

DOCS = st.sampled_from([f"d{i}" for i in range(9)])
QUERIES = ("q1", "q2", "q3")
# few distinct scores make ties common; two that only a 64-bit float tells apart make sure the oracle's 32 bits count
SCORES = st.sampled_from([0.0, 1.0, 1.0 + 1e-12, 2.5, -3.0, 1e300]) | st.floats(-1e6, 1e6)
RUNS = st.dictionaries(st.sampled_from(QUERIES), st.dictionaries(DOCS, SCORES, min_size=1, max_size=9), max_size=3)
JUDGED = st.dictionaries(DOCS, st.integers(0, 4), min_size=1, max_size=8).filter(lambda judged: any(judged.values()))
QRELS = st.dictionaries(st.sampled_from(QUERIES), JUDGED, min_size=1, max_size=3)

EXPONENTIAL = {relevance: 2**relevance - 1 for relevance in range(5)}
MEASURES: tuple[Measure, ...] = (
    *standard_measures((1, 2, 3, 5, 10)),
    *map(parse_measure, ("nDCG", "AP@3", "R(rel=2)@3", "P(rel=2)@3", "Success(rel=3)@2", "AP(rel=2)")),
    NDCG(cutoff=3, gain=Gain.EXP2),
    NDCG(gain=Gain.EXP2),
)
# ir_measures computes RR@k apart from trec_eval and breaks ties another way there, so it is compared without ties only
WITHOUT_TIES = (*MEASURES, parse_measure("RR@2"))


def theirs(measure: Measure) -> ir_measures.Measure:
    if isinstance(measure, NDCG) and measure.gain is Gain.EXP2:
        cut = {} if measure.cutoff is None else {"cutoff": measure.cutoff}
        return ir_measures.nDCG(gains=EXPONENTIAL, **cut)
    return ir_measures.parse_measure(measure.name)


def oracle(measures: tuple[Measure, ...], qrels: Mapping, run: Mapping) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for measure in measures:  # one at a time: gains of one nDCG leak into the other otherwise
        for metric in ir_measures.iter_calc([theirs(measure)], qrels, run):
            if metric.query_id in qrels:
                found[metric.query_id, measure.name] = metric.value
    return found


def has_value(measure: Measure, judged: Mapping[str, int]) -> bool:
    return any(relevance >= getattr(measure, "rel", 1) for relevance in judged.values())


@settings(max_examples=60, deadline=None)
@given(QRELS, RUNS)
@example({"q1": {"d0": 1, "d1": 2}}, {"q1": {"d0": 1.0, "d1": 1.0, "d2": 1.0}})
@example({"q1": {"d0": 1}}, {})
def test_measures_equal_ir_measures(qrels: dict[str, dict[str, int]], scores: dict[str, dict[str, float]]) -> None:
    ours = score_run(Run.from_scores(scores), Qrels(by_query=qrels), MEASURES)
    expected = oracle(MEASURES, qrels, scores)
    for query_id, judged in qrels.items():
        for measure in MEASURES:
            value = ours[query_id][measure.name]
            if has_value(measure, judged):
                assert value == pytest.approx(expected[query_id, measure.name], abs=1e-9), (query_id, measure.name)
            else:
                assert math.isnan(value)


@settings(max_examples=50, deadline=None)
@given(JUDGED, st.lists(DOCS, unique=True, min_size=1, max_size=9), st.integers(1, 12))
def test_unjudged_is_what_judged_leaves(judged: dict[str, int], ranking: list[str], cutoff: int) -> None:
    run = {"q": {doc_id: float(-rank) for rank, doc_id in enumerate(ranking)}}
    theirs = next(iter(ir_measures.iter_calc([ir_measures.Judged @ cutoff], {"q": judged}, run))).value
    assert Unjudged(cutoff=cutoff).evaluate(ranking, judged) == pytest.approx(1 - theirs)


PATHS = ["a.md", "my notes/b c.md", "a#1.md", "100%.md", "日本 語.md", "a%20b.md", "tab\tname.md"]
HITS = st.lists(
    st.builds(
        EvalHit,
        path=st.sampled_from(PATHS),
        chunk=st.integers(0, 3),
        score=SCORES,
        heading=st.sampled_from([None, "One", " one ", "Two"]),
    ),
    max_size=20,
)
TARGETS = st.lists(
    st.builds(
        Target,
        path=st.sampled_from([*PATHS, "gone.md"]),
        relevance=st.integers(1, 4),
        heading=st.sampled_from([None, "ONE", "Two"]),
        chunks=st.none() | st.frozensets(st.integers(0, 3)),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda target: target.path,
)


@settings(max_examples=60, deadline=None)
@given(HITS, TARGETS, st.sampled_from(Level))
def test_exported_files_give_the_same_figures_in_ir_measures(
    hits: list[EvalHit], targets: list[Target], level: Level
) -> None:
    ranked = rank_hits(hits, targets, level)
    qrels, run = export_collection({"how to \x85 do": ranked}, {"how to \x85 do": targets})
    files = (
        list(ir_measures.read_trec_qrels(write_qrels(qrels))),
        list(ir_measures.read_trec_run(write_run(run) + "\n")),
    )
    expected = {
        measure.name: next(iter(ir_measures.iter_calc([theirs(measure)], *files))).value for measure in WITHOUT_TIES
    }
    for measure in WITHOUT_TIES:
        value = measure.evaluate(ranking_of(ranked), judged_of(targets))
        if has_value(measure, judged_of(targets)):
            assert value == pytest.approx(expected[measure.name], abs=1e-9), measure.name


@settings(max_examples=60, deadline=None)
@given(HITS, TARGETS, st.sampled_from(Level))
def test_every_entry_is_credited_at_most_once_and_at_its_first_match(
    hits: list[EvalHit], targets: list[Target], level: Level
) -> None:
    ranked = rank_hits(hits, targets, level)
    assert [entry.rank for entry in ranked] == list(range(1, len(ranked) + 1))
    ids = ranking_of(ranked)
    assert len(set(ids)) == len(ids)
    credited = [entry.target.path for entry in ranked if entry.target]
    assert len(set(credited)) == len(credited)
    for target in targets:
        matching = [entry.rank for entry in ranked if level is Level.CHUNK and target.matches(entry.hit)]
        given_to = [entry.rank for entry in ranked if entry.target == target]
        if level is Level.CHUNK:
            assert given_to == matching[:1]
        else:
            assert given_to == [entry.rank for entry in ranked if entry.hit.path == target.path][:1]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(DOCS, SCORES), unique_by=lambda pair: pair[0], min_size=1, max_size=9))
def test_a_written_run_is_read_in_the_order_it_was_ranked(ranked: list[tuple[str, float]]) -> None:
    run = Run(by_query={"q": tuple(ranked)})
    again = read_run(write_run(run).encode(), "run.trec")
    assert again.ranking("q") == run.ranking("q")


@settings(max_examples=40, deadline=None)
@given(QRELS)
def test_written_qrels_are_read_as_they_were(by_query: dict[str, dict[str, int]]) -> None:
    qrels = Qrels(by_query=by_query)
    assert read_qrels(write_qrels(qrels).encode(), "qrels.txt").qrels == qrels


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 5), max_size=8), st.lists(st.integers(0, 5), max_size=8))
def test_auroc_counts_pairs(positives: list[int], negatives: list[int]) -> None:
    pairs = [(p > n) + (p == n) / 2 for p in positives for n in negatives]
    area = auroc(positives, negatives)
    assert math.isnan(area) if not pairs else area == pytest.approx(sum(pairs) / len(pairs))
