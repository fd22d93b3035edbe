"""What holds of retrieval for any input: the compiler, spans, fusion, MMR."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import apsw
import numpy as np
import pytest
from grooveseek.retrieval import mmr
from grooveseek.retrieval.fusion import convex_combination, reciprocal_rank_fusion
from grooveseek.retrieval.query import MAX_PHRASES, compile_query, forms
from grooveseek.retrieval.spans import MAX_SPANS, match_spans
from grooveseek.store.postings import quoted
from grooveseek.text.fold import fold
from hypothesis import example, given, settings
from hypothesis import strategies as st

PIECES = (
    *(
        "a",
        "AI",
        "fog",
        "Slack",
        "C++",
        "50%",
        '"',
        '""',
        '"x y"',
        "-",
        "-draft",
        "--",
        "- ",
        " ",
        "\t",
        "\0",
        "*",
        "(",
        ")",
    ),
    *(
        ":",
        "NEAR",
        "AND",
        "OR",
        "NOT",
        "^",
        "{",
        "}",
        "再",
        "ランキング",
        "の",
        "評価",
        "用",
        "ー",
        "점검",
        "기록",
        "倉庫",
        "件表",
    ),
    *(
        "ปั๊มน้ำ",
        "é",
        "e\u0301",
        "İ",
        "ẞ",
        "ﬁ",
        "Ⅷ",
        "ｶﾞ",
        "👨\u200d👩",
        "\u200b",
        "\u00ad",
        "\ud800",
        "Ж",
        "ж",
        "ss",
        "i\u0307",
    ),
)
queries = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=40)
contents = st.lists(st.sampled_from(PIECES), max_size=30).map("".join).map(lambda t: t.replace("\ud800", "")) | st.text(
    st.characters(exclude_categories=("Cs",)), max_size=60
)


@pytest.fixture(scope="module")
def tables() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE trigram USING fts5 (t, tokenize = 'trigram case_sensitive 1')")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (t, tokenize = 'porter unicode61 remove_diacritics 2')")
    yield connection
    connection.close()


@given(text=queries)
@example(text='"" -"" "')
@example(text="\0")
def test_any_string_compiles_to_what_sqlite_accepts(tables: apsw.Connection, text: str) -> None:
    compiled = compile_query(text)
    for table, terms, spelled in (
        ("trigram", compiled.phrases, False),
        ("trigram", compiled.excluded, False),
        ("words", compiled.words, True),
        ("words", compiled.excluded_words, True),
    ):
        for form in forms(terms, spelled=spelled):
            match = quoted(form.encode("utf-8", "replace").decode())
            found = tables.execute(f"SELECT rowid FROM {table} WHERE {table} MATCH ?", (match,)).fetchall()
            assert found == []  # the tables are empty; what counts is that no error was raised


@given(text=queries)
def test_every_phrase_is_a_piece_of_the_input(text: str) -> None:
    compiled = compile_query(text)
    plain = text.replace("\0", " ").replace('""', '"')
    for phrase in compiled.phrases:
        assert phrase in plain or phrase in text.replace("\0", " ")
    assert len(compiled.phrases) <= MAX_PHRASES
    assert len({fold(phrase) for phrase in compiled.phrases}) == len(compiled.phrases)


@given(content=contents, words=st.lists(st.sampled_from([p for p in PIECES if p.strip() and '"' not in p]), max_size=8))
def test_the_order_of_words_does_not_move_spans(content: str, words: list[str]) -> None:
    shuffled = words[:]
    random.Random(7).shuffle(shuffled)
    first, second = (compile_query(" ".join(order)) for order in (words, shuffled))
    if set(first.phrases) == set(second.phrases):  # the whole query as one phrase depends on order by its nature
        assert match_spans(content, first.span_terms) == match_spans(content, second.span_terms)


@given(content=contents, terms=st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=6))
@example(content="İ ẞ ﬁ e\u0301", terms=["i", "ss", "fi", "é"])
def test_spans_are_sorted_disjoint_and_on_code_points(content: str, terms: list[str]) -> None:
    spans = match_spans(content, terms)
    if spans is None:
        assert not any(map(fold, terms))
        return
    data = content.encode()
    assert len(spans) <= MAX_SPANS
    for (_, end), (start, _) in itertools.pairwise(spans):
        assert end <= start
    for start, end in spans:
        assert start < end
        data[start:end].decode("utf-8")


@given(content=contents, term=st.text(min_size=3, max_size=5))
def test_every_long_term_that_occurs_is_covered_by_spans_that_read_as_it(content: str, term: str) -> None:
    folded = fold(term)
    spans = match_spans(content, [term])
    if len(folded) < 3 or spans is None:
        return
    assert bool(spans) == (folded in fold(content))
    for start, end in spans:
        assert folded in fold(content.encode()[start:end].decode())


@given(content=contents, terms=st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=4))
def test_folding_terms_again_changes_no_span(content: str, terms: list[str]) -> None:
    assert match_spans(content, terms) == match_spans(content, [fold(term) for term in terms])


ranked = st.lists(st.integers(1, 30), unique=True, max_size=15).map(
    lambda ids: [(id_, float(100 - rank)) for rank, id_ in enumerate(ids)]
)


@given(vector=ranked, fulltext=ranked, rrf_k=st.floats(1, 1000), weights=st.tuples(st.floats(0, 4), st.floats(0, 4)))
def test_reciprocal_rank_fusion_equals_a_naive_model(
    vector: list[tuple[int, float]], fulltext: list[tuple[int, float]], rrf_k: float, weights: tuple[float, float]
) -> None:
    naive: dict[int, float] = {}
    for leg, weight in ((vector, weights[0]), (fulltext, weights[1])):
        for position in range(len(leg)):
            naive[leg[position][0]] = naive.get(leg[position][0], 0.0) + weight / (rrf_k + position + 1)
    fused = reciprocal_rank_fusion(vector, fulltext, rrf_k=rrf_k, vector_weight=weights[0], fulltext_weight=weights[1])
    assert {id_: value.score for id_, value in fused.items()} == pytest.approx(naive)


scores = st.dictionaries(st.integers(1, 30), st.floats(-1, 1), max_size=12)


@given(
    vector=scores, fulltext=st.dictionaries(st.integers(1, 30), st.floats(0, 50), max_size=12), alpha=st.floats(0, 1)
)
def test_a_convex_combination_lies_between_nought_and_one(
    vector: dict[int, float], fulltext: dict[int, float], alpha: float
) -> None:
    fused = convex_combination(vector, fulltext, alpha=alpha)
    assert set(fused) == set(vector) | set(fulltext)
    for value in fused.values():
        assert -1e-9 <= value.score <= 1 + 1e-9
        assert value.score == value.from_vector + value.from_fulltext


@settings(max_examples=60)
@given(
    data=st.data(),
    size=st.integers(0, 12),
    # twentieths, so that values differ by more than float32 arithmetic in another order does
    lambda_=st.integers(0, 20).map(lambda n: n / 20),
    penalty=st.integers(0, 20).map(lambda n: n / 20),
)
def test_mmr_equals_a_reference_that_compares_every_pair(
    data: st.DataObject, size: int, lambda_: float, penalty: float
) -> None:
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    vectors = generator.normal(size=(size, 6)).astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    relevance = [float(n) for n in data.draw(st.lists(st.integers(0, 10), min_size=size, max_size=size))]
    documents = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    limit = data.draw(st.integers(0, 14))
    picked = mmr.select(relevance, vectors, documents, limit=limit, lambda_=lambda_, same_doc_penalty=penalty)
    assert picked == _reference(relevance, vectors, documents, limit, lambda_, penalty)


def _reference(
    relevance: list[float], vectors: np.ndarray, documents: list[int], limit: int, lambda_: float, penalty: float
) -> list[int]:
    low, high = min(relevance, default=0.0), max(relevance, default=0.0)
    rel = [(r - low) / (high - low) if high > low else 1.0 for r in relevance]
    picked: list[int] = []
    while len(picked) < min(limit, len(relevance)):
        best, best_value = -1, -np.inf
        for i in range(len(relevance)):
            if i in picked:
                continue
            like = max((float(np.einsum("i,i->", vectors[i], vectors[j])) for j in picked), default=0.0)
            value = (
                lambda_ * rel[i] - (1 - lambda_) * like - penalty * any(documents[i] == documents[j] for j in picked)
            )
            if round(value, 6) > round(best_value, 6):
                best, best_value = i, value
        picked.append(best)
    return picked
