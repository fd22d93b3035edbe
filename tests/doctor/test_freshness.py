"""Files that changed, came or went since the last run, and files that no run can index."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.indexing.events import CancelToken, Indexed
from tests.support.damage import assert_clean, only, sql

NOBODY = 65534
CASES = Path(__file__).parents[1] / "cases"
posix = pytest.mark.skipif(os.name != "posix", reason="about POSIX file systems")


def age(kb: KnowledgeBase) -> None:
    """Record the files' times as a run records those of files that have not just been written."""
    for path in kb.root.rglob("*.*"):
        os.utime(path, ns=(10**18, 10**18))
    kb.index()


def test_a_file_that_changed(kb: KnowledgeBase):
    with (kb.root / "plan.md").open("a", encoding="utf-8") as file:
        file.write("More words.\n")
    finding = only(kb.examine(), "files-changed")
    assert (finding.severity, finding.count, finding.examples, finding.remedy) == (
        "warning",
        1,
        ("plan.md",),
        "groove index",
    )
    kb.index()
    assert_clean(kb.examine())


def test_a_file_that_was_only_touched_has_not_changed(kb: KnowledgeBase):
    age(kb)
    os.utime(kb.root / "plan.md")
    assert_clean(kb.examine())


def test_a_change_that_hides_behind_its_size_and_time_is_found_by_reading(kb: KnowledgeBase):
    age(kb)
    plan = kb.root / "plan.md"
    plan.write_text(plan.read_text(encoding="utf-8").replace("Words", "Swords"[:5]), encoding="utf-8")
    os.utime(plan, ns=(10**18, 10**18))
    assert_clean(kb.examine())
    assert only(kb.examine(deep=True), "files-changed").examples == ("plan.md",)


def test_a_file_that_is_new(kb: KnowledgeBase):
    (kb.root / "new.md").write_text("# New\n", encoding="utf-8")
    finding = only(kb.examine(), "files-added")
    assert (finding.examples, finding.remedy) == (("new.md",), "groove index")
    kb.index()
    assert_clean(kb.examine())


def test_a_file_that_is_gone(kb: KnowledgeBase):
    (kb.root / "plan.md").unlink()
    finding = only(kb.examine(), "files-gone")
    assert (finding.examples, finding.remedy) == (("plan.md",), "groove index")
    kb.index()
    assert_clean(kb.examine())


def test_a_file_that_is_out_of_bounds_now(kb: KnowledgeBase):
    (kb.root / ".grooveignore").write_text("garden/\n", encoding="utf-8")
    assert only(kb.examine(), "files-gone").examples == ("garden/soil.md",)
    kb.index()
    assert_clean(kb.examine())


def test_a_file_that_no_run_can_index_is_told_from_a_new_one(kb: KnowledgeBase):
    (kb.root / "latin.md").write_bytes("Straße".encode("latin-1"))
    kb.index()
    finding = only(kb.examine(), "files-skipped")
    assert finding.examples[0].startswith("latin.md: ")
    assert "UTF-8" in finding.examples[0]
    assert ".grooveignore" in finding.remedy
    (kb.root / ".grooveignore").write_text("latin.md\n", encoding="utf-8")
    assert_clean(kb.examine())
    (kb.root / ".grooveignore").unlink()
    (kb.root / "latin.md").write_text("Straße\n", encoding="utf-8")
    kb.index()
    assert_clean(kb.examine())


def test_an_indexed_file_that_became_unreadable_is_not_reported_as_changed(kb: KnowledgeBase):
    (kb.root / "plan.md").write_bytes(b"\xff\xfe")
    assert only(kb.examine(), "files-skipped").examples[0].startswith("plan.md: ")


@posix
@pytest.mark.parametrize(("name", "shown"), [(b"tab\there.md", "tab\\x09here.md"), (b"byte\xff.md", "byte\\xff.md")])
def test_names_that_no_index_can_hold(kb: KnowledgeBase, name: bytes, shown: str):
    path = os.fsencode(kb.root) + b"/" + name
    try:
        with open(path, "wb") as file:  # noqa: PTH123 - the name is bytes
            file.write(b"# x\n")
    except OSError:
        pytest.skip("this file system does not take such names")
    finding = only(kb.examine(), "names-unaddressable")
    assert finding.examples[0].startswith(f"{shown}: it ")
    assert finding.remedy == "Rename the file, then run `groove index`"
    os.rename(path, os.fsencode(kb.root) + b"/good.md")  # noqa: PTH104 - as above
    kb.index()
    assert_clean(kb.examine())


