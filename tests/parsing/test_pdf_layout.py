from grooveseek.parsing.pdf_layout import (
    Box,
    Segment,
    is_east_asian,
    looks_columned,
    looks_stacked,
    looks_vertical,
    reading_order,
    stacked_lines,
)

WORDS = "some running words to fill a line"


def segment(text: str, left: float, top: float, width: float = 180.0, height: float = 10.0) -> Segment:
    made = Segment()
    for character in text:
        made.add(ord(character), Box(left, top - height, left + width, top))
    return made


def columns(*lefts: float, rows: int = 6, width: float = 180.0, text: str = WORDS) -> list[Segment]:
    """Row by row, a segment in each column."""
    return [
        segment(f"{letter}{row} {text}", left, 700 - 14 * row, width)
        for row in range(rows)
        for letter, left in zip("abcd", lefts, strict=False)
    ]


def order(segments: list[Segment]) -> str | None:
    text = reading_order(segments)
    return None if text is None else " ".join(line.split()[0] for line in text.split("\n"))


def test_columns_are_read_one_after_the_other() -> None:
    assert order(columns(50, 250, rows=3)) == "a0 a1 a2 b0 b1 b2"


def test_three_columns_are_found_one_gutter_after_the_other() -> None:
    assert order(columns(50, 250, 450, rows=3)) == "a0 a1 a2 b0 b1 b2 c0 c1 c2"


def test_a_line_across_the_gutter_parts_what_is_above_from_what_is_below() -> None:
    across = segment("middle heading over everything", 50, 655, 380)
    upper = columns(50, 250, rows=3)
    lower = [segment(each.text.upper(), each.box.left, each.box.top - 60) for each in upper if each.box]
    assert order([*upper, across, *lower]) == "a0 a1 a2 b0 b1 b2 middle A0 A1 A2 B0 B1 B2"


def test_short_cells_are_a_table_and_stay_as_they_are() -> None:
    assert order(columns(50, 250, 450, text="x", width=30)) is None


def test_a_narrow_column_of_terms_beside_their_explanations_stays_as_it_is() -> None:
    terms = [segment("term", 50, 700 - 14 * row, 20) for row in range(6)]
    longest = segment("a longer term than the others", 50, 600, 150)
    explained = [segment(WORDS, 250, 700 - 14 * row) for row in range(6)]
    assert order([*terms, longest, *explained]) is None


def test_long_cells_that_do_not_fill_their_column_are_a_table() -> None:
    rows = columns(50, 250, width=60)
    wide = [segment(f"w{letter} {WORDS}", left, 600) for letter, left in (("a", 50), ("b", 250))]
    assert order([*rows, *wide]) is None


def test_one_column_is_no_columns() -> None:
    assert order(columns(50)) is None


def test_runs_side_by_side_over_and_over_look_columned() -> None:
    boxes = [Box(left, 700 - 14 * row, left + 180, 710 - 14 * row) for row in range(5) for left in (50, 250)]
    assert looks_columned(boxes)
    assert not looks_columned(boxes[:8])
    assert not looks_columned([box for box in boxes if box.left == 50])


def test_tall_east_asian_lines_are_read_from_the_right_tier_by_tier() -> None:
    lines = [
        segment(text, left, top, 12, 100)
        for text, left, top in (("三行目", 100, 700), ("二行目", 120, 700), ("一行目", 140, 700), ("四行目", 140, 560))
    ]
    assert looks_vertical([each.box for each in lines if each.box])
    assert reading_order(lines) == "一行目\n二行目\n三行目\n四行目"


def test_tall_latin_lines_are_turned_text_and_stay() -> None:
    assert reading_order([segment("turned words", left, 700, 12, 100) for left in (100, 120, 140)]) is None


def test_stacked_characters_make_lines_from_the_right_in_whatever_order_the_page_holds_them() -> None:
    characters = [
        (ord(character), Box(left, 690 - 12 * number, left + 12, 702 - 12 * number))
        for text, left in (("二行目", 120), ("三行目", 100), ("一行目", 140))
        for number, character in enumerate(text)
    ]
    assert stacked_lines(characters) == "一行目\n二行目\n三行目"


def test_square_runs_under_one_another_look_stacked() -> None:
    column = [Box(100, 700 - 14 * row, 112, 712 - 14 * row) for row in range(8)]
    assert looks_stacked(column)
    assert not looks_stacked(column[:5])
    assert not looks_stacked([Box(100, box.bottom, 300, box.top) for box in column])
    assert not looks_stacked([Box(100 + 14 * n, 700, 112 + 14 * n, 712) for n in range(8)])


def test_scripts_are_told_by_the_width_of_most_characters() -> None:
    assert is_east_asian("港の朝 a")
    assert not is_east_asian("the 港")
    assert not is_east_asian("")
