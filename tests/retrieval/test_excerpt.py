"""Huge chunks are shown in part, at the right place."""

from __future__ import annotations

from grooveseek.model.document import Chunk
from grooveseek.retrieval.excerpt import MAX_SHOWN_BYTES, excerpt


def chunk(content: str) -> Chunk:
    size = len(content.encode())
    return Chunk(
        index=0, content=content, start_byte=100, end_byte=100 + size, start_line=7, end_line=7 + content.count("\n")
    )


def test_a_chunk_that_can_be_shown_is_left_alone() -> None:
    assert excerpt(chunk("x" * MAX_SHOWN_BYTES), ["x"]) is None


def test_the_part_around_the_term_is_shown_with_its_place_in_the_file() -> None:
    lines = "".join(f"line {number:06d}\n" for number in range(10_000))  # 12 bytes a line
    whole = chunk(lines)
    shown = excerpt(whole, ["line", "line 009000"])
    assert shown is not None
    assert "line 009000" in shown.content
    assert shown.start_byte is not None
    assert shown.end_byte is not None
    assert lines.encode()[shown.start_byte - 100 : shown.end_byte - 100].decode() == shown.content
    assert shown.content.startswith("line 00883")  # 2,000 bytes are 166 lines; the next line's start
    assert shown.start_line == 7 + int(shown.content[5:11])
    assert len(shown.content.encode()) <= MAX_SHOWN_BYTES


def test_one_endless_line_is_cut_at_whole_characters() -> None:
    shown = excerpt(chunk("語" * 10_000 + "貓" + "語" * 10_000), ["貓"])
    assert shown is not None
    assert "貓" in shown.content
    assert "\ufffd" not in shown.content
    assert (shown.start_line, shown.end_line) == (7, 7)


def test_without_a_match_the_beginning_is_shown() -> None:
    shown = excerpt(chunk("a" * 30_000), ["zzz"])
    assert shown is not None
    assert (shown.start_byte, shown.content) == (100, "a" * MAX_SHOWN_BYTES)
