from itertools import pairwise

import pytest
from grooveseek.embedding import tokens
from grooveseek.embedding.bundle import DIRECTORY
from grooveseek.embedding.tokens import ModelTokenizer, PairTokenizer, clean
from grooveseek.errors import EmbeddingError
from tokenizers import Tokenizer

BERT = DIRECTORY / "tokenizer.json"


def load(path=BERT, window=256):
    return ModelTokenizer(path, window=window, remedy="copy it again")


@pytest.fixture(scope="module")
def bert():
    return load()


def test_clean_replaces_lone_surrogates_one_for_one():
    assert clean("a\ud800b\udfffc 日本 😀") == "a�b�c 日本 😀"


def test_clean_leaves_valid_text_alone():
    text = "naïve 日本 😀 \x00 \uffff"
    assert clean(text) == text


def test_counts_leave_special_tokens_out(bert):
    # WordPiece: un ##aff ##able is three pieces of one word, the full stop one more.
    assert bert.count("hello world") == 2
    assert bert.count("hello world.") == 3
    assert bert.count("") == 0


def test_counting_takes_lone_surrogates(bert):
    assert bert.count("hello \ud800 world") == bert.count("hello � world")


def test_a_long_text_is_counted_in_pieces_with_the_same_sum(bert, monkeypatch):
    text = "embeddings of sentences\nand paragraphs, " * 200
    whole = bert.count(text)
    monkeypatch.setattr(tokens, "_COUNT_CHARS", 100)
    assert bert.count(text) == whole


def test_a_long_text_without_a_space_is_counted_too(bert, monkeypatch):
    monkeypatch.setattr(tokens, "_COUNT_CHARS", 10)
    assert bert.count("あ" * 35) > 0


def test_the_file_s_own_truncation_and_padding_are_off(bert):
    # tokenizer.json of this model says 128 tokens, padded to 128.
    long, short = bert.encode(["word " * 200, "word"])
    assert len(long) == 202
    assert len(short) == 3


def test_what_goes_beyond_the_window_is_cut_before_the_closing_token():
    encoding = load(window=6).encode(["one two three four five six"])[0]
    assert encoding.tokens == ["[CLS]", "one", "two", "three", "four", "[SEP]"]


def test_a_text_that_just_fits_is_not_cut():
    encoding = load(window=6).encode(["one two three four"])[0]
    assert encoding.tokens == ["[CLS]", "one", "two", "three", "four", "[SEP]"]


def test_windows_leave_room_for_special_tokens_and_prefix():
    tokenizer = load(window=16)
    text = " ".join(["word"] * 40)
    plain = [text[start:end] for start, end in tokenizer.windows(text)]
    prefixed = [text[start:end] for start, end in tokenizer.windows(text, "passage: ")]
    assert max(map(tokenizer.count, plain)) == 14
    assert max(map(tokenizer.count, prefixed)) == 12
    assert max(tokenizer.count("passage: " + piece) for piece in prefixed) == 14


def test_windows_of_white_space_are_none_even_where_white_space_has_tokens(embedder_dir):
    tokenizer = load(embedder_dir / "tokenizer.json")
    assert tokenizer.count("   ") > 0
    assert tokenizer.windows("   ") == []


def test_a_prefix_that_fills_the_window_is_refused():
    with pytest.raises(EmbeddingError, match=r'prefix "one two three" fills .* 5 tokens'):
        load(window=5).windows("text", "one two three")


def test_neighbours_share_an_eighth_of_the_window():
    text = " ".join(f"w{number}" for number in range(10, 99))  # "w" and a number: two tokens a word, or one
    tokenizer = load(window=66)
    ranges = tokenizer.windows(text)
    shared = [tokenizer.count(text[second[0] : first[1]]) for first, second in pairwise(ranges)]
    assert len(ranges) > 1
    assert all(7 <= count <= 8 for count in shared)


