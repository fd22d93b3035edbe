import pytest
from tests.support.binary import FIXTURES, contents, parse, parse_file, whole_text
from tests.support.office_files import A, P, pptx, relations, shape, slide


def one_slide(shapes: str, **options: object) -> object:
    return parse("pptx", pptx({"slide1.xml": slide(shapes)}, ("slide1.xml",)), **options)


def body_of(shapes: str) -> str:
    return whole_text(one_slide(shapes))


def cell(text: str, merge: str = "") -> str:
    return f"<a:tc {merge}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"


def table(*rows: str) -> str:
    inner = "".join(f"<a:tr>{row}</a:tr>" for row in rows)
    return frame(f"<a:tbl>{inner}</a:tbl>")


def frame(graphic: str) -> str:
    data = f"<a:graphic><a:graphicData>{graphic}</a:graphicData></a:graphic>"
    return f"<p:graphicFrame><p:nvGraphicFramePr/>{data}</p:graphicFrame>"


def notes(*shapes: str) -> str:
    return f'<p:notes xmlns:p="{P}" xmlns:a="{A}"><p:cSld><p:spTree>{"".join(shapes)}</p:spTree></p:cSld></p:notes>'


def test_a_file_by_libreoffice_gives_groups_notes_and_merged_cells() -> None:
    parsed = parse_file(FIXTURES / "office" / "libreoffice.pptx")
    assert parsed.title == "Pilot briefing"
    assert [(chunk.heading, chunk.content) for chunk in parsed.chunks] == [
        (
            "Slide 1: Approach by night",
            "Approach by night\ngrouped petrel\ndeeper fulmar\n[notes]\nSay a word about the skua.",
        ),
        ("Slide 2", "light\tperiod\nmerged gannet"),
    ]
    assert parsed.chunks[0].heading_path == ("Slide 1: Approach by night",)
    assert parsed.chunks[0].context == "Pilot briefing > Slide 1: Approach by night"
    assert parsed.chunks[0].level is None


def test_a_file_by_pandoc_reads_with_titles_tables_and_notes() -> None:
    parsed = parse_file(FIXTURES / "office" / "pandoc.pptx")
    assert [chunk.heading for chunk in parsed.chunks] == [
        "Slide 1: Crew training",
        "Slide 2: Morning",
        "Slide 3: First watch",
        "Slide 4: Table",
    ]
    assert parsed.chunks[2].content == "First watch\nbell at four\nalbatross count\n[notes]\nRemember the tropicbird."
    rows = parsed.chunks[3].table_rows
    assert rows is not None
    assert [parsed.chunks[3].content[row.start : row.end] for row in rows] == ["bell\ttask", "one\tsweep", "two\tmend"]


def test_slides_come_in_the_order_of_the_presentation_not_of_their_files() -> None:
    slides = {f"slide{n}.xml": slide(shape(f"file {n}")) for n in (1, 2, 10)}
    parsed = parse("pptx", pptx(slides, ("slide10.xml", "slide1.xml", "slide2.xml")))
    assert [(c.heading, c.content) for c in parsed.chunks] == [
        ("Slide 1", "file 10"),
        ("Slide 2", "file 1"),
        ("Slide 3", "file 2"),
    ]


def test_a_slide_that_the_presentation_does_not_show_is_not_read() -> None:
    slides = {"slide1.xml": slide(shape("shown")), "slide2.xml": slide(shape("orphan"))}
    assert contents(parse("pptx", pptx(slides, ("slide1.xml",)))) == ["shown"]


def test_notes_belong_to_the_slide_that_points_at_them() -> None:
    slides = {"slide1.xml": slide(shape("one")), "slide2.xml": slide(shape("two"))}
    links = {"slide2.xml": relations(("n", "notesSlide", "../notesSlides/notesSlide1.xml"))}
    held = pptx(
        slides,
        ("slide1.xml", "slide2.xml"),
        links,
        **{"notesSlides__notesSlide1.xml": notes(shape("for two", placeholder="body"))},
    )
    assert contents(parse("pptx", held)) == ["one", "two\n[notes]\nfor two"]


