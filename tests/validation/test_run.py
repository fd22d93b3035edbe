"""A whole knowledge base against its schema, and how the result is told."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from grooveseek.knowledge_base.exclusion import ExclusionRules
from grooveseek.knowledge_base.walk import Declined
from grooveseek.parsing.markdown import MarkdownParser
from grooveseek.validation.report import render_github, render_text, report_as_json
from grooveseek.validation.run import EXTENSIONS, Report, validate
from grooveseek.validation.schema import parse_schema

CASES = Path(__file__).parents[1] / "cases"
TITLED = "[fields.title]\nrequired = true\n"


def run(root: Path, rules: str = TITLED, *, max_bytes: int | None = None, **options: bool) -> Report:
    schema = parse_schema(rules.encode(), root / "groove-schema.toml")
    return validate(root, schema, ExclusionRules.load(root, ()), max_bytes=max_bytes, **options)


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    for name, text in {
        "a.md": "---\ntitle: A\n---\n",
        "b.md": "# B\n",
        "sub/c.markdown": "---\nstatus: x\n---\n",
        "sub/d.txt": "no frontmatter here",
        "skipped/e.md": "# E\n",
        ".grooveignore": "skipped/\n",
    }.items():
        path = tmp_path / "kb" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "kb"


def test_every_markdown_file_that_a_run_would_index_is_checked_and_no_other(kb: Path):
    report = run(kb)
    assert report.documents == 3
    assert [each.path for each in report.violations] == ["b.md", "sub/c.markdown"]
    assert not report.is_clean


def test_fail_fast_stops_after_the_first_document_with_a_violation(kb: Path):
    report = run(kb, fail_fast=True)
    assert [each.path for each in report.violations] == ["b.md"]
    assert report.documents == 2
    assert report.stopped
    assert run(kb, "", fail_fast=True).stopped is False


def test_a_file_that_cannot_be_read_is_unchecked_rather_than_clean(kb: Path):
    (kb / "z.md").write_bytes(b"\xff\xfe\x00\x00")
    (kb / "y.md").write_bytes(b"# too large" + b"\n" * 100)
    report = run(kb, "", max_bytes=60)
    assert [each.path for each in report.unchecked] == ["y.md", "z.md"]
    assert "[index] max_raw_text_size" in report.unchecked[0].reason
    assert not report.is_clean


def test_what_the_operating_system_does_not_show_is_unchecked(kb: Path, monkeypatch: pytest.MonkeyPatch):
    closed = Declined(path="closed", reason="the folder cannot be read: Permission denied", unreadable=True)
    refused = Declined(path="link.md", reason="it is a symbolic link")
    monkeypatch.setattr("grooveseek.validation.run.walk", lambda *_: iter([closed, refused]))
    assert [each.path for each in run(kb).unchecked] == ["closed"]


@pytest.mark.skipif(os.name != "posix", reason="making links needs a right on Windows")
def test_a_link_is_not_indexed_and_so_not_checked(kb: Path):
    (kb / "link.md").symlink_to(kb / "b.md")
    assert run(kb).documents == 3


def test_duplicate_keys_of_the_case_are_reported_and_a_legal_override_is_not():
    expected = json.loads((CASES / "C11" / "expect.json").read_text(encoding="utf-8"))
    report = run(CASES / "C11" / "kb", "")
    wanted = [(path, each["key"], each["line_in_file"]) for path, keys in expected.items() for each in keys]
    assert [(each.path, each.field, each.line) for each in report.violations] == wanted


def test_the_alias_bomb_and_the_cycle_of_the_case_are_refused_in_a_short_answer():
    report = run(CASES / "C13" / "kb", "")
    assert [(each.path, each.constraint) for each in report.violations] == [
        ("bomb.md", "frontmatter_unparsed"),
        ("cycle.md", "frontmatter_unparsed"),
    ]
    assert len(json.dumps(report_as_json(report))) < 2000


def test_what_is_no_frontmatter_in_the_case_is_reported_only_where_it_was_meant_as_such():
    report = run(CASES / "C09" / "kb", "")
    assert [(each.path, each.line) for each in report.violations] == [("b_letterhead.md", 2), ("l_bad_yaml.md", 2)]


def test_text_has_a_place_a_line_and_a_sum(kb: Path):
    assert render_text(run(kb)) == (
        "b.md:1: required: title is required and missing\n"
        "sub/c.markdown:1: required: title is required and missing\n"
        "3 documents checked, 2 violations in 2 documents\n"
    )
    assert render_text(run(kb, "")) == "3 documents checked, all as the schema wants them\n"
    assert render_text(run(kb, fail_fast=True)).endswith("1 violation in 1 document; stopped at the first\n")


def test_json_is_whole_and_stable(kb: Path):
    (kb / "z.md").write_bytes(b"\xff")
    value = report_as_json(run(kb))
    assert value == {
        "schema": str(kb / "groove-schema.toml"),
        "documents": 3,
        "violations": [
            {
                "path": path,
                "line": 1,
                "field": "title",
                "constraint": "required",
                "message": "is required and missing",
            }
            for path in ("b.md", "sub/c.markdown")
        ],
        "unchecked": [
            {
                "path": "z.md",
                "reason": "is not UTF-8 text: byte 0xff at byte offset 0; convert the file to UTF-8",
            }
        ],
        "stopped": False,
    }


def test_github_gets_one_command_a_violation_with_its_special_characters_escaped(tmp_path: Path):
    (tmp_path / "50%, a:b.md").write_text('---\nstatus: "100%\\r\\n::error::x"\n---\n', encoding="utf-8")
    (tmp_path / "z.md").write_bytes(b"\xff")
    report = run(tmp_path, '[fields.status]\nenum = ["done"]\n')
    lines = render_github(report, lambda path: f"docs/{path}").splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("::error file=docs/50%25%2C a%3Ab.md,line=2,title=enum::status is '100%25")
    assert lines[0].count("::") == 4  # two of the command, two inside the message, which GitHub takes as text
    assert lines[1].startswith("::error file=docs/z.md,title=not checked::")


def test_the_files_checked_are_those_the_markdown_parser_reads():
    assert set(MarkdownParser.extensions) == EXTENSIONS