def test_pairs_are_cut_as_the_tokenizers_library_cuts_them():
    oracle = Tokenizer.from_file(str(BERT))
    oracle.no_padding()
    oracle.enable_truncation(20, strategy="longest_first")
    query, texts = "what do whales eat", ["krill", "krill and small fish " * 10]
    pairs = PairTokenizer(BERT, window=20, remedy="").encode(query, texts)
    assert [pair.ids for pair in pairs] == [oracle.encode(query, text).ids for text in texts]
    assert pairs[1].tokens[:6] == ["[CLS]", "what", "do", "whales", "eat", "[SEP]"]
    assert len(pairs[1]) == 20


def test_the_padding_id_is_the_file_s(tmp_path):
    tokenizer = Tokenizer.from_file(str(BERT))
    tokenizer.enable_padding(pad_id=7, pad_token="[unused6]")
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    assert load(tmp_path / "tokenizer.json").pad_id == 7


@pytest.mark.parametrize("content", [None, "", "{}", "not JSON", '{"version": "1.0"'])
def test_a_missing_or_damaged_file_is_one_error_with_the_remedy(tmp_path, content):
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(EmbeddingError, match=r"tokenizer\.json cannot be loaded .*: copy it again"):
        load(path)


# -- a text is tokenised once ---------------------------------------------------------------------------------------

TEXTS = (
    "one window of a few words",
    "long " * 700,
    "  white space around it \n",
    "naïve 日本 😀 \ud800 half a pair",
    "unaffable " * 254,  # far beyond one window
    "#" * 300,
)


def ids(encodings):
    return [(encoding.ids, encoding.type_ids) for encoding in encodings]


@pytest.mark.parametrize("prefix", ["", "passage: "])
def test_windows_that_were_just_cut_are_encoded_as_if_they_never_were(prefix):
    cutting = load(window=64)
    pieces = [text[start:end] for text in TEXTS for start, end in cutting.windows(text, prefix)]
    inputs = [prefix + piece for piece in pieces]
    assert len(inputs) > 20
    expected = ids(load(window=64).encode(inputs))
    assert ids(cutting.encode(inputs)) == expected
    assert ids(cutting.encode(inputs)) == expected  # and again, when nothing is kept any longer
    assert all(len(each) <= 64 for each, _ in expected)


def test_a_window_s_encoding_is_used_and_then_let_go(monkeypatch):
    tokenizer = load()
    tokenizer.windows("some words")
    asked = []
    encode_batch = tokenizer._tokenizer.encode_batch

    class Watched:
        def __getattr__(self, name):
            return getattr(loaded, name)

        def encode_batch(self, texts, **options):
            asked.extend(texts)
            return encode_batch(texts, **options)

    loaded = tokenizer._tokenizer
    monkeypatch.setattr(tokenizer, "_tokenizer", Watched())
    first = ids(tokenizer.encode(["other words", "some words", "some words"]))
    assert asked == ["other words", "some words"]  # the second of the two has to be made
    assert first == ids(load().encode(["other words", "some words", "some words"]))


def test_only_the_newest_encodings_are_kept(monkeypatch):
    monkeypatch.setattr(tokens, "_KEPT_TOKENS", 6)
    tokenizer = load()
    for text in ("a b c", "d e f", "g h i"):
        tokenizer.windows(text)
    assert tokenizer._kept.take("a b c") is None
    assert len(tokenizer._kept.take("g h i")) == 3
    assert len(tokenizer._kept.take("d e f")) == 3
    assert tokenizer._kept.take("d e f") is None
    tokenizer.windows("x y z x y z x y z")  # more than may be kept in all
    assert tokenizer._kept.take("x y z x y z x y z") is None


def test_a_text_cut_twice_is_kept_once(monkeypatch):
    monkeypatch.setattr(tokens, "_KEPT_TOKENS", 6)
    tokenizer = load()
    for text in ("a b c", "d e f", "d e f"):
        tokenizer.windows(text)
    assert tokenizer._kept.take("a b c") is not None
