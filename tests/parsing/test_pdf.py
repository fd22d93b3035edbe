import io

import pytest
from grooveseek.errors import MissingExtra, Unparsable
from grooveseek.parsing import pdf
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from tests.support.binary import FIXTURES, contents, make_case, minipdf, parse, parse_file, whole_text

PDFS = FIXTURES / "pdf"
LONG = "A line of ordinary words about the harbour and its many cranes."


def made(*pages: list[str], title: str | None = None) -> bytes:
    held = io.BytesIO()
    canvas = Canvas(held, invariant=1)
    canvas.setTitle(title or "")
    for lines in pages:
        for number, line in enumerate(lines):
            canvas.drawString(50, 800 - 14 * number, line)
        canvas.showPage()
    canvas.save()
    return held.getvalue()


def with_info(info: bytes) -> bytes:
    writer = minipdf()
    return writer.build([{"content": writer.lines([LONG])}], extra=[info], trailer_extra=b"/Info 5 0 R ")


def test_case_c37_words_are_whole_and_pages_upright(tmp_path) -> None:
    folder = make_case("C37", tmp_path)
    texts = {path.name: whole_text(parse_file(path)) for path in folder.glob("*.pdf")}
    assert "slow transformation of its cranes, and the weatherproof sheds; a well-known" in texts["hyphen.pdf"]
    assert texts["liga.pdf"] == "The office kept a floor plan and a profile."
    assert texts["soft.pdf"] == "A warehouse and an inspection."
    assert texts["rotate_flag.pdf"] == "upright words orchard valley\nsecond line meadow"
    assert texts["rotate_text.pdf"] == "sideways words estuary lagoon"
    assert texts["columns.pdf"].split("\n")[:2] == ["left column heron", "left second egret"]
    for text in texts.values():
        assert not any(bad in text for bad in ("(cid:", "\u00ad", "\ufb01", "\ufb02", "\ufffe", "$%&'("))


def test_case_c37_a_page_whose_font_has_no_mapping_is_noted_and_the_others_are_read(tmp_path) -> None:
    parsed = parse_file(make_case("C37", tmp_path) / "cid.pdf")
    assert [(chunk.heading, chunk.content) for chunk in parsed.chunks] == [("p.2", "Readable page word: sturgeon")]
    assert "no readable text on p.1: the font" in parsed.notices[0].message


def test_pages_become_chunks_under_their_number_and_empty_ones_none() -> None:
    parsed = parse("pdf", made([LONG], [], [LONG, "third"]), "a/b/c.pdf")
    assert [(chunk.heading, chunk.heading_path) for chunk in parsed.chunks] == [("p.1", ("p.1",)), ("p.3", ("p.3",))]
    assert parsed.chunks[1].content == f"{LONG}\nthird"
    assert parsed.chunks[1].context == "c > p.3"
    assert (parsed.frontmatter.category, parsed.frontmatter.topic) == ("a", "b")
    assert parsed.chunks[0].start_line is parsed.chunks[0].start_byte is parsed.chunks[0].level is None


def test_a_long_page_is_split_by_lines() -> None:
    parsed = parse("pdf", made([f"{n:02} {LONG}" for n in range(40)]), max_chunk_chars=500)
    assert {chunk.heading for chunk in parsed.chunks} == {"p.1"}
    assert all(len(chunk.content) <= 500 for chunk in parsed.chunks)
    assert whole_text(parsed).split("\n") == [f"{n:02} {LONG}" for n in range(40)]


def test_columns_written_across_are_read_one_after_the_other() -> None:
    text = whole_text(parse_file(PDFS / "two_columns.pdf"))
    lines = text.split("\n")
    assert lines[0].startswith("A title that stretches over both")
    assert [line.split()[0] for line in lines[1:]] == [
        *("The", "the", "further", "office", "the", "and"),
        *("Bread", "and", "kept", "are", "settles", "credit"),
    ]


def test_three_columns_on_a_turned_page_too() -> None:
    lines = whole_text(parse_file(PDFS / "three_columns_rotated.pdf")).split("\n")
    assert [line.split()[0] for line in lines] == [
        *("The", "the", "further", "office", "the", "and"),
        *("Bread", "and", "kept", "are", "settles", "credit"),
        *("THE", "THE", "FURTHER", "OFFICE", "THE", "AND"),
    ]


def test_a_table_is_read_row_by_row() -> None:
    lines = whole_text(parse_file(PDFS / "table.pdf")).split("\n")
    assert lines == [" ".join(f"cell {row}.{column}" for column in range(4)) for row in range(12)]


