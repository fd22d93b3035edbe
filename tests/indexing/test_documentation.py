"""The figures and file names of docs/indexing.md and docs/library.md are those of the code."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from grooveseek.app import INDEX_NAME
from grooveseek.indexing import pipeline, scan
from grooveseek.indexing.build import building_path
from grooveseek.indexing.events import Event
from grooveseek.store import database, upkeep
from grooveseek.store.lock import holder_path, lock_path
from tests.indexing.conftest import Open

DOCS = Path(__file__).parents[2] / "docs"
INDEXING = (DOCS / "indexing.md").read_text("utf-8")
LIBRARY = (DOCS / "library.md").read_text("utf-8")


def test_figures_of_a_run():
    assert f"less than {'two' if scan._RACY_NS == 2 * 10**9 else '?'} seconds" in INDEXING
    assert f"({pipeline._STEP_WINDOWS} pieces of text at most)" in INDEXING
    assert upkeep.CHANGED_SHARE == 1 / 5
    assert f"more than a fifth of the chunks (and more than {upkeep.FEW_CHANGES})" in INDEXING
    assert database._FREE_SHARE == 1 / 4
    assert "a quarter of the file and 1 MiB" in INDEXING
    assert database._FREE_PAGES * 4096 == 2**20


def test_every_file_beside_the_index_is_named():
    index = Path("/x") / INDEX_NAME
    for path in (lock_path(index), holder_path(index), building_path(index)):
        assert f"`{path.name}`" in INDEXING
    for suffix in ("-wal", "-shm"):
        assert f"`{INDEX_NAME}{suffix}`" in INDEXING


def test_nothing_else_is_left_beside_the_index(open_base: Open, tmp_path: Path):
    kb = open_base({"a.md": "# A\n\nalpha\n"})
    kb.index()
    kb.index(force=True)
    kb.search("alpha")
    named = set(re.findall(r"`(\.groove\.db[\w.-]*)`", INDEXING))
    assert {path.name for path in tmp_path.iterdir()} - {"kb"} <= named


def test_every_event_and_field_is_described():
    for event in get_args(Event):
        assert f"`{event.__name__}`" in LIBRARY
        for field in fields(event):
            assert f"`{field.name}`" in LIBRARY, field.name


def test_the_example_that_follows_and_stops_a_run(
    open_base: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n\nalpha\n")
    (tmp_path / "groove.toml").write_text('model = "fake"\n')
    monkeypatch.chdir(tmp_path)
    example = re.findall(r"```python\n(.*?)```", LIBRARY, re.DOTALL)[1]
    exec(compile(example, "docs/library.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == ["1 embedded", "complete 1"]


def test_renaming_a_file_whose_name_is_its_title_embeds_it_anew(open_base: Open):
    kb = open_base({"a.md": "no title\n", "b.md": "# Title\n\nwords\n"})
    kb.index()
    for name in ("a", "b"):
        (kb.root / f"{name}.md").rename(kb.root / f"{name}2.md")
    summary = kb.index()
    assert (summary.renamed, summary.embedded, summary.reused) == (2, 1, 1)
