"""Golden files that people edit and groove adds to: what is added is read back, and what was there stays."""

from __future__ import annotations

from dataclasses import replace

from grooveseek.evaluation.curation.lines import entry_text
from grooveseek.evaluation.curation.write import with_query
from grooveseek.evaluation.golden import Expected, GoldenQuery, parse_golden
from hypothesis import example, given
from hypothesis import strategies as st

ANY = {"codec": "utf-8", "exclude_categories": ("Cc", "Cs", "Zl", "Zp")}
words = st.text(st.characters(**ANY), min_size=1, max_size=40).filter(str.strip)
names = st.text(st.characters(**ANY, exclude_characters="/\\"), min_size=1, max_size=8)
paths = (
    st.lists(names, min_size=1, max_size=3)
    .map("/".join)
    .filter(lambda path: path.strip() and ".." not in path.split("/") and not path.startswith("./"))
)
entries = st.builds(
    Expected,
    path=paths,
    heading=st.none() | words.map(str.strip),
    relevance=st.integers(1, 4),
    quote=st.none() | words,
)


@st.composite
def queries(draw: st.DrawFn) -> GoldenQuery:
    expected = draw(st.lists(entries, max_size=3, unique_by=lambda entry: entry.path))
    return GoldenQuery(
        id=draw(words),
        query=draw(words),
        tags=tuple(draw(st.lists(words, max_size=2))),
        expected=tuple(expected),
        answerable=bool(expected),
    )


def read_back(data: bytes) -> list[GoldenQuery]:
    return [
        replace(query, line=None, expected=tuple(replace(entry, line=None) for entry in query.expected))
        for query in parse_golden(data).queries
    ]


@given(queries())
@example(GoldenQuery(id="a", query="~", answerable=False))
@example(GoldenQuery(id="<<", query="=", tags=("]",), answerable=False))
def test_a_query_is_read_back_as_it_was_written(query: GoldenQuery) -> None:
    indented = "".join(f"  {line}\n" for line in entry_text(query).splitlines())
    assert read_back(f"queries:\n{indented}".encode()) == [query]


@given(st.lists(queries(), min_size=1, max_size=4, unique_by=lambda query: query.query))
def test_queries_added_one_by_one_are_all_there_and_lines_stay(added: list[GoldenQuery]) -> None:
    data: bytes | None = None
    for query in added:
        before = [] if data is None else data.decode().splitlines()
        data = with_query(data, "golden.yml", query)
        assert data.decode().splitlines()[: len(before)] == before
    assert data is not None
    found = read_back(data)
    assert [query.query for query in found] == [query.query for query in added]
    assert [replace(query, id="") for query in found] == [replace(query, id="") for query in added]
    assert len({query.id for query in found}) == len(found)
