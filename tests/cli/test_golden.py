from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from grooveseek.app import KnowledgeBase
from grooveseek.cli.judge import judge_query
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.errors import GoldenError, UsageError
from grooveseek.evaluation.golden import GoldenQuery, parse_golden
from grooveseek.settings.sections import Settings
from tests.cli.conftest import Answer
from tests.conftest import OpenKb
from tests.support.eval_bases import GOLDEN, write_base
from tests.support.terminal import Terminal

on_posix = pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals are a POSIX thing")
QUERY = "the ferry on the open deck in fog"


class Base:
    def __init__(self, groove: Callable[..., Answer], folder: Path) -> None:
        self.groove = groove
        self.root = write_base(folder / "kb")
        config = folder / "fake.toml"
        config.write_text('model = "fake"\n', encoding="utf-8")
        self.options = ["--config", str(config), "--kb-path", str(self.root)]
        assert groove("index", *self.options, "--quiet").code == 0

    @property
    def golden(self) -> Path:
        return self.root / ".groove-eval.yml"

    def run(self, command: str, *argv: str) -> Answer:
        return self.groove("golden", command, *self.options, *argv)


@pytest.fixture
def base(groove: Callable[..., Answer], tmp_path: Path) -> Base:
    return Base(groove, tmp_path / "work")


def test_a_sound_set_exits_with_0(base: Base):
    answer = base.run("check")
    assert (answer.code, answer.out) == (0, "kb/.groove-eval.yml: 8 queries, nothing to change.\n".replace(
        "kb/.groove-eval.yml", str(Path("kb", ".groove-eval.yml"))
    ))  # fmt: skip


def test_findings_stand_on_their_line_and_exit_with_1(base: Base):
    base.golden.write_text(GOLDEN.replace("cargo/bees.md", "cargo/wasps.md").replace("満潮のとき内港に入れる船", "潮"))
    answer = base.run("check")
    assert answer.code == 1
    lines = base.golden.read_text("utf-8").splitlines()
    place, wasps, what = answer.out.splitlines()[0].split(":", 2)
    assert place == str(Path("kb", ".groove-eval.yml"))
    assert "cargo/wasps.md" in lines[int(wasps) - 1]
    assert what.startswith(" golden-missing: cargo/wasps.md does not exist in the folder.")
    assert any(": note: golden-short-query:" in line for line in answer.out.splitlines())
    assert answer.out.splitlines()[-1].endswith("8 queries, 1 finding.")


def test_a_check_is_data_as_well(base: Base):
    base.golden.write_text(GOLDEN.replace("cargo/bees.md", "cargo/wasps.md"), encoding="utf-8")
    value = json.loads(base.run("check", "--format", "json").out)
    assert value["queries"] == 8
    assert [finding["check"] for finding in value["findings"]] == ["golden-missing"]
    assert value["findings"][0]["path"] == "cargo/wasps.md"
    assert value["notes"] == []


@pytest.mark.parametrize("command", [["check"], ["suggest"]])
def test_without_an_index_a_command_could_not_run(base: Base, command: list[str]):
    for file in base.root.parent.glob(".groove.db*"):
        file.unlink()
    answer = base.run(*command)
    assert (answer.code, answer.out) == (2, "")
    assert "Run `groove index` first" in answer.err


def test_a_golden_file_that_is_not_there_exits_with_2(base: Base):
    answer = base.run("check", "--golden", "none.yml")
    assert answer.code == 2
    assert "There is no golden file at none.yml" in answer.err


def test_suggestions_are_comments_on_stdout(base: Base):
    answer = base.run("suggest", "--count", "3")
    assert answer.code == 0
    assert yaml.safe_load(answer.out) is None
    assert answer.out.count("# - query: ") == 3
    assert base.run("suggest", "--count", "3").out == answer.out
    assert base.run("suggest", "--count", "3", "--seed", "9").out != answer.out


def test_judging_needs_a_terminal(base: Base):
    answer = base.run("add", QUERY)
    assert answer.code == 2
    assert "needs a terminal" in answer.err


def asked(terminal: Terminal, place: str) -> str:
    """Wait until a section is asked for."""
    terminal.wait_for(place)
    return terminal.wait_for("q quit and keep\n")


@on_posix
def test_a_pass_on_a_real_terminal(base: Base):
    """Grades, a key that means nothing, undo, a skip, quit; then the rest, from there, typed ahead."""
    argv = ["golden", "add", *base.options, QUERY, "--tag", "new"]
    with Terminal(argv, base.root.parent) as terminal:
        first = asked(terminal, "[1/")
        assert QUERY in first
        terminal.press("4")
        asked(terminal, "[2/")
        terminal.press("u")
        assert "back" in asked(terminal, "[1/")
        terminal.press("x")
        terminal.wait_for("0-4 grade, s skip, u undo, q quit and keep")
        terminal.press("3")
        asked(terminal, "[2/")
        terminal.press("0")
        asked(terminal, "[3/")
        terminal.press("S")
        asked(terminal, "[4/")
        terminal.press("q")
        assert terminal.end() == 0
        said = terminal.text
    total = int(first.split("[1/")[1].split("]")[0])
    assert f"{total - 2} of {total} sections are not judged" in said
    golden = parse_golden(base.golden.read_bytes())
    assert base.golden.read_text("utf-8").startswith(GOLDEN)
    added = golden.queries[-1]
    assert (added.query, added.tags, [entry.relevance for entry in added.expected]) == (QUERY, ("new",), [3])
    with Terminal(argv, base.root.parent) as terminal:
        assert f"2 of {total} sections are judged already." in asked(terminal, "[1/")
        terminal.press("0" * (total - 2))
        assert terminal.end() == 0
    assert parse_golden(base.golden.read_bytes()) == golden
    assert not (base.root / ".groove-golden-unfinished.json").exists()


