from __future__ import annotations

from pathlib import Path

import pytest
from grooveseek.cli.reports import Look, Outputs, check_writable, named_for, plan_outputs, render, write_file
from grooveseek.errors import UsageError
from tests.support.eval_reports import make_report

HTML, XML, TOLD_NOTHING = Path("r.html"), Path("r.xml"), Path("report")


@pytest.mark.parametrize(
    ("form", "files", "outputs"),
    [
        (None, [], Outputs(stdout="text", files=())),
        ("json", [], Outputs(stdout="json", files=())),
        (None, [HTML], Outputs(stdout="text", files=((HTML, "html"),))),
        ("html", [HTML], Outputs(stdout=None, files=((HTML, "html"),))),
        ("github", [HTML, XML], Outputs(stdout="github", files=((HTML, "html"), (XML, "junit")))),
        ("json", [TOLD_NOTHING], Outputs(stdout=None, files=((TOLD_NOTHING, "json"),))),
        (None, [Path("R.JSON")], Outputs(stdout="text", files=((Path("R.JSON"), "json"),))),
    ],
)
def test_files_get_the_format_their_name_tells_and_stdout_the_one_asked_for(form, files, outputs):
    assert plan_outputs(form, files) == outputs


def test_a_name_that_tells_nothing_needs_a_format():
    with pytest.raises(UsageError, match="--output report: the name tells no format"):
        plan_outputs(None, [TOLD_NOTHING])


@pytest.mark.parametrize(
    ("form", "begins"),
    [("text", "notes/"), ("json", "{"), ("github", "::"), ("junit", "<?xml"), ("html", "<!doctype html>")],
)
def test_every_format_is_rendered(form: str, begins: str):
    assert render(make_report(), form, Look()).startswith(begins)


def test_annotations_are_named_from_the_checkout_and_people_see_it_from_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = tmp_path / "checkout" / "docs"
    root.mkdir(parents=True)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "checkout"))
    report, golden = make_report(), root / "golden.yml"
    annotated = named_for("github", report, golden, root, tmp_path)
    assert annotated.golden == "docs/golden.yml"
    assert annotated.findings[0].path == "docs/notes/faq.md"
    assert named_for("junit", report, golden, root, tmp_path).golden == "docs/golden.yml"
    seen = named_for("text", report, golden, root, root)
    assert seen.golden == "golden.yml"
    assert seen.findings == report.findings
    assert named_for("json", report, golden, root, tmp_path / "elsewhere").golden == str(golden)


def test_a_folder_that_is_not_there_is_told_before_the_work(tmp_path: Path):
    check_writable({"--run-out": tmp_path / "run.trec", "--qrels-out": None})
    with pytest.raises(UsageError, match=r"--run-out .*run\.trec: there is no folder"):
        check_writable({"--run-out": tmp_path / "none" / "run.trec"})


def test_a_file_that_cannot_be_written_is_told_with_its_flag(tmp_path: Path):
    with pytest.raises(UsageError, match=r"--output .* cannot be written: Is a directory"):
        write_file("--output", tmp_path, "text")
