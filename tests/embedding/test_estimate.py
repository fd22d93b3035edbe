from itertools import pairwise
from pathlib import Path

import pytest
from grooveseek.embedding import estimate
from grooveseek.embedding.bundle import DIRECTORY
from grooveseek.embedding.estimate import WINDOW
from grooveseek.errors import ConfigError

ROOT = Path(__file__).parents[2]
HANDBOOK = sorted((ROOT / "golden" / "handbook").rglob("*.md"))
CODE = [path for path in sorted((ROOT / "golden" / "code").rglob("*")) if path.suffix in {".rs", ".py", ".go", ".ts"}]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\t", 0),
        ("cat", 1),
        ("cats", 2),
        ("a cat", 2),
        ("x_y", 3),
        ("2024-01", 4),  # 20 24 - 01
        ("naïve", 3),  # na ï ve
        ("Привет", 3),
        ("日本語", 3),
        ("한국", 2),
        ("🙂!", 2),
    ],
)
def test_tokens_are_counted_by_characters(text, tokens):
    assert estimate.count(text) == tokens


def test_what_fits_is_one_window_and_what_is_blank_none():
    assert estimate.windows("a short text") == [(0, 12)]
    assert estimate.windows(" \n ") == []


@pytest.mark.parametrize("text", ["word " * 2000, "日本語の文章。" * 400, "x" * 9000, "б" * 5000, "a \ud800 b " * 500])
@pytest.mark.parametrize("prefix", ["", "passage: "])
def test_windows_fit_overlap_and_leave_nothing_out(text, prefix):
    ranges = estimate.windows(text, prefix)
    assert len(ranges) > 1
    assert all(estimate.count(prefix + text[start:end]) <= WINDOW - 2 for start, end in ranges)
    assert all(second[0] < first[1] < second[1] for first, second in pairwise(ranges))
    assert (ranges[0][0], text[ranges[-1][1] :].strip()) == (0, "")


def test_windows_end_between_words():
    text = "international cooperation " * 300
    assert all(text[start:end].split()[-1] in ("international", "cooperation") for start, end in estimate.windows(text))


def test_a_prefix_must_leave_room():
    with pytest.raises(ConfigError, match='the prefix "very very'):
        estimate.windows("text", "very " * 300)


def test_only_what_goes_beyond_the_window_is_cut_off():
    assert estimate.truncated("a short text", "query: ") == "a short text"
    long = "word " * 1000
    cut = estimate.truncated(long, "query: ")
    assert long.startswith(cut)
    assert 400 < estimate.count("query: " + cut) <= WINDOW - 2
    middling = "words " * 100
    assert estimate.truncated(middling) == middling


@pytest.mark.parametrize("files", [HANDBOOK, CODE], ids=["handbook", "code"])
def test_a_real_tokenizer_finds_no_more_tokens_in_a_window_than_the_estimate_allows(files):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(DIRECTORY / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    texts = [path.read_text(encoding="utf-8") for path in files]
    windows = [text[start:end] for text in texts for start, end in estimate.windows(text)]
    assert len(windows) > len(files) > 10
    assert max(len(tokenizer.encode(window)) for window in windows) <= WINDOW
