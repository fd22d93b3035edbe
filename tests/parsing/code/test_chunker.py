from __future__ import annotations

import pytest
from grooveseek.model.document import ParsedDocument
from grooveseek.parsing.code.chunker import cut_by_lines
from grooveseek.parsing.code.lines import SourceText
from tests.support.source_code import parse

Rows = list[tuple[str | None, str]]


def rows(document: ParsedDocument) -> Rows:
    return [(each.heading, each.content) for each in document.chunks]


def lines(document: ParsedDocument) -> list[tuple[str | None, int | None, int | None]]:
    return [(each.heading, each.start_line, each.end_line) for each in document.chunks]


# ---------------------------------------------------------------- what belongs to a definition


def test_a_run_of_comments_and_attributes_goes_with_the_definition_below_it() -> None:
    source = "use a::long::enough::path::to::stand;\n\n/// Docs.\n#[inline]\n// why\nfn pump() { 1 }\n"
    assert rows(parse("rs", source)) == [
        (None, "use a::long::enough::path::to::stand;"),
        ("pump", "/// Docs.\n#[inline]\n// why\nfn pump() { 1 }"),
    ]


def test_a_blank_line_ends_the_run() -> None:
    source = "# a licence that is long enough to stand alone\n\n# about main\ndef main(): pass\n"
    assert lines(parse("py", source)) == [(None, 1, 1), ("main", 3, 4)]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_blank_lines_are_known_by_any_line_end(ending: str) -> None:
    source = f"// a licence that is long enough to stand alone{ending}{ending}// docs{ending}fn pump() {{}}{ending}"
    assert lines(parse("rs", source)) == [(None, 1, 1), ("pump", 3, 4)]


def test_a_comment_behind_other_code_stays_with_that_code() -> None:
    source = (
        "let pressure_of_the_pump_in_bar = 1; // here\nfunction pump() { return 1; } // there\nfunction next() {}\n"
    )
    assert [content for _, content in rows(parse("js", source))] == [
        "let pressure_of_the_pump_in_bar = 1; // here",
        "function pump() { return 1; } // there",
        "function next() {}",
    ]


def test_a_long_comment_on_the_last_line_belongs_to_the_definition() -> None:
    source = "int a(void); // a remark that is long enough to stand alone\nint b(void); /* another remark, as long */\n"
    assert [content for _, content in rows(parse("c", source))] == source.splitlines()
    source = "int a(void); /* a remark that is long enough */ x = 1;\n"
    assert rows(parse("c", source))[0] == ("a", "int a(void);")


def test_a_decorator_that_holds_a_comment_still_belongs_to_its_method() -> None:
    source = "class A {\n  first_of_all(): void {}\n\n  @Host(/* why */)\n  start(): void { return undefined; }\n}\n"
    assert ("A.start", 4, 6) in lines(parse("ts", source, 30))


def test_a_comment_on_the_line_of_two_definitions_goes_with_the_second() -> None:
    assert [content for _, content in rows(parse("js", "function a() {} /* b */ function b() {}"))] == [
        "function a() {}",
        "/* b */ function b() {}",
    ]


def test_a_comment_between_other_code_and_a_definition_on_one_line_goes_with_the_definition() -> None:
    source = "let the_pressure_of_the_pump_in_bar = 1; /* b */ function b() {}"
    assert [content for _, content in rows(parse("js", source))] == [
        "let the_pressure_of_the_pump_in_bar = 1;",
        "/* b */ function b() {}",
    ]


def test_decorators_stand_around_and_above() -> None:
    assert lines(parse("py", "@one\n@two(\n  3\n)\nclass A: pass\n")) == [("A", 1, 5)]
    assert lines(parse("ts", "// d\n@One()\nexport class A {}\n")) == [("A", 1, 3)]


def test_a_string_below_a_constant_documents_it() -> None:
    source = 'import something_with_a_name_long_enough\nLIMIT = 3\n"""How many there may be."""\n\n"""Not this."""\n'
    assert lines(parse("py", source))[1] == ("LIMIT", 2, 5)
    source = "A = 1\n" + '"""Docs of A."""\nB = 2\n'
    assert rows(parse("py", source)) == [("A", 'A = 1\n"""Docs of A."""'), ("B", "B = 2")]


def test_a_definition_ends_with_its_statement() -> None:
    source = "struct a { int x; } one, two;\nstruct b { int y; };\nint c(void);\n"
    assert [content for _, content in rows(parse("c", source))] == source.splitlines()


# ---------------------------------------------------------------- what lies between


def test_what_no_definition_covers_is_a_chunk_without_a_heading() -> None:
    source = "import first_module_of_all, second_module\n\ndef f(): pass\n\nprint('something long enough to stand')\n"
    assert lines(parse("py", source)) == [(None, 1, 1), ("f", 3, 3), (None, 5, 5)]


def test_a_gap_over_the_limit_is_cut_by_lines() -> None:
    gap = "".join(f"call_number_{number:02}('with an argument')\n" for number in range(10))
    document = parse("py", gap + "def f(): pass\n", 100)
    assert lines(document) == [(None, 1, 3), (None, 4, 6), (None, 7, 9), (None, 10, 10), ("f", 11, 11)]


def test_a_small_fragment_joins_what_follows() -> None:
    assert rows(parse("py", "import os\n\ndef f(): pass\n")) == [("f", "import os\n\ndef f(): pass")]


def test_the_last_fragment_joins_what_stands_before() -> None:
    assert rows(parse("py", "def f(): pass\n\nprint(1)\n")) == [("f", "def f(): pass\n\nprint(1)")]


def test_a_file_that_is_a_fragment_is_a_chunk() -> None:
    assert rows(parse("py", "\n  print(1)\n")) == [(None, "  print(1)")]


