import pytest
from grooveseek.parsing.code.lines import SourceText, split_by_lines, weigh, widened_budget


def pieces(text: str, budget: int) -> list[str]:
    source = SourceText.of(text.encode())
    return [source.text(*each) for each in split_by_lines(source, 0, len(source.data), budget)]


def test_white_space_weighs_nothing() -> None:
    assert weigh(" a\tb\u3000c\n\x0c\u00a0 ") == 3
    assert weigh("🚀é") == 2


def test_lines_are_gathered_up_to_the_budget_and_not_over_it() -> None:
    assert pieces("aa\nbb\ncc\nd\n", 4) == ["aa\nbb\n", "cc\nd\n"]
    assert pieces("aa\nbb\ncc\nd\n", 5) == ["aa\nbb\n", "cc\nd\n"]
    assert pieces("aa\nbb\ncc\nd\n", 7) == ["aa\nbb\ncc\nd\n"]


def test_a_line_over_the_budget_stays_whole() -> None:
    assert pieces("aaaaaaaa\nb\n", 3) == ["aaaaaaaa\n", "b\n"]
    assert pieces("b\naaaaaaaa", 3) == ["b\n", "aaaaaaaa"]


def test_blank_lines_start_no_piece() -> None:
    assert pieces("\n\naaaa\n\n\nbbbb\n\n", 4) == ["\n\naaaa\n\n\n", "bbbb\n\n"]
    assert pieces(" \n\t\n", 4) == []
    assert pieces("", 4) == []


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_any_line_end_is_one(ending: str) -> None:
    assert pieces(ending.join(["aa", "bb", "cc", ""]), 3) == ["aa" + ending, "bb" + ending, "cc" + ending]


def test_other_separators_end_no_line() -> None:
    assert pieces("aa\x0bbb\x0ccc\u2028dd\x85ee", 3) == ["aa\x0bbb\x0ccc\u2028dd\x85ee"]


def test_part_of_a_file_is_cut_within_its_bounds() -> None:
    source = SourceText.of(b"aaa\nbbb\nccc\n")
    assert split_by_lines(source, 2, 10, 4) == [(2, 8), (8, 10)]
    assert split_by_lines(source, 1, 3, 1) == [(1, 3)]


def test_what_grammars_see_has_the_bytes_where_they_were() -> None:
    source = SourceText.of("a\rb\r\nc\0é\n".encode())
    assert source.plain == "a\nb\r\nc é\n".encode()
    assert len(source.plain) == len(source.data)
    assert [source.line_of(place) for place in range(10)] == [0, 0, 1, 1, 1, 2, 2, 2, 2, 2]


def test_a_byte_order_mark_is_no_text() -> None:
    assert SourceText.of(b"\xef\xbb\xbfabc").first == 3
    assert SourceText.of(b"abc").first == 0


def test_what_is_not_utf8_is_an_error() -> None:
    with pytest.raises(UnicodeDecodeError):
        SourceText.of(b"ab\ncaf\xe9\n")


def test_weights_between_positions_are_those_of_the_text() -> None:
    source = SourceText.of("ab é\n\n  cd 🚀\nef".encode())
    borders = [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 18, 19]
    for start in borders:
        for end in borders:
            if start <= end:
                assert source.weight(start, end) == weigh(source.text(start, end))


def test_a_range_is_trimmed_of_white_space_of_any_kind() -> None:
    source = SourceText.of("x \u3000 é\u00a0\n y".encode())
    assert source.text(*source.trimmed(1, len(source.data) - 1)) == "é"


@pytest.mark.parametrize(
    ("weight", "least", "budget"),
    [(0, 30, 30), (256 * 3500, 3500, 3500), (256 * 3501 - 1, 3500, 3500), (256 * 3501, 3500, 3501), (10**6, 30, 3906)],
)
def test_the_budget_is_widened_only_where_it_must_be(weight: int, least: int, budget: int) -> None:
    assert widened_budget(weight, least, 512) == budget


@pytest.mark.parametrize("limit", [2, 8, 512])
def test_a_smaller_budget_would_not_do(limit: int) -> None:
    budget = 40
    text = (("x" * budget) + "\ny\n") * (limit // 2)
    assert widened_budget(weigh(text), 30, limit) == budget + 1
    assert len(pieces(text, budget)) == limit
    assert len(pieces(text, budget + 1)) < limit
