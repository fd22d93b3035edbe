"""Properties of what is on disk: the walk prunes as the rules say, git agrees with the patterns, names stay whole."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from grooveseek.errors import Refused
from grooveseek.knowledge_base.addressing import is_addressable, printable
from grooveseek.knowledge_base.exclusion import ExclusionRules
from grooveseek.knowledge_base.ignore_patterns import PatternError, PatternList, parse_pattern
from grooveseek.knowledge_base.safe_read import read_checked
from grooveseek.knowledge_base.walk import Declined, Found, walk
from hypothesis import example, given, settings
from hypothesis import strategies as st

# A small world, so that patterns and paths meet often.
NAMES = ("a", "b", "A1", "ab", "aab", "a.md", "b.md", "x.md", "1", "[", "!a", "#", "*", "-", "]", " ", "a ")
SEGMENTS = (
    "a", "b", "x", "ab", "1", "*", "?", "*.md", "a*", "*b*", "*a*b", "a?*", "?.md", "[ab]", "[!a]", "[a-b]*", "[^b]?",
    "[]a]", "[a-]", "[[:digit:]]", "[![:alpha:]]", "[a[:digit:]-]*", "\\*", "\\[", "\\a", "a\\ ", "\\#", "-", "]",
    "a***", "*ab",
)  # fmt: skip
PATHS = (
    "a", "b/a.md", "b/A1/x.md", "b/ab/aab/b.md", "ab/1", "x.md/a.md", "x.md/b/1", "[/a.md", "!a", "#/a", "*/b.md", "-",
    "]/]", " /a ", "a.md", "1/a/b/a/b/x.md", "1/a/x.md", "1/b/", "A1/a/", "aab/", "aab/a/a/a/b.md", "A1/b.md", "1/!a/#",
)  # fmt: skip

body = st.lists(st.one_of(st.sampled_from(SEGMENTS), st.just("**")), min_size=1, max_size=4).map("/".join)
ignore_line = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    body,
    st.sampled_from(["", "", "/"]),
)
ignore_lines = st.lists(ignore_line, max_size=6)


@cache
def small_world() -> Path:
    """A folder with PATHS in it, under git, kept for the whole run: only its ignore files change."""
    root = Path(tempfile.mkdtemp(prefix="groove-world-"))
    for path in PATHS:
        if path.endswith("/"):
            (root / path).mkdir(parents=True, exist_ok=True)
        else:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(b"x")
    subprocess.run(["git", "init", "-q", str(root)], check=True, capture_output=True)
    subprocess.run(["git", "-C", str(root), "config", "core.ignorecase", "true"], check=True)
    subprocess.run(["git", "-C", str(root), "config", "core.excludesFile", ""], check=True)
    return root


@pytest.fixture(scope="module")
def world() -> Iterator[Path]:
    if shutil.which("git") is None:
        pytest.skip("git is the judge here, and it is not installed")
    yield small_world()
    shutil.rmtree(small_world())
    small_world.cache_clear()


def everything(root: Path) -> list[tuple[str, bool]]:
    paths = [(path.relative_to(root).as_posix(), path.is_dir()) for path in root.rglob("*")]
    return sorted((rel, is_dir) for rel, is_dir in paths if not rel.startswith(".g"))


def git_says(root: Path, paths: list[str]) -> list[bool]:
    done = subprocess.run(
        ["git", "-C", str(root), "check-ignore", "--no-index", "--stdin", "-z", "-v", "-n"],
        input="\0".join(paths).encode(),
        capture_output=True,
        check=False,
    )
    fields = done.stdout.decode().split("\0")[:-1]  # source, line, pattern, path; again and again
    assert fields[3::4] == paths, done.stderr
    return [
        bool(source) and not pattern.startswith("!") for source, pattern in zip(fields[::4], fields[2::4], strict=True)
    ]


@settings(max_examples=150, deadline=None)
@given(lines=ignore_lines)
@example(lines=["*", "!*/", "!*.md"])
@example(lines=["b/**", "!b/A1/"])
@example(lines=["1/**/a/**/b/*.md"])
def test_git_excludes_the_same_paths(world: Path, lines: list[str]) -> None:
    """git is the oracle. Its own slips are not asked: it reads ``a**/`` as ``a`` and ``**/``, against its manual."""
    text = "\n".join(line.replace("***/", "*/") for line in lines) + "\n"
    for name in (".gitignore", ".grooveignore"):
        (world / name).write_text(text, newline="\n")
    rules = ExclusionRules.load(world, ())
    paths = everything(world)
    theirs = git_says(world, [rel for rel, _ in paths])
    ours = [rules.is_excluded(rel, is_dir) for rel, is_dir in paths]
    assert [rel for (rel, _), a, b in zip(paths, ours, theirs, strict=True) if a != b] == []


@settings(max_examples=150, deadline=None)
@given(lines=ignore_lines, exclude_dirs=st.lists(st.sampled_from(NAMES), max_size=2))
def test_the_walk_finds_just_the_files_that_no_rule_excludes(
    world: Path, lines: list[str], exclude_dirs: list[str]
) -> None:
    """Pruning folder by folder and asking about each whole path must be one and the same bound."""
    (world / ".grooveignore").write_text("\n".join(lines) + "\n", newline="\n")
    rules = ExclusionRules.load(world, exclude_dirs)
    wanted = [
        rel
        for rel, is_dir in everything(world)
        if not is_dir and rel.endswith(".md") and not rules.is_excluded(rel, False)
    ]
    walked = list(walk(world, rules, frozenset({"md"})))
    assert [one.path for one in walked if isinstance(one, Found)] == wanted
    assert [one for one in walked if isinstance(one, Declined)] == []


@given(lines=ignore_lines, below=st.lists(st.sampled_from(NAMES), min_size=1, max_size=3), rel=st.sampled_from(PATHS))
def test_what_lies_below_an_excluded_folder_is_excluded(lines: list[str], below: list[str], rel: str) -> None:
    rules = ExclusionRules(folder_names=frozenset(), patterns=compiled(lines))
    folder = rel.removesuffix("/")
    if rules.is_excluded(folder, is_dir=True):
        assert rules.is_excluded("/".join([folder, *below]), is_dir=False)


def compiled(lines: list[str]) -> PatternList:
    return PatternList([pattern for pattern in map(parse_pattern, lines) if pattern])


def naive_glob(pattern: str, name: str) -> bool:
    """Textbook matching of ``*`` and ``?`` by trying everything."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(naive_glob(pattern[1:], name[cut:]) for cut in range(len(name) + 1))
    return bool(name) and pattern[0] in ("?", name[0]) and naive_glob(pattern[1:], name[1:])


