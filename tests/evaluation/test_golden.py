import hashlib
import re
from pathlib import Path

import pytest
from grooveseek.errors import GoldenError
from grooveseek.evaluation.golden import MAX_GOLDEN_BYTES, Expected, GoldenQuery, parse_golden

FULL = """\
# questions people really asked
queries:
  - query: How do I reset the pump?
    expected:
      - path: ops/pump.md
        heading: " Reset "
        relevance: 3
        quote: "Hold the button"
      - path: ./ops/faq.md
    id: pump-reset
    tags: [ops, 2024]
  - {query: 日本語の質問, expected: [{path: "my notes/日本.md"}]}
  - query: Who won the 1998 cup?
    expected: []
    answerable: false
"""


def test_every_key_is_read() -> None:
    golden = parse_golden(FULL.encode(), "golden.yml")
    first, second, third = golden.queries
    assert first == GoldenQuery(
        id="pump-reset",
        query="How do I reset the pump?",
        expected=(
            Expected(path="ops/pump.md", heading="Reset", relevance=3, quote="Hold the button", line=5),
            Expected(path="ops/faq.md", line=9),
        ),
        tags=("ops", "2024"),
        line=3,
    )
    assert (second.id, second.line, second.expected[0].path) == ("日本語の質問", 12, "my notes/日本.md")
    assert (third.answerable, third.expected) == (False, ())
    assert golden.sha256 == hashlib.sha256(FULL.encode()).hexdigest()
    assert golden.by_id()["pump-reset"] is first


def test_the_id_is_the_first_32_characters_of_the_query() -> None:
    query = "a question that is a good deal longer than that"
    golden = parse_golden(f"queries: [{{query: {query}, expected: [{{path: a.md}}]}}]".encode())
    assert golden.queries[0].id == "a question that is a good deal l"


def test_values_are_taken_as_written() -> None:
    golden = parse_golden(b"queries: [{id: 007, query: 2024-01-02, expected: [{path: yes, heading: 1.50}]}]")
    query = golden.queries[0]
    assert (query.id, query.query, query.expected[0].path, query.expected[0].heading) == (
        "007",
        "2024-01-02",
        "yes",
        "1.50",
    )


def test_a_byte_order_mark_and_windows_line_ends_are_fine() -> None:
    golden = parse_golden(b"\xef\xbb\xbf" + FULL.replace("\n", "\r\n").encode())
    assert [query.line for query in golden.queries] == [3, 12, 13]


ONE = "queries:\n  - query: q\n    expected:\n      - path: a.md\n"

