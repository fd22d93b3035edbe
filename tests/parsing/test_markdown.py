"""The Markdown parser as a whole: what becomes a chunk, and with what around it."""

from __future__ import annotations

import sys

import pytest
from grooveseek.errors import Unparsable
from grooveseek.model.document import Chunk, ParsedDocument, QualityProfile
from grooveseek.parsing import blocks
from grooveseek.parsing.markdown import MarkdownParser, build
from grooveseek.parsing.protocol import FileKind, Parser
from grooveseek.settings.sections import MarkdownSettings, ParserSettings, Settings


def parse(text: str, path: str = "note.md", limit: int = 1600, exclude: tuple[str, ...] = ()) -> ParsedDocument:
    return MarkdownParser(limit, exclude).parse(text.encode(), path)


def contents(text: str, limit: int = 1600, exclude: tuple[str, ...] = ()) -> list[str]:
    return [each.content for each in parse(text, limit=limit, exclude=exclude).chunks]


def test_it_is_a_parser_of_text() -> None:
    settings = Settings(
        parsers=ParserSettings(markdown=MarkdownSettings(max_chunk_chars=300)), exclude_headings=("Log",)
    )
    parser: Parser = build("md", settings)
    assert parser == MarkdownParser(300, ("Log",))
    assert (parser.id, parser.extensions, parser.kind, parser.isolated) == (
        "md",
        ("md", "markdown"),
        FileKind.TEXT,
        False,
    )
    assert parser.profile(is_definition=False) is QualityProfile.TEXT


def test_a_section_is_a_chunk_with_its_place() -> None:
    (before, section) = parse("\ufeffBefore é.\r\n\r\n## Pumps\r\n\r\n  Seals.\r\nMore.\r\n\r\n", "ops/log.md").chunks
    assert before == Chunk(
        index=0, content="Before é.", context="log", start_line=1, end_line=1, start_byte=3, end_byte=13
    )
    assert section == Chunk(
        index=1,
        content="  Seals.\r\nMore.",
        heading="Pumps",
        heading_path=("Pumps",),
        level=2,
        context="log > Pumps",
        start_line=5,
        end_line=6,
        start_byte=29,
        end_byte=44,
    )


def test_a_byte_order_mark_inside_hides_no_heading() -> None:
    text = "\ufeff\ufeff# First\n\none\n\n\ufeff## Second\n\ntwo\n\n\ufeffThird\n===\n\nthree\n"
    chunks = parse(text).chunks
    assert [chunk.heading_path for chunk in chunks] == [("First",), ("First", "Second"), ("Third",)]
    raw = text.encode()
    assert [raw[chunk.start_byte : chunk.end_byte].decode() for chunk in chunks] == ["one", "two", "three"]


def test_frontmatter_may_stand_behind_two_byte_order_marks() -> None:
    assert parse("\ufeff\ufeff---\ntitle: Twice\n---\nbody\n").title == "Twice"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Own\n---\n# First\n", "Own"),
        ("text\n\n## Second level\n\n# First *h1*\n\n# Next\n", "First h1"),
        ("First\n===\n", "First"),
        ("#\n\n## x\n", "pump room"),
        ("text", "pump room"),
        ("> # quoted\n", "pump room"),
        ("---\ntitle: ''\n---\n", "pump room"),
    ],
)
def test_title_is_the_authors_then_the_first_h1_then_the_file_name(text: str, title: str) -> None:
    assert parse(text, "a/pump-room.md").title == title


def test_category_and_topic_fall_back_to_folders() -> None:
    front = parse("---\ntopic: own\n---\nx", "ops/pumps/a.md").frontmatter
    assert (front.category, front.topic) == ("ops", "own")
    assert front.key_lines == {"topic": 2}


def test_context_names_title_ancestors_and_heading() -> None:
    chunks = parse("# Book\n\nintro\n\n## Part\n\n#### Deep\n\ntext\n").chunks
    assert [each.context for each in chunks] == ["Book", "Book > Part", "Book > Part > Deep"]


def test_an_h1_that_repeats_the_title_over_nothing_is_no_chunk() -> None:
    assert contents("# Book\n\n## Part\n\ntext here\n") == ["text here"]
    assert contents("---\ntitle: book\n---\n# Book\n\n## Part\n\ntext here\n") == ["text here"]


def test_an_h1_that_says_something_else_is_a_chunk() -> None:
    assert contents("---\ntitle: Other\n---\n# Book\n\n## Part\n\ntext here\n") == ["Book", "text here"]


def test_an_h1_alone_with_marks_is_found_by_its_own_text() -> None:
    assert contents("---\n\n# Lonely\n\n***\n") == ["---", "Lonely\n\n***"]


def test_a_rule_under_the_title_is_kept_without_repeating_it() -> None:
    assert contents("# Book\n\n---\n\n## Part\n\ntext here\n") == ["---", "text here"]


def test_a_body_that_says_nothing_is_found_by_its_heading() -> None:
    assert contents("text\n\n## A *b* ##\n\n## C\n\n---\n\n## D\n") == ["text", "A *b*", "C\n\n---", "D"]


