import pytest
from tests.support.binary import parse
from tests.support.office_files import docx, paragraph


def style(identifier: str, name: str, based_on: str | None = None, outline: int | None = None, more: str = "") -> str:
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    level = f'<w:pPr><w:outlineLvl w:val="{outline}"/></w:pPr>' if outline is not None else ""
    kind = 'w:type="paragraph"'
    return f'<w:style {kind} w:styleId="{identifier}"{more}><w:name w:val="{name}"/>{base}{level}</w:style>'


def level_of(styles: str | None, named: str | None, direct: int | None = None) -> int | None:
    """The level of a paragraph of this style, by what becomes of it in a document."""
    properties = f'<w:pStyle w:val="{named}"/>' if named else ""
    properties += f'<w:outlineLvl w:val="{direct}"/>' if direct is not None else ""
    head = f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>Head</w:t></w:r></w:p>"
    chunk = parse("docx", docx(head + paragraph("body", "Plain"), styles)).chunks[0]
    assert chunk.content == ("body" if chunk.heading else "Head\nbody")
    return chunk.level


PLAIN = style("Plain", "Normal")
CHAIN = "".join(style(f"s{n}", f"mine {n}", f"s{n + 1}") for n in range(20))


@pytest.mark.parametrize(
    ("styles", "named", "level"),
    [
        (style("berschrift1", "heading 1"), "berschrift1", 1),
        (style("x", "Heading 3"), "x", 3),
        (style("x", "heading  9"), "x", 9),
        (style("x", "heading 10"), "x", None),
        (style("x", "heading 0"), "x", None),
        (style("x", "heading"), "x", None),
        (style("Heading1", "My text"), "Heading1", None),
        (style("a", "mine", "b") + style("b", "heading 2"), "a", 2),
        (style("a", "mine", "b", outline=9) + style("b", "heading 2"), "a", None),
        (style("a", "mine", "b") + style("b", "heading 2", outline=9), "a", 2),
        (style("a", "mine", "b", outline=4) + style("b", "heading 2"), "a", 5),
        (style("a", "mine", outline=0), "a", 1),
        (style("a", "mine", "a"), "a", None),
        (style("a", "mine", "b") + style("b", "yours", "a"), "a", None),
        (style("a", "mine", "nowhere"), "a", None),
        ("", "Heading4", 4),
        ("", "heading 4", 4),
        ("", "Heading4x", None),
        ("", "Unknown", None),
    ],
)
def test_a_style_makes_a_heading_by_its_name_its_ancestors_or_its_outline_level(
    styles: str, named: str, level: int | None
) -> None:
    assert level_of(PLAIN + styles, named) == level


def test_a_chain_is_followed_for_sixteen_styles_and_no_further() -> None:
    assert level_of(PLAIN + CHAIN.replace("mine 15", "heading 1"), "s0") == 1
    assert level_of(PLAIN + CHAIN.replace("mine 16", "heading 1"), "s0") is None


def test_without_a_styles_part_the_spelling_of_the_id_decides() -> None:
    assert level_of(None, "Heading2") == 2


@pytest.mark.parametrize(("direct", "level"), [(0, 1), (8, 9), (9, None)])
def test_the_outline_level_of_the_paragraph_itself_comes_first(direct: int, level: int | None) -> None:
    assert level_of(PLAIN + style("h", "heading 2"), "h", direct) == level


def test_a_paragraph_without_a_style_has_the_default_one() -> None:
    named = style("d", "heading 1", more=' w:default="1"')
    assert level_of(PLAIN + named, None) == 1


def test_character_and_table_styles_are_no_paragraph_styles() -> None:
    character = style("c", "heading 1").replace('w:type="paragraph"', 'w:type="character"')
    assert level_of(PLAIN + character, "c") is None


@pytest.mark.parametrize("value", ["", "x", "-1", "11", "²"])
def test_an_outline_level_that_is_none_counts_as_none(value: str) -> None:
    broken = style("a", "mine", outline=0).replace('outlineLvl w:val="0"', f'outlineLvl w:val="{value}"')
    assert level_of(PLAIN + broken, "a") is None
