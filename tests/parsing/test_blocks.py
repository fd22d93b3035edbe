import pytest
from grooveseek.parsing import blocks
from grooveseek.parsing.blocks import MAX_DEPTH, TooManyBlocksError, lay_out
from grooveseek.parsing.split import Block


def outline(text: str) -> list[tuple[int, int, int, str]]:
    return [(each.start, each.end, each.level, each.source) for each in lay_out(text).headings]


def shape(block: Block) -> object:
    inside = [shape(child) for child in block.children]
    return (block.kind, block.start, block.end, inside) if inside else (block.kind, block.start, block.end)


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("# One\n## Two ##\n", [(0, 1, 1, "One"), (1, 2, 2, "Two")]),
        ("One\ntwo\n===\n\nThree\n---\n", [(0, 3, 1, "One\ntwo"), (4, 6, 2, "Three")]),
        ("   ### a\n    # code\n", [(0, 1, 3, "a")]),
        ("#tag\n#\n####### seven\n", [(1, 2, 1, "")]),
        ("\\# no\n", []),
        ("> # quoted\n\n- # listed\n", []),
        ("%%\n# Obsidian comment\n%%\n", [(1, 2, 1, "Obsidian comment")]),
        ("a\n# interrupts\n", [(1, 2, 1, "interrupts")]),
        ("| a | b |\n| - | - |\n| c | d |\n# after\n", [(3, 4, 1, "after")]),
    ],
)
def test_only_top_level_headings_count(text: str, headings: list[tuple[int, int, int, str]]) -> None:
    assert outline(text) == headings


def test_blocks_nest_by_lines() -> None:
    text = "Para\nmore\n\n- a\n\n  ```\n  x\n  ```\n- b\n  - c\n\n> q\n>\n> > r\n"
    assert [shape(each) for each in lay_out(text).blocks] == [
        ("paragraph", 0, 2),
        (
            "bullet_list",
            3,
            11,
            [
                ("list_item", 3, 8, [("paragraph", 3, 4), ("fence", 5, 8)]),
                (
                    "list_item",
                    8,
                    11,
                    [("paragraph", 8, 9), ("bullet_list", 9, 11, [("list_item", 9, 11, [("paragraph", 9, 10)])])],
                ),
            ],
        ),
        ("blockquote", 11, 14, [("paragraph", 11, 12), ("blockquote", 13, 14, [("paragraph", 13, 14)])]),
    ]


def test_a_table_is_one_block_without_cells() -> None:
    text = "| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 |\n\nafter\n"
    assert [shape(each) for each in lay_out(text).blocks] == [("table", 0, 4), ("paragraph", 5, 6)]


@pytest.mark.parametrize("following", ["> quote", "- item", "```", "***", "<div>", "    code", "\x0c"])
def test_a_table_ends_where_another_block_begins(following: str) -> None:
    table = lay_out(f"|a|b|\n|-|-|\n|1|2|\n{following}\n").blocks[0]
    assert (table.kind, table.start, table.end) == ("table", 0, 3)


def test_link_definitions_are_kept_for_the_headings() -> None:
    assert "A" in lay_out("# [x][a]\n\n[a]: http://x\n").env["references"]


@pytest.mark.parametrize("marker", ["> ", "- ", "1. ", ">"])
def test_text_after_deep_nesting_is_still_read(marker: str) -> None:
    text = marker * 50_000 + "deep\n\n# After\n"
    assert outline(text) == [(2, 3, 1, "After")]


def test_nesting_is_bounded() -> None:
    (block,) = lay_out("> " * (MAX_DEPTH + 30) + "x\n").blocks
    depth = 0
    while block.children:
        (block,) = block.children
        depth += 1
    assert depth == MAX_DEPTH


def test_brackets_without_end_are_read() -> None:
    assert outline("[" * 50_000 + "\n\n# After\n") == [(2, 3, 1, "After")]


def test_more_blocks_than_memory_is_spent_on_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MAX_TOKENS", 100)
    assert len(lay_out("a\n\n" * 30).blocks) == 30
    with pytest.raises(TooManyBlocksError, match="more than 100 Markdown tokens"):
        lay_out("a\n\n" * 40)