def test_the_furniture_of_a_notes_page_is_left_out() -> None:
    page = notes(*(shape("x", placeholder=kind) for kind in ("sldImg", "hdr", "ftr", "dt", "sldNum")), shape("said"))
    links = {"slide1.xml": relations(("n", "notesSlide", "../notesSlides/n.xml"))}
    held = pptx({"slide1.xml": slide(shape("one"))}, ("slide1.xml",), links, **{"notesSlides__n.xml": page})
    assert contents(parse("pptx", held)) == ["one\n[notes]\nsaid"]


@pytest.mark.parametrize("kind", ["title", "ctrTitle"])
def test_a_title_placeholder_names_the_slide(kind: str) -> None:
    broken = "<a:r><a:t>Two</a:t></a:r><a:br/><a:r><a:t>lines</a:t></a:r>"
    parsed = one_slide(shape("body") + shape(broken, placeholder=kind))
    assert parsed.chunks[0].heading == "Slide 1: Two lines"
    assert parsed.chunks[0].content == "body\nTwo\nlines"


@pytest.mark.parametrize("kind", ["subTitle", "body", "obj"])
def test_other_placeholders_do_not(kind: str) -> None:
    assert one_slide(shape("text", placeholder=kind)).chunks[0].heading == "Slide 1"


def test_slide_number_and_date_placeholders_and_fields_are_left_out() -> None:
    field = '<a:fld type="slidenum"><a:t>3</a:t></a:fld><a:r><a:t>words</a:t></a:r>'
    assert body_of(shape("3", placeholder="sldNum") + shape("2026", placeholder="dt") + shape(field)) == "words"


def test_shapes_in_groups_count_in_their_place() -> None:
    inner = f"<p:grpSp><p:nvGrpSpPr/>{shape('b')}<p:grpSp>{shape('c')}</p:grpSp></p:grpSp>"
    assert body_of(shape("a") + inner + shape("d")) == "a\nb\nc\nd"


def test_of_alternative_content_one_branch_is_read() -> None:
    branches = f"<mc:Choice>{shape('new')}</mc:Choice><mc:Fallback>{shape('old')}</mc:Fallback>"
    assert body_of(f"<mc:AlternateContent>{branches}</mc:AlternateContent>") == "new"


def test_a_cell_merged_from_the_left_adds_no_field_and_one_from_above_an_empty_one() -> None:
    rows = table(
        cell("wide", 'gridSpan="2"') + cell("", 'hMerge="1"') + cell("tall", 'rowSpan="2"'),
        cell("a") + cell("b") + cell("hidden", 'vMerge="1"'),
        cell("") + cell("") + cell(""),
    )
    assert body_of(rows) == "wide\ttall\na\tb\t"


def test_the_words_of_a_diagram_are_read_from_its_own_part() -> None:
    steps = "<a:p><a:r><a:t>first step</a:t></a:r></a:p><a:p/><a:p><a:r><a:t>second step</a:t></a:r></a:p>"
    data = f'<x xmlns:a="{A}">{steps}</x>'
    links = {"slide1.xml": relations(("d", "diagramData", "../diagrams/data1.xml"))}
    held = pptx(
        {"slide1.xml": slide(frame('<dgm:relIds r:dm="d"/>'))}, ("slide1.xml",), links, **{"diagrams__data1.xml": data}
    )
    assert contents(parse("pptx", held)) == ["first step\nsecond step"]


def test_a_slide_without_text_keeps_its_number_but_is_no_chunk() -> None:
    slides = {"a.xml": slide(""), "b.xml": slide(shape("text"))}
    assert [c.heading for c in parse("pptx", pptx(slides, ("a.xml", "b.xml"))).chunks] == ["Slide 2"]


def test_a_damaged_slide_costs_itself_and_is_told_of() -> None:
    slides = {"a.xml": "<broken", "b.xml": slide(shape("text"))}
    parsed = parse("pptx", pptx(slides, ("a.xml", "b.xml")))
    assert contents(parsed) == ["text"]
    assert "slide 1 is left out" in parsed.notices[0].message


def test_a_long_slide_is_split_by_lines() -> None:
    parsed = one_slide(shape(*(f"line {n} " + "x" * 50 for n in range(20))), max_chunk_chars=300)
    assert len(parsed.chunks) > 2
    assert all(chunk.heading == "Slide 1" and len(chunk.content) <= 300 for chunk in parsed.chunks)


def test_a_slide_can_be_excluded_by_its_heading() -> None:
    assert one_slide(shape("Agenda", placeholder="title"), exclude_headings=["Agenda"]).chunks == ()