@posix
def test_a_link_is_named_as_what_is_never_indexed(kb: KnowledgeBase):
    (kb.root / "link.md").symlink_to(kb.root / "plan.md")
    finding = only(kb.examine(), "files-refused")
    assert (finding.severity, finding.examples) == ("note", ("link.md: it is a symbolic link",))
    (kb.root / "link.md").unlink()
    shutil.copy(kb.root / "plan.md", kb.root / "link.md")
    kb.index()
    assert_clean(kb.examine())


@pytest.fixture
def own_folder() -> Iterator[Path]:
    """A folder of a user whom file modes hold back: the super-user reads everything, so it steps down meanwhile."""
    folder = Path(tempfile.mkdtemp(prefix="groove-doctor-"))
    was = os.geteuid()
    if was == 0:
        os.chown(folder, NOBODY, -1)
        os.seteuid(NOBODY)
    try:
        yield folder
    finally:
        if was == 0:
            os.seteuid(0)
        for path in folder.rglob("*"):
            path.chmod(0o700)
        shutil.rmtree(folder)


@posix
def test_a_folder_that_cannot_be_read(open_kb, own_folder: Path):
    kb = open_kb(root=own_folder / "kb", files={"a.md": "# A\n\nText.\n", "garden/b.md": "# B\n\nText.\n"})
    kb.index()
    (kb.root / "garden").chmod(0)
    finding = only(kb.examine(), "files-unreadable")  # and its documents are not taken for gone
    assert finding.examples[0].startswith("garden: ")
    assert "the right to read it" in finding.remedy
    (kb.root / "garden").chmod(0o755)
    assert_clean(kb.examine())


def test_a_first_run_that_was_stopped(open_kb):
    kb = open_kb(files={f"{i}.md": f"# Note {i}\n\nAbout {i}.\n" for i in range(300)})
    cancel = CancelToken()
    kb.index(listener=lambda event: cancel.cancel() if isinstance(event, Indexed) else None, cancel=cancel)
    assert {finding.check for finding in kb.examine().findings} == {"run-incomplete", "files-added"}
    kb.index()
    assert_clean(kb.examine())


def test_frontmatter_that_is_none_and_keys_given_twice_are_named_with_their_lines(kb: KnowledgeBase):
    for case in ("C11", "C13"):
        shutil.copytree(CASES / case / "kb", kb.root / case)
    kb.index()
    finding = only(kb.examine(), "document-notices")
    assert finding.severity == "note"
    places = [example.split(": ")[0] for example in finding.examples]
    assert places == ["C11/dup.md:4", "C11/dup.md:7", "C13/bomb.md:7", "C13/cycle.md:4"]
    assert '"nested.a" is given twice' in finding.examples[1]
    for name in ("C11/dup.md", "C13/bomb.md", "C13/cycle.md"):
        (kb.root / name).write_text("# Corrected\n", encoding="utf-8")
    kb.index()
    assert_clean(kb.examine())


def test_an_exclusion_rule_without_effect(kb: KnowledgeBase):
    (kb.root / ".grooveignore").write_text("[a\n", encoding="utf-8")
    finding = only(kb.examine(), "exclusion-rules")
    assert finding.examples[0].startswith(".grooveignore line 1: ")
    (kb.root / ".grooveignore").write_text("[a]\n", encoding="utf-8")
    assert_clean(kb.examine())


def test_a_schema_that_cannot_be_used(kb: KnowledgeBase):
    (kb.root / "groove-schema.toml").write_text("[fields.a]\npattern = '('\n", encoding="utf-8")
    finding = only(kb.examine(), "schema-file")
    assert finding.severity == "error"
    assert "groove-schema.toml:2: fields.a.pattern" in finding.examples[0]
    (kb.root / "groove-schema.toml").unlink()
    assert_clean(kb.examine())


def test_fields_declared_since_the_last_run(kb: KnowledgeBase):
    (kb.root / "groove-schema.toml").write_text("[fields.status]\n[fields.due]\n", encoding="utf-8")
    finding = only(kb.examine(), "declared-fields")
    assert (finding.count, finding.examples, finding.remedy) == (2, ("due", "status"), "groove index")
    kb.index()
    assert_clean(kb.examine())


def test_a_lost_time_is_made_up_for_by_reading(kb: KnowledgeBase):
    age(kb)
    sql(kb.index_path, "UPDATE documents SET mtime_ns = 0")
    assert_clean(kb.examine())
