from __future__ import annotations

import subprocess
import sys

import pytest
from tests.support.imports import check_imports, imported_modules, third_party

HEAVY = {"numpy", "onnxruntime", "rich", "mcp", "fastembed", "yaml", "markdown_it", "apsw", "platformdirs"}
"""Named in full only to say what the allow-lists keep out."""

NOT_FOR_HELP = {"grooveseek.settings", "grooveseek.cli.config", "grooveseek.cli.completion", "logging", "dataclasses"}


PARSERS = {"grooveseek.parsing", "markdown_it", "yaml"}
SEARCH = {"click", "apsw", "numpy", "onnxruntime", "tokenizers"}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A knowledge base of one note, indexed with the bundled model."""
    folder = tmp_path_factory.mktemp("base") / "notes"
    folder.mkdir()
    (folder / "fog.md").write_text("# Fog\n\nIn fog we wait by the lamp and sound the horn.\n")
    command = [sys.executable, "-m", "grooveseek", "index", "--kb-path", str(folder)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return str(folder)


@pytest.mark.parametrize("argv", [["--help"], ["--version"]])
def test_help_and_version_import_click_alone(argv: list[str]):
    check_imports(argv, allowed={"click"}, never=HEAVY | NOT_FOR_HELP)


@pytest.mark.parametrize("argv", [["config", "show"], ["config", "show", "--format", "json"], ["completion", "zsh"]])
def test_settings_commands_import_click_alone(argv: list[str]):
    check_imports(argv, allowed={"click"}, never=HEAVY | {"grooveseek.app", "grooveseek.store"})


@pytest.mark.parametrize("form", ["json", "text"])
def test_a_search_imports_neither_parsers_nor_the_server(notes: str, form: str):
    never = PARSERS | {"grooveseek.indexing", "grooveseek.serving", "grooveseek.evaluation"}
    check_imports(["search", "lamp", "--kb-path", notes, "--format", form], allowed=SEARCH, never=never)


def test_a_search_imports_no_way_to_a_model_but_the_one_it_takes(notes: str):
    ways = {"remote", "endpoint", "hub", "local", "multilingual", "rerank", "fake"}
    never = {f"grooveseek.embedding.{way}" for way in ways} | {"difflib", "urllib.request", "http"}
    check_imports(["search", "lamp", "--kb-path", notes], allowed=SEARCH, never=never)


def test_a_keyword_search_loads_no_model(notes: str):
    argv = ["search", "lamp", "--kb-path", notes, "--mode", "keyword"]
    check_imports(argv, allowed={"click", "apsw", "numpy"}, never=PARSERS)


def test_status_loads_no_model(notes: str):
    check_imports(["status", "--kb-path", notes], allowed={"click", "apsw", "numpy"}, never=PARSERS)


def test_a_budget_that_is_too_small_is_noticed():
    with pytest.raises(AssertionError, match=r"imports \['click'\]"):
        check_imports(["--version"], allowed=set())
    with pytest.raises(AssertionError, match=r"imports .*'click\.core'"):
        check_imports(["--version"], allowed={"click"}, never={"click"})


def test_modules_of_python_and_of_groove_are_not_third_party():
    modules = imported_modules(["--version"])
    assert {"grooveseek.cli.main", "click.core"} <= modules
    assert third_party({"json.decoder", "grooveseek.cli", "numpy.linalg", "click"}) == {"numpy", "click"}
