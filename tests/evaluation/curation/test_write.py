from __future__ import annotations

from dataclasses import replace

import pytest
from grooveseek.errors import GoldenError
from grooveseek.evaluation.curation.lines import entry_text, scalar
from grooveseek.evaluation.curation.write import with_query
from grooveseek.evaluation.golden import Expected, GoldenQuery, parse_golden

NEW = GoldenQuery(
    id="is the pump safe? yes: always",
    query="is the pump safe? yes: always",
    tags=("new", "a, b"),
    expected=(
        Expected(path="ops/pump.md", heading="- Reset", relevance=3),
        Expected(path="港/潮 1.md"),
        Expected(path="no", quote='he said "no"\nand left'),
    ),
)

BLOCK = """\
# Mine.
queries:   # all of them
  - query: "one"   # why
    expected:
      - path: a.md

  # between
  - id: two
    query: two
    expected: [{path: b.md,  relevance: 2}]   # kept

  # what comes next
"""
DASHES_AT_THE_MARGIN = """\
queries:
- query: one
  expected:
  - path: a.md
- query: >-
    two
    lines
  expected:
  - path: b.md
    quote: |
      kept as
      it is
"""
FLOW = "queries: [{query: one, expected: [{path: a.md}]}]  # short\n"


def without_lines(data: bytes) -> list[GoldenQuery]:
    return [
        replace(query, line=None, expected=tuple(replace(entry, line=None) for entry in query.expected))
        for query in parse_golden(data).queries
    ]


def test_a_new_file_holds_the_query():
    data = with_query(None, "golden.yml", NEW)
    assert data.startswith(b"# Golden queries")
    assert without_lines(data) == [NEW]


@pytest.mark.parametrize("before", [BLOCK, DASHES_AT_THE_MARGIN, BLOCK[: BLOCK.index("   # kept")], BLOCK[:-1]])
def test_a_new_query_is_new_lines_and_nothing_else_changes(before: str):
    after = with_query(before.encode(), "golden.yml", NEW).decode()
    assert without_lines(after.encode()) == [*without_lines(before.encode()), NEW]
    kept = iter(after.splitlines())
    assert all(line in kept for line in before.splitlines()), "the old lines stand in the new file, in order"
    added = len(after.splitlines()) - len(before.splitlines())
    assert added <= len(entry_text(NEW).splitlines()) + 1


def test_it_stands_behind_the_last_query_with_an_empty_line_where_the_file_has_them():
    lines = with_query(BLOCK.encode(), "golden.yml", NEW).decode().splitlines()
    place = lines.index("    expected: [{path: b.md,  relevance: 2}]   # kept")
    assert lines[place + 1 : place + 3] == ["", '  - query: "is the pump safe? yes: always"']
    assert lines[-1] == "  # what comes next"
    tight = with_query(DASHES_AT_THE_MARGIN.encode(), "golden.yml", NEW).decode().splitlines()
    assert "" not in tight
    assert '- query: "is the pump safe? yes: always"' in tight


def test_windows_line_ends_stay():
    before = BLOCK.replace("\n", "\r\n").encode()
    after = with_query(before, "golden.yml", NEW)
    assert after.count(b"\n") == after.count(b"\r\n")
    assert without_lines(after)[-1] == NEW


def test_a_list_in_flow_style_is_rewritten_with_its_comments():
    after = with_query(FLOW.encode(), "golden.yml", NEW)
    assert without_lines(after) == [*without_lines(FLOW.encode()), NEW]
    assert b"# short" in after


def test_a_query_that_is_there_is_changed_in_place():
    one = without_lines(BLOCK.encode())[0]
    more = replace(one, expected=(*one.expected, Expected(path="c.md", relevance=4)))
    after = with_query(BLOCK.encode(), "golden.yml", more)
    assert without_lines(after) == [more, without_lines(BLOCK.encode())[1]]
    for comment in (b"# Mine.", b"# all of them", b"# why", b"# between", b"# kept", b"# what comes next"):
        assert comment in after


def test_entries_of_a_query_can_change_and_go():
    two = without_lines(DASHES_AT_THE_MARGIN.encode())[1]
    changed = replace(two, expected=(replace(two.expected[0], quote=None, heading="Here", relevance=2),))
    after = with_query(DASHES_AT_THE_MARGIN.encode(), "golden.yml", changed)
    assert without_lines(after)[1] == changed
    none = replace(two, expected=(), answerable=False)
    assert without_lines(with_query(after, "golden.yml", none))[1] == none
    assert without_lines(with_query(with_query(after, "g.yml", none), "g.yml", two))[1] == two


def test_an_id_that_is_taken_gets_a_number():
    first = GoldenQuery(id="two", query="another", expected=(Expected(path="c.md"),))
    data = with_query(BLOCK.encode(), "golden.yml", first)
    assert [query.id for query in parse_golden(data).queries] == ["one", "two", "two 2"]
    third = replace(first, query="a third")
    assert parse_golden(with_query(data, "golden.yml", third)).queries[-1].id == "two 3"


def test_a_file_that_cannot_be_read_is_not_written():
    with pytest.raises(GoldenError, match=r"golden\.yml:2: not valid YAML"):
        with_query(b"queries: [", "golden.yml", NEW)


@pytest.mark.parametrize(
    "text", ["plain words", "ポンプの再起動", "a: b", "- x", "yes", "007", "null", "a #b", " a", "a\tb", "it's", '"']
)
def test_a_scalar_is_read_back_as_it_was(text: str):
    data = f"queries:\n  - query: {scalar(text)}\n    expected: [{{path: a.md}}]\n".encode()
    assert parse_golden(data).queries[0].query == text


def test_what_reads_well_is_left_plain():
    assert scalar("what to do in fog") == "what to do in fog"
    assert scalar("ops/pump.md") == "ops/pump.md"
    assert scalar("007") == '"007"'
