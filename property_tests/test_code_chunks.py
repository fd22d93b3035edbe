"""Source code: whatever the file, no byte is lost, every position is right, and the count of chunks is bounded."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from grooveseek.parsing.code.builtin import BUILTIN
from grooveseek.parsing.code.chunker import MAX_CHUNKS_PER_FILE, SMALLEST_PIECE, cut_by_lines
from grooveseek.parsing.code.lines import SourceText, split_by_lines, weigh, widened_budget
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.code_samples import SAMPLES
from tests.support.source_code import check_document, parser, without_space

ROOT = Path(__file__).parents[1]
LANGUAGES = st.sampled_from(sorted(BUILTIN))
LIMITS = st.sampled_from([30, 31, 50, 120, 3500])

TOKENS = (
    *("(", ")", "{", "}", "[", "]", "<", ">", ";", ",", ":", "::", ".", "=>", "=", "+", "\\", "\0", "\ufeff"),
    *('"', "'", "`", '"""', "//", "/*", "*/", "/// d\n", "#", "# c\n", "@a\n", "#[b]\n", "#if X\n", "<?php ", "?>"),
    *("\n", "\n\n", "\r", "\r\n", " ", "    ", "\t", "\x0c", "\x1c", "\u2028", "\u3000", "\u00a0", "🚀", "é", "漢"),
    *("class A ", "def f():\n", "function f() {", "fn f() {", "func f() {", "int f() {", "mod a {", "namespace N {"),
    *(
        "impl X {",
        "end\n",
        "module M\n",
        "return 1",
        "x = 1\n",
        "const f = () => ",
        "<<~A\n",
        "A\n",
        "${",
        "#{",
        'R"x(',
    ),
)
CODE = st.lists(st.sampled_from(TOKENS), max_size=60).map("".join) | st.text(max_size=40)
OWN_FILES = sorted(path.read_text(encoding="utf-8") for path in (ROOT / "grooveseek" / "parsing").rglob("*.py"))


@st.composite
def mutated(draw: st.DrawFn, language: str) -> str:
    """Real sources, joined, with pieces taken out, doubled and put in."""
    sources = [*SAMPLES[language], *(OWN_FILES if language == "py" else ())]
    text = "".join(draw(st.lists(st.sampled_from(sources), min_size=1, max_size=3)))
    for _ in range(draw(st.integers(0, 6))):
        place, other = draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))
        kind = draw(st.sampled_from(["in", "out", "double"]))
        if kind == "in":
            text = text[:place] + draw(CODE) + text[place:]
        elif kind == "out":
            text = text[:place] + text[place + draw(st.integers(1, 80)) :]
        else:
            text = text[:place] + text[other : other + draw(st.integers(1, 300))] + text[place:]
    return text


@given(LANGUAGES, CODE, LIMITS)
@example("js", "function a(){}/*", 30)
@example("py", "x\r", 30)
@example("php", "\ufeff<?php\rfunction f() {}", 30)
@settings(max_examples=300)
def test_no_byte_of_any_text_is_lost(language: str, text: str, limit: int) -> None:
    data = text.encode()
    check_document(parser(language, limit).parse(data, "a"), data)


@given(st.data(), LANGUAGES, LIMITS)
@settings(max_examples=150)
def test_no_byte_of_a_mutated_file_is_lost(data: st.DataObject, language: str, limit: int) -> None:
    source = data.draw(mutated(language)).encode()
    check_document(parser(language, limit).parse(source, "a"), source)


@given(st.data(), LANGUAGES, LIMITS)
@settings(max_examples=40)
def test_a_file_is_cut_the_same_whatever_was_cut_before(data: st.DataObject, language: str, limit: int) -> None:
    one, other = data.draw(mutated(language)).encode(), data.draw(mutated(language)).encode()
    first = parser(language, limit)
    alone = first.parse(one, "a")
    first.parse(other, "b")
    assert first.parse(one, "a") == alone == parser(language, limit).parse(one, "a")


