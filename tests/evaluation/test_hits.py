from grooveseek.evaluation.golden import Expected, GoldenQuery
from grooveseek.evaluation.hits import EvalHit, Level, Target, judged_of, rank_hits, ranking_of, targets_of


def hit(path: str, chunk: int = 0, heading: str | None = None) -> EvalHit:
    return EvalHit(path=path, chunk=chunk, score=1.0, heading=heading)


def test_each_entry_is_credited_at_its_first_matching_rank_only() -> None:
    hits = [hit("b.md"), hit("a.md", 2), hit("a.md", 0)]
    ranked = rank_hits(hits, [Target(path="a.md", relevance=3)], Level.CHUNK)
    assert [(entry.rank, entry.doc_id, entry.relevance) for entry in ranked] == [
        (1, "b.md#0", 0),
        (2, "a.md", 3),
        (3, "a.md#0", 0),
    ]


def test_a_heading_must_agree_when_the_entry_names_one() -> None:
    hits = [hit("a.md", 0, "Other"), hit("a.md", 1), hit("a.md", 2, " straße "), hit("a.md", 3, "STRASSE")]
    ranked = rank_hits(hits, [Target(path="a.md", heading="Strasse")], Level.CHUNK)
    assert [entry.relevance for entry in ranked] == [0, 0, 1, 0]


def test_a_quote_is_credited_to_the_chunks_that_hold_it() -> None:
    hits = [hit("a.md", 0), hit("a.md", 4)]
    ranked = rank_hits(hits, [Target(path="a.md", chunks=frozenset({4}))], Level.CHUNK)
    assert [entry.relevance for entry in ranked] == [0, 1]


def test_documents_are_ranked_by_their_first_hit_whatever_its_section() -> None:
    hits = [hit("b.md", 0), hit("a.md", 1, "Other"), hit("b.md", 1), hit("a.md", 2, "H"), hit("c.md")]
    ranked = rank_hits(hits, [Target(path="a.md", heading="H"), Target(path="c.md", relevance=2)], Level.DOCUMENT)
    assert [(entry.rank, entry.doc_id, entry.hit.chunk, entry.relevance) for entry in ranked] == [
        (1, "b.md", 0, 0),
        (2, "a.md", 1, 1),
        (3, "c.md", 0, 2),
    ]


def test_a_chunk_given_twice_has_one_rank() -> None:
    ranked = rank_hits([hit("a.md"), hit("a.md"), hit("b.md")], [], Level.CHUNK)
    assert ranking_of(ranked) == ("a.md#0", "b.md#0")


def test_a_path_that_looks_like_a_chunk_of_another_cannot_be_taken_for_it() -> None:
    ranked = rank_hits([hit("a.md", 1), hit("a.md#1")], [Target(path="a.md#1")], Level.CHUNK)
    assert ranking_of(ranked) == ("a.md#1", "a.md%231")
    assert judged_of([Target(path="a.md#1")]) == {"a.md%231": 1}


def test_targets_come_from_the_golden_query() -> None:
    query = GoldenQuery(id="q", query="q", expected=(Expected(path="a.md", heading="H", relevance=2),))
    assert targets_of(query) == (Target(path="a.md", heading="H", relevance=2),)
