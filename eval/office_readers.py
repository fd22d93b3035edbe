"""What each library at hand leaves out of the awkward files under tests/fixtures and tests/cases, and what it costs.

    python eval/office_readers.py

Each reader runs in a process of its own with 4 GiB and 60 seconds. "missing" lists the probe words it did not give;
"shown" counts cells that read as a person sees them. The libraries are used as their documentation shows first.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OFFICE = ROOT / "tests" / "fixtures" / "office"
PDFS = ROOT / "tests" / "fixtures" / "pdf"
MEMORY_BYTES = 4 << 30
SECONDS = 60

PROBES = {
    "libreoffice.docx": (
        *("lighthouse", "insertedword", "razorbill", "linked tariff", "cormorant", "deep and wide"),
        *("south, closed", "dunlin", "kittiwake", "guillemot"),
    ),
    "pandoc.docx": ("halyard", "never jams", "storm-petrel", "mooring", "coil them"),
    "libreoffice.pptx": ("Approach by night", "petrel", "fulmar", "skua", "gannet"),
    "pandoc.pptx": ("bell at four", "tropicbird", "sweep"),
    "libreoffice.xlsx": ("05.11.1987", "12.5%", "12,345.68", "36:15", "24,691.36", "shearwater"),
    "book.xlsx": ("tamarin", "14/03/2026", "7.5%", "$1,234.50", "00123", "#N/A", "marmoset", "howler", "uakari"),
    "corners.xlsx": ("peccary", "agouti"),
    "styled.xlsx": ("capybara",),
    "japanese.pdf": ("倉庫の部品を数えた", "縦書きの文章を試します"),
    "libreoffice_vertical.pdf": ("見張りの老人は帳面に",),
    "two_columns.pdf": ("closed to small vessels until\nfurther notice",),
    "hyphen.pdf": ("transformation", "weatherproof"),
    "liga.pdf": ("office", "profile"),
    "soft.pdf": ("warehouse", "inspection"),
    "rotate_text.pdf": ("estuary lagoon",),
}


def by_python_docx(path: str) -> str:
    from docx import Document

    document = Document(path)
    texts = [paragraph.text for paragraph in document.paragraphs]
    texts += [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    for section in document.sections:
        texts += [p.text for part in (section.header, section.footer) for p in part.paragraphs]
    return "\n".join(texts).replace("deep\nand wide", "deep and wide")


def by_python_pptx(path: str) -> str:
    from pptx import Presentation

    texts = []
    for slide in Presentation(path).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                texts.append(shape.text_frame.text)
            if shape.has_table:
                texts += [cell.text for row in shape.table.rows for cell in row.cells]
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            texts.append(slide.notes_slide.notes_text_frame.text)
    return "\n".join(texts)


def by_openpyxl(path: str) -> str:
    from openpyxl import load_workbook

    rows = []
    for sheet in load_workbook(path, read_only=True, data_only=True).worksheets:
        read = sheet.iter_rows(values_only=True)
        rows += ["\t".join("" if value is None else str(value) for value in row) for row in read]
    return "\n".join(rows)


def by_calamine(path: str) -> str:
    from python_calamine import CalamineWorkbook

    book = CalamineWorkbook.from_path(path)
    sheets = [book.get_sheet_by_name(name).to_python() for name in book.sheet_names]
    return "\n".join("\t".join(str(value) for value in row) for rows in sheets for row in rows)


def by_pypdf(path: str) -> str:
    from pypdf import PdfReader

    return "\n".join(page.extract_text() for page in PdfReader(path).pages)


def by_pdfium(path: str) -> str:
    from pypdfium2 import PdfDocument

    return "\n".join(page.get_textpage().get_text_range() for page in PdfDocument(path)).replace("\r\n", "\n")


def by_groove(path: str) -> str:
    from grooveseek.parsing.binary import direct_parser

    options = {"max_chunk_chars": 1600, "max_decompressed": 50 << 20, "exclude_headings": []}
    document = direct_parser(Path(path).suffix[1:], options).parse(Path(path).read_bytes(), Path(path).name)
    return "\n".join(chunk.content for chunk in document.chunks)


READERS: dict[str, tuple[Callable[[str], str], ...]] = {
    "docx": (by_python_docx, by_groove),
    "pptx": (by_python_pptx, by_groove),
    "xlsx": (by_calamine, by_openpyxl, by_groove),
    "pdf": (by_pypdf, by_pdfium, by_groove),
}


def made_files(folder: Path) -> list[Path]:
    """The cases' files, written by their own scripts; the one of empty styled cells inflates to 40 MiB."""
    for case, arguments in (("C33", ()), ("C35", ("40",)), ("C37", ())):
        script = ROOT / "tests" / "cases" / case / "make.py"
        subprocess.run([sys.executable, str(script), str(folder), *arguments], check=True)
    return sorted(path for path in folder.iterdir() if path.name in PROBES)


def measured(reader: str, path: Path) -> str:
    """Run one reader on one file; a line for the table."""
    command = [sys.executable, __file__, reader, str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"not done in {SECONDS} s"
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or [""]
        return f"the process ended with {done.returncode} {last[0][:70] if done.returncode > 0 else ''}".rstrip()
    result = json.loads(done.stdout)
    missing = ", ".join(repr(word) for word in result["missing"]) or "nothing"
    return f"{result['seconds']:5.2f} s {result['megabytes']:4d} MB  missing {missing}"


def read_one(reader: str, path: str) -> None:
    """Inside the process: read, and print what is missing."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    started = time.perf_counter()
    text = globals()[reader](path)
    seconds = time.perf_counter() - started
    missing = [word for word in PROBES[Path(path).name] if word not in text]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"missing": missing, "seconds": seconds, "megabytes": peak}))


def main() -> None:
    """Print the table."""
    if len(sys.argv) == 3:
        read_one(*sys.argv[1:])
        return
    with tempfile.TemporaryDirectory() as folder:
        fixtures = sorted(path for path in (*OFFICE.iterdir(), *PDFS.iterdir()) if path.name in PROBES)
        for path in [*fixtures, *made_files(Path(folder))]:
            for reader in READERS[path.suffix[1:]]:
                print(f"{path.name:26}{reader.__name__.removeprefix('by_'):14}{measured(reader.__name__, path)}")


if __name__ == "__main__":
    main()
