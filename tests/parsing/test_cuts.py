from itertools import pairwise

import pytest
from grooveseek.parsing.cuts import clip, cut_places, is_boundary, safe_cut


def pieces(text: str, limit: int) -> list[str]:
    places = [0, *cut_places(text, 0, len(text), limit), len(text)]
    return [text[start:end] for start, end in pairwise(places)]


def test_a_sentence_end_in_the_second_half_is_preferred_to_a_space() -> None:
    assert pieces("One two three. Four five six", 20) == ["One two three. ", "Four five six"]


def test_an_early_sentence_end_is_passed_over_for_a_later_space() -> None:
    assert pieces("One. two three four five", 20) == ["One. two three four ", "five"]


def test_a_sentence_of_a_script_without_spaces_ends_a_piece() -> None:
    assert pieces("倉庫の部品。数を数えた。次の行", 8) == ["倉庫の部品。", "数を数えた。", "次の行"]


def test_a_closing_quote_stays_with_its_sentence() -> None:
    assert pieces("「終わった。」次の話です", 9) == ["「終わった。」", "次の話です"]


def test_white_space_after_a_cut_belongs_to_the_piece_before() -> None:
    assert pieces("aaaa      bbbb", 5) == ["aaaa      ", "bbbb"]


def test_a_word_that_is_too_long_is_cut_at_the_limit() -> None:
    assert pieces("a" * 11, 5) == ["aaaaa", "aaaaa", "a"]


@pytest.mark.parametrize(
    ("whole", "why"),
    [
        ("e\u0301", "a combining mark"),
        ("\u1100\u1161\u11a8", "jamo"),
        ("👩\u200d👧", "a joiner"),
        ("👍\U0001f3fd", "a skin tone"),
        ("🇫🇷", "a flag"),
        ("ｶ\uff9e", "a half-width voicing mark"),
        ("☀\ufe0f", "a variation selector"),
    ],
)
def test_a_cut_never_splits_what_is_seen_as_one(whole: str, why: str) -> None:
    text = "ab" + whole + "cd"
    inside = range(3, 2 + len(whole))
    assert not any(is_boundary(text, place) for place in inside), why
    assert safe_cut(text, 3, 0) == 2


def test_flags_are_counted_in_pairs() -> None:
    text = "🇫🇷🇩🇪🇯🇵"
    assert [place for place in range(1, 6) if is_boundary(text, place)] == [2, 4]


def test_a_single_character_longer_than_the_limit_is_cut_somewhere() -> None:
    assert [len(piece) for piece in pieces("e" + "\u0301" * 11, 5)] == [5, 5, 2]


def test_a_mark_on_a_space_keeps_it() -> None:
    assert pieces("aaaa \u0301bbbb", 5) == ["aaaa", " \u0301bbb", "b"]


@pytest.mark.parametrize(("text", "limit", "clipped"), [("abc", 3, "abc"), ("abcd", 3, "abc"), ("ae\u0301x", 2, "a")])
def test_clip_ends_on_a_whole_character(text: str, limit: int, clipped: str) -> None:
    assert clip(text, limit) == clipped
