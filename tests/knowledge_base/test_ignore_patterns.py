from __future__ import annotations

import subprocess
import sys
import textwrap
import warnings

import pytest
from grooveseek.knowledge_base.ignore_patterns import PatternError, PatternList, parse_pattern


def excludes(path: str, *lines: str) -> bool:
    """Ask about one path; a trailing / marks a folder. Folders above it are not asked."""
    patterns = [pattern for pattern in map(parse_pattern, lines) if pattern]
    return PatternList(patterns).excludes(path.removesuffix("/"), path.endswith("/"))


@pytest.mark.parametrize(
    ("pattern", "hits", "misses"),
    [
        # The examples of gitignore(5).
        ("hello.*", ["hello.md", "a/hello.txt"], ["hello", "ahello.md"]),
        ("/hello.*", ["hello.md"], ["a/hello.md"]),
        ("doc/frotz/", ["doc/frotz/"], ["doc/frotz", "a/doc/frotz/"]),
        ("frotz/", ["frotz/", "a/frotz/"], ["frotz", "a/frotz"]),
        ("foo/*", ["foo/test.json", "foo/bar/"], ["foo/bar/hello.c", "foo/"]),
        ("**/foo", ["foo", "a/foo", "a/b/foo/"], ["afoo"]),
        ("**/foo/bar", ["foo/bar", "a/foo/bar"], ["foo/a/bar"]),
        ("abc/**", ["abc/x", "abc/x/y"], ["abc/", "x/abc/y"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb", "x/a/b"]),
        # Wildcards stay within one name.
        ("*.md", ["a.md", "x/a.md", ".md"], ["a.mdx", "a.md.txt"]),
        ("a*/x", ["a/x", "abc/x"], ["a/b/x", "ba/x"]),
        ("a?c", ["abc", "x/a.c"], ["ac", "a/c"]),
        ("日?", ["日本", "日記"], ["日", "日本語"]),
        ("a**b/c", ["ab/c", "axxb/c"], ["a/b/c"]),
        ("/**", ["a", "a/b"], []),
        ("a/**/**/b", ["a/b", "a/x/y/b"], ["b"]),
        ("**/", ["a/", "a/b/"], ["a"]),
        ("**/x/*.md", ["x/a.md", "p/q/x/a.md"], ["x/y/a.md"]),
        ("a/**/x/**/b", ["a/x/b", "a/x/x/b", "a/1/x/2/3/b"], ["a/b", "a/1/b"]),
        # Brackets.
        ("[ab].md", ["a.md", "b.md"], ["c.md", "ab.md"]),
        ("[a-c]x", ["bx"], ["dx", "-x"]),
        ("[!a-c]x", ["dx", "-x"], ["bx"]),
        ("[^a]x", ["bx"], ["ax"]),
        ("[]x]", ["]", "x"], ["[", "y"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[\\]a]", ["]", "a"], ["\\"]),
        ("[&&[~|]", ["&", "[", "~", "|"], ["a"]),
        ("d[[:digit:]]", ["d1"], ["da", "d:"]),
        ("d[![:digit:]-]", ["da"], ["d1", "d-"]),
        ("[[:upper:]]x", ["ax", "Ax"], ["1x"]),
        ("a[!b]c", ["axc"], ["a/c", "abc"]),
        ("p/a[/]b", [], ["p/a/b", "p/ab"]),
        # Escapes and spaces.
        ("\\#a", ["#a"], ["a"]),
        ("\\!a", ["!a"], ["a"]),
        ("\\*", ["*"], ["a"]),
        ("a\\b", ["ab"], ["a\\b"]),
        ("a  ", ["a"], ["a "]),
        ("a\\ ", ["a "], ["a"]),
        ("a\\\\ ", ["a\\"], ["a\\ "]),
        (" a", [" a"], ["a"]),
        # Characters that mean something to a regular expression and nothing here.
        ("a.b+(c)|d$^{2}", ["a.b+(c)|d$^{2}"], ["aXb+(c)|d$^{2}", "d$"]),
    ],
)
def test_a_pattern_matches_what_gitignore_says(pattern: str, hits: list[str], misses: list[str]) -> None:
    assert [path for path in hits if not excludes(path, pattern)] == []
    assert [path for path in misses if excludes(path, pattern)] == []


@pytest.mark.parametrize("line", ["", "   ", "# a comment", "#"])
def test_blank_lines_and_comments_are_no_patterns(line: str) -> None:
    assert parse_pattern(line) is None


def test_the_last_pattern_that_matches_decides() -> None:
    assert excludes("a.md", "*.md")
    assert not excludes("a.md", "*.md", "!a.md")
    assert excludes("a.md", "*.md", "!a.md", "a.*")
    assert excludes("b.md", "*.md", "!a.md")
    assert not excludes("b.md", "!a.md")


def test_a_folder_only_exception_leaves_files_excluded() -> None:
    rules = ("*", "!*/", "!*.md")
    assert not excludes("d/", *rules)
    assert not excludes("d/a.md", *rules)
    assert excludes("d/a.txt", *rules)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("DRAFTS/", "drafts/"), ("drafts", "Drafts"), ("[a-c].md", "B.MD"), ("Ärger*", "äRGER-1"), ("ΣΊΣΥΦΟΣ", "σίσυφος")],
)
def test_case_never_matters(pattern: str, path: str) -> None:
    assert excludes(path, pattern)


