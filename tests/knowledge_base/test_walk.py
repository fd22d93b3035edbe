from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from grooveseek.errors import KnowledgeBaseError
from grooveseek.knowledge_base import walk as walk_module
from grooveseek.knowledge_base.exclusion import ExclusionRules
from grooveseek.knowledge_base.safe_read import read_checked
from grooveseek.knowledge_base.walk import Declined, Found, check_root, extension_of, walk

CASES = Path(__file__).parents[1] / "cases"
Tree = Callable[..., Path]
posix_only = pytest.mark.skipif(os.name != "posix", reason="needs POSIX file kinds")


def walked(
    root: Path, exclude_dirs: Sequence[str] = (), extensions: frozenset[str] = frozenset({"md"})
) -> list[Found | Declined]:
    return list(walk(root, ExclusionRules.load(root, exclude_dirs), extensions))


def found(root: Path, exclude_dirs: Sequence[str] = (), extensions: frozenset[str] = frozenset({"md"})) -> list[str]:
    return [one.path for one in walked(root, exclude_dirs, extensions) if isinstance(one, Found)]


def declined(root: Path) -> dict[str, str]:
    return {one.path: one.reason for one in walked(root) if isinstance(one, Declined)}


def test_a_file_comes_with_its_size_and_time(tree: Tree) -> None:
    root = tree("a.md")
    (root / "a.md").write_bytes(b"12345")
    os.utime(root / "a.md", ns=(1, 1_700_000_000_123_456_700))
    assert walked(root) == [Found(path="a.md", size=5, mtime_ns=(root / "a.md").stat().st_mtime_ns)]


def test_an_empty_folder_gives_nothing(tree: Tree) -> None:
    assert walked(tree()) == []


def test_paths_come_in_the_order_of_their_code_points_as_whole_paths(tree: Tree) -> None:
    names = [
        "a/z.md",
        "a.md",
        "a-b.md",
        "a0.md",
        "B.md",
        "a/b/c.md",
        "a/b.md",
        "a b/x.md",
        "é.md",
        "z.md",
        "🙂.md",
        "ﬁ.md",
    ]
    root = tree(*names)
    assert found(root) == sorted(names)
    assert found(root) == sorted(names, key=lambda name: name.encode("utf-8"))
    assert sorted(names)[:6] == ["B.md", "a b/x.md", "a-b.md", "a.md", "a/b.md", "a/b/c.md"]


def test_only_registered_extensions_are_found_in_any_case(tree: Tree) -> None:
    root = tree("a.md", "b.MD", "c.txt", "d.Rs", "e.mdx", "md", ".md", "f.md.bak", "g.tar.md", "h.")
    assert found(root, extensions=frozenset({"md", "rs"})) == ["a.md", "b.MD", "d.Rs", "g.tar.md"]


@pytest.mark.parametrize(
    ("name", "extension"),
    [("a.md", "md"), ("A.MD", "md"), ("a.tar.gz", "gz"), ("README", ""), (".md", ""), (".a.md", "md"), ("a.", "")],
)
def test_the_extension_is_what_follows_the_last_dot(name: str, extension: str) -> None:
    assert extension_of(name) == extension


def test_a_folder_with_the_name_of_a_document_is_a_folder(tree: Tree) -> None:
    (only,) = walked(tree("x.md/", "y.md/a.md", "y.md/b.txt"))
    assert only.path == "y.md/a.md"


def test_hidden_files_and_folders_are_walked_unless_a_rule_names_them(tree: Tree) -> None:
    root = tree(".notes/a.md", ".b.md", ".obsidian/c.md", ".git/d.md", "sub/node_modules/e.md")
    assert found(root, exclude_dirs=[".obsidian"]) == [".b.md", ".notes/a.md"]


def test_the_ignore_file_holds_for_the_walk(tree: Tree) -> None:
    root = tree("a.md", "drafts/b.md", "drafts/deep/c.md", "keep/d.md", "keep/e.tmp.md", "x.md/f.md")
    (root / ".grooveignore").write_text("drafts/\n*.tmp.md\nx.md/\n")
    assert walked(root) == [one for one in walked(root) if isinstance(one, Found)]
    assert found(root) == ["a.md", "keep/d.md"]


@posix_only
def test_a_folder_that_is_excluded_is_not_opened(locked_out: Path) -> None:
    (locked_out / "shut").mkdir(mode=0)
    assert len(walked(locked_out)) == 1
    assert walked(locked_out, exclude_dirs=["shut"]) == []


def test_a_file_that_is_excluded_is_not_declined(tree: Tree) -> None:
    root = tree("a.md")
    os.link(root / "a.md", root / "b.md")
    (root / ".grooveignore").write_text("b.md\n")
    assert list(declined(root)) == ["a.md"]


@pytest.fixture
def case_c21(tmp_path: Path) -> Path:
    if os.name != "posix":
        pytest.skip("the case needs symbolic links and a pipe")
    subprocess.run([sys.executable, str(CASES / "C21" / "make.py"), str(tmp_path)], check=True)
    return tmp_path / "kb"


