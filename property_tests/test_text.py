"""What holds of folding, spelling, globs and dates for any text."""

from __future__ import annotations

import datetime as dt
import fnmatch
import math
import re
import unicodedata
from dataclasses import dataclass

import apsw
import pytest
from grooveseek.retrieval.query import forms
from grooveseek.store.postings import quoted
from grooveseek.store.schema import SCHEMA
from grooveseek.text.dates import in_range, parse_date
from grooveseek.text.fold import fold, fold_with_places
from grooveseek.text.globs import MAX_ALTERNATIVES, compile_globs, translate
from grooveseek.text.scripts import count_readable, is_word_char, script_of
from grooveseek.text.words import spell, words
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

INVISIBLE = "\u00ad\u200b\u2060\ufeff"
AWKWARD = (
    *("e", "é", "e\u0301", "x\u030c", "İ", "ẞ", "ﬁ", "ŉ", "Ⅷ", "①", "ﷺ", "\u0345", "ᾳ", "ϓ"),
    *("ᄀ", "ᅡ", "ᆨ", "가", "ㄱ", "ㅏ", "ㄳ", "ﾡ", "ￂ", "か", "゙", "ﾞ", "ｶ", "゛", "ー", "ｰ"),
    *(
        "\u09c7",
        "\u09be",
        "\u0f73",
        "\u0f71",
        "\u0316",
        "\u0301",
        "\u093f",
        "ह",
        "ที่",
        "葛\U000e0100",
        "城",
        "々",
        "倉庫係",
    ),
    *(*INVISIBLE, "\u200d", "\u200c", "\0", " ", "\n", "\u00a0", "_", "-", '"', "*", "a", "B", "7", "٣", "½", "²"),
    *("👨\u200d👩", "🇫🇷", "\ufffe", "\U0010ffff", "\U00016d63", "\U00016d67", "\ue000", "Straße", "running"),
)
texts = st.lists(st.sampled_from(AWKWARD), max_size=12).map("".join) | st.text(max_size=40)


# -- folding -------------------------------------------------------------------------------------------------------


