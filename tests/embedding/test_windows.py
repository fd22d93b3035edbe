import re

import pytest
from grooveseek.embedding import windows
from grooveseek.embedding.windows import Cutter, Spans


def word_spans(text):
    offsets = [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]
    return Spans.of(offsets, list(range(len(offsets))))


def word_count(text):
    return len(word_spans(text))


def character_spans(text):
    """A tokenizer of single characters, in words parted by spaces."""
    offsets, words, word = [], [], 0
    for at, char in enumerate(text):
        if char == " ":
            word += 1
        else:
            offsets.append((at, at + 1))
            words.append(word)
    return Spans.of(offsets, words)


def cutter(room, overlap, spans=word_spans, count=word_count, capacity=None):
    return Cutter(capacity=capacity or room, room=room, overlap=overlap, spans=spans, count=count)


@pytest.mark.parametrize("text", ["", "   ", "\n\t  \u3000"])
def test_a_text_of_white_space_has_no_window(text):
    assert cutter(4, 1).cut(text) == []


def test_a_text_without_a_token_has_no_window():
    nothing = cutter(4, 1, spans=lambda text: Spans.of([], []), count=lambda text: 0)
    assert nothing.cut("...") == []


def test_a_text_that_fits_is_one_window_with_its_white_space():
    assert cutter(4, 1).cut("  one two three four ") == [(0, 21)]


def test_windows_are_full_and_share_the_overlap():
    text = "a b c d e f g h i j"
    pieces = [text[start:end] for start, end in cutter(4, 1).cut(text)]
    assert pieces == ["a b c d", "d e f g", "g h i j"]


def test_the_last_window_may_be_short():
    text = "a b c d e f"
    assert [text[start:end] for start, end in cutter(4, 1).cut(text)] == ["a b c d", "d e f"]


def test_without_overlap_windows_follow_one_another():
    text = "a b c d e"
    assert [text[start:end] for start, end in cutter(2, 0).cut(text)] == ["a b", "c d", "e"]


def test_a_window_ends_before_a_word_it_would_cut():
    text = "abcdef ghi jkl"
    found = cutter(8, 3, spans=character_spans, count=lambda text: len(text.replace(" ", ""))).cut(text)
    assert [text[start:end] for start, end in found] == ["abcdef", "def ghi", "ghi jkl"]


def test_a_word_longer_than_the_overlap_is_cut_inside():
    text = "abcdefghij"
    found = cutter(4, 1, spans=character_spans, count=len).cut(text)
    assert [text[start:end] for start, end in found] == ["abcd", "defg", "ghij"]


def test_a_piece_that_grows_when_tokenised_alone_is_shortened():
    # A cut word costs one token more than it did in the whole text, as with subwords.
    def count(piece):
        return len(piece) + (0 if text.startswith(piece) or text.endswith(piece) else 1)

    text = "abcdefghij"
    found = cutter(4, 1, spans=character_spans, count=count).cut(text)
    assert [text[start:end] for start, end in found] == ["abcd", "def", "fgh", "hij"]
    assert all(count(text[start:end]) <= 4 for start, end in found)


def test_what_stands_in_front_of_each_piece_counts():
    text = "a b c d e f"
    found = cutter(3, 1, count=lambda piece: 1 + word_count(piece), capacity=4).cut(text)
    assert [text[start:end] for start, end in found] == ["a b c", "c d e", "e f"]


def test_a_single_token_that_does_not_fit_stays_whole():
    text = "abc def"
    assert cutter(1, 0, count=lambda piece: 5).cut(text) == [(0, 3), (4, 7)]


def test_characters_no_token_claims_stay_with_the_token_before_them():
    # What a normaliser does to "e" + COMBINING ACUTE ACCENT: one token, offsets of the "e" alone.
    text = "e\u0301 e\u0301 e\u0301"
    spans = Spans.of([(0, 1), (3, 4), (6, 7)], [0, 1, 2])
    found = cutter(1, 0, spans=lambda _: spans, count=lambda _: 1).cut(text)
    assert [text[start:end] for start, end in found] == ["e\u0301"] * 3


def test_tokens_of_one_character_are_not_parted():
    # Four bytes an emoji: nine tokens hold two emojis, and the two tokens of overlap are half of the second.
    text = "😀😁😂"
    spans = Spans.of([(at, at + 1) for at in range(3) for _ in range(4)], [0] * 12)
    found = cutter(9, 2, spans=lambda _: spans, count=lambda piece: 4 * len(piece)).cut(text)
    assert [text[start:end] for start, end in found] == ["😀😁", "😁😂"]


def test_a_character_of_more_tokens_than_a_window_is_one_range():
    text = "ﷺﷺ"
    spans = Spans.of([(at, at + 1) for at in range(2) for _ in range(6)], [0] * 12)
    assert cutter(8, 2, spans=lambda _: spans, count=lambda piece: 6 * len(piece)).cut(text) == [(0, 1), (1, 2)]


def test_offsets_that_step_back_only_make_a_window_larger():
    text = "abcdef"
    spans = Spans.of([(2, 3), (0, 1), (3, 4), (4, 6)], [0, 1, 2, 3])
    found = cutter(2, 0, spans=lambda _: spans, count=lambda _: 2).cut(text)
    assert found == [(0, 3), (3, 6)]


def test_a_long_text_is_cut_slab_by_slab_into_the_same_windows(monkeypatch):
    text = " ".join(f"word{number}" for number in range(500))
    whole = cutter(16, 2).cut(text)
    monkeypatch.setattr(windows, "SLAB_CHARS", 300)
    assert cutter(16, 2).cut(text) == whole


def test_a_slab_with_less_than_a_window_is_enlarged(monkeypatch):
    monkeypatch.setattr(windows, "SLAB_CHARS", 10)
    text = "   " + "x" * 95 + "  " + "y" * 60 + " z" + " " * 40
    assert cutter(4, 1).cut(text) == [(0, len(text))]


def test_each_character_is_tokenised_a_fixed_number_of_times_and_few_at_once():
    handled = []

    def spans(text):
        handled.append(len(text))
        return word_spans(text)

    def count(text):
        handled.append(len(text))
        return word_count(text)

    text = "lorem ipsum, dolor sit amet; " * 40_000
    found = cutter(64, 8, spans=spans, count=count).cut(text)
    assert found[-1][1] >= len(text.rstrip())
    assert sum(handled) < 2.5 * len(text)
    assert max(handled) == windows.SLAB_CHARS
