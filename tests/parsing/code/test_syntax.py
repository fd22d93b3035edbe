from __future__ import annotations

import pytest
from grooveseek.parsing.code import syntax
from tests.support.source_code import grammar


def is_parsed(parser_id: str, source: str) -> bool:
    return syntax.parse(grammar(parser_id), source.encode()) is not None


def test_definitions_are_looked_for_in_the_upper_levels_alone() -> None:
    """In a tree as deep as this the query engine would else take time that grows with the square of the depth."""
    data = b"mod a{" * 2000 + b"}" * 2000
    tree = syntax.parse(grammar("rs"), data)
    assert tree is not None
    found = syntax.find(grammar("rs").query, tree.root_node, data)
    assert len(found) == syntax.MAX_NODE_DEPTH // 2  # a module and its braces are two levels


def test_the_steps_of_a_parse_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "x = 1\n" * 1000
    assert is_parsed("py", source)
    monkeypatch.setattr(syntax, "_FREE_REPORTS", 0)
    monkeypatch.setattr(syntax, "_BYTES_A_REPORT", 1_000_000)
    assert not is_parsed("py", source)


def test_steps_of_recovery_have_a_bound_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "_FREE_REPORTS", 100)
    monkeypatch.setattr(syntax, "_BYTES_A_REPORT", 0.0001)
    monkeypatch.setattr(syntax, "_BYTES_A_RECOVERY_REPORT", 1_000_000)
    assert is_parsed("rs", "fn pump() { start(1) }\n" * 1000)
    assert not is_parsed("rs", "a," * 10_000)


def test_long_runs_of_tokens_in_broken_syntax_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "_MOST_RUN_STEPS", 5000 * 5000 - 1)
    assert not is_parsed("rs", "(" * 5000)
    assert is_parsed("rs", "(" * 4000)
    assert is_parsed("js", "x = [" + "," * 10_000 + "]")  # as many tokens, but nothing is broken
