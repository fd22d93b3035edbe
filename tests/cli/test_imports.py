from __future__ import annotations

import pytest
from tests.support.imports import check_imports, imported_modules, third_party

HEAVY = {"numpy", "onnxruntime", "rich", "mcp", "fastembed", "yaml", "markdown_it", "apsw", "platformdirs"}
"""Named in full only to say what the allow-lists keep out."""

NOT_FOR_HELP = {"grooveseek.settings", "grooveseek.cli.config", "grooveseek.cli.completion", "logging", "dataclasses"}


@pytest.mark.parametrize("argv", [["--help"], ["--version"]])
def test_help_and_version_import_click_alone(argv: list[str]):
    check_imports(argv, allowed={"click"}, never=HEAVY | NOT_FOR_HELP)


@pytest.mark.parametrize("argv", [["config", "show"], ["config", "show", "--format", "json"], ["completion", "zsh"]])
def test_settings_commands_import_click_alone(argv: list[str]):
    check_imports(argv, allowed={"click"}, never=HEAVY | {"grooveseek.app", "grooveseek.store"})


def test_a_budget_that_is_too_small_is_noticed():
    with pytest.raises(AssertionError, match=r"imports \['click'\]"):
        check_imports(["--version"], allowed=set())
    with pytest.raises(AssertionError, match=r"imports .*'click\.core'"):
        check_imports(["--version"], allowed={"click"}, never={"click"})


def test_modules_of_python_and_of_groove_are_not_third_party():
    modules = imported_modules(["--version"])
    assert {"grooveseek.cli.main", "click.core"} <= modules
    assert third_party({"json.decoder", "grooveseek.cli", "numpy.linalg", "click"}) == {"numpy", "click"}
