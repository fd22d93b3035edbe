import re

import pytest
from grooveseek.errors import GoldenError
from grooveseek.evaluation.exchange import DocumentNames, export_collection, import_collection
from grooveseek.evaluation.golden import Expected
from grooveseek.evaluation.hits import EvalHit, Level, Target, rank_hits
from grooveseek.evaluation.trec import write_qrels, write_run

PATHS = ["docs/184.md", "docs/29.txt", "my notes/plan.md", "a/twin.md", "b/twin.md", "100%.md", "a%20b.md", "a b.md"]


@pytest.mark.parametrize(
    ("doc_id", "paths"),
    [
        ("docs/184.md", ("docs/184.md",)),
        ("184", ("docs/184.md",)),
        ("29", ("docs/29.txt",)),
        ("my%20notes/plan.md", ("my notes/plan.md",)),
        ("plan", ("my notes/plan.md",)),
        ("twin", ("a/twin.md", "b/twin.md")),
        ("100%.md", ("100%.md",)),
        ("100%25.md", ("100%.md",)),
        ("a%20b.md", ("a%20b.md",)),
        ("a%2520b.md", ("a%20b.md",)),
        ("gone", ()),
    ],
)
def test_a_document_id_is_a_path_or_an_unambiguous_stem(doc_id: str, paths: tuple[str, ...]) -> None:
    assert DocumentNames(PATHS).resolve(doc_id) == paths


def test_a_collection_becomes_a_golden_set() -> None:
    qrels = b"1 0 184 3\n1 0 29 0\n1 0 gone.md 1\n2 0 29 0\n9 0 184 1\n"
    imported = import_collection((b"1\tfirst\n2\tsecond\n3\tthird\n", "q.tsv"), (qrels, "qrels.txt"), PATHS)
    (query,) = imported.golden.queries
    assert (query.id, query.query, query.line) == ("1", "first", 1)
    assert query.expected == (
        Expected(path="docs/184.md", relevance=3),
        Expected(path="docs/29.txt", relevance=0),
        Expected(path="gone.md", relevance=1),
    )
    assert query.relevant == 2
    assert imported.golden.name == "q.tsv"
    assert imported.notices == (
        "2 of 3 queries have no relevant document in qrels.txt; left out.",
        "qrels.txt judges 1 queries that are not in the list, 9 first.",
        "1 judged documents are not indexed, gone.md first.",
    )


def test_an_ambiguous_stem_is_an_error_with_its_line() -> None:
    with pytest.raises(GoldenError, match=re.escape('qrels.txt:2: document "twin" fits 2 files: a/twin.md and b/twin')):
        import_collection((b"1\tq\n", "q.tsv"), (b"1 0 184 1\n1 0 twin 1\n", "qrels.txt"), PATHS)


def test_two_names_of_one_document_are_an_error() -> None:
    with pytest.raises(
        GoldenError, match=re.escape('qrels.txt:2: "docs/184.md" is docs/184.md, which query "1" names')
    ):
        import_collection((b"1\tq\n", "q.tsv"), (b"1 0 184 1\n1 0 docs/184.md 2\n", "qrels.txt"), PATHS)


def test_nothing_to_measure_is_an_error() -> None:
    with pytest.raises(GoldenError, match=r"no query of q\.tsv has a relevant document"):
        import_collection((b"1\tq\n", "q.tsv"), (b"2 0 184 1\n", "qrels.txt"), PATHS)


def test_the_digest_depends_on_both_files() -> None:
    def digest(queries: bytes, qrels: bytes) -> str:
        return import_collection((queries, "q.tsv"), (qrels, "qrels.txt"), PATHS).golden.sha256

    first = digest(b"1\tq\n", b"1 0 184 1\n")
    assert len({first, digest(b"1\tr\n", b"1 0 184 1\n"), digest(b"1\tq\n", b"1 0 184 2\n")}) == 3


def test_paths_and_query_ids_with_blanks_survive_a_round_trip() -> None:
    targets = {"how do I": (Target(path="my notes/plan.md", relevance=2), Target(path="100%.md"))}
    hits = [EvalHit(path="my notes/plan.md", chunk=3, score=0.5), EvalHit(path="my notes/plan.md", chunk=1, score=0.5)]
    qrels, run = export_collection({"how do I": rank_hits(hits, targets["how do I"], Level.CHUNK)}, targets)
    assert write_qrels(qrels) == "how%20do%20I 0 my%20notes/plan.md 2\nhow%20do%20I 0 100%25.md 1\n"
    assert [line.split()[2] for line in write_run(run).splitlines()] == ["my%20notes/plan.md", "my%20notes/plan.md#1"]
    again = import_collection((b"how do I\tq\n", "q.tsv"), (write_qrels(qrels).encode(), "qrels.txt"), PATHS)
    assert again.golden.queries[0].judgments == {"my notes/plan.md": 2, "100%.md": 1}


def test_a_query_that_found_nothing_is_in_the_judgments_and_not_in_the_run() -> None:
    qrels, run = export_collection({}, {"q": (Target(path="a.md"),)})
    assert write_qrels(qrels) == "q 0 a.md 1\n"
    assert write_run(run) == ""
