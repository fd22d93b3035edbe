from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from grooveseek.evaluation.curation.check import Checked, check_golden
from grooveseek.evaluation.golden import parse_golden
from tests.conftest import OpenKb, write_files
from tests.support.eval_bases import GOLDEN, write_base


@pytest.fixture
def checked(open_kb: OpenKb, tmp_path: Path) -> Callable[..., Checked]:
    """Index the little base, add and remove files, and check a golden set against it."""
    kb = open_kb(write_base(tmp_path / "kb"))

    def check(golden: str, *, unindexed: dict[str, str] | None = None, gone: str = "", **files: str) -> Checked:
        write_files(kb.root, {**files})
        kb.index()
        write_files(kb.root, {**(unindexed or {})})
        if gone:
            (kb.root / gone).unlink()
        return check_golden(parse_golden(golden.encode()), kb.store(), kb.root)

    return check


def told(checked: Checked) -> list[tuple[str, int | None]]:
    return [(finding.check, finding.line) for finding in checked.findings]


def test_a_sound_set_has_no_findings(checked):
    assert checked(GOLDEN) == Checked(findings=(), notes=())


def test_a_path_that_does_not_exist_is_found_with_the_nearest_one(checked):
    found = checked("queries:\n  - query: fog at sea\n    expected:\n      - path: weather/fogg.md\n")
    assert told(found) == [("golden-missing", 4)]
    assert "Did you mean weather/fog.md?" in found.findings[0].message


def test_a_path_that_differs_in_what_is_hard_to_see_gets_the_one_meant(checked):
    found = checked("queries:\n  - query: fog at sea\n    expected:\n      - path: WEATHER/FOG.md\n")
    assert told(found) == [("golden-missing", 4)]
    assert "weather/fog.md does, in other letter case or another Unicode form" in found.findings[0].message


def test_a_file_that_is_not_indexed_is_another_matter(checked):
    golden = "queries:\n  - {query: fog at sea, expected: [{path: new.md}]}\n"
    found = checked(golden, unindexed={"new.md": "# New\n\nfog\n"})
    assert told(found) == [("golden-not-indexed", 2)]
    assert "groove index" in found.findings[0].message


def test_a_file_that_is_gone_since_it_was_indexed_is_found(checked):
    found = checked("queries:\n  - {query: fog at sea, expected: [{path: weather/fog.md}]}\n", gone="weather/fog.md")
    assert told(found) == [("golden-missing", 2)]
    assert "no longer in the folder" in found.findings[0].message


@pytest.mark.parametrize("heading", ["Clearing", " clearing "])
def test_a_heading_is_matched_as_measuring_matches_it(checked, heading: str):
    golden = f'queries:\n  - {{query: haze, expected: [{{path: weather/fog.md, heading: "{heading}"}}]}}\n'
    assert told(checked(golden)) == []


def test_a_heading_that_no_section_has_is_found_with_the_nearest_one(checked):
    found = checked("queries:\n  - {query: haze, expected: [{path: weather/fog.md, heading: Clearings}]}\n")
    assert told(found) == [("golden-heading", 2)]
    assert 'Did you mean "Clearing"?' in found.findings[0].message


def test_quotes_that_are_gone_or_stand_elsewhere_are_found(checked):
    golden = """
queries:
  - {id: a, query: haze, expected: [{path: weather/fog.md, quote: nothing like it}]}
  - {id: b, query: haze, expected: [{path: weather/fog.md, heading: Fog, quote: When the haze lifts}]}
  - {id: c, query: lamp, expected: [{path: weather/fog.md, heading: Fog, quote: lamp buoy}]}
"""
    assert told(checked(golden)) == [("golden-stale", 3), ("golden-duplicate", 4), ("golden-contradiction", 4)]


def test_a_query_asked_twice_is_found_whatever_its_spaces_and_case(checked):
    golden = """
queries:
  - {id: a, query: Saffron  cake, expected: [{path: my notes/tea & cake.md}]}
  - {id: b, query: saffron cake, expected: [{path: my notes/tea & cake.md}]}
"""
    found = checked(golden)
    assert told(found) == [("golden-duplicate", 4)]
    assert 'the same as "a" on line 3' in found.findings[0].message


def test_a_document_that_quotes_queries_is_found(checked):
    leaking = {"faq.md": "# Questions\n\nwhat does the ferry do in fog\n\npaid back after a cancelled crossing\n"}
    found = checked(GOLDEN, **leaking)
    assert [(finding.check, finding.path) for finding in found.findings] == [("golden-queries-quoted", "faq.md")]


def test_short_queries_are_noted_and_no_finding(checked):
    found = checked("queries:\n  - {query: 潮, expected: [{path: 港/潮.md}]}\n")
    assert told(found) == []
    assert [(note.check, note.line) for note in found.notes] == [("golden-short-query", 2)]


def test_a_query_that_only_excludes_is_found(checked):
    assert told(checked('queries:\n  - {query: "-fog", expected: [{path: weather/fog.md}]}\n')) == [
        ("golden-empty-query", 2)
    ]
