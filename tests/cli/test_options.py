from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from grooveseek.cli.options import Invocation, common_options, working_directory
from grooveseek.errors import UsageError
from grooveseek.settings.discovery import Origin


@click.command()
@common_options
@click.option("--limit", type=int, help="How many.")
@click.argument("query")
def probe(invocation: Invocation, query: str, limit: int | None) -> None:
    """A probe."""
    click.echo(repr((invocation, query, limit)))


def run(*argv: str) -> str:
    result = CliRunner().invoke(probe, argv)
    assert result.exit_code == 0, result.output
    return result.output.strip()


def test_a_command_gets_an_invocation_and_its_own_options():
    assert run("fog", "--limit", "3") == repr((Invocation(), "fog", 3))
    expected = Invocation(config=Path("a.toml"), kb_path=Path("notes"))
    assert run("--config", "a.toml", "fog", "--kb-path", "notes") == repr((expected, "fog", None))


def test_shared_options_are_listed_after_the_commands_own():
    text = CliRunner().invoke(probe, ["--help"]).output
    places = [text.index(name) for name in ("--limit", "--config FILE", "--kb-path DIR", "--no-color", "--help")]
    assert places == sorted(places)


def test_colour_follows_terminal_flag_and_variable(monkeypatch: pytest.MonkeyPatch):
    seen: list[Invocation] = []

    @click.command()
    @common_options
    def look(invocation: Invocation) -> None:
        seen.append(invocation)

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    look.main([], standalone_mode=False)
    look.main(["--no-color"], standalone_mode=False)
    monkeypatch.setenv("NO_COLOR", "1")
    look.main([], standalone_mode=False)
    assert [(one.color, one.color_stderr) for one in seen] == [(True, True), (False, False), (False, False)]


def test_an_invocation_resolves_the_settings_and_logs_the_source(capsys: pytest.CaptureFixture[str]):
    Path("groove.toml").write_text('kb_path = "in-file"\nmodel = "x"\n')
    resolved = Invocation(kb_path=Path("in-flag")).resolve({"search.mmr.enabled": True, "model": None})
    assert resolved.settings.kb_path == Path.cwd() / "in-flag"
    assert resolved.settings.model == "x"
    assert resolved.settings.search.mmr.enabled is True
    assert resolved.source.origin is Origin.WORKING_DIRECTORY


def test_the_file_beside_the_running_program_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    program = tmp_path / "bin" / "groove"
    program.parent.mkdir()
    program.touch()
    (program.parent / "groove.toml").write_text('model = "beside"\n')
    monkeypatch.setattr(sys, "argv", [str(program)])
    assert Invocation().resolve().settings.model == "beside"
    monkeypatch.setattr(sys, "argv", [str(program.parent / "python")])
    assert Invocation().resolve().settings.model != "beside"


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
def test_a_working_directory_that_is_gone_is_an_error_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, groove: Callable[..., object]
):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(UsageError, match="no longer exists"):
        working_directory()
    assert groove("config", "show").code == 2  # type: ignore[attr-defined]  # an Answer
    os.chdir(tmp_path)
