from __future__ import annotations

import os
from pathlib import Path

import pytest
from grooveseek.errors import KnowledgeBaseError
from grooveseek.knowledge_base import walk as walking
from grooveseek.knowledge_base.exclusion import ExclusionRules
from grooveseek.knowledge_base.walk import Declined, Found, outermost, walk, walk_at

MD = frozenset({"md"})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = (tmp_path / "kb").resolve()
    for path in ("a.md", "sub/b.md", "sub/deep/c.md", "sub/note.txt", "drafts/d.md", "node_modules/e.md", "sub.md"):
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(path)
    (root / ".grooveignore").write_text("drafts/\n")
    (root / "sub" / "up").symlink_to("..")
    (root / "alias").symlink_to("sub")
    (root / "sub" / "link.md").symlink_to("../a.md")
    return root


def look(root: Path, *paths: str) -> dict[str, str]:
    """Path to "found" or the reason."""
    return {
        each.path: "found" if isinstance(each, Found) else each.reason
        for each in walk_at(root, paths, ExclusionRules.load(root, ()), MD)
    }


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["a.md"], ["a.md"]),
        (["sub"], ["sub/b.md", "sub/deep/c.md"]),
        (["sub/deep"], ["sub/deep/c.md"]),
        (["sub/deep/c.md", "a.md"], ["a.md", "sub/deep/c.md"]),
        (["sub", "sub/b.md"], ["sub/b.md", "sub/deep/c.md"]),
        (["sub/note.txt"], []),
        (["gone.md", "gone/at/all.md"], []),
        (["a.md/below.md"], []),
        (["drafts/d.md", "drafts"], []),
        (["node_modules", "node_modules/e.md"], []),
        (["alias/b.md", "sub/up/a.md", "alias"], []),
    ],
)
def test_only_what_is_named_is_looked_at(root: Path, paths: list[str], found: list[str]):
    looked = look(root, *paths)
    assert sorted(path for path, verdict in looked.items() if verdict == "found") == found


def test_a_link_is_declined_as_in_a_whole_walk(root: Path):
    whole = {e.path: e for e in walk(root, ExclusionRules.load(root, ()), MD) if isinstance(e, Declined)}
    named = list(walk_at(root, ["sub/link.md"], ExclusionRules.load(root, ()), MD))
    assert named == [whole["sub/link.md"]]


def test_the_whole_folder_named_piece_by_piece_is_the_whole_walk(root: Path):
    rules = ExclusionRules.load(root, ())
    named = walk_at(root, [entry.name for entry in root.iterdir()], rules, MD)
    assert sorted(e.path for e in named) == sorted(e.path for e in walk(root, rules, MD))


def test_other_folders_are_not_listed(root: Path, monkeypatch: pytest.MonkeyPatch):
    listed: list[str] = []
    scandir = os.scandir
    monkeypatch.setattr(walking.os, "scandir", lambda path: (listed.append(str(path)), scandir(path))[1])
    assert look(root, "sub/b.md") == {"sub/b.md": "found"}
    assert listed == []
    look(root, "sub/deep")
    assert listed == [str(root / "sub" / "deep")]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user whom permissions bind")
def test_a_folder_that_cannot_be_entered_is_reported_and_nothing_below_counts_as_gone(root: Path):
    (root / "sub").chmod(0)
    try:
        looked = look(root, "sub/deep/c.md")
    finally:
        (root / "sub").chmod(0o755)
    assert list(looked) == ["sub/deep"]


def test_of_two_names_that_differ_in_case_only_the_listed_one_counts(root: Path, monkeypatch: pytest.MonkeyPatch):
    """A file system that does not tell them apart answers for both; its listing has one."""
    lstat = os.lstat
    monkeypatch.setattr(walking.os, "lstat", lambda path: lstat(str(path).replace("A.md", "a.md")))
    assert look(root, "A.md") == {"A.md": "found"}, "the file system of this test answers to both names"
    assert look(root, "A.md", "a.md") == {"a.md": "found"}


def test_a_root_that_is_gone_is_no_empty_folder(root: Path):
    rules = ExclusionRules.load(root, ())
    root.rename(root.parent / "elsewhere")
    with pytest.raises(KnowledgeBaseError, match="does not exist"):
        list(walk_at(root, ["a.md"], rules, MD))


def test_a_root_that_goes_meanwhile_is_noticed(root: Path):
    looking = walk_at(root, ["a.md", "sub"], ExclusionRules.load(root, ()), MD)
    next(looking)
    root.rename(root.parent / "elsewhere")
    with pytest.raises(KnowledgeBaseError, match="does not exist"):
        list(looking)


def test_paths_below_another_one_are_left_out():
    assert outermost(["a/b", "a", "ab", "a/b/c", "b/c"]) == ["a", "ab", "b/c"]