def test_closing_brackets_join_what_they_close() -> None:
    source = "impl Pump {\n    fn a() { 1 }\n}\n\nimpl Gauge {\n    fn b() { 2 }\n}\n"
    assert rows(parse("rs", source)) == [
        ("Pump::a", "impl Pump {\n    fn a() { 1 }\n}"),
        ("Gauge::b", "impl Gauge {\n    fn b() { 2 }\n}"),
    ]


@pytest.mark.parametrize("source", ["", " ", "\n\n\t\r\n", "\ufeff", "\ufeff\n"])
def test_a_file_without_text_has_no_chunk(source: str) -> None:
    assert parse("py", source).chunks == ()


def test_the_rest_of_a_line_stays_with_its_beginning() -> None:
    source = "register(function named() { return 1; }, 1)\nfunction next_one() { return 2; }\n"
    assert [content for _, content in rows(parse("js", source))] == source.splitlines()


# ---------------------------------------------------------------- definitions over the limit

CLASS = '''class Pump:
    """A pump with documentation that is long enough."""

    def start(self):
        return "started, and it took so long"

    def stop(self):
        return "stopped, and it took so long"

    limit = "something at the end, long enough"
'''


def test_an_oversized_class_is_its_methods_and_what_is_left_of_it() -> None:
    document = parse("py", CLASS, 60)
    assert lines(document) == [("Pump", 1, 2), ("Pump.start", 4, 5), ("Pump.stop", 7, 8), ("Pump", 10, 10)]
    assert [(each.symbol_kind, each.scope) for each in document.chunks] == [
        ("class", None),
        ("function", "Pump"),
        ("function", "Pump"),
        ("class", None),
    ]


def test_a_class_of_just_the_limit_is_left_whole() -> None:
    weight = len("".join(CLASS.split()))
    assert lines(parse("py", CLASS, weight)) == [("Pump", 1, 10)]
    assert len(parse("py", CLASS, weight - 1).chunks) == 4


def test_an_oversized_function_is_cut_by_lines_that_keep_its_name() -> None:
    source = "fn pump() {\n" + "".join(f"    let step_{number} = {number};\n" for number in range(8)) + "}\n"
    document = parse("rs", source, 50)
    assert lines(document) == [("pump", 1, 4), ("pump", 5, 10)]  # 45 and 48 characters, and a tail of 13
    assert {each.symbol_kind for each in document.chunks} == {"function"}


def test_the_tail_of_a_definition_stays_with_it() -> None:
    source = """def outer():
    def inner():
        return "a function inside of another"
    return inner


# a note that goes with the next, and is long enough

def later(): pass
"""
    assert lines(parse("py", source, 40)) == [("outer.inner", 1, 4), (None, 7, 7), ("later", 9, 9)]


# ---------------------------------------------------------------- the bounds


def functions(count: int) -> str:
    return "".join(f"def f{number}(): pass\n" for number in range(count))


def test_512_definitions_are_left_alone() -> None:
    document = parse("py", functions(512))
    assert document.tags_added == ()
    assert [each.heading for each in document.chunks] == [f"f{number}" for number in range(512)]


@pytest.mark.parametrize("count", [513, 600])
def test_more_are_cut_by_lines_and_nothing_is_lost(count: int) -> None:
    document = parse("py", functions(count))
    assert document.tags_added == ("parse:too-many-chunks",)
    assert "512" in document.notices[0].message
    assert document.chunks[-1].content.endswith(f"def f{count - 1}(): pass")
    assert {each.symbol_kind for each in document.chunks} == {None}


def test_gaps_count_too() -> None:
    gap = "print('a statement between two functions')\n"
    source = "".join(f"def f{number}(): pass\n{gap}" for number in range(257))
    assert parse("py", source).tags_added == ("parse:too-many-chunks",)
    assert parse("py", source.removesuffix(gap).removesuffix("def f256(): pass\n")).tags_added == ()


def test_a_small_limit_cannot_make_many_chunks() -> None:
    source = "".join(f"value_{number} += {number}\n" for number in range(20_000))
    document = parse("py", source, 30)
    assert document.tags_added == ("parse:too-many-chunks",)
    assert 200 < len(document.chunks) < 512


def test_lines_that_fit_the_bound_are_not_widened() -> None:
    """Though the formula would give a budget of 437 characters for the first."""
    lines_of_30, lines_of_1000 = b"x" * 30 + b"\n", b"x" * 1000 + b"\n"
    assert len(cut_by_lines(SourceText.of(lines_of_30 * 400 + lines_of_1000 * 100), 30)) == 500
    assert len(cut_by_lines(SourceText.of(lines_of_30 * 511), 30)) == 511
    assert len(cut_by_lines(SourceText.of(lines_of_30 * 512), 30)) == 256


def nested(depth: int) -> str:
    return "function f() {" * depth + "return 'the innermost';" + "}" * depth


def test_64_definitions_around_one_are_left_alone() -> None:
    assert parse("js", nested(65)).tags_added == ()


def test_65_around_one_are_too_deep() -> None:
    document = parse("js", nested(66))
    assert document.tags_added == ("parse:too-deep",)
    assert "64" in document.notices[0].message
    assert rows(document) == [(None, nested(66))]


def test_scopes_count_as_definitions_do() -> None:
    assert parse("cs", "namespace A {" * 66 + "class B { }" + "}" * 66).tags_added == ("parse:too-deep",)
    # In Rust a block may hold an impl.
    deep = "impl A { fn f() {" * 33
    assert parse("rs", deep + "}}" * 33).tags_added == ("parse:too-deep",)


def test_a_fallback_does_not_depend_on_other_files() -> None:
    alone = parse("py", functions(700), 30)
    parse("py", functions(1))
    assert parse("py", functions(700), 30) == alone
