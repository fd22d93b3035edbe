from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from grooveseek.knowledge_base.exclusion import MAX_IGNORE_BYTES, MAX_IGNORE_PATTERNS, ExclusionRules
from grooveseek.settings.sections import Settings

DEFAULT = Settings().exclude_dirs


def rules_of(root: Path, text: str | bytes, exclude_dirs: tuple[str, ...] = ()) -> ExclusionRules:
    (root / ".grooveignore").write_bytes(text.encode() if isinstance(text, str) else text)
    return ExclusionRules.load(root, exclude_dirs)


def test_without_an_ignore_file_there_is_nothing_to_warn_about(tmp_path: Path) -> None:
    rules = ExclusionRules.load(tmp_path, DEFAULT)
    assert rules.warnings == ()
    assert not rules.is_excluded("a/b.md", is_dir=False)


@pytest.mark.parametrize("name", [".git", ".svn", "node_modules", ".GIT", "Node_Modules"])
def test_the_built_in_names_hold_whatever_exclude_dirs_says(tmp_path: Path, name: str) -> None:
    for exclude_dirs in ((), ("other",), DEFAULT):
        rules = ExclusionRules.load(tmp_path, exclude_dirs)
        assert rules.is_excluded(name, is_dir=True)
        assert rules.is_excluded(f"a/{name}/b/c.md", is_dir=False)


def test_exclude_dirs_names_whole_folders_at_any_depth_without_regard_to_case(tmp_path: Path) -> None:
    rules = ExclusionRules.load(tmp_path, ("target", "Übung", "trailing/"))
    assert rules.warnings == ()
    assert rules.is_excluded("target", is_dir=True)
    assert rules.is_excluded("a/TARGET/b.md", is_dir=False)
    assert rules.is_excluded("u\u0308BUNG/b.md", is_dir=False)
    assert rules.is_excluded("trailing/b.md", is_dir=False)
    assert not rules.is_excluded("targets/b.md", is_dir=False)
    assert not rules.is_excluded("my target/b.md", is_dir=False)
    assert not rules.is_excluded("target", is_dir=False), "the names are of folders"


def test_a_list_in_exclude_dirs_replaces_the_default(tmp_path: Path) -> None:
    assert ExclusionRules.load(tmp_path, DEFAULT).is_excluded(".obsidian/a.md", is_dir=False)
    assert not ExclusionRules.load(tmp_path, ("target",)).is_excluded(".obsidian/a.md", is_dir=False)


@pytest.mark.parametrize("entry", ["docs/private", "", "/", "..", "."])
def test_an_entry_that_is_no_folder_name_is_named_in_a_warning(tmp_path: Path, entry: str) -> None:
    rules = ExclusionRules.load(tmp_path, (entry, "target"))
    assert len(rules.warnings) == 1
    assert "exclude_dirs" in rules.warnings[0]
    assert rules.is_excluded("target", is_dir=True)
    assert not rules.is_excluded("docs/private/a.md", is_dir=False)


def test_the_ignore_file_excludes_files_and_folders(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, "# mine\n\ndrafts/\n*.tmp.md\n/only-here.md\n")
    assert rules.warnings == ()
    assert rules.is_excluded("drafts", is_dir=True)
    assert rules.is_excluded("a/Drafts/b/c.md", is_dir=False)
    assert not rules.is_excluded("drafts", is_dir=False)
    assert rules.is_excluded("a/x.TMP.md", is_dir=False)
    assert rules.is_excluded("only-here.md", is_dir=False)
    assert not rules.is_excluded("a/only-here.md", is_dir=False)


def test_a_file_below_an_excluded_folder_cannot_be_brought_back(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, "private/\n!private/public.md\n!private/sub/\n")
    assert rules.is_excluded("private/public.md", is_dir=False)
    assert rules.is_excluded("private/sub/a.md", is_dir=False)


def test_a_file_of_a_folder_whose_contents_are_excluded_can_be_brought_back(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, "private/*\n!private/public.md\n")
    assert not rules.is_excluded("private", is_dir=True)
    assert rules.is_excluded("private/a.md", is_dir=False)
    assert not rules.is_excluded("private/public.md", is_dir=False)


@pytest.mark.parametrize("folder", ["node_modules", "target"])
def test_an_exception_brings_back_only_what_the_file_itself_excludes(tmp_path: Path, folder: str) -> None:
    rules = rules_of(tmp_path, f"!{folder}/\n!{folder}/a.md\n", exclude_dirs=("target",))
    assert rules.is_excluded(f"{folder}/a.md", is_dir=False)


def test_the_root_itself_is_never_excluded(tmp_path: Path) -> None:
    assert not rules_of(tmp_path, "*\n**\n/\n").is_excluded("", is_dir=True)


def test_gitignore_and_ignore_files_further_down_are_not_read(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.md\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".grooveignore").write_text("*.md\n")
    rules = ExclusionRules.load(tmp_path, ())
    assert not rules.is_excluded("a.md", is_dir=False)
    assert not rules.is_excluded("sub/a.md", is_dir=False)


