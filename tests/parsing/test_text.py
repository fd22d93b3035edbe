import pytest
from grooveseek.errors import Unparsable
from grooveseek.model.document import Chunk, Frontmatter, QualityProfile
from grooveseek.parsing.protocol import FileKind, Parser
from grooveseek.parsing.text import TextParser, build
from grooveseek.settings.sections import MarkdownSettings, ParserSettings, Settings


def test_it_is_a_parser_of_text_with_the_measure_of_prose() -> None:
    parser: Parser = build("txt", Settings(parsers=ParserSettings(markdown=MarkdownSettings(max_chunk_chars=300))))
    assert parser == TextParser(300)
    assert (parser.id, parser.extensions, parser.kind, parser.isolated) == ("txt", ("txt",), FileKind.TEXT, False)
    assert parser.profile(is_definition=False) is QualityProfile.TEXT


def test_a_short_file_is_one_chunk() -> None:
    document = TextParser(1600).parse("\ufeff\r\n# no heading\r\n---\r\n\r\nÜbung\r\n".encode(), "ops/pump_log.txt")
    assert document.title == "pump log"
    assert document.frontmatter == Frontmatter(category="ops")
    assert document.chunks == (
        Chunk(
            index=0,
            content="# no heading\r\n---\r\n\r\nÜbung",
            context="pump log",
            start_line=2,
            end_line=5,
            start_byte=5,
            end_byte=32,
        ),
    )


def test_a_long_file_is_cut_between_paragraphs_then_lines() -> None:
    text = "aaaa\nbbbb\n\ncccc\n\ndddd\neeee\nffff\ngggg\n"
    chunks = TextParser(14).parse(text.encode(), "a.txt").chunks
    assert [each.content for each in chunks] == ["aaaa\nbbbb", "cccc\n\ndddd", "eeee\nffff\ngggg"]
    assert [(each.start_line, each.end_line) for each in chunks] == [(1, 2), (4, 6), (7, 9)]


def test_a_paragraph_is_not_cut_to_fill_the_piece_before_it() -> None:
    chunks = TextParser(15).parse(b"aaaa\nbbbb\n\ncccc\ndddd\n", "a.txt").chunks
    assert [each.content for each in chunks] == ["aaaa\nbbbb", "cccc\ndddd"]


@pytest.mark.parametrize("text", ["", "\n \n", "--- ***\n"])
def test_a_file_without_a_word_has_no_chunk(text: str) -> None:
    assert TextParser(1600).parse(text.encode(), "a.txt").chunks == ()


def test_what_is_not_utf8_is_refused() -> None:
    with pytest.raises(Unparsable, match="UTF-16"):
        TextParser(1600).parse("x".encode("utf-16"), "a.txt")
