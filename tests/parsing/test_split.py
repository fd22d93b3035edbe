from itertools import pairwise

import pytest
from grooveseek.parsing.blocks import lay_out
from grooveseek.parsing.source import Source
from grooveseek.parsing.split import Splitter


def pieces(text: str, limit: int) -> list[str]:
    source = Source.decode(text.encode())
    found = Splitter(source, limit).split(0, len(source.text), lay_out(source.text).blocks)
    return [source.text[each.start : each.end] for each in found]


def headers(text: str, limit: int) -> list[str | None]:
    source = Source.decode(text.encode())
    found = Splitter(source, limit).split(0, len(source.text), lay_out(source.text).blocks)
    return [source.text[slice(*each.header)] if each.header else None for each in found]


def test_what_fits_is_one_piece_without_blank_ends() -> None:
    assert pieces(" \n\n   indented\n\nmore\n\n  \n", 100) == ["   indented\n\nmore"]


def test_nothing_but_white_space_is_no_piece() -> None:
    assert pieces("\n \t\n\u2003\n", 5) == []


def test_blocks_are_packed_while_they_fit() -> None:
    assert pieces("aaaa\n\nbbbb\n\ncccc\n\ndddd\n", 10) == ["aaaa\n\nbbbb", "cccc\n\ndddd"]


def test_a_list_is_cut_between_items_and_an_item_between_its_blocks() -> None:
    text = "- one\n- two\n\n  second of two\n- three\n"
    assert pieces(text, 20) == ["- one\n- two", "  second of two", "- three"]


def test_nested_items_are_cut_before_their_lines() -> None:
    text = "- a\n  - bbbbbbbb\n    cccc\n  - dddddddd\n"
    assert pieces(text, 22) == ["- a", "  - bbbbbbbb\n    cccc", "  - dddddddd"]


def test_a_fence_that_fits_stays_whole() -> None:
    text = "intro\n\n```\nx = 1\n\ny = 2\n```\n\nafter\n"
    assert pieces(text, 22) == ["intro", "```\nx = 1\n\ny = 2\n```", "after"]


def test_a_fence_that_does_not_fit_is_cut_at_lines() -> None:
    assert pieces("```\naaaa\nbbbb\ncccc\n```\n", 10) == ["```\naaaa", "bbbb\ncccc", "```"]


def test_a_long_paragraph_is_cut_at_lines_first() -> None:
    assert pieces("aaaa bbbb\ncccc dddd\neeee ffff\n", 20) == ["aaaa bbbb\ncccc dddd", "eeee ffff"]


def test_a_long_line_is_cut_at_sentences_then_spaces() -> None:
    assert pieces("Aaaa bbbb. Cccc dddd. Eeee\n", 21) == ["Aaaa bbbb. Cccc dddd.", "Eeee"]
    assert pieces("aaaa bbbb cccc dddd\n", 10) == ["aaaa bbbb", "cccc dddd"]


def test_table_pieces_know_their_header_row() -> None:
    text = "| n | v |\n|---|---|\n| a | 1 |\n| b | 2 |\n| c | 3 |\n| d | 4 |\n\nafter\n"
    assert pieces(text, 30) == [
        "| n | v |\n|---|---|\n| a | 1 |",
        "| b | 2 |\n| c | 3 |\n| d | 4 |",
        "after",
    ]
    assert headers(text, 30) == [None, "| n | v |", None]


def test_a_table_that_fits_is_not_cut() -> None:
    text = "intro text here\n\n|a|b|\n|-|-|\n|1|2|\n|3|4|\n"
    assert pieces(text, 24) == ["intro text here", "|a|b|\n|-|-|\n|1|2|\n|3|4|"]


def test_a_row_that_is_too_long_is_cut_and_keeps_its_header() -> None:
    text = "|a|b|\n|-|-|\n|1|2|\n|" + "word " * 8 + "|3|\n"
    assert [len(each) <= 20 for each in pieces(text, 20)] == [True] * 4
    assert headers(text, 20) == [None, "|a|b|", "|a|b|", "|a|b|"]


def test_a_table_in_a_quote_is_cut_by_rows_too() -> None:
    text = "> |a|b|\n> |-|-|\n> |1|2|\n> |3|4|\n> |5|6|\n"
    assert headers(text, 24) == [None, "> |a|b|"]


def test_link_definitions_between_blocks_are_kept() -> None:
    text = "[a]: http://a\n[b]: http://b\n\ntext\n\n[c]: http://c\n"
    assert " ".join(pieces(text, 16)).split() == text.split()


@pytest.mark.parametrize("limit", [5, 17, 40, 1000])
def test_pieces_follow_one_another_and_lose_only_white_space(limit: int) -> None:
    text = (
        "# no heading here\n\n> quote *x*\n\n1. a\n2. b\n   - c\n\n|a|\n|-|\n|b|\n\n<div>\nx\n</div>\n\n    code\n\n"
        * 3
    )
    source = Source.decode(text.encode())
    found = Splitter(source, limit).split(0, len(text), lay_out(text).blocks)
    assert all(len(text[each.start : each.end]) <= limit for each in found)
    assert all(text[one.end : two.start].strip() == "" for one, two in pairwise(found))
    assert "".join("".join(text[each.start : each.end].split()) for each in found) == "".join(text.split())
