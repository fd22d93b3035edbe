from __future__ import annotations

import json
from pathlib import Path

import pytest
from grooveseek.cli.validate import checkout_path
from tests.support.imports import imported_modules, third_party


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "kb"
    folder.mkdir(parents=True)
    (folder / "good.md").write_text("---\nstatus: done\n---\n", encoding="utf-8")
    (folder / "bad.md").write_text("---\nstatus: gone\nextra: 1\n---\n", encoding="utf-8")
    (folder / "groove-schema.toml").write_text('[fields.status]\nenum = ["done"]\n', encoding="utf-8")
    return folder


def test_violations_are_the_result_and_exit_with_1(groove, kb: Path):
    answer = groove("validate", "--kb-path", str(kb))
    assert answer.code == 1
    assert answer.out == (
        "bad.md:2: enum: status is 'gone'; allowed are: 'done'\n2 documents checked, 1 violation in 1 document\n"
    )


def test_a_clean_folder_exits_with_0(groove, kb: Path):
    (kb / "bad.md").unlink()
    answer = groove("validate", "--kb-path", str(kb))
    assert (answer.code, answer.out) == (0, "1 document checked, all as the schema wants them\n")


def test_strict_refuses_undeclared_keys(groove, kb: Path):
    answer = groove("validate", "--kb-path", str(kb), "--strict", "--format", "json")
    assert [each["constraint"] for each in json.loads(answer.out)["violations"]] == ["enum", "undeclared_field"]


def test_fail_fast_says_that_it_stopped(groove, kb: Path):
    answer = groove("validate", "--kb-path", str(kb), "--fail-fast", "--format", "json")
    assert answer.code == 1
    assert json.loads(answer.out)["stopped"] is True


def test_another_schema_can_be_named(groove, kb: Path, tmp_path: Path):
    other = tmp_path / "other.toml"
    other.write_text("[fields.extra]\n", encoding="utf-8")
    assert groove("validate", "--kb-path", str(kb), "--schema", str(other)).code == 0


@pytest.mark.parametrize(("form", "out"), [("text", ""), ("github", "")])
def test_without_a_schema_there_is_a_note_and_nothing_else(groove, kb: Path, form: str, out: str):
    (kb / "groove-schema.toml").unlink()
    answer = groove("validate", "--kb-path", str(kb), "--format", form)
    assert (answer.code, answer.out) == (0, out)
    assert "note: there is no groove-schema.toml" in answer.err


def test_without_a_schema_json_is_still_json(groove, kb: Path):
    (kb / "groove-schema.toml").unlink()
    value = json.loads(groove("validate", "--kb-path", str(kb), "--format", "json").out)
    assert value == {"schema": None, "documents": 0, "violations": [], "unchecked": [], "stopped": False}


def test_a_schema_that_does_not_compile_exits_with_2_naming_key_and_line(groove, kb: Path):
    (kb / "groove-schema.toml").write_text("[fields.status]\npattern = '('\n", encoding="utf-8")
    answer = groove("validate", "--kb-path", str(kb))
    assert (answer.code, answer.out) == (2, "")
    assert "groove-schema.toml:2: fields.status.pattern is no regular expression" in answer.err


def test_a_named_schema_that_is_missing_exits_with_2(groove, kb: Path):
    answer = groove("validate", "--kb-path", str(kb), "--schema", "none.toml")
    assert answer.code == 2
    assert "none.toml: cannot be read" in answer.err


def test_annotations_name_files_from_the_root_of_the_checkout(groove, kb: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    assert groove("validate", "--kb-path", str(kb), "--format", "github").out.startswith(
        "::error file=kb/bad.md,line=2,"
    )
    monkeypatch.setenv("GITHUB_WORKSPACE", str(kb.parent.parent))
    assert groove("validate", "--kb-path", str(kb), "--format", "github").out.startswith(
        "::error file=work/kb/bad.md,line=2,"
    )


def test_a_document_outside_the_checkout_keeps_its_whole_path(tmp_path: Path):
    file_of = checkout_path(tmp_path / "kb", {"GITHUB_WORKSPACE": str(tmp_path / "other")}, tmp_path)
    assert file_of("a.md") == (tmp_path / "kb" / "a.md").as_posix()


def test_warnings_about_exclusion_go_to_stderr(groove, kb: Path):
    (kb / ".grooveignore").write_text("[a\n", encoding="utf-8")
    answer = groove("validate", "--kb-path", str(kb))
    assert "warning: .grooveignore line 1" in answer.err


def test_declared_keys_are_searchable_after_an_index_run_and_others_refused(groove, kb: Path):
    (kb / "groove.toml").write_text("", encoding="utf-8")
    config = kb.parent / "fake.toml"
    config.write_text('model = "fake"\n', encoding="utf-8")
    for name, status in (("one", "done"), ("two", "gone")):
        (kb / f"{name}.md").write_text(f"---\nstatus: {status}\n---\nThe heron waits.\n", encoding="utf-8")
    where = ["--config", str(config), "--kb-path", str(kb)]
    assert groove("index", *where, "--quiet").code == 0
    found = groove("search", *where, "heron", "--field", "status=done", "--format", "json")
    assert [hit["path"] for hit in json.loads(found.out)["results"]] == ["one.md"]
    refused = groove("search", *where, "heron", "--field", "extra=1")
    assert refused.code == 2
    assert "groove-schema.toml does not declare it" in refused.err


def test_indexing_with_a_broken_schema_says_where_it_is_broken(groove, kb: Path):
    config = kb.parent / "fake.toml"
    config.write_text('model = "fake"\n', encoding="utf-8")
    (kb / "groove-schema.toml").write_text("[fields.status]\npatern = 'x'\n", encoding="utf-8")
    answer = groove("index", "--config", str(config), "--kb-path", str(kb))
    assert answer.code == 2
    assert "groove-schema.toml:2: fields.status.patern is not a key of a schema. Did you mean pattern?" in answer.err


def test_validating_imports_no_model_and_no_database(kb: Path):
    (kb / "bad.md").unlink()
    imported = third_party(imported_modules(["validate", "--kb-path", str(kb)]))
    # what PyYAML's compiled half registers besides itself depends on the Cython it was built with
    assert {name for name in imported if "cython" not in name} == {"click", "yaml"}