@given(st.sampled_from(["py", "js", "rb", "rs"]), st.integers(MAX_CHUNKS_PER_FILE - 2, MAX_CHUNKS_PER_FILE + 2))
@settings(max_examples=20)
def test_just_as_many_definitions_as_the_bound_are_left_alone(language: str, count: int) -> None:
    one = {"py": "def f{}(): pass\n", "js": "function f{}() {{}}\n", "rb": "def f{}; end\n", "rs": "fn f{}() {{}}\n"}
    data = "".join(one[language].format(number) for number in range(count)).encode()
    document = parser(language).parse(data, "a")
    check_document(document, data)
    assert (document.tags_added == ()) == (count <= MAX_CHUNKS_PER_FILE)
    assert (len(document.chunks) == count) == (count <= MAX_CHUNKS_PER_FILE)


# ---------------------------------------------------------------- cutting by lines


def lines_of_weights(weights: list[int]) -> str:
    return "".join("x" * weight + "\n" for weight in weights)


WEIGHTS = st.lists(st.integers(0, 90), min_size=1, max_size=12)
TEXTS = st.builds(lambda weights, times: lines_of_weights(weights * times), WEIGHTS, st.integers(1, 120))


def split(text: str, budget: int) -> list[str]:
    source = SourceText.of(text.encode())
    return [source.text(*each) for each in split_by_lines(source, 0, len(source.data), budget)]


def split_slowly(text: str, budget: int) -> list[str]:
    """The rule as it is stated, on a list of lines."""
    pieces = [""]
    for line in text.replace("\r\n", "\n").replace("\r", "\n").splitlines(keepends=True) if text else []:
        over = weigh(pieces[-1]) + weigh(line) > budget
        if over and weigh(pieces[-1]) and weigh(line):
            pieces.append("")
        pieces[-1] += line
    return [piece for piece in pieces if weigh(piece)]


@given(TEXTS | st.text("ab \n\r", max_size=60), st.integers(1, 100))
@settings(max_examples=100)
def test_the_split_is_the_rule_as_stated(text: str, budget: int) -> None:
    fast = [piece.replace("\r\n", "\n").replace("\r", "\n") for piece in split(text, budget)]
    assert fast == split_slowly(text, budget)


@given(TEXTS | st.text(max_size=200), st.integers(30, 200))
@settings(max_examples=100)
def test_two_neighbours_weigh_more_than_the_budget(text: str, budget: int) -> None:
    pieces = [weigh(piece) for piece in split(text, budget)]
    assert all(one + other > budget for one, other in pairwise(pieces))


@given(TEXTS | st.text(max_size=400), st.integers(30, 200), st.integers(2, 40) | st.just(MAX_CHUNKS_PER_FILE))
@example("x\n" + ("x" * 30 + "\nx\n") * 300, 30, MAX_CHUNKS_PER_FILE)
@settings(max_examples=200)
def test_the_widened_budget_keeps_the_split_under_the_bound(text: str, max_chunk_chars: int, limit: int) -> None:
    budget = widened_budget(weigh(text), max_chunk_chars, limit)
    assert budget >= max_chunk_chars
    assert len(split(text, budget)) < limit


@given(TEXTS, st.integers(SMALLEST_PIECE, 200))
@example(lines_of_weights([30] * 400 + [1000] * 100), 30)
@example(lines_of_weights([30] * 511), 30)
@example(lines_of_weights([30] * 512), 30)
@settings(max_examples=100)
def test_files_that_fit_the_bound_are_cut_as_without_it(text: str, max_chunk_chars: int) -> None:
    source = SourceText.of(text.encode())
    pieces = [without_space(source.text(each.start, each.end)) for each in cut_by_lines(source, max_chunk_chars)]
    assert len(pieces) < MAX_CHUNKS_PER_FILE
    assert "".join(pieces) == without_space(text)
    plain = split(text, max_chunk_chars)
    if len(plain) < MAX_CHUNKS_PER_FILE and all(weigh(piece) >= SMALLEST_PIECE for piece in plain):
        assert pieces == [without_space(piece) for piece in plain]