def test_c21_links_loops_and_a_pipe_neither_hold_the_walk_up_nor_show_a_file_twice(case_c21: Path) -> None:
    assert found(case_c21) == ["sub/c.md"]
    assert declined(case_c21) == {
        "a.md": "it has 2 hard links, and a file with more than one name is not indexed",
        "hard.md": "it has 2 hard links, and a file with more than one name is not indexed",
        "dangling.md": "it is a symbolic link",
        "pipe.md": "it is a named pipe, not a regular file",
        "sub/link.md": "it is a symbolic link",
    }
    assert not any(one.unreadable for one in walked(case_c21) if isinstance(one, Declined))


def test_c21_every_real_file_is_found_or_named(case_c21: Path) -> None:
    expected = json.loads((CASES / "C21" / "expect.json").read_text())["real_files"]
    assert set(expected) <= {one.path for one in walked(case_c21)}


def test_c21_after_one_of_two_names_is_deleted_the_other_is_found_and_read(case_c21: Path) -> None:
    (case_c21 / "a.md").unlink()
    assert found(case_c21) == ["hard.md", "sub/c.md"]
    assert b"avocet" in read_checked(case_c21 / "hard.md", max_bytes=None).data


@posix_only
def test_a_link_to_a_folder_is_not_entered_even_with_the_name_of_a_document(tree: Tree, tmp_path: Path) -> None:
    root = tree("in/a.md")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("x")
    (root / "plain").symlink_to(outside)
    (root / "named.md").symlink_to(outside)
    (root / "back").symlink_to(root)
    assert found(root) == ["in/a.md"]
    assert declined(root) == {"named.md": "it is a symbolic link"}


def test_c15_names_that_differ_in_composition_only_are_two_documents(tree: Tree) -> None:
    composed, decomposed = "\u00dcbung.md", "U\u0308bung.md"
    root = tree(composed, decomposed)
    if len(list(root.iterdir())) == 1:
        pytest.skip("this file system holds one of the two names")
    assert found(root) == [decomposed, composed], "each in its own form: U (55) comes before \u00dc (DC)"
    (root / composed).unlink()
    assert found(root) == [decomposed]
    assert read_checked(root / decomposed, max_bytes=None).data == b"# x\n"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names themselves")
def test_a_name_that_cannot_be_addressed_is_named_in_a_printable_form(tree: Tree) -> None:
    root = tree("a\\b.md", "c\nd.md", "e\x1b[2J.md", "sub\t/f.md", "sub\t/g.txt", "ok.md")
    Path(os.fsdecode(os.fsencode(root) + b"/caf\xe9.md")).write_text("x")
    assert found(root) == ["ok.md"]
    assert declined(root) == {
        "a\\b.md": "it contains a backslash",
        "c\\x0ad.md": "it contains a control character (U+000A)",
        "caf\\xe9.md": "it is not valid UTF-8",
        "e\\x1b[2J.md": "it contains a control character (U+001B)",
        "sub\\x09/f.md": "it contains a control character (U+0009)",
    }


@posix_only
def test_a_folder_that_cannot_be_read_is_one_declined_entry_and_not_the_end(locked_out: Path) -> None:
    for name in ("a", "shut", "z"):
        (locked_out / name).mkdir()
        (locked_out / name / "x.md").write_text("x")
    (locked_out / "shut").chmod(0)
    assert [(type(one), one.path) for one in walked(locked_out)] == [
        (Found, "a/x.md"),
        (Declined, "shut"),
        (Found, "z/x.md"),
    ]
    shut = walked(locked_out)[1]
    assert shut == Declined(path="shut", reason="the folder cannot be read: Permission denied", unreadable=True)


@posix_only
def test_files_of_a_folder_that_may_be_listed_but_not_entered_are_each_named(locked_out: Path) -> None:
    (locked_out / "listed").mkdir()
    for name in ("a.md", "b.md", "c.txt"):
        (locked_out / "listed" / name).write_text("x")
    (locked_out / "listed").chmod(0o400)
    assert walked(locked_out) == [
        Declined(path=f"listed/{name}", reason="it cannot be looked at: Permission denied", unreadable=True)
        for name in ("a.md", "b.md")
    ]