def test_a_heading_without_words_over_nothing_is_no_chunk() -> None:
    assert contents("text\n\n## ???\n\n##\n") == ["text"]


@pytest.mark.parametrize(
    "text", ["", " \n\t\n", "\ufeff", "***\n\n---\n", "!!! ???", "```\n```\n", "\u200b\ufeff\n", "# ...\n\n→\n"]
)
def test_a_file_without_a_letter_or_digit_has_no_chunk(text: str) -> None:
    document = parse(text)
    assert document.chunks == ()
    assert document.title


def test_frontmatter_alone_is_found_by_its_title() -> None:
    assert contents("---\ntitle: 'Only this'\nx: y\n---\n\n---\n") == ["Only this"]
    assert contents("---\nx: y\n---\n") == []
    assert contents('---\ntitle: "caf\\u00e9"\n---\n') == []


def test_broken_frontmatter_is_a_chunk_of_its_own() -> None:
    document = parse("---\ntitle: a: b\n# comment\n---\n# Head\n\ntext\n")
    assert [(each.content, each.heading) for each in document.chunks] == [
        ("title: a: b\n# comment", None),
        ("text", "Head"),
    ]


def test_excluded_sections_go_and_those_below_stay_under_their_name() -> None:
    document = parse("# Book\n\n## Change log\n\nold\n\n### Detail\n\nkept\n", exclude=("log",))
    assert [(each.content, each.heading_path) for each in document.chunks] == [
        ("kept", ("Book", "Change log", "Detail"))
    ]


def test_pieces_of_a_section_share_its_heading() -> None:
    chunks = parse("# T\n\n## S\n\n" + "One sentence of words. " * 40, limit=200).chunks
    assert len(chunks) == 5
    assert {(each.heading, each.heading_path, each.level) for each in chunks} == {("S", ("T", "S"), 2)}
    assert [each.index for each in chunks] == [0, 1, 2, 3, 4]


def test_later_pieces_of_a_table_have_its_header_row_in_their_context() -> None:
    rows = "".join(f"| part {number} | {number} |\n" for number in range(30))
    first, *later = parse("# Parts\n\n| Name | Count |\n|---|---|\n" + rows, limit=200).chunks
    assert first.context == "Parts"
    assert first.content.startswith("| Name | Count |")
    assert len(later) == 2
    assert {each.context for each in later} == {"Parts\n| Name | Count |"}


def test_a_heading_too_long_to_show_is_found_in_the_content() -> None:
    long_heading = "word " * 150 + "needle"
    (chunk,) = parse(f"# {long_heading}\n\nbody text\n").chunks
    assert chunk.content == f"{long_heading}\n\nbody text"
    assert chunk.heading == ("word " * 100).strip()


def test_habits_of_note_takers_survive_as_text() -> None:
    text = (
        "#tag #other/tag\n\nSee [[Page|shown]] and ![[image.png]] %%a comment%%.\n\n"
        "> [!note] Callout\n> # in a callout\n\n- [ ] task ^block-id\n"
    )
    assert contents(text) == [text.strip()]


def test_nul_bytes_and_odd_separators_stay_where_they_are() -> None:
    text = "# a\0b\n\nx\0y\x0bz\x0c\x85\u2028# no heading\n"
    (chunk,) = parse(text).chunks
    assert chunk.heading == "a\ufffdb"
    assert chunk.content == "x\0y\x0bz\x0c\x85\u2028# no heading"


def test_what_is_not_utf8_is_refused() -> None:
    with pytest.raises(Unparsable, match="byte 0xff at byte offset 2"):
        MarkdownParser(1600).parse(b"ab\xff", "a.md")


def test_a_text_the_markdown_parser_gives_up_on_is_still_indexed() -> None:
    data = ("> " * 20 + "deep word\n\n# Head\n\ntext\n").encode()

    def parse_in_little_room(frames: int) -> ParsedDocument:
        return parse_in_little_room(frames - 1) if frames else MarkdownParser(1600).parse(data, "note.md")

    document = parse_in_little_room(sys.getrecursionlimit() - frames_in_use() - 35)
    assert [each.content for each in document.chunks] == [data.decode().strip()]
    assert "RecursionError" in document.notices[0].message
    assert document.chunks[0].heading is None


def test_a_text_of_too_many_blocks_is_indexed_without_headings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MAX_TOKENS", 100)
    document = parse("# Head\n\n" + "word\n\n" * 60, limit=100)
    assert [each.message for each in document.notices] == [
        "Markdown could not be read, so the text is indexed without headings (it has more than 100 Markdown tokens)"
    ]
    assert document.chunks[0].content.startswith("# Head\n\nword")
    assert "".join("".join(each.content.split()) for each in document.chunks) == "#Head" + "word" * 60


def frames_in_use() -> int:
    frame, count = sys._getframe(1), 1
    while frame.f_back is not None:
        frame, count = frame.f_back, count + 1
    return count


def test_the_same_bytes_give_the_same_document() -> None:
    text = "---\ntags: [b, a]\n---\n" + "# H\n\n" + "- item of a list\n" * 200
    assert parse(text, limit=300) == parse(text, limit=300)