def casefolded_as_a_whole(text: str) -> str:
    """NFKC_Casefold by its definition (D147 with the four characters for the default ignorable ones), to its end."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    folded = "".join(char for char in folded if char not in INVISIBLE)
    return folded if folded == text else casefolded_as_a_whole(folded)


@given(texts)
@example("ㄱㅏ")
@example("e\u200b\u0301")
@example("\u0345\u0301α")
def test_folding_is_nfkc_casefold_of_the_whole_text_less_the_invisible(text: str):
    assert fold(text) == casefolded_as_a_whole(text)


@given(texts)
@example("ﾡￂ")
def test_folding_again_changes_nothing(text: str):
    assert fold(fold(text)) == fold(text)


@given(texts)
def test_folding_with_places_gives_the_same_text_and_a_place_for_each_character(text: str):
    folded = fold_with_places(text)
    assert folded.text == fold(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert folded.starts == sorted(folded.starts)
    assert folded.ends == sorted(folded.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(folded.starts, folded.ends, strict=True))


@given(texts)
def test_places_leave_out_only_what_folds_to_nothing(text: str):
    folded = fold_with_places(text)
    covered = {at for start, end in zip(folded.starts, folded.ends, strict=True) for at in range(start, end)}
    assert fold("".join(text[at] for at in range(len(text)) if at not in covered)) == ""


@given(texts)
def test_what_stands_at_a_place_folds_to_what_is_said_to_come_from_there(text: str):
    folded = fold_with_places(text)
    at = 0
    while at < len(folded.text):
        start, end = folded.starts[at], folded.ends[at]
        until = at
        while until < len(folded.text) and (folded.starts[until], folded.ends[until]) == (start, end):
            until += 1
        assert fold(text[start:end]) == folded.text[at:until]
        at = until


@given(st.lists(st.sampled_from(("\u0301", "\u0316", "\u0345", "\u093c", "\u0f73", "a", "ㅏ", "\u200b")), max_size=40))
@example(["\u0301"] * 17 + ["\u0345", "\u200b"])  # what is between two invisible characters is sorted on its own
@settings(max_examples=30)
def test_a_heap_of_marks_folds_as_a_few_do(marks: list[str]):
    text = "".join(marks * 30)  # past the length from which marks are sorted beforehand
    assert fold(text) == fold_with_places(text).text == casefolded_as_a_whole(text)


# -- spelling and the real full-text tables ------------------------------------------------------------------------


class FullText:
    """The two full-text tables as the schema makes them, in memory, with one text at a time in them."""

    def __init__(self) -> None:
        self._db = apsw.Connection(":memory:")
        for table in ("fts_trigram", "fts_words"):
            found = re.search(rf"CREATE VIRTUAL TABLE {table} .*?;\n", SCHEMA, re.DOTALL)
            assert found
            self._db.execute(found[0])

    def put(self, text: str) -> None:
        for table, form in (("fts_trigram", fold(text).replace("\0", " ")), ("fts_words", spell(text))):
            self._db.execute(f"DELETE FROM {table} WHERE rowid = 1")
            self._db.execute(f"INSERT INTO {table} (rowid, heading, context, content) VALUES (1, '', '', ?)", (form,))

    def has_substring(self, phrase: str) -> bool:
        return self._match("fts_trigram", forms([phrase], spelled=False))

    def has_word(self, word: str) -> bool:
        return self._match("fts_words", forms([word], spelled=True))

    def _match(self, table: str, forms_: list[str]) -> bool:
        sql = f"SELECT 1 FROM {table} WHERE {table} MATCH ?"
        return any(self._db.execute(sql, (quoted(form),)).fetchall() for form in forms_)


@pytest.fixture(scope="module")
def fulltext() -> FullText:
    return FullText()


@given(text=texts, data=st.data())
def test_every_substring_of_three_folded_characters_is_found(fulltext: FullText, text: str, data: st.DataObject):
    folded = fold(text)
    assume(len(folded) >= 3)
    start = data.draw(st.integers(0, len(folded) - 3))
    end = data.draw(st.integers(start + 3, len(folded)))
    fulltext.put(text)
    assert fulltext.has_substring(folded[start:end].replace("\0", " "))  # as the query compiler takes NUL


@given(text=texts)
@example(text="\u19b1 \u1cf2")
@example(text="\U0002ebf0 नमस्ते x\u030c ที่ ꙮ")
@example(text="葛\U000e0100城市")
def test_every_word_is_found(fulltext: FullText, text: str):
    fulltext.put(text)
    for word in words(text):
        assert fulltext.has_word(word), word


@given(text=texts, data=st.data())
def test_a_run_of_letters_is_found_whatever_surrounds_it(fulltext: FullText, text: str, data: st.DataObject):
    """Words of unspaced scripts anywhere in their run, those of other scripts whole."""
    run = data.draw(st.sampled_from(("倉庫", "庫", "ที่นี่", "점검", "ひらがな", "naïve", "42", "हिन्दी")))
    before, after = ("、", "。") if script_of(run[0]) == "latin" or run == "42" or run[0] == "ह" else ("入", "口")
    fulltext.put(text + before + run + after + text)
    assert fulltext.has_word(run)


@given(texts)
def test_words_hold_no_separator_and_are_folded(text: str):
    for word in words(text):
        assert word
        assert all(map(is_word_char, word))
        assert fold(word) == word
    assert spell(text).split(" ") == (list(words(text)) or [""])


@given(texts, texts)
def test_words_of_texts_apart_are_the_words_of_both(left: str, right: str):
    assert [*words(left), *words(right)] == list(words(f"{left} . {right}"))


@given(texts, st.none() | st.frozensets(st.sampled_from(("latin", "han", "hangul", "devanagari"))))
def test_readable_letters_are_counted_one_by_one(text: str, scripts: frozenset[str] | None):
    letters = [script for script in map(script_of, text) if script not in (None, "inherited")]
    readable = [script for script in letters if scripts is None or script in scripts]
    assert count_readable(text, scripts) == (len(letters), len(readable))


# -- globs ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Node:
    """A piece of a glob: what it looks like, and what it matches, worked out by trying every way."""

    kind: str  # text, any, star, cross, folders, set, choice
    text: str = ""
    negated: bool = False
    choices: tuple[tuple[Node, ...], ...] = ()

    def written(self) -> str:
        match self.kind:
            case "text":
                return "".join("\\" + char if char in "*?[]{},\\!" else char for char in self.text)
            case "set":
                return f"[{'!' if self.negated else ''}{self.text}]"
            case "choice":
                return "{" + ",".join(written(choice) for choice in self.choices) + "}"
            case _:
                return {"any": "?", "star": "*", "cross": "**", "folders": "**/"}[self.kind]

    def ends(self, path: str, start: int) -> set[int]:
        """Everywhere in the path this node may end when it begins at ``start``."""
        rest = path[start:]
        match self.kind:
            case "text":
                return {start + len(self.text)} if rest.startswith(self.text) else set()
            case "any":
                return {start + 1} if rest and rest[0] != "/" else set()
            case "set":
                return {start + 1} if rest and rest[0] != "/" and (rest[0] in self.text) != self.negated else set()
            case "star":
                return {start + length for length in range(len(rest) + 1) if "/" not in rest[:length]}
            case "cross":
                return {start + length for length in range(len(rest) + 1)}
            case "folders":
                return {start} | {start + at + 1 for at, char in enumerate(rest) if char == "/"}
            case _:
                return {end for choice in self.choices for end in all_ends(choice, path, {start})}


def alternatives(nodes: tuple[Node, ...]) -> int:
    return math.prod(sum(map(alternatives, node.choices)) for node in nodes if node.kind == "choice")


def written(nodes: tuple[Node, ...]) -> str:
    return "".join(node.written() for node in nodes)


def all_ends(nodes: tuple[Node, ...], path: str, starts: set[int]) -> set[int]:
    for node in nodes:
        starts = {end for start in starts for end in node.ends(path, start)}
    return starts


LETTERS = "ab.-é日"
few = st.text("ab", min_size=1, max_size=2)  # letters that meet again often, so that it matters which one is taken
plain = (few | few | st.text(LETTERS + "{}[]!,\\*?", min_size=1, max_size=3)).map(lambda text: Node("text", text))
sets = st.builds(Node, st.just("set"), st.text(LETTERS.replace("-", ""), min_size=1, max_size=3), st.booleans())
wild = st.sampled_from((Node("any"), Node("star"), Node("cross"))) | sets


@st.composite
def segments(draw: st.DrawFn, *, nested: bool = False) -> tuple[Node, ...]:
    """A path segment's glob that begins and ends with text, so that no two stars meet."""
    nodes = [draw(plain)]
    inner = (
        wild
        if nested
        else wild
        | st.builds(
            lambda choices: Node("choice", choices=tuple(choices)),
            st.lists(segments(nested=True), min_size=2, max_size=3),
        )
    )
    for node in draw(st.lists(inner, max_size=3)):
        nodes += [node, draw(plain)]
    return tuple(nodes)


