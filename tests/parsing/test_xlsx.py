import datetime
import io
import zipfile

import pytest
from grooveseek.errors import Unparsable
from grooveseek.parsing.xlsx import SHEET_MAX_BYTES, TRUNCATED_TAG
from grooveseek.parsing.xlsx_cells import column_number
from openpyxl import Workbook
from openpyxl.chartsheet import Chartsheet
from tests.support.binary import FIXTURES, contents, make_case, parse, parse_file, whole_text
from tests.support.office_files import archive, xlsx


def inline(reference: str, text: str) -> str:
    return f'<c r="{reference}" t="inlineStr"><is><t>{text}</t></is></c>'


def saved(book: Workbook) -> bytes:
    held = io.BytesIO()
    book.save(held)
    return held.getvalue()


def test_case_c33_cells_read_as_a_person_sees_them(tmp_path) -> None:
    parsed = parse_file(make_case("C33", tmp_path) / "book.xlsx")
    assert [(chunk.heading, chunk.content) for chunk in parsed.chunks] == [
        (
            "Sheet: Berths",
            "Quarter plan: tamarin\n"
            "item\tdue\tshare\tcost\n"
            "crane\t14/03/2026\t7.5%\t$1,234.50\n"
            "hoist\t2026-03-14 9:30:00\t\t=D4*2\n"
            "code\t00123\tTRUE\t#N/A\n"
            "far row: marmoset",
        ),
        ("Sheet: Archive (hidden)", "hidden word: uakari"),
        ("Sheet: Very (hidden)", "very hidden word: saki"),
        ("Sheet: Pipes", "a|b\tline one line two\nhowler"),
    ]
    chunk = parsed.chunks[0]
    assert chunk.table_rows is not None
    (far,) = [row for row in chunk.table_rows if "marmoset" in chunk.content[row.start : row.end]]
    assert far.row == 9


def test_case_c35_cells_at_the_far_corner_and_beyond_it_are_read(tmp_path) -> None:
    folder = make_case("C35", tmp_path, "1")
    corners = parse_file(folder / "corners.xlsx")
    assert contents(corners) == ["top left: peccary\n\tbottom right: agouti"]
    assert corners.chunks[0].table_rows is not None
    assert [row.row for row in corners.chunks[0].table_rows] == [1, 1048576]
    assert "in grid: paca" in whole_text(parse_file(folder / "outside.xlsx"))
    assert contents(parse_file(folder / "styled.xlsx")) == ["real cell: capybara"]


