"""What YAML says of a block is what the frontmatter says, PyYAML's own loaders being the judge."""

from __future__ import annotations

import re

import yaml
from grooveseek.model.document import FrontmatterStatus, Opaque
from grooveseek.parsing.fields import canonical_date
from grooveseek.parsing.frontmatter import Matter, read_frontmatter
from grooveseek.parsing.source import Source
from grooveseek.parsing.yaml_tree import YamlError, read_tree
from grooveseek.text.dates import parse_date
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the two differ, over tabs for instance
KNOWN = ("title", "date", "topic", "depth", "category", "tags")
YAML_PARTS = (
    *(
        "a",
        "b: ",
        "title: ",
        "tags: ",
        ": ",
        "- ",
        "\n",
        "\r\n",
        "  ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "'",
        '"',
        "#",
        "|\n",
        ">\n",
    ),
    *(
        "&x ",
        "*x",
        "<<: ",
        "? ",
        "!t ",
        "1",
        "~",
        "2026-01-02",
        "é",
        "\t",
        "\0",
        "\x85",
        "\u2028",
        "%",
        "@",
        "\\",
        "=",
        "...",
    ),
)
printable = st.characters(exclude_categories=["Cs", "Cc", "Cn"], exclude_characters="\ufeff\u2028\u2029")
words = st.text(alphabet=printable, min_size=1, max_size=12)
keys = words.filter(lambda key: key not in KNOWN)
values = st.recursive(
    words | st.just(""), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3)
)
blocks = st.lists(st.sampled_from(YAML_PARTS), max_size=25).map("".join)


def read(block: str, end: str = "\n") -> tuple[Matter, str]:
    source = Source.decode(f"---{end}{block}{end}---{end}Body".encode())
    matter = read_frontmatter(source)
    return matter, source.text[matter.body :]


def kept(value: object) -> object:
    """What groove keeps of a value, by the documented rule."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    return Opaque.VALUE


@given(st.dictionaries(keys, values, min_size=1, max_size=4), st.booleans(), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=200)
@example({"a": {"b": "c"}, "é": ["x", ""]}, True, "\r\n")
def test_what_is_written_as_yaml_comes_back(data: dict[str, object], flow: bool, end: str) -> None:
    block = yaml.safe_dump(data, allow_unicode=True, sort_keys=False, default_flow_style=flow, line_break=end)
    assume(not re.search(r"^(---|\.\.\.)", block, re.MULTILINE))
    matter, body = read(block.rstrip("\r\n"), end)
    assert matter.frontmatter.status is FrontmatterStatus.PARSED
    assert dict(matter.frontmatter.extra) == {key: kept(value) for key, value in data.items()}
    assert body == "Body"
    assert matter.notices == ()


@given(
    st.fixed_dictionaries({"title": words, "topic": words, "depth": words, "category": words, "tags": st.lists(words)})
)
def test_known_fields_come_back_trimmed(data: dict[str, object]) -> None:
    matter, _ = read(yaml.safe_dump(data, allow_unicode=True).rstrip("\n"))
    front = matter.frontmatter
    for key in ("topic", "depth", "category"):
        assert (getattr(front, key) or "") == str(data[key]).strip()
    assert (front.title or "") == " ".join(str(data["title"]).split())
    assert front.tags == tuple(dict.fromkeys(tag.strip() for tag in data["tags"] if tag.strip()))


@given(blocks)
@settings(max_examples=300)
@example("a: &x [*x]")
@example("? [a]\n: b")
@example("a: 1\na: 2")
def test_a_block_is_read_when_yaml_reads_it_and_only_then(block: str) -> None:
    try:
        node, is_yaml = yaml.compose(block, Loader=LOADER), True
    except (yaml.YAMLError, ValueError) as error:
        assume("duplicate anchor" not in str(error))  # YAML 1.2 allows them (section 7.1), PyYAML does not
        node, is_yaml = None, False
    try:
        tree, refusal = read_tree(block), ""
    except YamlError as error:
        tree, refusal = None, str(error)
    if tree is not None:
        assert is_yaml
        assert (tree.root is None) == (node is None)
    else:
        # Groove refuses one thing that YAML allows and the parts above can spell.
        assert not is_yaml or "contains itself" in refusal


@given(blocks)
@settings(max_examples=200)
def test_no_block_makes_the_reader_fail_or_lose_its_place(block: str) -> None:
    matter, body = read(block)
    lines = block.count("\n") + 2 * block.count("\r") + 3
    assert all(1 < (each.line or 0) <= lines for each in matter.notices)
    assert all(1 < line <= lines for line in matter.frontmatter.key_lines.values())
    assert body.endswith("Body")
    if matter.frontmatter.status is FrontmatterStatus.PARSED:
        known = {key for key in KNOWN if getattr(matter.frontmatter, key)}
        assert set(matter.frontmatter.key_lines) >= known | set(matter.frontmatter.extra)


@given(st.datetimes() | st.datetimes(timezones=st.timezones()))
def test_dates_are_those_of_the_calendar(moment: object) -> None:
    written = str(moment)
    offset = re.search(r"[+-]\d\d:\d\d:\d\d", written)  # a zone's offset of before railways has seconds
    assume(not offset)
    date = canonical_date(written)
    assert date is not None
    read_back = parse_date(date)
    assert str(read_back).replace("+00:00", "") == written.replace("+00:00", "")