@st.composite
def globs(draw: st.DrawFn) -> tuple[Node, ...]:
    """Segments, with ``**`` segments and lone stars among them."""
    nodes: list[Node] = []
    count = draw(st.integers(1, 3))
    for number in range(count):
        last = number == count - 1
        kind = draw(st.sampled_from(("segment", "segment", "star", "folders", "star-suffix", "text-cross")))
        if kind == "folders":
            nodes.append(Node("cross") if last else Node("folders"))
            continue
        nodes += {
            "segment": draw(segments()),
            "star": (Node("star"),),
            "star-suffix": (Node("star"), draw(plain)),
            "text-cross": (draw(plain), Node("cross")),
        }[kind]
        if not last:
            nodes.append(Node("text", "/"))
    assume(alternatives(tuple(nodes)) <= MAX_ALTERNATIVES)
    return tuple(nodes)


names = st.text("ab", min_size=1, max_size=6) | st.text(LETTERS + "{}[]!,*?", min_size=1, max_size=4)
paths = st.lists(names, min_size=1, max_size=4).map("/".join)


def nodes_of(glob: str) -> tuple[Node, ...]:
    """The nodes of a glob of letters, ``?``, ``/`` and stars."""
    nodes: list[Node] = []
    for match in re.finditer(r"(?:^|(?<=/))\*\*+/|\*+|\?|.", glob):
        kinds = {"?": "any", "*": "star"}
        piece = match[0]
        kind = "folders" if piece.startswith("**") and piece.endswith("/") else "cross" if piece[:2] == "**" else ""
        nodes.append(Node(kind or kinds.get(piece, "text"), piece))
    return tuple(nodes)


@given(
    st.text("ab*?/", max_size=9) | st.text("ab*", max_size=9), st.text("ab/", max_size=9) | st.text("ab", max_size=9)
)
@settings(max_examples=1000)
@example("a*b*ab", "abab")
@example("a**/b", "ab")
@example("**a*b", "xa/ab")
def test_stars_find_a_way_where_there_is_one(glob: str, path: str):
    assert bool(translate(glob).fullmatch(path)) == (len(path) in all_ends(nodes_of(glob), path, {0}))


@given(globs(), paths)
@settings(max_examples=300)
def test_a_glob_matches_what_trying_every_way_matches(glob: tuple[Node, ...], path: str):
    assert bool(translate(written(glob)).fullmatch(path)) == (len(path) in all_ends(glob, path, {0})), written(glob)


@given(globs(), st.data())
@settings(max_examples=200)
def test_a_glob_matches_a_path_made_from_it(glob: tuple[Node, ...], data: st.DataObject):
    path = "".join(data.draw(fitting(node)) for node in glob)
    assert translate(written(glob)).fullmatch(path), (written(glob), path)


