from __future__ import annotations

from grooveseek.evaluation.curation.judging import Judging, expected_of, judged_already, merged
from grooveseek.evaluation.curation.pool import Section
from grooveseek.evaluation.golden import Expected

A, B, C = Section(path="a.md", heading="One"), Section(path="a.md", heading="Two"), Section(path="c.md")


def test_sections_come_one_after_the_other():
    judging = Judging(sections=[A, B, C], judged={})
    assert (judging.current, judging.place, judging.left) == (A, (1, 3), 3)
    judging.judge(3)
    judging.skip()
    assert (judging.current, judging.place, judging.left) == (C, (3, 3), 2)
    judging.judge(0)
    assert (judging.current, judging.place, judging.left) == (None, (3, 3), 1)
    assert judging.judged == {A: 3, C: 0}


def test_undo_takes_back_a_grade_or_a_skip_and_shows_the_section_again():
    judging = Judging(sections=[A, B, C], judged={})
    assert not judging.undo()
    judging.judge(3)
    judging.skip()
    assert judging.undo()
    assert (judging.current, judging.judged) == (B, {A: 3})
    assert judging.undo()
    assert (judging.current, judging.judged) == (A, {})
    judging.judge(1)
    assert judging.judged == {A: 1}


def test_what_was_judged_before_is_not_asked_and_not_undone():
    judging = Judging(sections=[A, B, C], judged={B: 2})
    judging.judge(0)
    assert judging.current == C
    assert judging.place == (2, 2)
    assert judging.undo()
    assert not judging.undo()
    assert judging.judged == {B: 2}


def test_sections_of_one_document_are_one_entry_of_the_highest_grade():
    assert expected_of({A: 2, B: 3, C: 1}) == (
        Expected(path="a.md", relevance=3),
        Expected(path="c.md", relevance=1),
    )
    assert expected_of({A: 2, B: 0, C: 0}) == (Expected(path="a.md", heading="One", relevance=2),)
    assert expected_of({A: 0}) == ()


def test_an_entry_grades_the_sections_it_names():
    entries = [Expected(path="a.md", heading=" one ", relevance=4), Expected(path="c.md")]
    assert judged_already([A, B, C], entries) == {A: 4, C: 1}
    assert judged_already([A, B], [Expected(path="a.md", relevance=2)]) == {A: 2, B: 2}


def test_entries_that_were_there_stay_and_new_ones_follow():
    there = (Expected(path="z.md", quote="words"), Expected(path="a.md", heading="One", relevance=2))
    assert merged(there, {A: 2}, {A: 2, B: 0, C: 3}) == (*there, Expected(path="c.md", relevance=3))


def test_another_relevant_section_widens_an_entry_but_not_one_with_a_quote():
    one = Expected(path="a.md", heading="One", relevance=2)
    assert merged((one,), {A: 2}, {A: 2, B: 4}) == (Expected(path="a.md", relevance=4),)
    quoted = Expected(path="a.md", quote="words")
    assert merged((quoted,), {A: 1}, {A: 1, B: 4}) == (quoted,)
