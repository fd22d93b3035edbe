"""Binary files parsed as the tests like it: directly, with the default options unless said otherwise."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from grooveseek.model.document import ParsedDocument
from grooveseek.parsing.binary import direct_parser

TESTS = Path(__file__).parents[1]
FIXTURES = TESTS / "fixtures"
OPTIONS: dict[str, Any] = {"max_chunk_chars": 1600, "max_decompressed": 50 << 20, "exclude_headings": []}


def parse(parser_id: str, data: bytes, path: str | None = None, **options: Any) -> ParsedDocument:
    return direct_parser(parser_id, OPTIONS | options).parse(data, path or f"file.{parser_id}")


def parse_file(path: Path, **options: Any) -> ParsedDocument:
    return parse(path.suffix.removeprefix("."), path.read_bytes(), path.name, **options)


def contents(document: ParsedDocument) -> list[str]:
    return [chunk.content for chunk in document.chunks]


def whole_text(document: ParsedDocument) -> str:
    return "\n".join(contents(document))


def make_case(case: str, folder: Path, *arguments: str) -> Path:
    """Write a case's files to ``folder`` with its own script."""
    script = TESTS / "cases" / case / "make.py"
    subprocess.run([sys.executable, str(script), str(folder), *arguments], check=True, timeout=120)
    return folder


def minipdf() -> ModuleType:
    """The writer of the PDF cases."""
    spec = importlib.util.spec_from_file_location("minipdf", TESTS / "cases" / "_lib" / "minipdf.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
