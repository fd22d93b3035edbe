"""Users' faults with queries: punctuation, scripts without spaces, hostile strings."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.errors import GrooveError
from grooveseek.settings.sections import IndexSettings, Settings
from tests.support.search import hits, paths, spans_in

CASES = Path(__file__).parents[1] / "cases"
LEAKS = re.compile("syntax error|no such column|unterminated string|unknown special query|Traceback", re.IGNORECASE)
SECONDS = 5
"""A bound that a hang breaks and a slow machine does not."""


def expected(case: str) -> dict[str, Any]:
    return json.loads((CASES / case / "expect.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def punctuation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with open_case("C17", tmp_path_factory) as kb:
        yield kb


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with open_case("C19", tmp_path_factory) as kb:
        yield kb


def open_case(name: str, factory: pytest.TempPathFactory) -> KnowledgeBase:
    index = factory.mktemp(name) / "index.db"
    kb = KnowledgeBase(Settings(kb_path=CASES / name / "kb", index=IndexSettings(path=index)), embedder=FakeEmbedder())
    kb.index()
    return kb


@pytest.mark.parametrize(("query", "path"), expected("C17")["first_result_keyword_mode"])
def test_what_was_typed_finds_its_file_first(punctuation: KnowledgeBase, query: str, path: str) -> None:
    assert paths(punctuation, query)[0] == path


@pytest.mark.parametrize(("query", "path"), expected("C17")["that_file_first_or_an_empty_list_never_an_error"])
def test_a_query_that_looks_like_operators_is_words(punctuation: KnowledgeBase, query: str, path: str | None) -> None:
    for mode in ("keyword", "semantic", "hybrid"):
        found = paths(punctuation, query, mode=mode)
        if mode == "keyword" and path is not None and found:
            assert found[0] in path.split("|")


@pytest.mark.parametrize("query", expected("C17")["must_not_crash"], ids=lambda query: repr(query)[:30])
@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_a_hostile_query_is_answered_or_refused_in_words(punctuation: KnowledgeBase, query: str, mode: str) -> None:
    started = time.monotonic()
    try:
        answer = punctuation.search(query, mode=mode)
        told = " ".join(answer.notes)
    except GrooveError as error:
        told = str(error)
    assert not LEAKS.search(told)
    assert time.monotonic() - started < SECONDS
    assert punctuation.status().statistics.documents == 16


@pytest.mark.parametrize(("query", "right"), expected("C19")["keyword_mode"].items())
def test_words_inside_unbroken_runs_are_found_in_place(
    scripts: KnowledgeBase, query: str, right: dict[str, Any]
) -> None:
    for mode in ("keyword", "hybrid"):
        assert paths(scripts, query, mode=mode)[0] == right["file"]
    if "spans" in right:
        start = next(hit.chunk.start_byte for hit in hits(scripts, query) if hit.path == right["file"])
        assert start is not None
        # a heading is shown as the hit's heading; its line is no part of the content that spans point into
        in_content = [tuple(span) for span in right["spans"] if span[0] >= start]
        assert in_content
        assert spans_in(scripts, query, right["file"]) == in_content


@pytest.mark.parametrize("query", ["検索", "検索テスト", "データベース"])
def test_a_word_that_a_line_end_cuts_in_an_unspaced_script_is_found(tmp_path: Path, query: str) -> None:
    """A sibling of C19: text wrapped at a fixed width."""
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "wrapped.md").write_text(
        "# 手順\n\n改行で分かれた単語の検\n索テスト。次にデータベ\r\nースを開く。\n", "utf-8"
    )
    (tmp_path / "kb" / "other.md").write_text("# 手順\n\n点検のあとに索を巻く。\n", "utf-8")
    with KnowledgeBase(Settings(kb_path=tmp_path / "kb"), embedder=FakeEmbedder()) as kb:
        kb.index()
        assert paths(kb, query)[0] == "wrapped.md"


def test_full_width_letters_meet_their_plain_form(scripts: KnowledgeBase) -> None:
    assert "full.md" in paths(scripts, "PLC")


def test_an_excluded_word_is_kept_out_of_both_legs(punctuation: KnowledgeBase) -> None:
    for mode in ("keyword", "semantic", "hybrid"):
        found = hits(punctuation, "gasket -0017", mode=mode, limit=50)
        assert "vlv-0071.md" in {hit.path for hit in found}
        assert "vlv-0017.md" not in {hit.path for hit in found}


def test_only_exclusions_find_nothing_and_say_why(punctuation: KnowledgeBase) -> None:
    answer = punctuation.search("-gasket")
    assert not answer.hits
    assert answer.notes == ("the query only excludes; name something to look for as well",)


@pytest.mark.parametrize(
    ("query", "path"),
    [("C#", "csharp.md"), ('"C#"', "csharp.md"), ("written in C#", "csharp.md"), ("5%", "rates.md"), ("R&D", "rd.md")],
)
def test_two_characters_with_a_symbol_are_no_other_letter(tmp_path: Path, query: str, path: str) -> None:
    """A sibling of C17: the symbol is too short for a trigram, and the word table drops it."""
    texts = {
        "csharp.md": "# Service\n\nWritten in C# and tested on Fridays.\n",
        "c.md": "# Vitamins\n\nC and C again: C is the letter, C.\n",
        "end.md": "# Courses\n\nIn spring we teach C#",
        "rates.md": "# Rates\n\nInterest rose to 5%, said the bank.\n",
        "five.md": "# Boats\n\n5 boats, 5 men, 5 oars.\n",
        "rd.md": "# Budget\n\nThe R&D budget doubled.\n",
        "letters.md": "# Letters\n\nR and D, D and R.\n",
    }
    (tmp_path / "kb").mkdir()
    for name, text in texts.items():
        (tmp_path / "kb" / name).write_text(text, "utf-8")
    with KnowledgeBase(Settings(kb_path=tmp_path / "kb"), embedder=FakeEmbedder()) as kb:
        kb.index()
        found = paths(kb, query)
        assert path in found[:2]
        assert not {"c.md", "five.md", "letters.md"} & set(found)
        assert ("end.md" in found) == ("C#" in query)
        assert paths(kb, "-C# spring Fridays") == []