@on_posix
def test_ctrl_c_keeps_the_grades_for_the_next_time(base: Base):
    argv = ["golden", "add", *base.options, QUERY]
    with Terminal(argv, base.root.parent) as terminal:
        asked(terminal, "[1/")
        terminal.press("2")
        asked(terminal, "[2/")
        terminal.press("\x03")
        assert terminal.end() == 130
    assert len(parse_golden(base.golden.read_bytes()).queries) == 8
    with Terminal(argv, base.root.parent) as terminal:
        assert "1 of " in asked(terminal, "[1/")
        terminal.press("q")
        assert terminal.end() == 0
    assert parse_golden(base.golden.read_bytes()).queries[-1].query == QUERY


class Keys:
    """Keys pressed in turn, then the end of input."""

    def __init__(self, keys: str) -> None:
        self._keys: Iterator[str] = iter(keys)

    def __call__(self) -> str:
        try:
            return next(self._keys)
        except StopIteration:
            raise EOFError from None


@pytest.fixture
def judge(open_kb: OpenKb, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Judge a query with these keys, in the little base; its golden file is at ``judge.golden``."""
    kb: KnowledgeBase = open_kb(write_base(tmp_path / "kb"))
    kb.index()
    capsys.readouterr()

    def run(keys: str, query: str = QUERY, query_id: str | None = None, depth: int = 2) -> Answer:
        file = kb.root / ".groove-eval.yml"
        code = judge_query(
            kb, query, file, depth=depth, query_id=query_id, tags=(), seed=0, color=False, read_key=Keys(keys)
        )
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    run.golden = lambda: parse_golden((kb.root / ".groove-eval.yml").read_bytes())
    run.root = kb.root
    return run


def last(judge) -> GoldenQuery:
    return judge.golden().queries[-1]


def test_the_entry_goes_to_stdout_and_the_dialogue_to_stderr(judge):
    answer = judge("4" + "0" * 20)
    assert answer.code == 0
    assert yaml.safe_load(answer.out)[0]["query"] == QUERY
    assert "[1/" in answer.err


def test_scores_ranks_and_legs_are_not_shown(judge):
    told = judge("q").err.casefold()
    assert not {"vector", "fulltext", "full text", "rank", "score"} & set(told.replace(":", " ").split())


def test_a_passage_may_not_steer_the_terminal(judge):
    (judge.root / "evil.md").write_text(f"# Evil \x1b[2J\n\n{QUERY} \x1b]0;title\x07 \u202ebackwards\n")
    with KnowledgeBase(Settings(kb_path=judge.root), embedder=FakeEmbedder()) as kb:
        kb.index()
    told = judge("q" * 30, depth=10).err + judge("s" * 30, depth=10).err
    assert "evil.md" in told
    assert not {"\x1b", "\x07", "\u202e"} & set(told)


def sections_of(judge) -> int:
    return int(judge("q").err.split("[1/")[1].split("]")[0])


def test_nothing_relevant_can_be_kept_as_a_query_without_an_answer(judge):
    zeros = "0" * sections_of(judge)
    assert judge(zeros).code == 1, "the end of input is no yes"
    answer = judge(zeros + "xy")
    assert answer.code == 0
    assert "y or n" in answer.err
    assert (last(judge).query, last(judge).answerable) == (QUERY, False)
    assert judge("").code == 0


def test_nothing_relevant_and_a_no_leaves_the_file_as_it_is(judge):
    before = judge.golden()
    assert judge("0" * sections_of(judge) + "n").code == 1
    assert judge.golden() == before


def test_an_id_can_be_given(judge):
    judge("4q", query_id="my own")
    assert last(judge).id == "my own"


def test_a_query_of_the_golden_file_is_judged_on(judge):
    """What it expects already is not asked again, and stays."""
    answer = judge("s" * 30, query="saffron cake", depth=10)
    assert "1 of " in answer.err
    assert "has these judgments already" in answer.err
    judge("2" * 30, query="saffron cake", depth=10)
    cake = judge.golden().by_id()["cake"]
    assert cake.expected[0].path == "my notes/tea & cake.md"
    assert cake.expected[0].relevance == 1
    assert len(cake.expected) > 3
    assert {entry.relevance for entry in cake.expected[1:]} == {2}


def test_a_query_that_finds_nothing_cannot_be_judged(judge):
    with pytest.raises(UsageError, match="nothing is found"):
        judge("4", query="-fog")


@pytest.mark.parametrize("query", ["", "  ", "x" * 1025])
def test_a_query_that_no_golden_file_takes_is_refused_first(judge, query: str):
    with pytest.raises(UsageError, match="empty or longer than 1024 bytes"):
        judge("4", query=query)


def test_a_broken_golden_file_is_told_before_anything_is_judged(judge):
    (judge.root / ".groove-eval.yml").write_text("queries: 3\n")
    with pytest.raises(GoldenError, match="queries: expected a list"):
        judge("4")
