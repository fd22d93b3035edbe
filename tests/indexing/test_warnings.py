"""What a run warns of besides its files."""

from __future__ import annotations

from pathlib import Path

from grooveseek.parsing.registry import Registry
from grooveseek.parsing.text import TextParser
from tests.conftest import OpenKb


def test_a_grammar_that_was_refused_is_told_of(open_kb: OpenKb, tmp_path: Path) -> None:
    kb = open_kb(files={"a.txt": "A plain note about ropes and knots, long enough to be one chunk.\n"})
    reason = 'The grammar "zz" of the distribution zz 1.0 is not used: its ABI is 99.'
    kb.registry = Registry([TextParser(1600)], text_cap=None, binary_cap=None, refused=(reason,))
    assert reason in kb.index().warnings