@pytest.mark.parametrize(
    "text", [b"\xef\xbb\xbfdrafts/\nx\n", b"drafts/\r\nx\r\n", b"drafts/\nx", b"\xef\xbb\xbfdrafts/\r\nx"]
)
def test_a_bom_crlf_and_a_missing_last_newline_change_nothing(tmp_path: Path, text: bytes) -> None:
    rules = rules_of(tmp_path, text)
    assert rules.warnings == ()
    assert rules.is_excluded("drafts", is_dir=True)
    assert rules.is_excluded("x", is_dir=False)


def test_a_line_separator_of_unicode_is_part_of_a_name(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, "a\u2028b\n")
    assert rules.is_excluded("a\u2028b", is_dir=False)
    assert not rules.is_excluded("b", is_dir=False)


def test_a_bad_pattern_is_named_with_its_line_and_the_others_hold(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, b"first.md\n# note\nbad[\nb\xff.md\nc\x00.md\nlast.md\n")
    assert rules.warnings == (
        '.grooveignore line 3: "bad[" is not used: it has a [ without its ]',
        '.grooveignore line 4: "b�.md" is not used: it is not valid UTF-8',
        '.grooveignore line 5: "c\\x00.md" is not used: it contains a NUL character',
    )
    assert rules.is_excluded("first.md", is_dir=False)
    assert rules.is_excluded("last.md", is_dir=False)


def test_a_warning_quotes_no_terminal_codes_and_no_endless_line(tmp_path: Path) -> None:
    (warning,) = rules_of(tmp_path, "\x1b[2J" + "x" * 5000 + "[\n").warnings
    assert "\x1b" not in warning
    assert len(warning) < 200


def test_thousands_of_bad_lines_give_a_handful_of_warnings(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, "bad[\n" * 900)
    assert len(rules.warnings) == 21
    assert "880 more lines" in rules.warnings[-1]


def test_utf_16_is_named_and_not_used(tmp_path: Path) -> None:
    (warning,) = rules_of(tmp_path, "drafts/\n".encode("utf-16")).warnings
    assert "UTF-16" in warning


def test_up_to_a_thousand_patterns_hold_and_the_excess_is_named(tmp_path: Path) -> None:
    lines = [f"n{number}.md" for number in range(MAX_IGNORE_PATTERNS)]
    full = rules_of(tmp_path, "# comment\n\n" + "\n".join(lines) + "\n# end\n\n")
    assert full.warnings == ()
    assert full.is_excluded(lines[-1], is_dir=False)

    over = rules_of(tmp_path, "\n".join(lines) + "\n\none-too-many.md\nand-more.md\n")
    assert over.warnings == (".grooveignore has more than 1000 patterns; those from line 1002 on are not used",)
    assert over.is_excluded(lines[0], is_dir=False)
    assert over.is_excluded(lines[-1], is_dir=False)
    assert not over.is_excluded("one-too-many.md", is_dir=False)


def test_up_to_64_kib_are_read_and_the_lines_beyond_are_named(tmp_path: Path) -> None:
    first, last = "first.md\n", "last.md\n"
    padding = "#" * (MAX_IGNORE_BYTES - len(first) - len(last) - 1) + "\n"
    full = rules_of(tmp_path, first + padding + last)
    assert (tmp_path / ".grooveignore").stat().st_size == MAX_IGNORE_BYTES
    assert full.warnings == ()
    assert full.is_excluded("last.md", is_dir=False)

    over = rules_of(tmp_path, first + "#" + padding + last)
    assert over.warnings == (".grooveignore is longer than 64 KiB; the lines beyond that are not used",)
    assert over.is_excluded("first.md", is_dir=False)
    assert not over.is_excluded("last.md", is_dir=False)
    assert not over.is_excluded("last.m", is_dir=False), "a line cut in two is no pattern"


@pytest.mark.skipif(os.name != "posix", reason="needs symbolic links and pipes")
def test_an_ignore_file_that_is_a_link_a_pipe_or_a_folder_is_named_and_not_used(tmp_path: Path) -> None:
    path = tmp_path / ".grooveignore"
    (tmp_path / "elsewhere").write_text("*.md\n")
    makers: dict[str, Callable[[], object]] = {
        "symbolic link": lambda: path.symlink_to("elsewhere"),
        "hard links": lambda: os.link(tmp_path / "elsewhere", path),
        "named pipe": lambda: os.mkfifo(path),
    }
    for reason, make in makers.items():
        make()
        rules = ExclusionRules.load(tmp_path, ())
        assert len(rules.warnings) == 1
        assert rules.warnings[0].startswith(".grooveignore is not used: ")
        assert reason in rules.warnings[0]
        assert not rules.is_excluded("a.md", is_dir=False)
        path.unlink()
    path.mkdir()
    assert "folder" in ExclusionRules.load(tmp_path, ()).warnings[0]


def test_an_ignore_file_that_may_not_be_read_is_named(locked_out: Path) -> None:
    (locked_out / ".grooveignore").write_text("*.md\n")
    (locked_out / ".grooveignore").chmod(0)
    rules = ExclusionRules.load(locked_out, ("target",))
    assert rules.warnings == (".grooveignore is not used: it could not be read: Permission denied",)
    assert rules.is_excluded("target", is_dir=True)
