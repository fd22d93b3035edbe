"""Match spans, worked out by hand."""

from __future__ import annotations

import pytest
from grooveseek.retrieval.spans import MAX_CONTENT_BYTES, MAX_SPANS, match_spans


@pytest.mark.parametrize(
    ("content", "terms", "spans"),
    [
        ("fog and Fog", ["fog"], [(0, 3), (8, 11)]),
        ("no match", ["fog"], []),
        ("abcabc", ["abc"], [(0, 3), (3, 6)]),  # touching, kept apart
        ("abcde", ["abc", "cde"], [(0, 5)]),  # overlapping, united
        ("港の倉庫", ["倉庫"], [(6, 12)]),
        ("naïve café", ["café"], [(7, 12)]),
        ("naïve cafe\u0301!", ["café"], [(7, 13)]),  # the mark belongs to its letter
        ("oﬀice", ["off"], [(0, 4)]),  # half a ligature is the whole of it
        ("Straße", ["strasse"], [(0, 7)]),
        ("İstanbul kedi", ["kedi"], [(10, 14)]),
        ("👨‍👩 pump", ["pump"], [(12, 16)]),
        ("maintain AI, ai", ["AI"], [(9, 11), (13, 15)]),  # a short term stands as a word
        ("ware\u00adhouse", ["warehouse"], [(0, 11)]),
    ],
)
def test_spans(content: str, terms: list[str], spans: list[tuple[int, int]]) -> None:
    assert match_spans(content, terms) == spans


def test_nothing_is_computed_without_a_term_or_for_huge_content() -> None:
    assert match_spans("text", []) is None
    assert match_spans("x" * (MAX_CONTENT_BYTES + 1), ["xxx"]) is None
    assert match_spans("x" * 10, ["yyy"]) == []


def test_each_term_has_its_share_of_the_cap() -> None:
    content = "aaa " * 200 + "bbb"
    spans = match_spans(content, ["aaa", "bbb"])
    assert spans is not None
    assert len(spans) == MAX_SPANS // 2 + 1
    assert spans[-1] == (800, 803)
