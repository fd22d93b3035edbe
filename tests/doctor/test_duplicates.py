from __future__ import annotations

import random

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.doctor.duplicates import RESEMBLANCE, Pair, find_pairs
from tests.support.damage import assert_clean, only

WORDS = [f"{a}{b}" for a in "badefikolumpnar" for b in ("ran", "tok", "vis", "lem", "dor", "pun", "gas", "hil")]


def text(seed: int, length: int = 300) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=length))


def with_changes(original: str, every: int) -> str:
    """The text with one word in ``every`` replaced."""
    return " ".join("changed" if place % every == every - 1 else word for place, word in enumerate(original.split()))


def exact(first: str, second: str) -> float:
    """Jaccard of the five-word runs, the slow way."""
    runs = [
        {tuple(words[i : i + 5]) for i in range(len(words) - 4)}
        for words in (first.casefold().split(), second.casefold().split())
    ]
    return len(runs[0] & runs[1]) / len(runs[0] | runs[1])


def test_the_same_text_twice_is_a_pair_of_full_resemblance():
    assert find_pairs([("b.md", [text(1)]), ("a.md", [text(1)]), ("c.md", [text(2)])]) == [
        Pair(first="a.md", second="b.md", resemblance=1.0)
    ]


@pytest.mark.parametrize("every", [300, 100, 60, 50, 40, 30, 20, 10])
def test_resemblance_is_the_exact_share_of_common_runs(every: int):
    original = text(3)
    changed = with_changes(original, every)
    share = exact(original, changed)
    pairs = find_pairs([("a.md", [original]), ("b.md", [changed])])
    if share >= RESEMBLANCE:
        assert pairs[0].resemblance == pytest.approx(share)
    else:
        assert pairs == []


def test_no_pair_is_missed_among_many_documents():
    documents = [(f"{i:03}.md", [text(i)]) for i in range(60)]
    documents += [(f"{i:03}-copy.md", [with_changes(text(i), 150)]) for i in range(0, 60, 3)]
    pairs = find_pairs(documents)
    assert {(pair.first, pair.second) for pair in pairs} == {(f"{i:03}-copy.md", f"{i:03}.md") for i in range(0, 60, 3)}


def test_case_and_punctuation_make_no_difference():
    assert find_pairs([("a.md", [text(4)]), ("b.md", [text(4).upper().replace(" ", ", ")])])[0].resemblance == 1.0


def test_short_texts_say_nothing():
    assert find_pairs([("a.md", ["see the other page"]), ("b.md", ["see the other page"])]) == []


def test_a_stub_that_is_everywhere_is_compared_with_the_first_only():
    pairs = find_pairs([(f"{i:03}.md", [text(5)]) for i in range(120)])
    assert len(pairs) == 119


def test_near_duplicates_are_reported_on_request_and_gone_after_the_remedy(kb: KnowledgeBase):
    (kb.root / "one.md").write_text(f"# One\n\n{text(6)}\n", encoding="utf-8")
    (kb.root / "two.md").write_text(f"# Two\n\n{with_changes(text(6), 200)}\n", encoding="utf-8")
    kb.index()
    assert_clean(kb.examine())
    finding = only(kb.examine(deep=True), "near-duplicates")
    assert (finding.severity, finding.count) == ("note", 1)
    assert finding.examples[0].startswith("one.md and two.md: 9")
    (kb.root / ".grooveignore").write_text("two.md\n", encoding="utf-8")
    kb.index()
    assert_clean(kb.examine(deep=True))
