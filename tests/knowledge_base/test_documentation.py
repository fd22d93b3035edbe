"""docs/indexing-scope.md says what the code does."""

from __future__ import annotations

from pathlib import Path

import pytest
from grooveseek.knowledge_base.exclusion import ALWAYS_EXCLUDED, MAX_IGNORE_BYTES, MAX_IGNORE_PATTERNS, ExclusionRules
from grooveseek.settings.sections import Settings

PAGE = (Path(__file__).parents[2] / "docs" / "indexing-scope.md").read_text(encoding="utf-8")


def test_the_limits_and_default_names_of_the_page_are_those_of_the_code() -> None:
    words = " ".join(PAGE.split())
    assert f"at most {MAX_IGNORE_BYTES // 1024} KiB and {MAX_IGNORE_PATTERNS} patterns" in words
    assert "folders called " + "`{}`, `{}` or `{}`".format(*ALWAYS_EXCLUDED) in words
    names = [f"`{name}`" for name in Settings().exclude_dirs]
    assert f"default is {', '.join(names[:-1])} and {names[-1]};" in words


@pytest.mark.parametrize(
    ("path", "excluded"),
    [
        ("a/drafts/b.md", True),
        ("inbox.md", True),
        ("a/inbox.md", False),
        ("a/b.tmp.md", True),
        ("private/a.md", True),
        ("private/public.md", False),
        ("a.md", False),
    ],
)
def test_the_example_of_the_page_does_what_its_comments_say(tmp_path: Path, path: str, excluded: bool) -> None:
    example = [line.removeprefix("    ") for line in PAGE.splitlines() if line.startswith("    ")]
    (tmp_path / ".grooveignore").write_text("\n".join(example), encoding="utf-8")
    rules = ExclusionRules.load(tmp_path, ())
    assert rules.warnings == ()
    assert rules.is_excluded(path, is_dir=False) is excluded


def test_the_counter_example_of_the_page_leaves_the_file_out(tmp_path: Path) -> None:
    (tmp_path / ".grooveignore").write_text("private/\n!private/public.md\n", encoding="utf-8")
    assert ExclusionRules.load(tmp_path, ()).is_excluded("private/public.md", is_dir=False)
