from collections.abc import Mapping

from grooveseek.evaluation.golden import Expected, GoldenQuery
from grooveseek.evaluation.hits import Target
from grooveseek.evaluation.quotes import chunks_with, resolve_quotes

CONTENTS: Mapping[int, str] = {0: "# Title\n\nHold the red", 1: "button for\nten seconds.", 2: "  ", 3: "Then let go."}


def test_a_quote_names_the_chunk_that_holds_it_whatever_its_white_space() -> None:
    assert chunks_with("for ten   seconds", CONTENTS) == {1}


def test_a_quote_that_chunking_cut_belongs_to_the_chunks_it_touches() -> None:
    assert chunks_with("red button", CONTENTS) == {0, 1}
    assert chunks_with("seconds. Then", CONTENTS) == {1, 3}


def test_a_quote_that_stands_twice_names_both_chunks() -> None:
    assert chunks_with("same", {0: "the same", 1: "not", 2: "same"}) == {0, 2}


def test_a_quote_that_is_gone_names_none() -> None:
    assert chunks_with("press the lever", CONTENTS) == frozenset()


def test_a_stale_quote_is_told_apart_from_a_missing_document() -> None:
    stale = Expected(path="a.md", quote="gone", line=4)
    query = GoldenQuery(
        id="q",
        query="q",
        expected=(stale, Expected(path="b.md", quote="here", relevance=2), Expected(path="c.md", quote="x")),
    )
    documents = {"a.md": {0: "text"}, "b.md": {5: "it is here"}}
    resolved = resolve_quotes(query, documents.get)
    assert resolved.targets == (
        Target(path="b.md", relevance=2, chunks=frozenset({5})),
        Target(path="c.md"),
    )
    assert resolved.stale == (stale,)