def deepen(root: Path, name: str, levels: int) -> None:
    """Nest folders, and put x.md into the last; each step starts from the folder above, so no path gets too long."""
    here = os.open(root, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("x.md", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


@pytest.fixture
def deep_root(tree: Tree) -> Iterator[Path]:
    """A folder whose contents are removed by rm: Python 3.11's own rmtree recurses, so pytest could not clean up."""
    root = tree()
    yield root
    subprocess.run(["rm", "-rf", str(root)], check=True)


@posix_only
def test_a_tree_deeper_than_the_recursion_limit_is_walked(deep_root: Path) -> None:
    depth = sys.getrecursionlimit() + 200
    deepen(deep_root, "d", depth)
    assert found(deep_root) == ["d/" * depth + "x.md"]


@pytest.mark.skipif(sys.platform != "linux", reason="the longest path differs")
def test_a_tree_deeper_than_the_longest_path_is_named_and_the_rest_found(deep_root: Path) -> None:
    for name in ("a.md", "z.md"):
        (deep_root / name).touch()
    deepen(deep_root, "d" * 200, 25)
    first, deep, last = walked(deep_root)
    assert (first.path, last.path) == ("a.md", "z.md")
    assert isinstance(deep, Declined)
    assert deep.reason == "the folder cannot be read: File name too long"
    assert deep.unreadable


def test_what_disappears_during_the_walk_is_left_out(tree: Tree) -> None:
    root = tree("a.md", "b/x.md", "c.md", "d.md", "e/y.md")
    seen = []
    for one in walk(root, ExclusionRules.load(root, ()), frozenset({"md"})):
        seen.append(one.path)
        if one.path == "a.md":
            (root / "b" / "x.md").unlink()
            (root / "b").rmdir()
            (root / "c.md").unlink()
            (root / "e" / "y.md").unlink()
            (root / "e").rmdir()
            (root / "e").write_text("a file now")
    assert seen == ["a.md", "d.md"]


def test_a_root_that_disappears_during_the_walk_is_an_error_and_not_a_deletion(tree: Tree, tmp_path: Path) -> None:
    root = tree("a.md", "b/x.md")
    going = walk(root, ExclusionRules.load(root, ()), frozenset({"md"}))
    assert next(going).path == "a.md"
    root.rename(tmp_path / "away")
    with pytest.raises(KnowledgeBaseError, match="does not exist"):
        list(going)


def test_a_root_that_is_swapped_during_the_walk_is_an_error(tree: Tree, tmp_path: Path) -> None:
    root = tree("a.md", "b/x.md")
    going = walk(root, ExclusionRules.load(root, ()), frozenset({"md"}))
    next(going)
    root.rename(tmp_path / "away")
    root.mkdir()
    with pytest.raises(KnowledgeBaseError, match="replaced by another folder"):
        list(going)


def test_a_root_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeBaseError, match="does not exist"):
        walked(tmp_path / "gone")


@pytest.mark.parametrize("extra_folders", [0, 5])
def test_each_file_is_looked_at_once(tree: Tree, monkeypatch: pytest.MonkeyPatch, extra_folders: int) -> None:
    root = tree(*(f"{folder}/{name}.md" for folder in range(1 + extra_folders) for name in range(10)), "0/other.txt")
    asked: list[str] = []
    real = walk_module._status
    monkeypatch.setattr(walk_module, "_status", lambda entry: (asked.append(entry.name), real(entry))[1])
    assert len(found(root)) == len(asked) == 10 * (1 + extra_folders)


def test_on_windows_a_junction_is_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        """What a Windows listing says of a junction: a folder, with the reparse tag of a mount point."""

        st_reparse_tag = 0xA0000003

        def is_dir(self, *, follow_symlinks: bool) -> bool:
            return not follow_symlinks

        def stat(self, *, follow_symlinks: bool) -> Entry:
            return self

    with monkeypatch.context() as patch:
        patch.setattr(walk_module.os, "name", "nt")
        junction = walk_module._is_real_folder(Entry())  # type: ignore[arg-type]
        Entry.st_reparse_tag = 0
        folder = walk_module._is_real_folder(Entry())  # type: ignore[arg-type]
    assert (junction, folder) == (False, True)


def test_the_root_is_resolved(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree("a.md").resolve()
    monkeypatch.chdir(tmp_path)
    assert check_root(Path("kb")) == root
    assert check_root(Path("kb/../kb/.")) == root
    if os.name == "posix":
        (tmp_path / "link").symlink_to(root)
        assert check_root(tmp_path / "link") == root


def test_a_root_that_cannot_be_used_is_named_with_the_way_out(tree: Tree, tmp_path: Path) -> None:
    tree("a.md")
    with pytest.raises(KnowledgeBaseError) as missing:
        check_root(tmp_path / "gone")
    assert str(missing.value) == (
        f"The knowledge base {tmp_path / 'gone'} does not exist."
        " Create the folder, or name another with --kb-path or kb_path."
    )
    with pytest.raises(KnowledgeBaseError, match="is not a folder"):
        check_root(tmp_path / "kb" / "a.md")
    with pytest.raises(KnowledgeBaseError, match="cannot be opened"):
        check_root(Path("a\0b"))


@posix_only
def test_a_root_that_is_a_link_to_itself_or_to_nowhere_is_named(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "broken").symlink_to("nowhere")
    with pytest.raises(KnowledgeBaseError, match="loop cannot be opened"):
        check_root(tmp_path / "loop")
    with pytest.raises(KnowledgeBaseError, match="broken does not exist"):
        check_root(tmp_path / "broken")


@posix_only
def test_a_root_that_may_not_be_read_is_named(locked_out: Path) -> None:
    (locked_out / "kb").mkdir(mode=0)
    with pytest.raises(KnowledgeBaseError, match="kb cannot be read: Permission denied"):
        check_root(locked_out / "kb")
