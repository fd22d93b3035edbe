import math
import re
from pathlib import Path

import ir_measures
import pytest
from grooveseek.errors import GoldenError
from grooveseek.evaluation.trec import (
    QueryLine,
    falling_scores,
    read_qrels,
    read_queries,
    read_run,
    write_qrels,
    write_run,
)
from grooveseek.model.judgments import Qrels, Run, as_float32


def test_qrels_are_read_with_tabs_blank_lines_and_windows_line_ends() -> None:
    read = read_qrels("\ufeffq1 0 d1 2\r\n\r\nq1\t0\td2\t0\nq2 Q0 d1 1".encode(), "q.txt")
    assert read.qrels == Qrels(by_query={"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}})
    assert read.lines["q2", "d1"] == 4


def test_a_negative_relevance_is_judged_and_not_relevant() -> None:
    assert read_qrels(b"q 0 d -2", "q.txt").qrels.of("q") == {"d": 0}


def test_a_run_is_ranked_by_its_scores_not_by_its_rank_column() -> None:
    read = read_run(b"q Q0 low 1 0.5 t\nq Q0 tie-a 2 0.7 t\nq Q0 tie-b 3 0.7 t\n", "r.txt")
    assert read.ranking("q") == ("tie-b", "tie-a", "low")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("q 0 d", 1, "3 columns; a judgment has 4"),
        ("q 0 d 1\nq 0 my notes.md 1", 2, "5 columns"),
        ("q 0 d 1\nq 0 d 1", 2, 'document "d" is judged twice for query "q", first on line 1'),
        ("q 0 d high", 1, 'relevance "high" is not a whole number'),
        ("q 0 d 1.0", 1, 'relevance "1.0" is not a whole number'),
        ("q 0 d 1001", 1, "relevance 1001 is above 1000"),
    ],
)
def test_wrong_qrels_are_named_with_file_and_line(text: str, line: int, message: str) -> None:
    with pytest.raises(GoldenError, match=re.escape(f"q.txt:{line}: {message}")):
        read_qrels(text.encode(), "q.txt")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("q Q0 d 1 0.5", 1, "5 columns; a run line has 6"),
        ("q Q0 d 1 0.5 t\nq Q0 d 2 0.4 t", 2, 'document "d" is ranked twice'),
        ("q Q0 d 1 nan t", 1, 'score "nan" is not a finite number'),
        ("q Q0 d 1 x t", 1, 'score "x" is not a finite number'),
    ],
)
def test_wrong_runs_are_named_with_file_and_line(text: str, line: int, message: str) -> None:
    with pytest.raises(GoldenError, match=re.escape(f"r.txt:{line}: {message}")):
        read_run(text.encode(), "r.txt")


def test_bytes_that_are_not_utf8_are_named_with_their_line() -> None:
    with pytest.raises(GoldenError, match=r"q\.txt:2: not UTF-8 \(byte 9 of the file\)"):
        read_qrels(b"q 0 d 1\n \xff", "q.txt")


def test_an_empty_file_is_an_error() -> None:
    with pytest.raises(GoldenError, match="no judgments"):
        read_qrels(b"\n", "q.txt")
    with pytest.raises(GoldenError, match="no queries"):
        read_queries(b"", "q.tsv")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.tsv", "1\twhat is it\n7\tand  why\n"),
        ("q.jsonl", '{"id": "1", "text": "what is it"}\n{"_id": 7, "query": "and  why", "other": 1}\n'),
    ],
)
def test_queries_are_read_from_tabs_or_json_lines(name: str, text: str) -> None:
    assert read_queries(text.encode(), name) == (
        QueryLine(id="1", text="what is it", line=1),
        QueryLine(id="7", text="and  why", line=2),
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("q.tsv", "1 no tab", "q.tsv:1: a query line is the query's id, a tab, and its text"),
        ("q.tsv", "1\t ", "q.tsv:1: a query line is"),
        ("q.tsv", "1\ta\n1\tb", 'q.tsv:2: query id "1" was used on line 1'),
        ("q.jsonl", "{", "q.jsonl:1: not JSON"),
        ("q.jsonl", "[" * 100_000, "q.jsonl:1: not JSON"),
        ("q.jsonl", "[]", "q.jsonl:1: not a JSON object"),
        ("q.jsonl", '{"id": "1"}', "q.jsonl:1: needs an id"),
        ("q.jsonl", '{"id": true, "text": "t"}', "q.jsonl:1: needs an id"),
        ("q.jsonl", '{"id": " ", "text": "t"}', "q.jsonl:1: needs an id"),
        ("q.jsonl", '{"id": "1", "text": 5}', "q.jsonl:1: needs an id"),
        ("q.jsonl", '{"id": "1", "text": "\\ud800"}', "q.jsonl:1: half of a surrogate pair"),
    ],
)
def test_wrong_queries_are_named_with_file_and_line(name: str, text: str, message: str) -> None:
    with pytest.raises(GoldenError, match=re.escape(message)):
        read_queries(text.encode(), name)


def test_ids_with_white_space_cannot_be_written() -> None:
    with pytest.raises(GoldenError, match='document id "a b" has white space'):
        write_qrels(Qrels(by_query={"q": {"a b": 1}}))
    with pytest.raises(GoldenError, match='query id "a b" has white space'):
        write_run(Run(by_query={"a b": (("d", 1.0),)}))


def test_a_written_run_looks_as_trec_eval_wants_it() -> None:
    run = Run(by_query={"q": (("a", 0.5), ("b", 0.25))})
    assert write_run(run, "tag") == "q Q0 a 1 0.5 tag\nq Q0 b 2 0.25 tag\n"
    assert write_qrels(Qrels(by_query={"q": {"a": 1}})) == "q 0 a 1\n"


@pytest.mark.parametrize(
    "scores",
    [
        [1.0, 1.0, 1.0],
        [0.0, 0.0],
        [-1.0, -1.0],
        [0.5, 0.9, 0.1],
        [1.0, 1.0 - 1e-12],
        [1e300, 1e299],
        [-1e300, -1e300],
        [1e-45, 1e-45],
        [0.016393442] * 1000,
    ],
)
def test_scores_are_made_to_fall_as_32_bit_floats_and_survive_being_written(scores: list[float]) -> None:
    falling = [as_float32(float(f"{score:.9g}")) for score in falling_scores(scores)]
    assert all(math.isfinite(score) for score in falling)
    assert falling == sorted(set(falling), reverse=True)
    assert len(falling) == len(scores)


def test_scores_that_tie_stay_where_they_were_but_for_the_last_digits() -> None:
    assert falling_scores([0.5, 0.5, 0.9]) == pytest.approx([0.5, 0.5, 0.5], rel=1e-6)


def test_scores_that_fall_already_are_kept() -> None:
    assert falling_scores([2.0, 1.0, -0.5]) == [2.0, 1.0, -0.5]


def test_other_tools_read_a_collection_as_we_do() -> None:
    folder = Path(__file__).parents[3] / "shared" / "collections" / "cranfield"
    if not folder.exists():
        pytest.skip("the Cranfield collection is not beside this repository")
    data = (folder / "qrels.txt").read_bytes()
    theirs = {(row.query_id, row.doc_id): max(row.relevance, 0) for row in ir_measures.read_trec_qrels(data.decode())}
    ours = {
        (q, d): rel for q, judged in read_qrels(data, "qrels.txt").qrels.by_query.items() for d, rel in judged.items()
    }
    assert ours == theirs
    assert len(read_queries((folder / "queries.jsonl").read_bytes(), "queries.jsonl")) == 225
