import pytest
from grooveseek.model.document import FrontmatterStatus
from grooveseek.parsing.frontmatter import Matter, read_frontmatter
from grooveseek.parsing.source import Source


def read(text: str) -> tuple[Matter, str]:
    """The matter of a file and its body's text."""
    source = Source.decode(text.encode())
    matter = read_frontmatter(source)
    return matter, source.text[matter.body :]


@pytest.mark.parametrize("closing", ["---", "...", "--- \t", "...  "])
@pytest.mark.parametrize("opening", ["---", "---\t "])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_mapping_between_fences_is_read(mark: str, end: str, opening: str, closing: str) -> None:
    matter, body = read(mark + end.join((opening, "title: T", "x: y", closing, "Body")))
    assert matter.frontmatter.status is FrontmatterStatus.PARSED
    assert matter.frontmatter.title == "T"
    assert matter.frontmatter.extra == {"x": "y"}
    assert matter.frontmatter.key_lines == {"title": 2, "x": 3}
    assert body == "Body"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "---\ntitle: T\n",
        "\n---\ntitle: T\n---\n",
        " ---\ntitle: T\n---\n",
        "----\ntitle: T\n----\n",
        "--- x\ntitle: T\n---\n",
        "text\n---\ntitle: T\n---\n",
        "---\n- a\n---\n",
        "---\nscalar\n---\n",
        "---\n# comment\n---\n",
        "---\n\nA *b\n---\n",
        "---\n\n*b* c\n---\n",
    ],
)
def test_everything_else_is_body_without_a_notice(text: str) -> None:
    matter, body = read(text)
    assert matter.frontmatter.status is FrontmatterStatus.ABSENT
    assert matter.notices == ()
    assert body == text


@pytest.mark.parametrize("block", ["", "\n", " \n\t\n"])
def test_an_empty_block_is_frontmatter_that_says_nothing(block: str) -> None:
    matter, body = read(f"---\n{block}---\nBody")
    assert matter.frontmatter.status is FrontmatterStatus.PARSED
    assert body == "Body"


def test_a_closing_fence_has_nothing_before_or_after_it() -> None:
    matter, _ = read("---\na: |\n  x\n  ---\n  y\nb: c---\n---\n")
    assert matter.frontmatter.extra == {"a": "x\n---\ny\n", "b": "c---"}


def test_broken_fields_are_set_apart_as_text() -> None:
    matter, body = read("---\n# my fields\ntitle: a: b\n---\n# Head\n")
    assert matter.frontmatter.status is FrontmatterStatus.UNPARSED
    assert matter.text_block == (4, 28)
    assert body == "# Head\n"
    assert [(each.line, each.message) for each in matter.notices] == [
        (3, "frontmatter could not be read and is indexed as text: mapping values are not allowed in this context")
    ]


def test_a_broken_block_that_is_no_list_of_fields_stays_body() -> None:
    text = "---\n**Depot**\nnames\n---\nBody\n"
    matter, body = read(text)
    assert matter.frontmatter.status is FrontmatterStatus.UNPARSED
    assert body == text
    assert matter.rule_line == 3
    assert len(matter.notices) == 1


def test_broken_fields_after_a_blank_line_are_still_reported() -> None:
    matter, _ = read("---\n\ntitle: a: b\n---\n")
    assert matter.frontmatter.status is FrontmatterStatus.UNPARSED


def test_a_rule_with_text_under_it_is_marked_so_that_the_next_rule_underlines_nothing() -> None:
    assert read("---\nscalar\n---\n")[0].rule_line == 2
    assert read("---\n\nscalar\n---\n")[0].rule_line is None


def test_lines_count_as_an_editor_counts_them() -> None:
    matter, _ = read("---\r\na: 'x\u2028y\x85z'\r\nb: 1\r\nb: 2\r\n---\r\n")
    assert matter.frontmatter.key_lines == {"a": 2, "b": 4}
    assert [each.line for each in matter.notices] == [4]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("title: Pump room", "Pump room"),
        ("title: 'Pump room'", "Pump room"),
        ('title: "Pump room"  # comment', "Pump room"),
        ("title: >\n  Pump room", "Pump room"),
        ("title: 'it''s'", None),
        ('title: "caf\\u00e9"', None),
        ("title: [a]", None),
        ("x: y", None),
    ],
)
def test_a_title_is_located_where_it_stands_letter_by_letter(line: str, place: str | None) -> None:
    text = f"---\nother: Pump room, it's café\n{line}\n---\n"
    matter, _ = read(text)
    assert (text[slice(*matter.title)] if matter.title else None) == place
    assert matter.title is None or matter.title[0] > text.index("title")


def test_a_key_that_is_no_text_is_reported() -> None:
    matter, _ = read("---\na: b\n? [x]\n: y\n---\n")
    assert [(each.message, each.line) for each in matter.notices] == [
        ("a frontmatter key that is no text is left out", 3)
    ]
