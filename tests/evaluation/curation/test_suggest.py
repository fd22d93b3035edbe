from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from grooveseek.app import KnowledgeBase
from grooveseek.evaluation.curation.suggest import render_suggestions, suggest
from grooveseek.evaluation.golden import parse_golden
from tests.conftest import OpenKb
from tests.support.eval_bases import NOTES, write_base


@pytest.fixture
def kb(open_kb: OpenKb, tmp_path: Path) -> KnowledgeBase:
    kb = open_kb(write_base(tmp_path / "kb"))
    kb.index()
    return kb


def test_a_suggestion_is_made_of_words_of_the_passage_it_expects(kb: KnowledgeBase):
    found = suggest(kb.store(), count=20)
    assert {s.query.expected[0].path for s in found} <= set(NOTES)
    assert len(found) == len({s.query.expected[0].path for s in found}) >= 5
    for suggestion in found:
        text = str(NOTES[suggestion.query.expected[0].path]).casefold()
        assert all(word in text for word in suggestion.query.query.split()), suggestion


def test_it_prefers_words_that_tell_the_passage_from_the_others(kb: KnowledgeBase):
    queries = " ".join(suggestion.query.query for suggestion in suggest(kb.store(), count=20))
    assert "the" not in queries.split()


def test_the_passage_it_is_made_of_is_found_with_it(kb: KnowledgeBase):
    for suggestion in suggest(kb.store(), count=20):
        assert kb.search(suggestion.query.query, mode="keyword").hits[0].path == suggestion.query.expected[0].path


def test_a_seed_draws_the_same_passages_always_and_others_for_another(kb: KnowledgeBase):
    assert suggest(kb.store(), count=3, seed=1) == suggest(kb.store(), count=3, seed=1)
    assert len({suggest(kb.store(), count=3, seed=seed) for seed in range(4)}) > 1


def test_printed_as_they_are_suggestions_do_nothing(kb: KnowledgeBase):
    text = render_suggestions(suggest(kb.store(), count=20))
    assert yaml.safe_load(text) is None


def test_without_the_comment_marks_they_are_golden_queries(kb: KnowledgeBase):
    found = suggest(kb.store(), count=20)
    lines = [
        line.removeprefix("# ") for line in render_suggestions(found).splitlines() if line.startswith(("# -", "#   "))
    ]
    golden = parse_golden(("queries:\n" + "\n".join(lines) + "\n").encode())
    assert [query.query for query in golden.queries] == [suggestion.query.query for suggestion in found]
    assert [query.expected[0].path for query in golden.queries] == [s.query.expected[0].path for s in found]


def test_passages_too_short_to_ask_for_are_passed_over(open_kb: OpenKb, tmp_path: Path):
    kb = open_kb(tmp_path / "kb", files={"stub.md": "# Stub\n\nTBD\n"})
    kb.index()
    assert suggest(kb.store(), count=5) == ()
