from __future__ import annotations

import json
from pathlib import Path

import pytest
from grooveseek.errors import ConfigError, Unparsable
from grooveseek.model.document import Chunk, QualityProfile
from grooveseek.parsing.code.parser import CodeParser
from grooveseek.parsing.protocol import FileKind, Parser
from tests.support.source_code import parse, parser

CASES = Path(__file__).parents[2] / "cases"


def test_it_is_a_parser_of_code() -> None:
    rust: Parser = parser("rs")
    assert (rust.id, rust.extensions, rust.kind, rust.isolated) == ("rs", ("rs",), FileKind.CODE, False)
    assert rust.profile(is_definition=True) is QualityProfile.DEFINITION
    assert rust.profile(is_definition=False) is QualityProfile.TEXT


def test_a_chunk_says_all_there_is_to_say() -> None:
    source = (
        "mod valves {\n    /// Turns.\n    pub fn turn_the_valve() -> u8 { 1 }\n    fn other_function() { 22 }\n}\n"
    )
    document = parse("rs", source, 40, "src/pumps/valves_of.rs")
    assert document.title == "valves_of.rs"
    assert (document.frontmatter.category, document.frontmatter.topic) == ("src", "pumps")
    assert document.chunks[0] == Chunk(
        index=0,
        content="mod valves {\n    /// Turns.\n    pub fn turn_the_valve() -> u8 { 1 }",
        heading="valves::turn_the_valve",
        heading_path=("valves", "turn_the_valve"),
        context="valves_of.rs > valves > turn_the_valve",
        start_line=1,
        end_line=3,
        start_byte=0,
        end_byte=67,
        symbol_kind="method",
        scope="valves",
        language="rust",
    )


def test_a_chunk_between_definitions_has_the_title_as_its_context() -> None:
    chunk = parse("py", "import something_with_a_name_long_enough\n").chunks[0]
    assert (chunk.heading, chunk.heading_path, chunk.context, chunk.language) == (None, (), "file.py", "python")


def test_names_of_kilobytes_are_cut() -> None:
    name = "n" * 5000
    chunk = parse("js", f"function {name}() {{ return 'long enough to stand'; }}").chunks[0]
    assert chunk.heading == "n" * 120
    assert name in chunk.content


def test_what_is_not_utf8_is_refused_with_the_place() -> None:
    with pytest.raises(Unparsable, match="byte 0xe9 at byte offset 5"):
        parser("py").parse(b"# a caf\xe9".replace(b"a ", b""), "latin1.py")
    with pytest.raises(Unparsable, match="UTF-16"):
        parser("py").parse("x = 1\n".encode("utf-16"), "wide.py")


def test_a_byte_order_mark_belongs_to_no_chunk_and_shifts_nothing() -> None:
    chunk = parse("py", b"\xef\xbb\xbfdef pump(): pass\n").chunks[0]
    assert (chunk.heading, chunk.start_byte, chunk.start_line) == ("pump", 3, 1)


def test_a_grammar_that_cannot_be_loaded_is_told_when_a_file_comes() -> None:
    def load() -> None:
        raise ConfigError("no such grammar")

    broken = CodeParser("xx", ("xx",), 100, load)  # type: ignore[arg-type]  # it never returns a grammar
    with pytest.raises(ConfigError, match="no such grammar"):
        broken.parse(b"x", "a.xx")


# ---------------------------------------------------------------- C27: offsets in code with other letters


def c27(name: str) -> tuple[bytes, dict[str, int | list[int]], tuple[Chunk, ...]]:
    data = (CASES / "C27" / "kb" / name).read_bytes()
    expect = json.loads((CASES / "C27" / "expect.json").read_text(encoding="utf-8"))[name]
    return data, expect, parse(name.rpartition(".")[2], data, path=name).chunks


@pytest.mark.parametrize(
    ("name", "word", "starts", "text"),
    [
        ("accents.py", "harmattan", "def_second", "def second():"),
        ("accents.rs", "sirocco", "fn_deuxieme", "fn deuxieme"),
        ("accents.php", "tramontane", "function_seconde", "function seconde"),
    ],
)
def test_c27_bytes_are_not_taken_for_characters(name: str, word: str, starts: str, text: str) -> None:
    data, expect, chunks = c27(name)
    start, end = expect[word]  # type: ignore[misc]  # a range in the case's data
    holding = [each for each in chunks if each.start_byte <= start and end <= each.end_byte]  # type: ignore[operator]
    assert len(holding) == 1
    assert holding[0].start_byte == expect[starts]
    assert text in holding[0].content.splitlines()[0]
    assert data[start:end].decode() == word


def test_c27_names_are_whole() -> None:
    names = [each.heading for name in ("accents.py", "accents.rs", "accents.php") for each in c27(name)[2]]
    assert names == ["first", "second", "premier", "deuxieme", "premiere", "seconde"]
