from __future__ import annotations

import sys
from pathlib import Path

import pytest
from grooveseek.knowledge_base.respell import respelled
from tests.conftest import write_files

C, D = "caf\u00e9", "cafe\u0301"
only_where_names_keep_their_form = pytest.mark.skipif(sys.platform == "darwin", reason="its file systems know one form")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_files(tmp_path, {f"{D}/{C}/{D}.md": "x", "plain.md": "x"})
    return tmp_path


@only_where_names_keep_their_form
@pytest.mark.parametrize("typed", [f"{C}/{C}/{C}.md", f"{D}/{D}/{D}.md", f"{D}/{C}/{D}.md", f"{C}/{D}/{C}.md"])
def test_a_name_is_found_in_whatever_form_each_part_was_typed(root: Path, typed: str):
    assert respelled(root, typed) == f"{D}/{C}/{D}.md"


@pytest.mark.parametrize(
    "typed", ["plain.md", "gone.md", f"{C}/gone.md", f"gone/{C}.md", "Pl\u00e4in.md", f"plain.md/{C}"]
)
def test_a_name_that_is_no_other_spelling_is_not_found(root: Path, typed: str):
    assert respelled(root, typed) is None


@only_where_names_keep_their_form
def test_of_two_files_whose_names_differ_in_form_each_is_itself_and_neither_a_third(root: Path):
    write_files(root, {f"{C}{D}.md": "one", f"{D}{C}.md": "two"})
    assert respelled(root, f"{C}{D}.md") == f"{C}{D}.md"
    assert respelled(root, f"{D}{C}.md") == f"{D}{C}.md"
    assert respelled(root, f"{C}{C}.md") is None
