"""No byte is lost or moved: chunks are slices of the file, headings are the ones CommonMark sees, sizes are kept."""

from __future__ import annotations

import re
from itertools import pairwise

from grooveseek.model.document import ParsedDocument
from grooveseek.parsing.blocks import lay_out
from grooveseek.parsing.cuts import is_boundary
from grooveseek.parsing.frontmatter import read_frontmatter
from grooveseek.parsing.headings import heading_text
from grooveseek.parsing.markdown import MarkdownParser
from grooveseek.parsing.source import Source
from grooveseek.parsing.text import TextParser
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from property_tests.strategies import markdown_texts

MARK = "\ufeff"
limits = st.sampled_from([1, 7, 30, 200])
files = st.builds(
    lambda mark, fence, text: (mark + fence + text).encode(),
    st.sampled_from(["", MARK]),
    st.sampled_from(["", "", "---\n", "---\r\ntitle: T\r\n---\r\n"]),
    markdown_texts,
)


def oracle() -> MarkdownIt:
    """markdown-it as it comes, inline parsing, table cells and all."""
    return MarkdownIt("commonmark").enable("table")


def assert_verbatim(data: bytes, document: ParsedDocument) -> None:
    for number, chunk in enumerate(document.chunks):
        assert chunk.index == number
        assert chunk.start_byte is not None
        assert chunk.content == data[chunk.start_byte : chunk.end_byte].decode()
        assert chunk.content.strip()
        lines = re.sub(r"\r\n?", "\n", data[: chunk.start_byte].decode()).count("\n")
        # A start between CR and LF would count that line end twice.
        assert chunk.start_line == lines + 1
    assert all(one.end_byte <= two.start_byte for one, two in pairwise(document.chunks))


def body_lines(source: Source, line: int) -> range:
    return range(source.line_start(line), source.line_start(line + 1))


@given(files, limits)
@example(b"\xef\xbb\xbf# a\r\n\r\nb\rc\x00\n", 7)
@example(b"---\ntitle: a: b\n---\n# h\n", 200)
@example(b"a\n\n---\n\n# b\n\n***\n", 200)
def test_chunks_are_slices_of_the_file_in_its_order(data: bytes, limit: int) -> None:
    assert_verbatim(data, MarkdownParser(limit).parse(data, "a/b/c.md"))


@given(files, limits)
@settings(max_examples=150)
def test_every_visible_byte_is_in_a_chunk_a_heading_line_or_the_frontmatter(data: bytes, limit: int) -> None:
    source = Source.decode(data)
    matter = read_frontmatter(source)
    document = MarkdownParser(limit).parse(data, "a.md")
    if not re.search(r"[^\W_]", source.text[matter.body :]):
        assert len(document.chunks) <= 1 or matter.text_block is not None
        return
    first = source.line_at(matter.body)
    covered = {
        position
        for heading in oracle().parse(source.text[matter.body :])
        if heading.type == "heading_open" and heading.level == 0 and first + heading.map[1] - 1 != matter.rule_line
        for line in range(*heading.map)
        for position in body_lines(source, first + line)
    }
    seen = bytearray(len(data))
    for chunk in document.chunks:
        seen[chunk.start_byte : chunk.end_byte] = b"\1" * (chunk.end_byte - chunk.start_byte)
    for position in range(matter.text_block[0] if matter.text_block else matter.body, len(source.text)):
        is_fence = matter.text_block and matter.text_block[1] <= position < matter.body
        if not (source.text[position].isspace() or position in covered or is_fence):
            assert seen[source.byte_at(position)], source.text[position:]


@given(markdown_texts)
@settings(max_examples=200)
@example("|a|b|\n|-|-|\n\x0c\n")
@example("> " * 8 + "- " * 3 + "x\n# y")
def test_blocks_are_where_markdown_it_sees_them(text: str) -> None:
    tokens = oracle().parse(text)
    layout = lay_out(text)
    headings = [
        (token.map, int(token.tag[1:]), tokens[place + 1].content)
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]
    assert [([each.start, each.end], each.level, each.source) for each in layout.headings] == headings
    blocks = [
        (token.type.removesuffix("_open"), token.map)
        for token in tokens
        if token.level == 0 and token.nesting >= 0 and token.type not in ("heading_open", "inline")
    ]
    assert [(each.kind, [each.start, each.end]) for each in layout.blocks] == blocks


@given(st.text(alphabet="ab\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029é\0"))
def test_lines_are_counted_as_markdown_it_counts_them(text: str) -> None:
    source = Source.decode(text.encode())
    normal = re.sub(r"\r\n?", "\n", text).split("\n")
    assert [source.line(line) for line in range(len(source.line_starts))] == normal
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "paragraph_open":
            assert source.line(token.map[0]).strip(" \t")
            assert source.line(token.map[1] - 1).strip(" \t")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.integers(0, 200))
def test_a_place_in_the_text_is_a_place_in_the_bytes(text: str, position: int) -> None:
    position = min(position, len(text))
    for mark in ("", MARK):
        source = Source.decode((mark + "-" + text).encode())
        assert source.byte_at(position + 1) == len((mark + "-" + text[:position]).encode())


@given(files, limits)
@settings(max_examples=150)
def test_pieces_keep_the_limit_and_cut_nothing_visible(data: bytes, limit: int) -> None:
    document = MarkdownParser(limit).parse(data, "a.md")
    source = Source.decode(data)
    title = read_frontmatter(source).title
    starts = {source.byte_at(position): position for position in range(len(source.text) + 1)}
    for chunk in document.chunks:
        start, end = starts[chunk.start_byte], starts[chunk.end_byte]
        if (start, end) == title:
            continue
        one_character = not any(is_boundary(source.text, place, start) for place in range(start + 1, end))
        assert len(chunk.content) <= limit or one_character
        if end < len(source.text) and len(chunk.content) < limit:
            assert is_boundary(source.text, end, start)


@given(markdown_texts)
def test_a_heading_is_one_line_without_white_space_around_it(source: str) -> None:
    shown = heading_text(source, {})
    assert shown == " ".join(shown.split())
    assert len(shown) <= 500


@given(st.text(alphabet=st.characters(categories=["L", "Nd"]), min_size=1))
def test_a_heading_of_plain_words_is_shown_as_it_stands(words: str) -> None:
    assert heading_text(words[:400], {}) == words[:400]


@given(markdown_texts, limits)
def test_plain_text_is_cut_without_loss(text: str, limit: int) -> None:
    data = text.encode()
    document = TextParser(limit).parse(data, "a.txt")
    assert_verbatim(data, document)
    if document.chunks:
        kept = "".join("".join(each.content.split()) for each in document.chunks)
        assert kept == "".join(Source.decode(data).text.split())
