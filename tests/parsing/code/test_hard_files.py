"""Files that are deep, wide, long, broken or odd: nothing is lost of them and nothing takes for ever."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest
from tests.support.source_code import parse

CASES = Path(__file__).parents[2] / "cases"
MIB = 1 << 20
DEEP = 50_000


@pytest.fixture(scope="module", params=[5000, DEEP])
def c29(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("c29")
    arguments, sys.argv = sys.argv, ["make.py", str(folder), str(request.param)]
    try:
        runpy.run_path(str(CASES / "C29" / "make.py"))
    finally:
        sys.argv = arguments
    return folder


@pytest.mark.parametrize(
    ("name", "word", "heading"),
    [
        ("parens.py", "aardwolf", "tail_parens"),
        ("chain.py", "caracal", "tail_chain"),
        ("plus.py", "serval", "tail_plus"),
        ("generic.rs", "genet", "tail_generic"),
        ("array.php", "linsang", "tail_array"),
    ],
)
def test_c29_definitions_behind_deep_nesting_are_found(c29: Path, name: str, word: str, heading: str) -> None:
    document = parse(name.rpartition(".")[2], (c29 / name).read_bytes())
    assert document.tags_added == ()
    assert document.chunks[-1].heading == heading
    assert word in document.chunks[-1].content


def test_c29_a_minified_script_keeps_its_end(c29: Path) -> None:
    document = parse("js", (c29 / "app.min.js").read_bytes())
    assert document.tags_added == ("parse:too-many-chunks",)
    assert "kinkajou" in document.chunks[-1].content


def test_a_minified_script_of_just_the_cap_is_one_chunk() -> None:
    unit = "function f(a,b){return a+b}"
    source = (unit * (MIB // len(unit) + 1))[:MIB]
    assert [len(each.content) for each in parse("js", source).chunks] == [MIB]


def test_a_small_minified_script_is_cut_at_its_functions() -> None:
    source = "".join(f"function f{number}(a,b){{return a*{number}+b}}" for number in range(200))
    assert [each.heading for each in parse("js", source).chunks] == [f"f{number}" for number in range(200)]


@pytest.mark.parametrize(
    ("parser_id", "source"),
    [
        ("js", "x=" + "[" * DEEP + "]" * DEEP),
        ("js", "x=" + "{a:" * DEEP + "1" + "}" * DEEP),
        ("js", "a=" * DEEP + "function(){}"),
        ("js", "f(" * DEEP + ")" * DEEP),
        ("js", "'" * DEEP),
        ("ts", "type T=" + "A<" * DEEP + "B" + ">" * DEEP),
        ("rs", "(" * DEEP),
        ("rs", "mod a{" * DEEP + "}" * DEEP),
        ("py", "'" * DEEP),
        ("py", "x = " + "not " * DEEP + "y"),
        ("go", "package x\nvar a = " + "(" * DEEP + "1" + ")" * DEEP),
        ("java", "class A {" * DEEP + "}" * DEEP),
        ("c", "int " + "*" * DEEP + "f() {}"),
        ("c", "struct a {" * DEEP),
        ("cpp", "namespace a {" * DEEP + "}" * DEEP),
        ("cs", "class A {" * DEEP + "}" * DEEP),
        ("rb", "class A\n" * DEEP + "end\n" * DEEP),
        ("php", "<?php " + "function f(){" * DEEP + "}" * DEEP),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else None,
)
def test_depth_is_survived_in_every_language(parser_id: str, source: str) -> None:
    assert parse(parser_id, source).chunks


@pytest.mark.parametrize(
    ("parser_id", "line"), [("js", "// c\n"), ("go", "// c\n"), ("rb", "# c\n"), ("rs", "/// c\n")]
)
def test_a_file_of_comments_takes_no_time_to_speak_of(parser_id: str, line: str) -> None:
    """A tags query that gathers doc comments needs minutes for this one."""
    document = parse(parser_id, line * (MIB // 4 // len(line)))
    assert document.tags_added == ()
    assert len(document.chunks) < 512


@pytest.mark.parametrize(
    ("parser_id", "unit"), [("go", "+-*/"), ("c", "+-*/"), ("java", "+-*/")], ids=lambda value: value
)
def test_recovery_that_runs_wild_is_stopped(parser_id: str, unit: str) -> None:
    """Tree-sitter alone takes time that grows with the square of these: hours for a file of the largest size."""
    document = parse(parser_id, unit * (200_000 // len(unit)))
    assert document.tags_added == ("parse:too-tangled",)
    assert len(document.chunks) == 1


def test_a_broken_file_too_wide_to_search_is_cut_by_lines() -> None:
    assert parse("rs", "((((((((((\n" * 10_000).tags_added == ("parse:too-tangled",)


def test_syntax_errors_in_the_middle_cost_no_definition_after_them() -> None:
    source = "def first(): return 1\n\n)]} = = class ((\nif if if\n\ndef second(): return 2\n"
    headings = [each.heading for each in parse("py", source).chunks]
    assert headings[0] == "first"
    assert headings[-1] == "second"


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_numbers_hold_for_every_line_end(ending: str) -> None:
    source = ending.join(["def first():", "    return 'first'", "", "# docs", "def second():", "    pass", ""])
    found = [(each.heading, each.start_line, each.end_line) for each in parse("py", source).chunks]
    assert found == [("first", 1, 2), ("second", 4, 6)]


def test_line_ends_may_be_mixed() -> None:
    source = "def a(): pass\rdef b(): pass\r\ndef c(): pass\ndef d(): pass\r\r\ndef e(): pass"
    found = [(each.heading, each.start_line) for each in parse("py", source).chunks]
    assert found == [("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 6)]


def test_astral_characters_shift_nothing() -> None:
    source = "# 🚀🚀🚀 a comment with rockets, long enough\n\ndef pump(): return '🚀'\n"
    assert [each.content for each in parse("py", source).chunks] == source.rstrip().split("\n\n")


@pytest.mark.parametrize("parser_id", ["py", "rb", "js", "rs", "c"])
def test_a_nul_byte_ends_no_file(parser_id: str) -> None:
    function = {"py": "def {}(): pass\n", "rb": "def {}; end\n", "js": "function {}() {{}}\n"}.get(parser_id)
    function = function or {"rs": "fn {}() {{}}\n", "c": "int {}(void) {{}}\n"}[parser_id]
    source = function.format("before") + "\0\n" + function.format("after")
    assert [each.heading for each in parse(parser_id, source).chunks] == ["before", "after"]


@pytest.mark.parametrize("space", ["\x0b", "\x0c", "\x1c", "\x85", "\u00a0", "\u2028", "\u3000"])
def test_odd_white_space_is_white_space(space: str) -> None:
    assert parse("py", space).chunks == ()
    assert len(parse("py", f"def a(): pass\n{space}\ndef b(): pass\n{space}").chunks) == 2
