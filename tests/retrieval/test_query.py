"""The query compiler, with every expectation worked out from the rules by hand."""

from __future__ import annotations

import pytest
from grooveseek.retrieval.query import MAX_PHRASES, compile_query, forms


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("slack tide", ("slack", "tide")),
        ("再ランキングの評価について", ("再ランキング", "ランキング", "の評価", "について")),
        ("ランキング用", ("ランキング", "ランキング用")),
        ("AI について", ("について",)),
        ('"exact words" there', ("exact words",)),
        ('say ""hello"" twice', ("say", "hello", "twice")),
        ('"a ""quoted"" word"', ('a "quoted" word',)),
        ('"unclosed quote', ("unclosed", "quote")),
        ("Slack SLACK slack", ("Slack",)),
        ("C++", ("C++",)),
        ("VLV-0071,", ("VLV", "0071", "VLV-0071")),
        ("(see fog.md)", ("see", "fog", "fog.md")),
        ("ポンプ ホース", ("ポンプ", "ホース")),
        ("점검 기록", ("점검 기록",)),
        ("???", ("???",)),
        ("AI", ()),
        ("", ()),
        ("what is the tide", ("tide",)),
        ("to be or not to be", ("not",)),
    ],
)
def test_phrases(text: str, phrases: tuple[str, ...]) -> None:
    assert compile_query(text).phrases == phrases


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("slack tide", ("slack", "tide")),
        ("AI", ("ai",)),
        ("再評価の方法", ("再評", "評価", "方法")),
        ("用", ("用",)),
        ("につき", ("につ", "つき")),
        ("倉庫の中", ("倉庫", "中")),
        ('"slack tide" x', ("slack tide", "x")),
        ("e-mail", ("mail",)),
        ("C++", ()),
        ("C#", ()),
    ],
)
def test_words(text: str, words: tuple[str, ...]) -> None:
    assert compile_query(text).words == words


@pytest.mark.parametrize(
    ("text", "excluded", "excluded_words", "positive"),
    [
        ("tide -draft", ("draft",), (), "tide"),
        ('tide -"release notes"', ("release notes",), (), "tide"),
        ("-x tide", (), ("x",), "tide"),
        ("tide -倉庫", (), ("倉庫",), "tide"),
        ("tide -pre-commit", ("pre-commit",), (), "tide"),
        ("e-mail 2026-01-01", (), (), "e-mail 2026-01-01"),
        ("- tide", (), (), "- tide"),
        ("-- tide", (), (), "-- tide"),
        ("--force", (), (), "--force"),
        ("tide - x", (), (), "tide - x"),
        ("-draft", ("draft",), (), ""),
    ],
)
def test_exclusions(text: str, excluded: tuple[str, ...], excluded_words: tuple[str, ...], positive: str) -> None:
    compiled = compile_query(text)
    assert (compiled.excluded, compiled.excluded_words) == (excluded, excluded_words)
    assert compiled.positive_text == positive
    assert compiled.is_empty == (positive == "")


def test_phrases_over_the_cap_are_counted() -> None:
    compiled = compile_query(" ".join(f"word{number}" for number in range(MAX_PHRASES + 3)))
    assert len(compiled.phrases) == len(compiled.words) == MAX_PHRASES
    assert compiled.truncated == 6  # three phrases and three words


def test_forms_for_the_trigram_table_are_folded_and_without_repeats() -> None:
    assert forms(['Say "Hi"', "ＰＬＣ", "plc"], spelled=False) == ['say "hi"', "plc"]


def test_forms_for_the_word_table_are_spelled_as_it_spells_them() -> None:
    assert forms(["倉庫係", "Tide"], spelled=True) == ["倉 倉庫 庫 庫係 係", "tide"]


def test_what_is_nothing_in_a_table_has_no_form() -> None:
    assert forms([], spelled=False) == []
    assert forms(["—"], spelled=True) == []


@pytest.mark.parametrize(
    ("query", "phrases", "words"),
    [
        ("C#", ("C#",), ()),
        ('"C#"', ("C#",), ()),
        ("rose to 5%", ("rose", "5%"), ("rose",)),
        ("(F#)", ("F#",), ()),
        ("q, z", ("q, z",), ("q", "z")),  # the punctuation of a sentence
        ('" C"', ('" C"',), (" C",)),
        ("再#", (), ("再",)),  # of an unspaced script one character is a word
    ],
)
def test_a_letter_with_its_symbol_is_looked_for_as_it_stands(
    query: str, phrases: tuple[str, ...], words: tuple[str, ...]
) -> None:
    compiled = compile_query(query)
    assert (compiled.phrases, compiled.words) == (phrases, words)
