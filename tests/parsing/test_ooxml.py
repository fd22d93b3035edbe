import pytest
from grooveseek.errors import MissingExtra, Unparsable
from grooveseek.parsing import ooxml
from grooveseek.parsing.ooxml import Package
from tests.support.binary import parse, whole_text
from tests.support.office_files import archive, document, docx, paragraph, relations

BUDGET = 50 << 20
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
BILLION_LAUGHS = f'<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY l0 "lol">{LAUGHS}]>'
CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">{}</cp:coreProperties>'
)


def package(parts: dict[str, str | bytes]) -> Package:
    return Package(archive(parts), BUDGET)


def with_core(fields: str) -> bytes:
    return archive({"word/document.xml": document(paragraph("text")), "docProps/core.xml": CORE.format(fields)})


def test_the_main_part_is_found_by_its_relationship_wherever_it_lies() -> None:
    held = archive(
        {"_rels/.rels": relations(("x", "officeDocument", "/a/b.xml")), "a/b.xml": document(paragraph("here"))}
    )
    assert whole_text(parse("docx", held)) == "here"


def test_without_relationships_the_usual_place_is_looked_at() -> None:
    assert whole_text(parse("docx", archive({"word/document.xml": document(paragraph("here"))}))) == "here"


def test_part_names_compare_without_case_and_with_backslashes() -> None:
    held = archive({"Word\\Document.XML": document(paragraph("here"))})
    assert whole_text(parse("docx", held)) == "here"


def test_an_archive_without_a_document_says_what_it_lacks() -> None:
    with pytest.raises(Unparsable, match=r"holds no word/document\.xml"):
        parse("docx", archive({"readme.txt": "hello"}))


@pytest.mark.parametrize(
    ("target", "part"),
    [("../x.xml", "x.xml"), ("sub/./y.xml", "word/sub/y.xml"), ("/z.xml", "z.xml"), ("a%20b.xml#f", "word/a b.xml")],
)
def test_targets_resolve_against_the_folder_of_their_part(target: str, part: str) -> None:
    held = package({"word/_rels/d.xml.rels": relations(("i", "thing", target)), part: "<x/>"})
    assert held.related("word/d.xml", "thing") == [part]


def test_a_target_outside_the_package_is_no_part() -> None:
    held = package({"word/_rels/d.xml.rels": relations(("i", "thing", "../../../etc/passwd")), "x": ""})
    assert held.related("word/d.xml", "thing") == []


def test_external_relationships_are_left_out() -> None:
    listing = relations(("i", "thing", "x.xml")).replace("Target=", 'TargetMode="External" Target=')
    assert package({"_rels/d.xml.rels": listing, "x.xml": "<x/>"}).relations("d.xml") == {}


def test_a_damaged_relationship_part_counts_as_none() -> None:
    assert package({"_rels/d.xml.rels": "<Relationships>"}).relations("d.xml") == {}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be"])
def test_billion_laughs_is_refused_by_its_document_type(encoding: str) -> None:
    bomb = (BILLION_LAUGHS + document(paragraph("&l9;"))).encode(encoding)
    with pytest.raises(Unparsable, match="document type"):
        parse("docx", archive({"word/document.xml": bomb}))


def test_a_document_type_far_behind_the_start_is_found_all_the_same() -> None:
    late = f"<?xml version='1.0'?><!--{'x' * 10_000}--><!DOCTYPE w [<!ENTITY a 'b'>]>" + document(paragraph("&a;"))
    with pytest.raises(Unparsable, match="document type"):
        parse("docx", archive({"word/document.xml": late}))


def test_an_external_entity_reads_no_file(tmp_path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret words")
    head = f'<!DOCTYPE w [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    with pytest.raises(Unparsable, match="document type"):
        parse("docx", archive({"word/document.xml": head + document(paragraph("&x;"))}))
    held = archive({"word/document.xml": document(paragraph("text")), "docProps/core.xml": head + CORE.format("&x;")})
    assert "secret" not in repr(parse("docx", held))


def test_a_part_cut_short_names_itself() -> None:
    held = archive({"word/document.xml": document(paragraph("text"))[:-20]})
    with pytest.raises(Unparsable, match=r"damaged part, word/document\.xml"):
        parse("docx", held)


def test_a_part_whose_checksum_is_wrong_is_refused() -> None:
    held = bytearray(archive({"word/document.xml": document(paragraph("text"))}))
    held[held.index(b"PK\x01\x02") + 16] ^= 1
    held[held.index(b"PK\x03\x04") + 14] ^= 1
    with pytest.raises(Unparsable, match="damaged part"):
        parse("docx", bytes(held))


def test_core_properties_become_title_date_and_tags() -> None:
    fields = (
        "<dc:title>Tide &amp; time</dc:title><dcterms:created>2026-03-14T09:30:00Z</dcterms:created>"
        "<cp:keywords>sea, tide; sea ,moon</cp:keywords>"
    )
    parsed = parse("docx", with_core(fields), "almanac/tides/book.docx")
    front = parsed.frontmatter
    assert (parsed.title, front.title) == ("Tide & time", "Tide & time")
    assert (front.date, front.tags) == ("2026-03-14T09:30:00Z", ("sea", "tide", "moon"))
    assert (front.category, front.topic) == ("almanac", "tides")


def test_the_date_of_change_stands_in_for_a_missing_one_of_creation() -> None:
    parsed = parse("docx", with_core("<dcterms:modified>2026-03-14</dcterms:modified>"))
    assert parsed.frontmatter.date == "2026-03-14"


@pytest.mark.parametrize("fields", ["", "<dc:title> </dc:title>", "<dc:title>Word Document</dc:title>"])
def test_without_a_title_of_its_own_a_file_goes_by_its_name(fields: str) -> None:
    assert parse("docx", with_core(fields), "a/tide-tables_2026.docx").title == "tide tables 2026"


def test_damaged_core_properties_cost_nothing_but_themselves() -> None:
    held = archive({"word/document.xml": document(paragraph("text")), "docProps/core.xml": "<broken"})
    assert whole_text(parse("docx", held)) == "text"


def test_the_strict_namespaces_read_the_same() -> None:
    strict = document(paragraph("here")).replace(
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "http://purl.oclc.org/ooxml/wordprocessingml/main",
    )
    assert whole_text(parse("docx", archive({"word/document.xml": strict}))) == "here"


def test_without_lxml_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ooxml, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r'pip install "grooveseek\[office\]"'):
        parse("docx", docx(""))
