"""PDF and Office files: nothing of a document is lost, spans cut what they say, and damage stays with its file."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import pytest
from eval.fuzz_formats import FORMATS, OPTIONS, mutations
from grooveseek.errors import Unparsable
from grooveseek.model.document import Chunk
from grooveseek.parsing.document_info import pdf_date, split_keywords, usable_title, w3c_date
from grooveseek.parsing.isolation import IsolatedRunner
from grooveseek.parsing.number_format import BUILT_IN, format_number
from grooveseek.parsing.pdf_gates import byte_pair_share, c1_share
from grooveseek.parsing.pdf_layout import Box, Segment, reading_order
from grooveseek.parsing.pdf_page import tidy
from grooveseek.parsing.pieces import Line, Section, clean, section_chunks
from grooveseek.parsing.rows import RowWriter
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.binary import parse
from tests.support.office_files import docx, paragraph, xlsx

WORDS = st.text(st.sampled_from("abcéß港の \t"), max_size=40)
LINES = st.lists(
    st.one_of(
        st.builds(Line, WORDS),
        st.builds(Line, WORDS.filter(lambda text: bool(text.strip())), st.integers(0, 2), st.integers(1, 9)),
    ),
    max_size=30,
)
WORD = st.text(st.sampled_from("abcdefé港"), min_size=1, max_size=8)


def unspaced(text: str) -> str:
    return "".join(text.split())


@given(LINES, st.integers(1, 80))
def test_pieces_hold_every_character_in_order_within_the_budget(lines: list[Line], budget: int) -> None:
    chunks = section_chunks([Section(lines=lines)], "T", budget)
    assert unspaced("".join(chunk.content for chunk in chunks)) == unspaced("".join(line.text for line in lines))
    longest = max((len(line.text) for line in lines if line.table is not None), default=0)
    assert all(chunk.content.strip() and len(chunk.content) <= max(budget, longest) for chunk in chunks)


@given(LINES, st.integers(1, 200))
def test_row_spans_cut_exactly_the_rows(lines: list[Line], budget: int) -> None:
    chunks = section_chunks([Section(lines=lines)], "T", budget)
    cut = [(row.row, chunk.content.encode()[row.start : row.end].decode()) for chunk in chunks for row in _rows(chunk)]
    assert cut == [(line.row, line.text) for line in lines if line.table is not None]


def _rows(chunk: Chunk) -> Iterator:
    return iter(chunk.table_rows or ())


@given(st.lists(st.lists(WORDS, min_size=1, max_size=5), max_size=8))
def test_a_table_keeps_its_fields_in_their_places(table: list[list[str]]) -> None:
    written: list[Line] = []
    writer = RowWriter(0, written.append)
    for row in table:
        writer.start_row()
        for cell in row:
            writer.start_cell()
            writer.add(cell)
            writer.end_cell()
        writer.flush()
    expected = [[" ".join(cell.split()) for cell in row] for row in table]
    assert [line.text.split("\t") for line in written] == [row for row in expected if any(row)]
    assert [line.row for line in written] == [number for number, row in enumerate(expected, 1) if any(row)]


@given(st.lists(st.tuples(st.sampled_from((None, 1, 2, 3)), WORD), max_size=12))
@settings(max_examples=50)
def test_every_word_of_a_word_document_is_found_under_its_own_trail(blocks: list[tuple[int | None, str]]) -> None:
    """The model: a stack of headings by level, bodies joined to the heading above them."""
    parsed = parse(
        "docx", docx("".join(paragraph(text, f"Heading{level}" if level else None) for level, text in blocks))
    )
    trail: list[tuple[int, str]] = []
    bodies: dict[int, tuple[tuple[str, ...], list[str]]] = {-1: ((), [])}
    at = -1
    for number, (level, text) in enumerate(blocks):
        if level is None:
            bodies[at][1].append(text)
            continue
        trail = [*(each for each in trail if each[0] < level), (level, text)]
        bodies[number] = (tuple(name for _, name in trail), [])
        at = number
    filled = [(path, words) for path, words in bodies.values() if words]
    if filled:
        assert [chunk.heading_path for chunk in parsed.chunks] == [path for path, _ in filled]
        for chunk, (_, words) in zip(parsed.chunks, filled, strict=True):
            assert chunk.content.endswith("\n".join(words))
    else:
        assert [chunk.content for chunk in parsed.chunks] == [text for _, text in blocks]


@given(
    st.dictionaries(
        st.tuples(st.integers(1, 1_048_576), st.integers(1, 60)),
        WORD,
        max_size=12,
    )
)
@settings(max_examples=50)
def test_every_cell_of_a_sheet_is_found_at_its_row_and_column(cells: dict[tuple[int, int], str]) -> None:
    rows = ""
    for row in sorted({row for row, _ in cells}):
        filled = sorted((column, text) for (at, column), text in cells.items() if at == row)
        inner = "".join(
            f'<c r="{_letters(column)}{row}" t="inlineStr"><is><t>{text}</t></is></c>' for column, text in filled
        )
        rows += f'<row r="{row}">{inner}</row>'
    read = {}
    for chunk in parse("xlsx", xlsx(rows)).chunks:
        for span in _rows(chunk):
            fields = chunk.content.encode()[span.start : span.end].decode().split("\t")
            read |= {(span.row, column): text for column, text in enumerate(fields, 1) if text}
    assert read == cells


def _letters(column: int) -> str:
    text = ""
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


@given(
    st.floats(allow_nan=True, allow_infinity=True),
    st.one_of(
        st.text(st.sampled_from('0#?.,%/E+-;[]"\\_*@ymdhs:$><=éG'), max_size=30), st.sampled_from([*BUILT_IN.values()])
    ),
    st.booleans(),
)
@example(1e308, "0" * 200, False)
@example(-1.0, "[h]:mm", True)
@example(5e-324, "# ?/?", False)
@example(1.5, "?/0", False)
@settings(max_examples=500)
def test_no_number_and_no_format_raises(value: float, code: str, from_1904: bool) -> None:
    shown = format_number(value, code, from_1904=from_1904)
    assert isinstance(shown, str)
    assert "\0" not in shown
    assert "\1" not in shown


@given(st.datetimes(datetime.datetime(1900, 3, 1), datetime.datetime(9999, 12, 30)))
def test_a_date_comes_back_from_its_serial(moment: datetime.datetime) -> None:
    """By openpyxl's own arithmetic."""
    from openpyxl.utils.datetime import to_excel

    moment = moment.replace(microsecond=0)
    assert format_number(to_excel(moment), "yyyy-mm-dd hh:mm:ss") == moment.isoformat(" ")


