from __future__ import annotations

import pytest
from grooveseek.errors import QueryError
from grooveseek.text.globs import compile_globs, translate


@pytest.mark.parametrize(
    ("glob", "matching", "other"),
    [
        ("*.md", ["a.md", ".md"], ["a/b.md", "a.mdx", "A.MD"]),
        ("a?c", ["abc", "a日c"], ["a/c", "ac", "abbc"]),
        ("docs/**", ["docs/a", "docs/a/b/c.md"], ["docs", "doc/a", "x/docs/a"]),
        ("**/a.md", ["a.md", "x/a.md", "x/y/a.md"], ["xa.md", "a.md/b"]),
        ("docs/**/a.md", ["docs/a.md", "docs/x/y/a.md"], ["docsa.md", "docs/xa.md"]),
        ("**/**/a", ["a", "x/a", "x/y/a"], ["xa"]),
        ("a**z", ["az", "a/b/z", "abz"], ["a", "za"]),
        ("a**/z", ["a/z", "ab/c/z"], ["az"]),
        ("**", ["a", "a/b"], []),
        ("{a,b}.md", ["a.md", "b.md"], ["{a,b}.md", "c.md"]),
        ("{a,b/{c,d}}/*", ["a/x", "b/c/x", "b/d/x"], ["b/x", "c/x"]),
        ("{,x}a", ["a", "xa"], ["xxa"]),
        ("{**,x}/y", ["y", "a/y", "x/y"], ["ay"]),
        ("[abc]x", ["ax", "cx"], ["dx", "/x"]),
        ("[a-c]x", ["ax", "bx"], ["dx", "-x"]),
        ("[!a-c]x", ["dx", "!x"], ["bx", "/x"]),
        ("[]x]", ["]", "x"], ["[]x]"]),
        ("[!]x]", ["a"], ["]", "x", "/"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[,{a,b}]", [",", "a", "b"], ["{", "}"]),
        ("a,b", ["a,b"], ["a", "b"]),
        ("{a", ["{a"], ["a"]),
        ("a}", ["a}"], ["a"]),
        ("[a", ["[a"], ["a"]),
        ("[z-a]", ["[z-a]"], ["z", "b"]),
        (r"\*\{a,b\}\[x]", ["*{a,b}[x]"], ["xa", "*ax"]),
        (r"{a\,b,c}", ["a,b", "c"], ["a", "b"]),
        ("a\\", ["a\\"], ["a"]),
        ("a.b+c(d)", ["a.b+c(d)"], ["axb+c(d)", "a.bbc(d)"]),
        ("", [], ["a"]),
        ("日*", ["日本"], ["本日"]),
    ],
)
def test_globs(glob: str, matching: list[str], other: list[str]):
    pattern = translate(glob)
    assert [path for path in matching if not pattern.fullmatch(path)] == []
    assert [path for path in other if pattern.fullmatch(path)] == []


def test_excluding_globs_take_away_from_the_including_ones():
    matches = compile_globs(["docs/**", "!**/draft*"])
    assert [matches(path) for path in ("docs/a.md", "docs/draft.md", "notes/a.md")] == [True, False, False]


def test_excluding_globs_alone_take_away_from_everything():
    matches = compile_globs(["!*.txt"])
    assert [matches(path) for path in ("a.md", "a.txt", "x/a.txt")] == [True, False, True]


def test_an_escaped_exclamation_mark_is_a_letter():
    assert compile_globs([r"\!a"])("!a")


@pytest.mark.parametrize(
    "glob", ["*a" * 30 + "*b", "**a" * 20 + "*b", "**/" * 20 + "*a*b", "?*" * 40 + "b", "{*,*}" * 6 + "b"]
)
def test_no_glob_tries_every_way(glob: str):
    """A backtracking matcher would need years for these."""
    assert not translate(glob).fullmatch("a" * 400)
    assert not translate(glob).fullmatch("a/" * 200 + "c")


@pytest.mark.parametrize("glob", ["{a,b}" * 7, "{" + ",".join(map(str, range(101))) + "}", "{a," * 12 + "b" + "}" * 12])
def test_braces_that_stand_for_too_much_are_refused(glob: str):
    with pytest.raises(QueryError, match="braces of the glob"):
        translate(glob)


def test_a_hundred_alternatives_are_taken():
    glob = "{" + ",".join(map(str, range(100))) + "}.md"
    assert translate(glob).fullmatch("99.md")


def test_hundreds_of_open_braces_are_text():
    assert translate("{" * 500).fullmatch("{" * 500)
