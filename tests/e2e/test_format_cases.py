"""Users' faults with Office and PDF files, from a file on disk to an answer, through the worker process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.indexing.events import Summary
from grooveseek.settings.sections import ParserSettings, Settings
from tests.conftest import OpenKb
from tests.support.search import hits, paths

CASES = Path(__file__).parents[1] / "cases"
SETTINGS = Settings(parsers=ParserSettings(enabled=("md", "txt", "pdf", "docx", "xlsx", "pptx")))

Made = Callable[..., tuple[KnowledgeBase, Summary]]


@pytest.fixture
def made(open_kb: OpenKb, tmp_path: Path) -> Made:
    def make(case: str, *arguments: str) -> tuple[KnowledgeBase, Summary]:
        target = tmp_path / "kb"
        command = [sys.executable, "make.py", str(target), *arguments]
        subprocess.run(command, cwd=CASES / case, check=True, capture_output=True)
        kb = open_kb(target, settings=SETTINGS)
        return kb, kb.index()

    return make


def test_headings_are_found_by_style_not_by_name(made: Made) -> None:
    kb, _ = made("C31")
    trails = {
        "sandpiper": "Přístav",
        "turnstone": "Přístav > Kräne",
        "whimbrel": "Přístav > Derived part",
        "godwit": "Přístav > Derived part",
        "plover": "Přístav > Direct outline",
        "lapwing": "Plain Built In",
    }
    found = {word: " > ".join(hits(kb, word)[0].chunk.heading_path) for word in trails}
    assert found == trails


def test_cells_read_as_a_person_sees_them(made: Made) -> None:
    kb, _ = made("C33")
    text = "\n".join(chunk.chunk.content for chunk in kb.store().documents.chunks_of("book.xlsx"))
    for shown in ("tamarin", "2026-03-14", "7.5%", "00123", "marmoset", "howler"):
        assert shown in text
    for never in ("46095", "NaN", "None", "Unnamed"):
        assert never not in text


def test_bombs_cost_themselves_alone(made: Made) -> None:
    kb, summary = made("C35", "120")
    refused = {skipped.path: skipped.reason for skipped in summary.skipped}
    assert set(refused) == {"bomb.docx", "bomb.xlsx", "styled.xlsx"}
    assert all("max_decompressed_size" in reason for reason in refused.values())
    assert paths(kb, "tapir") == ["ok.md"]


def test_pdf_text_is_what_a_reader_reads(made: Made) -> None:
    kb, _ = made("C37")
    for query, path in {
        "transformation": "hyphen.pdf",
        "well-known": "hyphen.pdf",
        "office": "liga.pdf",
        "profile": "liga.pdf",
        "warehouse": "soft.pdf",
        "orchard valley": "rotate_flag.pdf",
        "estuary lagoon": "rotate_text.pdf",
        "heron": "columns.pdf",
        "sturgeon": "cid.pdf",
    }.items():
        assert paths(kb, query)[0] == path
    assert hits(kb, "sturgeon")[0].chunk.heading == "p.2"
    for document in kb.store().documents.states():
        for stored in kb.store().documents.chunks_of(document):
            assert not any(mark in stored.chunk.content for mark in ("(cid:", "\u00ad", "\ufb01", "\ufb02", "\ufffe"))
