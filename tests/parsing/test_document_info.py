import pytest
from grooveseek.parsing.document_info import pdf_date, split_keywords, usable_title, w3c_date


@pytest.mark.parametrize(
    "title",
    [
        *("Harbour handbook", "Untitled masterpieces of the harbour", "Word and excellence", "Documentation"),
        *("港の手引き", "Report v2.docx revisited", "Book of hours", "Presentation skills", "1984"),
    ],
)
def test_a_title_someone_wrote_is_kept(title: str) -> None:
    assert usable_title(title) == title


@pytest.mark.parametrize(
    "title",
    [
        *("", "  ", "\x00", "Microsoft Word - report.doc", "Microsoft PowerPoint - deck.pptx", "Word Document"),
        *("PowerPoint Presentation", "untitled", "Untitled-1", "(anonymous)", "Document1", "Book1", "Mappe1"),
        *("report_final.docx", "main.dvi", "scan0001.pdf", "無題", "Presentation", "Title"),
    ],
)
def test_what_programs_put_there_is_no_title(title: str) -> None:
    assert usable_title(title) is None


def test_a_title_is_one_line_without_controls() -> None:
    assert usable_title("\ufeffTwo\r\n lines\x00 here\ud800") == "Two lines here"


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("a, b;c\nd", ("a", "b", "c", "d")),
        ("港、船；魚，網", ("港", "船", "魚", "網")),
        ("sea eagle", ("sea eagle",)),
        (" a , , a ", ("a",)),
        ("", ()),
    ],
)
def test_keywords_part_at_commas_semicolons_and_lines(raw: str, words: tuple[str, ...]) -> None:
    assert split_keywords(raw) == words


@pytest.mark.parametrize(
    ("raw", "date"),
    [
        ("2026-03-14", "2026-03-14"),
        ("2026-03-14T09:30:00Z", "2026-03-14T09:30:00Z"),
        ("2026-03-14T09:30:00.5+02:00", "2026-03-14T09:30:00+02:00"),
        ("2026-03-14T09:30:00", "2026-03-14"),
        ("2026-02-30", None),
        ("14/03/2026", None),
        ("", None),
    ],
)
def test_dates_of_office_files(raw: str, date: str | None) -> None:
    assert w3c_date(raw) == date


@pytest.mark.parametrize(
    ("raw", "date"),
    [
        ("D:20260314093000Z", "2026-03-14T09:30:00Z"),
        ("D:20260314093000+01'00'", "2026-03-14T09:30:00+01:00"),
        ("D:20260314093000-0530", "2026-03-14T09:30:00-05:30"),
        ("D:20260314093000+01'", "2026-03-14T09:30:00+01:00"),
        ("D:202603140930Z00'00'", "2026-03-14T09:30:00Z"),
        ("D:20260314093000", "2026-03-14"),
        ("20260314", "2026-03-14"),
        ("D:202603", "2026-03-01"),
        ("D:2026", "2026-01-01"),
        ("D:20260230", None),
        ("D:20261399", None),
        ("D:20260314250000Z", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_of_pdfs(raw: str, date: str | None) -> None:
    assert pdf_date(raw) == date