@given(st.integers(-(10**12), 10**12), st.integers(0, 6))
def test_fixed_places_agree_with_the_decimal_module(number: int, places: int) -> None:
    value = number / 1000
    code = "#,##0" + ("." + "0" * places if places else "")
    from decimal import ROUND_HALF_UP, Decimal

    exact = Decimal(repr(value)).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    assert format_number(value, code) == f"{abs(exact) if exact == 0 else exact:,}"


@given(st.text(max_size=60))
def test_any_text_is_good_enough_for_metadata_and_gates(text: str) -> None:
    for title in (usable_title(text), *split_keywords(text)):
        assert title is None or (title == " ".join(title.split()) != "")
    assert pdf_date(text) is None or pdf_date(text)[:4].isdigit()
    assert w3c_date(text) is None or w3c_date(text)[:4].isdigit()
    assert 0 <= c1_share(text) <= 1
    assert 0 <= byte_pair_share(text) <= 1
    assert clean(clean(text)) == clean(text)
    clean(text).encode()


@given(st.text(st.sampled_from("abcXY1 .-\n\r\u00ad\ufffe\x02\ufb01港の。"), max_size=60))
def test_tidying_loses_no_letter_and_leaves_no_mark_of_the_reader(text: str) -> None:
    done = tidy(text)
    assert not set(done) & set("\r\u00ad\ufffe\x02\ufb01")
    letters = "".join(character for character in text.replace("\ufb01", "fi") if character.isalnum())
    assert "".join(character for character in done if character.isalnum()) == letters
    assert tidy(done) == done


@given(
    st.lists(
        st.tuples(WORD, st.integers(0, 500), st.integers(0, 700), st.integers(5, 300)),
        max_size=30,
    )
)
def test_layout_puts_segments_in_another_order_and_loses_none(placed: list[tuple[str, int, int, int]]) -> None:
    segments = []
    for text, left, top, width in placed:
        segment = Segment()
        for character in text:
            segment.add(ord(character), Box(left, top - 10, left + width, top))
        segments.append(segment)
    ordered = reading_order(segments)
    if ordered is not None:
        assert sorted(ordered.split()) == sorted(text for text, *_ in placed)


@pytest.mark.parametrize("extension", FORMATS)
def test_a_damaged_file_is_read_or_refused_and_harms_no_other(extension: str) -> None:
    """A short run of eval/fuzz_formats.py, which takes thousands."""
    reasons = []
    with IsolatedRunner(memory_bytes=512 << 20, seconds=20) as runner:
        for data in mutations(extension, 120, seed=7):
            try:
                runner.parse(extension, OPTIONS, data, f"fuzzed.{extension}")
            except Unparsable as refused:
                reasons.append(str(refused))
    assert 0 < len(reasons) < 120
    assert not [reason for reason in reasons if reason.startswith(("took longer", "made "))]
