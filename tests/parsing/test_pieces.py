from grooveseek.parsing.pieces import Line, Section, clean, section_chunks


def rows(count: int, table: int = 0, width: int = 9) -> list[Line]:
    return [Line(f"r{n}".ljust(width, "."), table, n) for n in range(1, count + 1)]


def test_lines_fill_pieces_up_to_the_budget_exactly() -> None:
    section = Section(lines=[Line("x" * 9)] * 5, path=("H",), level=1)
    chunks = section_chunks([section], "T", 29)
    assert [len(chunk.content) for chunk in chunks] == [29, 19]
    assert [len(chunk.content) for chunk in section_chunks([section], "T", 28)] == [19, 19, 9]
    assert [(c.index, c.heading, c.heading_path, c.level, c.context) for c in chunks] == [
        (0, "H", ("H",), 1, "T > H"),
        (1, "H", ("H",), 1, "T > H"),
    ]


def test_a_line_longer_than_the_budget_is_cut_at_words_and_a_row_never() -> None:
    prose, row = Line("word " * 20), Line("cell " * 20, 0, 1)
    assert [chunk.content for chunk in section_chunks([Section(lines=[prose])], "T", 50)] == [
        ("word " * 10).strip()
    ] * 2
    assert [chunk.content for chunk in section_chunks([Section(lines=[row])], "T", 50)] == ["cell " * 20]


def test_blank_lines_shrink_to_one_and_go_at_the_ends() -> None:
    lines = [Line(text) for text in ("", "a", "", " ", "", "b", "")]
    assert [chunk.content for chunk in section_chunks([Section(lines=lines)], "T", 99)] == ["a\n\nb"]


def test_row_spans_are_utf8_bytes_and_tables_count_from_the_chunks_first() -> None:
    lines = [Line("é"), Line("ü\tß", 7, 3), Line("between"), Line("\tx\t", 9, 1)]
    (chunk,) = section_chunks([Section(lines=lines)], "T", 99)
    assert chunk.table_rows is not None
    raw = chunk.content.encode()
    assert [(r.table, r.row, raw[r.start : r.end].decode()) for r in chunk.table_rows] == [
        (0, 3, "ü\tß"),
        (1, 1, "\tx\t"),
    ]


def test_later_pieces_of_a_table_carry_its_first_row_in_the_context_and_no_other_does() -> None:
    chunks = section_chunks([Section(lines=[Line("intro"), *rows(4)], path=("H",))], "T", 20)
    assert [chunk.context for chunk in chunks] == ["T > H", "T > H\nr1.......", "T > H\nr1......."]


def test_a_header_that_is_known_otherwise_takes_its_place() -> None:
    chunks = section_chunks([Section(lines=rows(4))], "T", 20, {0: "named"})
    assert [chunk.context for chunk in chunks] == ["T", "T\nnamed"]


def test_a_very_long_header_row_is_clipped() -> None:
    lines = [Line("h" * 5000, 0, 1), Line("r" * 50, 0, 2)]
    assert len(section_chunks([Section(lines=lines)], "T", 50)[1].context) < 600


def test_clean_takes_out_what_cannot_be_stored_and_nothing_else() -> None:
    assert clean("a\x00b\x1fc\r\ud800d\ufffe\x7f") == "abcd"
    assert clean("tab\tnewline\né 港 \U0001f600\u00a0") == "tab\tnewline\né 港 \U0001f600\u00a0"