WRONG = [
    ("", 1, "queries: the file is empty"),
    ("# only a comment\n", 1, "queries: the file is empty"),
    ("- a\n", 1, "top level: expected a mapping with the keys queries, found a list"),
    ("{}", 1, "queries: missing"),
    ("queries: []", 1, "queries: the list is empty"),
    ("queries:\n", 1, "queries: expected a list, found nothing"),
    ("queries: text", 1, 'queries: expected a list, found the text "text"'),
    ("version: 1\nqueries: []", 1, "version: unknown key. Allowed here: queries."),
    (ONE + "    relevant: [a]\n", 5, "queries[0].relevant: unknown key. Allowed here: query, expected, id, tags, ans"),
    (ONE + "        rank: 1\n", 5, "queries[0].expected[0].rank: unknown key. Allowed here: path, heading, relevance"),
    (ONE + "    query: again\n", 5, "queries[0].query: this key is given twice"),
    (ONE + "    ? [a]\n    : b\n", 5, "unknown key"),
    ("queries:\n  - expected: [{path: a.md}]\n", 2, 'queries[0]: the key "query" is missing'),
    ("queries:\n  - query: '  '\n", 2, "queries[0].query: expected text, found blank text"),
    ("queries:\n  - query: [a]\n", 2, "queries[0].query: expected text, found a list"),
    ("queries:\n  - query: ~\n", 2, "queries[0].query: expected text, found nothing"),
    ("queries:\n  - query: " + "é" * 600, 2, "queries[0].query: 1200 bytes; a query has at most 1024"),
    ("queries:\n  - query: q\n", 2, "queries[0]: nothing is expected. List at least one path, or say answerable: fal"),
    ("queries:\n  - query: q\n    expected: []\n", 3, "queries[0].expected: nothing is expected"),
    (ONE + "    answerable: false\n", 4, "queries[0].expected: answerable is false, yet paths are expected"),
    (ONE + "    answerable: maybe\n", 5, 'queries[0].answerable: expected true or false, found the text "maybe"'),
    (ONE + "        relevance: 5\n", 5, "queries[0].expected[0].relevance: expected a whole number from 1 to 4"),
    (ONE + "        relevance: 0\n", 5, "from 1 to 4, found 0"),
    (ONE + "        relevance: 1.5\n", 5, 'from 1 to 4, found the text "1.5"'),
    (ONE + "        relevance: 0x2\n", 5, 'from 1 to 4 in plain digits, found "0x2"'),
    (ONE + "        relevance: yes\n", 5, "from 1 to 4, found a boolean"),
    (ONE + "        heading: ''\n", 5, "queries[0].expected[0].heading: expected text, found blank text"),
    (ONE + "    tags: ops\n", 5, 'queries[0].tags: expected a list, found the text "ops"'),
    (ONE + "      - path: ./a.md\n", 5, 'queries[0].expected[1]: "a.md" is listed twice (first on line 4)'),
    (ONE + "      - heading: H\n", 5, 'queries[0].expected[1]: the key "path" is missing'),
    (ONE + "      - path: ../b.md\n", 5, 'queries[0].expected[1].path: "../b.md" is not a path inside the knowledge'),
    (ONE + "      - path: /b.md\n", 5, "is not a path inside the knowledge base"),
    (ONE + "  - {query: q, expected: [{path: b.md}]}\n", 5, 'the id "q" is taken by the query on line 2.'),
    (ONE + "  - {query: r, id: q, expected: [{path: b.md}]}\n", 5, 'queries[1].id: the id "q" is taken'),
    ("queries:\n  - query: a: b\n", 2, "not valid YAML"),
    ("queries:\n\t- a\n", 2, "not valid YAML"),
    (ONE + "---\nqueries: []\n", 5, "not valid YAML"),
    ("queries: *nowhere\n", 1, "not valid YAML"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "message"), WRONG)
def test_what_is_wrong_is_named_with_file_line_and_key(text: str, line: int, message: str) -> None:
    with pytest.raises(GoldenError, match=re.escape(message)) as raised:
        parse_golden(text.encode(), "kb/.groove-eval.yml")
    assert str(raised.value).startswith(f"kb/.groove-eval.yml:{line}: ")


def test_bytes_that_are_not_utf8_are_named_with_their_line() -> None:
    with pytest.raises(GoldenError, match=r"g\.yml:2: not UTF-8 \(byte 9\)"):
        parse_golden(b"queries:\n\xff\xfe", "g.yml")


@pytest.mark.parametrize("text", ["[" * 5000, "a: " * 3000, "\x00queries: []", "queries: \x07"])
def test_hostile_yaml_is_refused_in_words(text: str) -> None:
    with pytest.raises(GoldenError, match=r"^g\.yml"):
        parse_golden(text.encode(), "g.yml")


def test_deep_nesting_is_refused_without_libyaml_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("yaml.CSafeLoader")
    with pytest.raises(GoldenError, match="nested too deeply"):
        parse_golden(("[" * 50_000).encode(), "g.yml")


@pytest.mark.parametrize("with_libyaml", [True, False])
def test_half_a_surrogate_pair_is_refused(with_libyaml: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not with_libyaml:
        monkeypatch.delattr("yaml.CSafeLoader")
    with pytest.raises(GoldenError, match=r"g\.yml:2: "):
        parse_golden(b'queries:\n  - query: "\\ud800"\n', "g.yml")


def test_a_file_over_the_cap_is_refused() -> None:
    with pytest.raises(GoldenError, match="at most 1048576"):
        parse_golden(b"#" * (MAX_GOLDEN_BYTES + 1), "g.yml")


def test_c45_the_key_another_tool_uses_is_named() -> None:
    data = (Path(__file__).parents[1] / "cases" / "C45" / "golden.yaml").read_bytes()
    with pytest.raises(GoldenError, match=r"golden\.yaml:2: queries\[0\]\.relevant: unknown key"):
        parse_golden(data, "golden.yaml")


def test_c45_a_query_with_no_relevant_file_is_an_error_unless_it_says_so() -> None:
    text = "queries:\n  - {id: q1, query: a, expected: [{path: a1.md}]}\n  - {id: q3, query: tidemark, expected: []}\n"
    with pytest.raises(GoldenError, match=r":3: queries\[1\]\.expected: nothing is expected"):
        parse_golden(text.encode())