def test_composed_and_decomposed_spellings_are_one_name() -> None:
    composed, decomposed = "\u00dcbung", "U\u0308bung"
    for pattern in (composed, decomposed, "?bung", "[\u00dc]bung"):
        assert excludes(composed, pattern)
        assert excludes(decomposed, pattern)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("/", "names nothing"),
        ("!", "names nothing"),
        ("!/", "names nothing"),
        ("a//b", "empty part"),
        ("a[bc", "[ without its ]"),
        ("a[", "[ without its ]"),
        ("a[]", "[ without its ]"),
        ("[a-", "[ without its ]"),
        ("a\\", "backslash"),
        ("[a\\", "backslash"),
        ("[z-a]", "z-a is the wrong way round"),
        ("[[:letter:]]", "[:letter:]"),
    ],
)
def test_a_pattern_that_can_match_nothing_is_refused_with_its_reason(line: str, reason: str) -> None:
    with pytest.raises(PatternError) as caught:
        parse_pattern(line)
    assert reason in str(caught.value)


def test_no_pattern_makes_the_regular_expression_engine_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for pattern in ("[[a]", "[--b]", "[||]", "[~~]", "[&&]", "[[:alpha:][:digit:]]"):
            excludes("x", pattern)


HOSTILE = [
    ("*a" * 30 + "*b", "a" * 255),
    ("*a*?" * 60 + "b", "a" * 255),
    ("**/a/" * 30 + "b", "/".join("a" * 1000)),
    ("**/*a*a*a*/" * 15 + "b", "/".join(["a" * 200] * 20)),
    ("**/" + "*a*/" * 300 + "b/**/c", "/".join(["aa"] * 1000)),
]


@pytest.mark.parametrize(("pattern", "path"), HOSTILE)
def test_no_pattern_can_stall_a_run(pattern: str, path: str) -> None:
    """In a process of its own, since the engine cannot be interrupted. A backtracking translation takes ages here."""
    script = textwrap.dedent(
        """
        import sys
        from grooveseek.knowledge_base.ignore_patterns import PatternList, parse_pattern
        print(PatternList([parse_pattern(sys.argv[1])]).excludes(sys.argv[2], False))
        """
    )
    done = subprocess.run([sys.executable, "-c", script, pattern, path], capture_output=True, text=True, timeout=60)
    assert done.stdout == "False\n", done.stderr