def test_a_file_by_libreoffice_reads_with_its_formats_and_cached_values() -> None:
    parsed = parse_file(FIXTURES / "office" / "libreoffice.xlsx")
    assert parsed.title == "Fleet ledger"
    assert [(chunk.heading, chunk.content) for chunk in parsed.chunks] == [
        (
            "Sheet: Fleet & crew",
            "ship\tbuilt\tshare\ttonnage\thours\nPelican\t05.11.1987\t12.5%\t12,345.68\t36:15\ntotal\t\t\t24,691.36",
        ),
        ("Sheet: Draft (hidden)", "hidden shearwater"),
    ]


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ('<c t="s"><v>0</v></c>', "first"),
        ('<c t="s"><v>1</v></c>', "rich text"),
        ('<c t="s"><v>2</v></c>', "東京"),
        ('<c t="s"><v>3</v></c>', "a b"),
        ('<c t="s"><v>9</v></c>', ""),
        ('<c t="s"><v>x</v></c>', ""),
        ('<c t="s"><v>99999999999999999999</v></c>', ""),
        ('<c t="b"><v>1</v></c>', "TRUE"),
        ('<c t="e"><v>#DIV/0!</v></c>', "#DIV/0!"),
        ('<c t="str"><f>A1</f><v>made of it</v></c>', "made of it"),
        ('<c t="d"><v>2026-03-14T00:00:00</v></c>', "2026-03-14"),
        ('<c t="d"><v>2026-03-14T09:30:00Z</v></c>', "2026-03-14 09:30:00"),
        ("<c><f>SUM(A1:A3)</f><v>6</v></c>", "6"),
        ("<c><f>SUM(A1:A3)</f></c>", "=SUM(A1:A3)"),
        ('<c><f t="shared" si="0"/></c>', ""),
        ('<c s="1"><v>46095</v></c>', "14/03/2026"),
        ('<c s="2"><v>46095</v></c>', "2026-03-14"),
        ('<c s="77"><v>46095</v></c>', "46095"),
        ("<c><v>1e400</v></c>", "inf"),
        ("<c><v>not a number</v></c>", "not a number"),
        ("<c><v>0.1</v></c>", "0.1"),
        ('<c t="inlineStr"><is><r><t>in </t></r><r><t>runs</t></r></is></c>', "in runs"),
        ('<c t="inlineStr"/>', ""),
    ],
)
def test_a_cell_shows_its_value(cell: str, shown: str) -> None:
    strings = (
        "<si><t>first</t></si><si><r><t>rich</t></r><r><t> text</t></r></si>"
        "<si><t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh></si><si><t>a_x000D_&#10;b</t></si>"
    )
    styles = (
        '<numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs>'
    )
    assert whole_text(parse("xlsx", xlsx(f"<row>{cell}</row>", styles=styles, strings=strings))) == shown


def test_the_1904_date_system_is_heeded() -> None:
    styles = '<cellXfs><xf numFmtId="14"/></cellXfs>'
    held = xlsx("<row><c><v>44633</v></c></row>", styles=styles, workbook='<workbookPr date1904="1"/>')
    assert whole_text(parse("xlsx", held)) == "2026-03-14"


def test_empty_cells_keep_their_field_and_empty_rows_their_number() -> None:
    filled = f'<row r="2">{inline("B2", "b")}{inline("D2", "d")}</row>'
    rows = f'{filled}<row r="5"><c r="A5"/></row><row r="7">{inline("A7", "a")}</row>'
    parsed = parse("xlsx", xlsx(rows))
    assert contents(parsed) == ["\tb\t\td\na"]
    assert parsed.chunks[0].table_rows is not None
    assert [row.row for row in parsed.chunks[0].table_rows] == [2, 7]


def test_cells_and_rows_without_a_reference_follow_the_one_before() -> None:
    cell = '<c t="inlineStr"><is><t>{}</t></is></c>'
    rows = f"<row>{cell.format('a')}<c/>{cell.format('c')}</row><row>{cell.format('d')}</row>"
    parsed = parse("xlsx", xlsx(rows))
    assert contents(parsed) == ["a\t\tc\nd"]
    assert parsed.chunks[0].table_rows is not None
    assert [row.row for row in parsed.chunks[0].table_rows] == [1, 2]


def test_tabs_and_line_breaks_in_a_cell_do_not_break_the_row() -> None:
    assert (
        whole_text(parse("xlsx", xlsx(f"<row>{inline('A1', 'a&#9;b&#10;c')}{inline('B1', 'd')}</row>"))) == "a b c\td"
    )


def test_a_long_sheet_is_split_by_rows_with_the_header_in_the_context() -> None:
    rows = f"<row>{inline('A1', 'The title of it all')}</row><row>{inline('A2', 'name')}{inline('B2', 'use')}</row>"
    rows += "".join(f"<row>{inline(f'A{n}', f'knot {n}')}{inline(f'B{n}', 'x' * 40)}</row>" for n in range(3, 60))
    parsed = parse("xlsx", xlsx(rows), "rope.xlsx", max_chunk_chars=400)
    assert len(parsed.chunks) > 5
    assert parsed.chunks[0].context == "rope > Sheet: S"
    assert {chunk.context for chunk in parsed.chunks[1:]} == {"rope > Sheet: S\nname\tuse"}
    assert all(len(chunk.content) <= 400 and chunk.heading == "Sheet: S" for chunk in parsed.chunks)
    numbers = [row.row for chunk in parsed.chunks for row in chunk.table_rows or ()]
    assert numbers == list(range(1, 60))