@settings(max_examples=300)
@given(glob=st.text("ab*?", min_size=1, max_size=8), name=st.text("ab", min_size=1, max_size=10))
@example(glob="*ab*ab", name="abab")
@example(glob="*a*?b", name="aaab")
@example(glob="*aab", name="aaab")
def test_taking_the_first_fit_loses_no_match(glob: str, name: str) -> None:
    assert compiled([glob]).excludes(name, is_dir=False) == naive_glob(glob, name)


def naive_path(pattern: list[str], path: list[str]) -> bool:
    """The same for whole names, with ``**`` for any number of them."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(naive_path(pattern[1:], path[cut:]) for cut in range(len(path) + 1))
    return bool(path) and naive_glob(pattern[0], path[0]) and naive_path(pattern[1:], path[1:])


@settings(max_examples=300)
@given(
    pattern=st.lists(st.sampled_from(["**", "a", "b", "*", "a*"]), min_size=2, max_size=6),
    path=st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=7),
)
@example(pattern=["**", "a", "b", "**", "a", "b"], path=["a", "a", "b", "b", "a", "b"])
def test_taking_the_first_place_for_a_block_loses_no_match(pattern: list[str], path: list[str]) -> None:
    if pattern[-1] == "**":  # it stands for what is inside, which is at least one name
        pattern = [*pattern, "*"]
    line = "/" + "/".join(pattern).removesuffix("/*" if pattern[-2:] == ["**", "*"] else "")
    assert compiled([line]).excludes("/".join(path), is_dir=False) == naive_path(pattern, path)


@settings(max_examples=300)
@given(line=st.text(st.characters(exclude_characters="\n"), max_size=30), rel=st.text(max_size=20))
@example(line="[[:", rel="a")
@example(line="[!]", rel="a")
def test_any_line_is_a_pattern_or_is_refused_in_words(line: str, rel: str) -> None:
    try:
        pattern = parse_pattern(line)
    except PatternError as error:
        pattern, reason = None, str(error)
    else:
        reason = "it holds"
    assert reason.startswith("it")
    if pattern is not None:
        assert PatternList([pattern]).excludes(rel, is_dir=False) in (True, False)


@settings(max_examples=300)
@given(name=st.text(st.characters(exclude_characters="/\\*?[]!# \0\n", exclude_categories=("Cs", "Cc")), min_size=1))
def test_a_plain_name_excludes_itself_in_any_case_and_composition(name: str) -> None:
    rules = compiled([name])
    for form in ("NFC", "NFD"):
        assert rules.excludes(unicodedata.normalize(form, name), is_dir=False)
        assert rules.excludes("folder/" + unicodedata.normalize(form, name), is_dir=True)


@settings(max_examples=300)
@given(data=st.binary(max_size=400))
def test_any_bytes_can_be_an_ignore_file(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / ".grooveignore").write_bytes(data)
        rules = ExclusionRules.load(Path(folder), ())
    assert not [char for char in "".join(rules.warnings) if unicodedata.category(char) in ("Cc", "Cs")]
    rules.is_excluded("a/b.md", is_dir=False)


@settings(max_examples=300)
@given(rel=st.text(st.one_of(st.sampled_from("/.\\\0a\n\x85"), st.characters(codec=None)), max_size=12))
@example(rel="a/\ud800.md")
def test_an_addressable_name_survives_being_joined_encoded_and_split(rel: str) -> None:
    if is_addressable(rel):
        root = Path("/kb")
        joined = root / rel
        assert joined.relative_to(root).as_posix() == rel
        assert ".." not in joined.parts
        assert rel.encode("utf-8").decode("utf-8") == rel
        assert printable(rel) == rel
        assert len(rel.split("\n")) == 1
    else:
        bad = re.search(r"[\x00-\x1f\x7f-\x9f\\\ud800-\udfff]|^/|//|/$|^$", rel)
        assert bad or {".", ".."} & set(rel.split("/"))


@given(rel=st.text(st.characters(codec=None)))
def test_a_shown_name_can_be_written_anywhere(rel: str) -> None:
    shown = printable(rel)
    shown.encode("utf-8")
    assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in shown)


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=3000), cap=st.integers(min_value=0, max_value=3000))
def test_a_file_is_read_whole_or_refused(data: bytes, cap: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.md"
        path.write_bytes(data)
        if len(data) > cap:
            with pytest.raises(Refused):
                read_checked(path, max_bytes=cap)
        else:
            assert read_checked(path, max_bytes=cap).data == data