def test_japanese_without_an_embedded_font_reads_in_both_directions() -> None:
    parsed = parse_file(PDFS / "japanese.pdf")
    assert parsed.title == "倉庫の記録"
    assert contents(parsed) == [
        "倉庫の部品を数えた。在庫は三十二個、ひらがなとカタカナ。\n"
        "英語ABCと数字123が混ざる文章です。\n"
        "次の行に続く文章は、ここで終わります。",
        "縦書きの文章を試します。\n二行目はここにあります。\n三行目で終わりです。",
    ]


def test_vertical_japanese_by_libreoffice_keeps_its_sentences() -> None:
    text = whole_text(parse_file(PDFS / "libreoffice_vertical.pdf"))
    source = (PDFS / "sources" / "tategaki.fodt").read_text(encoding="utf-8")
    for sentence in text.replace("\n", "").split("。"):
        assert sentence in source
    assert "見張りの老人は帳面に" in text
    assert text.replace("\n", "").count("。") == 5


def test_characters_set_one_by_one_downwards_are_read_from_the_right_though_written_from_the_left() -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    held = io.BytesIO()
    canvas = Canvas(held, invariant=1)
    canvas.setFont("HeiseiMin-W3", 12)
    for left, text in ((100, "三行目で終わりです。"), (140, "二行目はここにある。"), (180, "一行目から読みます。")):
        for number, character in enumerate(text):
            canvas.drawString(left, 700 - 14 * number, character)
    canvas.save()
    read = whole_text(parse("pdf", held.getvalue()))
    assert read.split("\n") == ["一行目から読みます。", "二行目はここにある。", "三行目で終わりです。"]


def test_a_file_by_libreoffice_reads_with_title_and_all_words() -> None:
    parsed = parse_file(PDFS / "libreoffice.pdf")
    assert parsed.title == "Harbour handbook"
    text = whole_text(parsed)
    for word in ("lighthouse", "insertedword", "razorbill", "cormorant", "south, closed", "dunlin", "guillemot"):
        assert word in text


def test_a_file_with_a_password_is_named_as_such() -> None:
    with pytest.raises(Unparsable, match="protected by a password"):
        parse_file(PDFS / "encrypted.pdf")


def test_a_file_protected_against_printing_only_is_read() -> None:
    assert "turnstone" in whole_text(parse_file(PDFS / "restricted.pdf"))


def test_a_scan_with_stamps_is_refused_with_the_measurement() -> None:
    with pytest.raises(Unparsable, match=r"too little text to index: 38 characters a page on average, over 2 pages"):
        parse_file(PDFS / "scan.pdf")


def test_a_file_without_any_text_is_refused_and_not_called_a_scan() -> None:
    with pytest.raises(Unparsable, match="0 characters a page") as refused:
        parse("pdf", made([], []))
    assert "is a scan" not in str(refused.value)
    assert "common causes" in str(refused.value)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b"not a pdf", "not a PDF, or is damaged"),
        (b"%PDF-1.7\n%%EOF", "not a PDF, or is damaged"),
    ],
)
def test_what_is_no_pdf_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Unparsable, match=reason):
        parse("pdf", data)


def test_pages_that_are_declared_and_not_there_are_told_of_and_the_others_read() -> None:
    writer = minipdf()
    data = writer.build([{"content": writer.lines([LONG])}]).replace(b"/Count 1", b"/Count 20")
    parsed = parse("pdf", data)
    assert contents(parsed) == [LONG]
    assert parsed.notices[0].message.endswith("p.2, p.3, p.4, p.5, p.6, p.7, p.8, p.9, p.10, p.11 and 9 more pages")


def test_a_file_cut_short_loses_no_more_than_what_is_missing() -> None:
    whole = made(*[[f"{LONG} {n}"] for n in range(9)])
    try:
        text = whole_text(parse("pdf", whole[: len(whole) * 3 // 4]))
    except Unparsable:
        return
    assert LONG in text


@pytest.mark.parametrize(
    ("info", "title", "date"),
    [
        (
            b"<< /Title (Tide tables) /CreationDate (D:20260314093000+01'00') >>",
            "Tide tables",
            "2026-03-14T09:30:00+01:00",
        ),
        (b"<< /Title <FEFF6F6E6C50> /CreationDate (D:20260314) >>", "潮汐", "2026-03-14"),
        (b"<< /Title (Microsoft Word - x.doc) /ModDate (D:2026) >>", "file", "2026-01-01"),
        (b"<< /Title (untitled) /CreationDate (yesterday) >>", "file", None),
        (b"<< /Title (  ) >>", "file", None),
    ],
)
def test_metadata_becomes_title_and_date(info: bytes, title: str, date: str | None) -> None:
    if title == "潮汐":
        info = info.replace(b"6F6E6C50", "潮汐".encode("utf-16-be").hex().upper().encode())
    parsed = parse("pdf", with_info(info))
    assert (parsed.title, parsed.frontmatter.date) == (title, date)


def test_without_pdfium_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r'pip install "grooveseek\[pdf\]"'):
        parse("pdf", made([LONG]))
