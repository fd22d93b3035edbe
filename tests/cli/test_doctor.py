from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest
from grooveseek.cli.doctor import exit_code
from grooveseek.doctor.findings import NotRun, Report
from tests.support.imports import imported_modules


@pytest.fixture
def where(tmp_path: Path, groove) -> list[str]:
    """The options that name an indexed knowledge base with the fake model."""
    kb = tmp_path / "work" / "kb"
    kb.mkdir()
    (kb / "a.md").write_text("# A\n\nOne note.\n", encoding="utf-8")
    config = tmp_path / "work" / "fake.toml"
    config.write_text('model = "fake"\n', encoding="utf-8")
    options = ["--config", str(config), "--kb-path", str(kb)]
    assert groove("index", *options, "--quiet").code == 0
    return options


def test_a_healthy_index_exits_with_0(groove, where: list[str]):
    answer = groove("doctor", *where)
    assert answer.code == 0
    assert answer.out.startswith("1 document in 1 chunk; ")
    assert answer.out.endswith(" checks made, nothing to report\n")


def test_findings_exit_with_1_and_name_the_remedy(groove, where: list[str]):
    (Path(where[3]) / "b.md").write_text("# B\n", encoding="utf-8")
    answer = groove("doctor", *where)
    assert answer.code == 1
    assert answer.out.startswith(
        "warning  files-added: 1 file not in the index yet\n    b.md\n  remedy: groove index\n\n"
    )


def test_json_carries_counts_and_findings(groove, where: list[str]):
    value = json.loads(groove("doctor", *where, "--format", "json").out)
    assert (value["documents"], value["chunks"], value["findings"], value["not_run"]) == (1, 1, [], [])
    assert value["deep"] is False
    assert json.loads(groove("doctor", *where, "--format", "json", "--deep").out)["deep"] is True


def test_without_an_index_it_could_not_run(groove, tmp_path: Path):
    kb = tmp_path / "work" / "kb"
    kb.mkdir()
    answer = groove("doctor", "--kb-path", str(kb))
    assert (answer.code, answer.out) == (2, "")
    assert "Run `groove index`" in answer.err


def test_a_file_that_is_no_index_is_a_finding(groove, where: list[str]):
    index = Path(where[3]).parent / ".groove.db"
    for suffix in ("-wal", "-shm"):
        index.with_name(index.name + suffix).unlink(missing_ok=True)
    index.write_bytes(b"something else entirely" * 1000)
    answer = groove("doctor", *where, "--format", "json")
    assert answer.code == 1
    value = json.loads(answer.out)
    assert [finding["check"] for finding in value["findings"]] == ["structure"]
    assert value["documents"] is None


def test_a_check_that_could_not_be_made_exits_with_2(groove, where: list[str]):
    connection = apsw.Connection(str(Path(where[3]).parent / ".groove.db"))
    connection.execute("UPDATE documents SET notices = 'no json'")
    connection.close()
    answer = groove("doctor", *where)
    assert answer.code == 2
    assert "not run  document-notices: " in answer.out


def test_findings_outweigh_checks_that_could_not_be_made():
    missing = (NotRun(check="names", reason="gone"),)
    assert exit_code(Report(documents=0, chunks=0, deep=False, checks=(), not_run=missing)) == 2
    assert exit_code(Report(documents=0, chunks=0, deep=False, checks=())) == 0


def test_an_examination_loads_no_model(groove, tmp_path: Path):
    kb = tmp_path / "work" / "kb"
    kb.mkdir()
    (kb / "a.md").write_text("# A\n\nOne note.\n", encoding="utf-8")
    assert groove("index", "--kb-path", str(kb), "--quiet").code == 0
    modules = imported_modules(["doctor", "--kb-path", str(kb), "--deep"])
    assert not modules & {"onnxruntime", "tokenizers", "fastembed", "huggingface_hub", "rich", "mcp", "scipy"}