def test_a_row_longer_than_a_chunk_is_not_cut() -> None:
    parsed = parse("xlsx", xlsx(f"<row>{inline('A1', 'word ' * 300)}</row>"), max_chunk_chars=200)
    assert [len(chunk.content) for chunk in parsed.chunks] == [1499]


def test_a_sheet_over_a_mebibyte_is_cut_after_the_row_that_passes_it_and_says_so() -> None:
    text = "x" * 30_000
    rows = "".join(f"<row>{inline(f'A{n}', f'{n} {text}')}</row>" for n in range(1, 41))
    parsed = parse("xlsx", xlsx(rows))
    kept = sum(len(chunk.content) + 1 for chunk in parsed.chunks)
    assert SHEET_MAX_BYTES <= kept < SHEET_MAX_BYTES + 30_010
    assert len(parsed.chunks) == 35
    assert parsed.tags_added == (TRUNCATED_TAG,)
    assert "up to before row 36" in parsed.notices[0].message


@pytest.mark.parametrize(
    ("count", "kept", "tags"), [(1024, 1024, ()), (1025, 1025, ()), (1026, 1025, (TRUNCATED_TAG,))]
)
def test_the_row_that_passes_the_mebibyte_is_the_last(count: int, kept: int, tags: tuple[str, ...]) -> None:
    rows = "".join(f"<row>{inline(f'A{n}', 'x' * 1023)}</row>" for n in range(1, count + 1))
    parsed = parse("xlsx", xlsx(rows))
    assert sum(len(chunk.content) + 1 for chunk in parsed.chunks) == kept * 1024
    assert parsed.tags_added == tags


def test_chart_sheets_are_no_sheets_of_cells() -> None:
    book = Workbook()
    book.active["A1"] = "cells"
    book._add_sheet(Chartsheet(title="Chart", parent=book))
    assert [chunk.heading for chunk in parse("xlsx", saved(book)).chunks] == ["Sheet: Sheet"]


def test_openpyxl_dates_without_a_format_of_their_own_are_iso() -> None:
    book = Workbook()
    book.active.append([datetime.date(2026, 3, 14), datetime.time(9, 30), datetime.timedelta(hours=30)])
    assert whole_text(parse("xlsx", saved(book))) == "2026-03-14\t9:30:00\t30:00:00"


def test_a_damaged_sheet_costs_itself_and_is_told_of() -> None:
    book = Workbook()
    book.active["A1"] = "whole"
    book.create_sheet("Torn")["A1"] = "torn"
    entries = zipfile.ZipFile(io.BytesIO(saved(book)))
    parts = {name: entries.read(name) for name in entries.namelist()}
    parts["xl/worksheets/sheet2.xml"] = b"<worksheet><sheetData><row><c></row>"
    parsed = parse("xlsx", archive(parts))
    assert contents(parsed) == ["whole"]
    assert "sheet 'Torn' is left out" in parsed.notices[0].message


def test_a_workbook_without_a_sheet_that_can_be_read_is_refused() -> None:
    with pytest.raises(Unparsable, match="no sheet that can be read"):
        parse("xlsx", xlsx("<row><c></row>"))


@pytest.mark.parametrize(
    ("reference", "column"),
    [
        ("A1", 1),
        ("Z9", 26),
        ("AA1", 27),
        ("XFD1048576", 16384),
        ("$B$2", 2),
        ("b2", 2),
        ("7", 0),
        ("", 0),
        ("ABCDE1", 0),
    ],
)
def test_columns_count_by_letters(reference: str, column: int) -> None:
    assert column_number(reference) == column
