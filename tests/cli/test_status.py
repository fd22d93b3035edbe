"""``groove status``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from grooveseek.cli.main import main
from tests.conftest import write_files

FILES: dict[str, str | bytes] = {
    "a.md": "# A\n\nA note that is long enough to pass the quality filter, in one language the model reads.\n",
    "b.md": "---\ntags: {a: b}\n---\n# B\n\nTBD\n",
    "c.md": "---\ntitle: [broken\n---\n\nIts front matter cannot be read, and the note is in the index all the same.\n",
}


def test_what_the_index_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kb = tmp_path / "kb"
    kb.mkdir()
    write_files(kb, FILES)
    common = ["--kb-path", str(kb)]
    assert main(["index", *common, "--model", "fake"]) == 0
    capsys.readouterr()
    assert main(["status", *common, "--format", "json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert (status["documents"], status["parsers"]["md"]["documents"]) == (3, 3)
    assert status["frontmatter_unparsed"] == 1
    assert status["tags_unparseable"] == 1
    assert status["model"] == "fake"
    assert status["context_mode"] == "static"
    assert status["chunks_passing_quality"] < status["chunks"]
    assert status["index_bytes"] > 0
    assert status["last_run"]["finished_at"]
    assert main(["status", *common]) == 0
    shown = capsys.readouterr().out
    assert "md: 3" in shown
    assert "1 unparsed, 1 with unparseable tags" in shown


def test_without_an_index_there_is_a_note_and_no_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--kb-path", str(tmp_path)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "groove index" in captured.err