def fitting(node: Node) -> st.SearchStrategy[str]:
    match node.kind:
        case "text":
            return st.just(node.text)
        case "any":
            return st.sampled_from(LETTERS)
        case "set":
            fits = [char for char in LETTERS + "z" if (char in node.text) != node.negated]
            return st.sampled_from(fits)
        case "star":
            return st.text("ab", max_size=3) | st.text(LETTERS, max_size=3)
        case "cross":
            return st.text("ab/", max_size=4) | st.text(LETTERS + "/", max_size=4)
        case "folders":
            return st.lists(st.text(LETTERS, min_size=1, max_size=2), max_size=2).map(
                lambda names: "".join(f"{name}/" for name in names)
            )
        case _:
            made = [st.tuples(*map(fitting, choice)).map("".join) for choice in node.choices]
            return st.one_of(made)


@given(st.text("ab-]![*?", max_size=8), st.text("ab-]![*?", max_size=6))
@settings(max_examples=500)
def test_inside_one_segment_globs_are_those_of_fnmatch(glob: str, name: str):
    assume(all(low <= high for low, high in re.findall("(?=(.)-(.))", glob)))  # fnmatch leaves backward ranges out
    assume("--" not in glob)
    assert bool(translate(glob).fullmatch(name)) == fnmatch.fnmatchcase(name, glob)


@given(st.text("ab*?[]{}!,\\/-", max_size=20), paths)
@settings(max_examples=300)
def test_any_text_is_a_glob(glob: str, path: str):
    translate(glob).fullmatch(path)


@given(st.lists(globs().map(written), max_size=3), st.lists(globs().map(written), max_size=2), paths)
def test_a_list_includes_then_excludes(including: list[str], excluding: list[str], path: str):
    assume(not any(glob.startswith("!") for glob in including))
    matches = compile_globs([*including, *(f"!{glob}" for glob in excluding)])
    included = not including or any(translate(glob).fullmatch(path) for glob in including)
    assert matches(path) == bool(included and not any(translate(glob).fullmatch(path) for glob in excluding))


# -- dates ---------------------------------------------------------------------------------------------------------

days = st.dates()
moments = st.datetimes(timezones=st.timezones() | st.just(dt.UTC)).filter(
    lambda moment: (moment.utcoffset() or dt.timedelta()) % dt.timedelta(minutes=1) == dt.timedelta()
)


@given(days)
def test_days_are_read_as_written(day: dt.date):
    assert parse_date(day.isoformat()) == day


@given(moments, st.sampled_from("Tt "))
def test_moments_are_read_as_written(moment: dt.datetime, between: str):
    read = parse_date(moment.isoformat().replace("T", between))
    assert isinstance(read, dt.datetime)
    assert read.replace(tzinfo=None) == moment.replace(tzinfo=None)
    assert read.utcoffset() == moment.utcoffset()


@given(st.text("0123456789-T:Z+. W", max_size=25))
def test_only_dates_of_the_two_forms_are_dates(text: str):
    read = parse_date(text)
    form = re.fullmatch(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})?)?", text)
    assert form or read is None


@given(days, st.none() | days, st.none() | days)
def test_a_range_of_days_holds_its_bounds(day: dt.date, earliest: dt.date | None, latest: dt.date | None):
    expected = (earliest is None or earliest <= day) and (latest is None or day <= latest)
    assert in_range(day.isoformat(), earliest and earliest.isoformat(), latest and latest.isoformat()) == expected


@given(moments, moments)
def test_moments_are_compared_as_moments(moment: dt.datetime, bound: dt.datetime):
    zero = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    assert in_range(moment.isoformat(), bound.isoformat(), None) == (moment - zero >= bound - zero)
    assert in_range(moment.isoformat(), None, bound.isoformat()) == (moment - zero <= bound - zero)


@given(moments, days)
def test_beside_a_day_the_day_as_written_counts(moment: dt.datetime, day: dt.date):
    assert in_range(moment.isoformat(), day.isoformat(), day.isoformat()) == (moment.date() == day)
    assert in_range(day.isoformat(), moment.isoformat(), moment.isoformat()) == (moment.date() == day)


@given(texts, texts)
def test_what_is_no_date_lies_in_no_range_and_bounds_nothing(text: str, other: str):
    assume(parse_date(text) is None)
    assert not in_range(text, None, None)
    assert not in_range("2026-01-01", text, None)
    assert not in_range("2026-01-01", None, text)
    assert not in_range(text, other, other)
