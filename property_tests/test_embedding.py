"""Windows hold every token and every character but white space, and fit the model; vectors are unit rows."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp
from unittest import mock

import numpy as np
import pytest
from grooveseek.embedding import windows
from grooveseek.embedding.bundle import DIRECTORY
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.embedding.session import plan_batches
from grooveseek.embedding.tokens import ModelTokenizer, clean
from grooveseek.embedding.windows import Spans
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.tiny_models import write_tokenizer
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

KINDS = ("wordpiece", "bytes", "unigram")
AWKWARD = "ﷺ👩‍👩‍👧e\u0301が\u3099\u200b\x00\ud800 \n　１½ﬁ"
texts = st.one_of(
    st.text(max_size=60),
    st.text(alphabet=st.sampled_from("ab .,-_\n日本語カナ" + AWKWARD), max_size=400),
    st.lists(st.text(alphabet="abcdefg", min_size=1, max_size=12), max_size=120).map(" ".join),
)
window_sizes = st.integers(
    min_value=50, max_value=90
)  # U+FDFA, a prefix and special tokens are 48: a window has to hold a character


def unigram(path: Path) -> None:
    """A SentencePiece-like tokenizer: no word ends inside a line without spaces, and pieces of several characters."""
    alphabet = [chr(code) for code in (*range(33, 127), *range(0x3040, 0x3100))]
    pieces = ["<unk>", "<s>", "</s>", "▁", *alphabet, "ab", "abc", "▁a", "▁b", "日本", "日本語", "語カ", "カナ", "ナ語"]
    scores = [(piece, -1.0 - 9.0 * (len(piece) == 1)) for piece in pieces]
    tokenizer = Tokenizer(models.Unigram(scores, unk_id=0, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    tokenizer.save(str(path))


@cache
def tokenizer_file(kind: str) -> Path:
    """The tokenizer.json of BERT, of the tiny byte-level models, and of a SentencePiece-like one."""
    if kind == "wordpiece":
        return DIRECTORY / "tokenizer.json"
    directory = Path(mkdtemp(prefix="groove-tokenizer-"))
    if kind == "bytes":
        write_tokenizer(directory, 512)
    else:
        unigram(directory / "tokenizer.json")
    return directory / "tokenizer.json"


@cache
def oracle(kind: str) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(tokenizer_file(kind)))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


@cache
def tokenizer(kind: str, window: int) -> ModelTokenizer:
    return ModelTokenizer(tokenizer_file(kind), window=window, remedy="")


def covered(ranges: list[tuple[int, int]], start: int, end: int) -> bool:
    return any(first <= start and end <= last for first, last in ranges)


@pytest.mark.parametrize("kind", KINDS)
@given(text=texts, window=window_sizes, prefix=st.sampled_from(["", "passage: ", "あ"]))
@example(text=AWKWARD * 20, window=50, prefix="")
@example(text="日本語カナ" * 40, window=50, prefix="passage: ")
def test_each_window_fits_the_model_when_tokenised_alone(kind, text, window, prefix):
    for start, end in tokenizer(kind, window).windows(text, prefix):
        piece = clean(prefix + text[start:end])
        assert len(oracle(kind).encode(piece)) <= window


@pytest.mark.parametrize("kind", KINDS)
@given(text=texts, window=window_sizes)
@example(text=AWKWARD * 20, window=50)
@example(text=" " * 50 + "a" * 150 + " " * 50 + "b c" + "\n" * 90, window=50)
def test_windows_hold_every_token_and_every_character_but_white_space(kind, text, window):
    ranges = tokenizer(kind, window).windows(text)
    encoding = oracle(kind).encode(clean(text), add_special_tokens=False)
    if not text.strip() or not encoding.ids:
        assert ranges == []
        return
    assert all(covered(ranges, start, end) for start, end in encoding.offsets)
    assert all(char.isspace() or covered(ranges, at, at + 1) for at, char in enumerate(text))


@pytest.mark.parametrize("kind", KINDS)
@given(text=texts, window=window_sizes)
def test_windows_go_forward_and_a_text_that_fits_is_one(kind, text, window):
    ranges = tokenizer(kind, window).windows(text)
    assert all(0 <= start < end <= len(text) for start, end in ranges)
    assert all(first[0] < second[0] and first[1] < second[1] for first, second in pairwise(ranges))
    if ranges and len(oracle(kind).encode(clean(text))) <= window:
        assert ranges == [(0, len(text))]


@pytest.mark.parametrize("kind", KINDS)
@given(text=texts, window=window_sizes, slab=st.integers(min_value=1, max_value=200))
@example(text="語カナ" * 300, window=50, slab=100)
def test_a_text_cut_slab_by_slab_is_held_and_fits_too(kind, text, window, slab):
    with mock.patch.object(windows, "SLAB_CHARS", slab):
        ranges = tokenizer(kind, window).windows(text)
    whole = tokenizer(kind, window).windows(text)
    assert bool(ranges) == bool(whole)
    assert all(first[0] < second[0] and first[1] < second[1] for first, second in pairwise(ranges))
    assert all(len(oracle(kind).encode(clean(text[start:end]))) <= window for start, end in ranges)
    if ranges:
        assert all(char.isspace() or covered(ranges, at, at + 1) for at, char in enumerate(text))


@given(text=texts, window=st.integers(min_value=1, max_value=12))
def test_windows_of_the_fake_cover_and_fit(text, window):
    embedder = FakeEmbedder(window=window)
    ranges = embedder.windows(text)
    assert all(embedder.count_tokens(text[start:end]) <= window for start, end in ranges)
    assert bool(ranges) == bool(text.strip())
    assert all(char.isspace() or covered(ranges, at, at + 1) for at, char in enumerate(text))


@given(documents=st.lists(texts, max_size=4), dimension=st.integers(min_value=1, max_value=70))
def test_the_fake_gives_each_text_its_own_unit_vector(documents, dimension):
    embedder = FakeEmbedder(dimension=dimension)
    rows = embedder.embed_documents(documents)
    assert rows.shape == (len(documents), dimension)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert all(np.array_equal(row, embedder.embed_query(text)) for row, text in zip(rows, documents, strict=True))


@given(
    lengths=st.lists(st.integers(min_value=1, max_value=300), max_size=40),
    rows=st.integers(min_value=1, max_value=9),
    tokens=st.integers(min_value=1, max_value=600),
)
def test_batches_hold_each_text_once_and_stay_within_their_bounds(lengths, rows, tokens):
    batches = plan_batches(lengths, rows=rows, tokens=tokens)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        padded = len(batch) * max(lengths[index] for index in batch)
        assert len(batch) <= rows
        assert padded <= tokens or len(batch) == 1


@given(text=st.text(alphabet=st.characters(), max_size=50))
def test_clean_text_is_valid_and_as_long_as_before(text):
    cleaned = clean(text)
    assert len(cleaned) == len(text)
    assert json.loads(json.dumps(cleaned)).encode("utf-8").decode("utf-8") == cleaned
    assert all(new == old or "\ud800" <= old <= "\udfff" for new, old in zip(cleaned, text, strict=True))


@given(offsets=st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=20))
def test_spans_never_step_back_and_only_grow(offsets):
    spans = Spans.of(offsets, list(range(len(offsets))))
    assert (np.diff(spans.starts) >= 0).all()
    assert (np.diff(spans.ends) >= 0).all()
    assert all(spans.starts[at] <= start and spans.ends[at] >= end for at, (start, end) in enumerate(offsets))
