from grooveseek.parsing.blocks import lay_out
from grooveseek.parsing.sections import Section, is_excluded, read_sections
from grooveseek.parsing.source import Source


def sections(text: str, rule_line: int | None = None) -> tuple[str, list[Section]]:
    source = Source.decode(text.encode())
    return source.text, list(read_sections(source, lay_out(source.text), 0, rule_line))


def test_sections_and_heading_lines_tile_the_text() -> None:
    text, found = sections("before\n\n# A\nbody\n## B\n\nC\n===\nend\n")
    assert [text[each.start : each.end] for each in found] == ["before\n\n", "body\n", "\n", "end\n"]
    assert [(each.heading, each.level) for each in found] == [(None, None), ("A", 1), ("B", 2), ("C", 1)]


def test_the_trail_follows_levels_not_depth() -> None:
    _, found = sections("# A\n### B\n## C\n#### D\n### E\n# F\n###### G\n")
    assert [each.path for each in found[1:]] == [
        ("A",),
        ("A", "B"),
        ("A", "C"),
        ("A", "C", "D"),
        ("A", "C", "E"),
        ("F",),
        ("F", "G"),
    ]


def test_a_heading_without_text_opens_a_section_and_leaves_the_trail() -> None:
    _, found = sections("# A\n## B\n##\n### C\n")
    assert [(each.heading, each.path) for each in found[1:]] == [
        ("A", ("A",)),
        ("B", ("A", "B")),
        (None, ("A",)),
        ("C", ("A", "C")),
    ]


def test_own_text_is_what_stands_between_the_markers() -> None:
    for text, own in [
        ("# A *b* c\n", "A *b* c"),
        ("  ##   A #  ##  \n", "A #"),
        (" ### # ###\n", "#"),
        ("#\tA\n", "A"),
        ("#\n", ""),
        ("# a\0b\n", "a\0b"),
        ("  A\n  b \n===\n", "A\n  b"),
        ("A\r\n---\r\n", "A"),
        ("# A\r# B\r", "A"),
    ]:
        whole, found = sections(text)
        assert whole[slice(*found[1].own_text)] == own, text


def test_an_underline_that_is_a_rule_makes_no_heading() -> None:
    text, found = sections("---\nscalar\n---\n# A\n", rule_line=2)
    assert [(each.heading, text[each.start : each.end]) for each in found] == [
        (None, "---\nscalar\n---\n"),
        ("A", ""),
    ]


def test_blocks_belong_to_the_section_they_stand_in() -> None:
    _, found = sections("a\n\nb\n# A\nc\n\n- d\n# B\n")
    assert [[(block.kind, block.start) for block in each.blocks] for each in found] == [
        [("paragraph", 0), ("paragraph", 2)],
        [("paragraph", 4), ("bullet_list", 6)],
        [],
    ]


def test_exclusion_is_by_a_part_of_the_own_heading() -> None:
    _, found = sections("# Change log\n## Detail\n")
    assert [is_excluded(each, ("log",)) for each in found] == [False, True, False]
    assert not any(is_excluded(each, ("", "LOG")) for each in found)
