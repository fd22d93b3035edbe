import pytest
from tests.support.binary import FIXTURES, contents, make_case, parse, parse_file, whole_text
from tests.support.office_files import W, archive, document, docx, paragraph, relations

HEADINGS = '<w:style w:type="paragraph" w:styleId="H{0}"><w:name w:val="heading {0}"/></w:style>'
STYLES = HEADINGS.format(1) + HEADINGS.format(2) + HEADINGS.format(3)


def cell(*blocks: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{''.join(blocks)}</w:tc>"


def row(*texts: str) -> str:
    return "<w:tr>" + "".join(cell(paragraph(text)) for text in texts) + "</w:tr>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def body_of(xml: str) -> str:
    return whole_text(parse("docx", docx(xml)))


def test_case_c31_headings_go_by_style_chain_outline_level_and_name(tmp_path) -> None:
    parsed = parse_file(make_case("C31", tmp_path) / "headings.docx")
    paths = {chunk.content.split()[-1]: " > ".join(chunk.heading_path) for chunk in parsed.chunks}
    assert paths == {
        "sandpiper": "Přístav",
        "turnstone": "Přístav > Kräne",
        "godwit": "Přístav > Derived part",
        "plover": "Přístav > Direct outline",
        "lapwing": "Plain Built In",
    }
    assert "word: whimbrel\nLooks bold but is body\nword: godwit" in contents(parsed)
    assert [chunk.level for chunk in parsed.chunks] == [1, 2, 2, 2, 1]


def test_a_file_by_libreoffice_gives_all_its_text_in_order() -> None:
    parsed = parse_file(FIXTURES / "office" / "libreoffice.docx")
    assert parsed.title == "Harbour handbook"
    assert parsed.frontmatter.date == "2026-02-03T10:20:30Z"
    assert [(chunk.heading_path, chunk.content) for chunk in parsed.chunks] == [
        ((), "Preamble about the lighthouse, seen by every ship."),
        (
            ("Cranes", "Western quay"),
            "Cranes\n"
            "The western crane lifts insertedword loads of up to forty tonnes, see the linked tariff.\n"
            "[footnote] Footnote on the razorbill survey.\n"
            "Anchored paragraph after the box.\n"
            "Boxed warning about the cormorant.",
        ),
        (
            ("Berths",),
            "berth\tlength\tnote\n"
            "north\t120 m\tdeep and wide\n"
            "\t140 m\t\n"
            "south, closed\tsilted\n"
            "After the table comes the dunlin.\nfirst item\nsecond item",
        ),
        ((), "[header] Port authority bulletin kittiwake\n[footer] Page 1 guillemot"),
    ]
    assert all(
        chunk.start_line is chunk.end_line is chunk.start_byte is chunk.end_byte is None for chunk in parsed.chunks
    )


def test_table_rows_say_where_each_row_stands() -> None:
    parsed = parse_file(FIXTURES / "office" / "libreoffice.docx")
    chunk = parsed.chunks[2]
    assert chunk.table_rows is not None
    cut = [(r.table, r.row, chunk.content.encode()[r.start : r.end].decode()) for r in chunk.table_rows]
    assert cut == [
        (0, 1, "berth\tlength\tnote"),
        (0, 2, "north\t120 m\tdeep and wide"),
        (0, 3, "\t140 m\t"),
        (0, 4, "south, closed\tsilted"),
    ]
    assert parsed.chunks[1].table_rows is None


def test_a_file_by_pandoc_reads_with_its_headings_table_and_note() -> None:
    parsed = parse_file(FIXTURES / "office" / "pandoc.docx")
    assert (parsed.title, parsed.frontmatter.tags) == ("Rope locker", ("rope", "knots"))
    assert [chunk.heading_path for chunk in parsed.chunks] == [(), ("Knots", "Bowline"), ("Care",)]
    assert parsed.chunks[1].content.splitlines() == [
        "Knots",
        "A loop that holds: never jams.",
        "[footnote] Except when frozen, says the storm-petrel.",
        "knot\tuse",
        "bowline\tmooring",
        "reef\tparcels",
    ]
    assert parsed.chunks[2].content == "Empty one\ndry them\ncoil them"


def test_insertions_are_in_and_deletions_out() -> None:
    moved = f"<w:moveFrom>{run('old ')}</w:moveFrom><w:moveTo>{run('new ')}</w:moveTo>"
    deleted = "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
    assert body_of(f"<w:p><w:ins>{run('kept ')}</w:ins>{deleted}{moved}{run('end')}</w:p>") == "kept new end"


def test_a_deleted_row_and_a_deleted_cell_are_out() -> None:
    gone = f"<w:tr><w:trPr><w:del/></w:trPr>{cell(paragraph('gone'))}</w:tr>"
    half = f"<w:tr>{cell(paragraph('kept'))}{cell(paragraph('out'), properties='<w:cellDel/>')}</w:tr>"
    assert body_of(table(gone, half)) == "kept"


def test_breaks_tabs_hyphens_and_ruby() -> None:
    ruby = f"<w:ruby><w:rt>{run('かんじ')}</w:rt><w:rubyBase>{run('漢字')}</w:rubyBase></w:ruby>"
    inner = "<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t>"
    assert body_of(f"<w:p><w:r>{inner}</w:r><w:r>{ruby}</w:r></w:p>") == "a\tb\nc-d漢字"


def test_field_results_are_in_and_field_codes_out() -> None:
    simple = f'<w:fldSimple w:instr="DATE">{run("today")}</w:fldSimple>'
    complex_ = "<w:r><w:instrText>PAGE</w:instrText></w:r>" + run("7")
    assert body_of(f"<w:p>{simple}{run(' ')}{complex_}</w:p>") == "today 7"


@pytest.mark.parametrize("wrapper", ["hyperlink", "smartTag", "sdt", "customXml"])
def test_text_in_wrappers_is_not_lost(wrapper: str) -> None:
    inner = f"<w:sdtContent>{run('inside')}</w:sdtContent>" if wrapper == "sdt" else run("inside")
    assert body_of(f"<w:p>{run('before ')}<w:{wrapper}>{inner}</w:{wrapper}></w:p>") == "before inside"


def test_paragraphs_and_rows_inside_content_controls_are_not_lost() -> None:
    controlled = f"<w:sdt><w:sdtContent>{paragraph('block')}</w:sdtContent></w:sdt>"
    rows = f"<w:tbl><w:sdt><w:sdtContent>{row('a', 'b')}</w:sdtContent></w:sdt></w:tbl>"
    assert body_of(controlled + rows) == "block\na\tb"


def test_of_alternative_content_one_branch_is_read() -> None:
    box = "<w:pict><v:textbox><w:txbxContent>{}</w:txbxContent></v:textbox></w:pict>"
    choice = f"<mc:Choice Requires='wps'>{box.format(paragraph('boxed'))}</mc:Choice>"
    fallback = f"<mc:Fallback>{box.format(paragraph('for older programs'))}</mc:Fallback>"
    xml = f"<w:p><w:r><mc:AlternateContent>{choice}{fallback}</mc:AlternateContent></w:r>{run('anchor')}</w:p>"
    assert body_of(xml) == "anchor\nboxed"


def test_a_formula_keeps_its_characters() -> None:
    assert body_of("<w:p><m:oMath><m:r><m:t>E=mc²</m:t></m:r></m:oMath></w:p>") == "E=mc²"


def test_paragraphs_and_breaks_in_a_cell_are_joined_by_a_space() -> None:
    broken = "<w:p><w:r><w:t>one</w:t><w:br/><w:t>two</w:t><w:tab/><w:t>three</w:t></w:r></w:p>"
    xml = table(f"<w:tr>{cell(broken, paragraph('four'))}{cell(paragraph('five'))}</w:tr>")
    assert body_of(xml) == "one two three four\tfive"


def test_empty_cells_keep_their_field_and_empty_rows_add_nothing() -> None:
    assert body_of(table(row("a", "", "c"), row("", "", ""), row("", "b", ""))) == "a\t\tc\n\tb\t"


def test_the_rows_of_a_nested_table_follow_the_outer_row_as_far_as_it_goes() -> None:
    inner = table(row("in 1", "in 2"))
    outer = table(
        f"<w:tr>{cell(paragraph('A'))}{cell(paragraph('B'), inner, paragraph('rest'))}{cell(paragraph('C'))}</w:tr>"
    )
    parsed = parse("docx", docx(outer))
    assert contents(parsed) == ["A\tB\nin 1\tin 2\nrest\tC"]
    rows = parsed.chunks[0].table_rows
    assert rows is not None
    assert [(r.table, r.row) for r in rows] == [(0, 1), (1, 1), (0, 1)]


def test_a_cell_that_ends_with_a_nested_table_adds_no_second_field() -> None:
    inner = table(row("in"))
    outer = table(f"<w:tr>{cell(paragraph('A'))}{cell(inner)}{cell(paragraph('C'))}</w:tr>")
    assert body_of(outer) == "A\t\nin\nC"


def test_a_heading_inside_a_cell_opens_a_section() -> None:
    xml = table(f"<w:tr>{cell(paragraph('before'))}{cell(paragraph('Inside', 'H1'), paragraph('after'))}</w:tr>")
    parsed = parse("docx", docx(xml, STYLES))
    assert [(chunk.heading, chunk.content) for chunk in parsed.chunks] == [(None, "before\t"), ("Inside", "after")]


def test_headings_without_a_body_fold_into_the_next_section_and_trailing_ones_go() -> None:
    xml = "".join(
        [
            paragraph("Part", "H1"),
            paragraph("Chapter", "H2"),
            paragraph("Section", "H3"),
            paragraph("words"),
            paragraph("Tail", "H1"),
        ]
    )
    parsed = parse("docx", docx(xml, STYLES))
    assert [(c.heading_path, c.content) for c in parsed.chunks] == [
        (("Part", "Chapter", "Section"), "Part\nChapter\nwords")
    ]


def test_where_no_section_has_a_body_each_heading_is_a_chunk() -> None:
    parsed = parse("docx", docx(paragraph("One", "H1") + paragraph("Two", "H2"), STYLES))
    assert [(c.heading_path, c.content) for c in parsed.chunks] == [(("One",), "One"), (("One", "Two"), "Two")]


def test_an_excluded_section_is_dropped_but_stays_on_the_trail() -> None:
    xml = "".join(
        paragraph(text, style)
        for text, style in (
            ("Internal notes", "H1"),
            ("secret", None),
            ("Open part", "H2"),
            ("words", None),
        )
    )
    parsed = parse("docx", docx(xml, STYLES), exclude_headings=["Internal"])
    assert [(c.heading_path, c.content) for c in parsed.chunks] == [(("Internal notes", "Open part"), "words")]


def test_a_long_section_is_split_between_paragraphs_and_keeps_its_heading() -> None:
    xml = paragraph("Head", "H1") + "".join(paragraph(f"paragraph {n} " + "x" * 80) for n in range(30))
    parsed = parse("docx", docx(xml, STYLES), max_chunk_chars=500)
    assert len(parsed.chunks) == 6
    assert all(len(chunk.content) <= 500 and chunk.heading == "Head" for chunk in parsed.chunks)
    assert "\n".join(contents(parsed)).split() == " ".join(f"paragraph {n} {'x' * 80}" for n in range(30)).split()


def test_a_later_part_of_a_table_has_its_header_row_in_the_context() -> None:
    xml = table(row("name", "use"), *(row(f"knot {n}", "x" * 90) for n in range(9)))
    first, second = parse("docx", docx(xml), "rope.docx", max_chunk_chars=600).chunks
    assert first.context == "rope"
    assert second.context == "rope\nname\tuse"
    assert second.table_rows is not None
    assert second.table_rows[0].row == 8


def test_notes_without_text_and_separators_are_left_out() -> None:
    notes = (
        f'<w:footnotes xmlns:w="{W}"><w:footnote w:id="0" w:type="separator"><w:p/></w:footnote>'
        f'<w:footnote w:id="1">{paragraph("the note")}</w:footnote></w:footnotes>'
    )
    xml = '<w:p><w:r><w:t>text</w:t><w:footnoteReference w:id="1"/><w:footnoteReference w:id="0"/></w:r></w:p>'
    assert contents(parse("docx", docx(xml, footnotes=notes))) == ["text\n[footnote] the note"]


def test_a_header_that_repeats_is_written_once_and_a_bare_page_number_not_at_all() -> None:
    header = f'<w:hdr xmlns:w="{W}">{paragraph("Company words")}{paragraph("12 / 40")}</w:hdr>'
    held = docx(paragraph("text"), header1=header, header2=header)
    assert contents(parse("docx", held)) == ["text", "[header] Company words"]


def test_a_damaged_part_beside_the_text_costs_only_itself() -> None:
    held = docx(paragraph("Head", "Heading1") + paragraph("text"), "<broken", footnotes="<broken", header1="<broken")
    assert [(c.heading, c.content) for c in parse("docx", held).chunks] == [("Head", "text")]


def test_an_embedded_document_that_is_not_read_is_told_of() -> None:
    parsed = parse("docx", docx(paragraph("text") + '<w:altChunk r:id="x"/>'))
    assert [notice.message for notice in parsed.notices] == ["holds an embedded document (altChunk), which is not read"]


def test_a_document_without_text_has_no_chunks() -> None:
    assert parse("docx", docx("<w:p/><w:sectPr/>")).chunks == ()


def test_text_is_free_of_what_cannot_be_stored() -> None:
    assert body_of(paragraph("a&#xFFFD;b&#x7F;c")) == "a\ufffdbc"


def test_the_deepest_nesting_the_xml_reader_lets_pass_is_read_without_a_recursion_error() -> None:
    xml = paragraph("core")
    for _ in range(80):
        xml = table(f"<w:tr><w:tc>{xml}</w:tc></w:tr>")
    assert body_of(xml) == "core"


def test_a_styles_part_that_the_document_does_not_point_at_is_not_its_own() -> None:
    held = archive(
        {
            "word/document.xml": document(paragraph("Head", "H1") + paragraph("text")),
            "word/styles.xml": f'<w:styles xmlns:w="{W}">{STYLES}</w:styles>',
            "_rels/.rels": relations(("d", "officeDocument", "word/document.xml")),
        }
    )
    assert [c.heading for c in parse("docx", held).chunks] == [None]
