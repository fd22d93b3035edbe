from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from grooveseek.cli.completion import SHELLS
from grooveseek.cli.main import COMMANDS

Groove = Callable[..., Any]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_asks_groove_for_candidates(groove: Groove, shell: str):
    answer = groove("completion", shell)
    assert answer.code == 0
    assert f"_GROOVE_COMPLETE={shell}_complete" in answer.out
    assert "groove" in answer.out


def test_another_shell_is_a_usage_error(groove: Groove):
    assert groove("completion", "tcsh").code == 2


def complete(groove: Groove, monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    monkeypatch.setenv("_GROOVE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(words))
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    answer = groove()
    assert (answer.code, answer.err) == (0, "")
    return [line.partition(",")[2] for line in answer.out.splitlines()]


def test_commands_and_options_are_completed(groove: Groove, monkeypatch: pytest.MonkeyPatch):
    assert complete(groove, monkeypatch, "groove", "") == list(COMMANDS)
    assert "config" in complete(groove, monkeypatch, "groove", "con")
    assert complete(groove, monkeypatch, "groove", "config", "i") == ["init"]
    assert "--kb-path" in complete(groove, monkeypatch, "groove", "config", "show", "--")
    assert complete(groove, monkeypatch, "groove", "config", "show", "--format", "j") == ["json"]
    assert complete(groove, monkeypatch, "groove", "nonsense", "") == list(COMMANDS)


@pytest.mark.parametrize("request_", ["tcsh_complete", "bash_dance", "bash"])
def test_a_request_that_is_none_of_ours_is_refused(groove: Groove, monkeypatch: pytest.MonkeyPatch, request_: str):
    monkeypatch.setenv("_GROOVE_COMPLETE", request_)
    answer = groove()
    assert (answer.code, answer.out) == (1, "")


@pytest.mark.skipif(sys.platform == "win32" or shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_with_the_script(tmp_path: Path):
    program = tmp_path / "groove"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m grooveseek "$@"\n')
    program.chmod(0o755)
    script = (
        'eval "$(groove completion bash)"\n'
        "COMP_WORDS=(groove config sh); COMP_CWORD=2\n"
        "_groove_completion groove\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    environ = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, env=environ, timeout=60)
    assert done.stdout.splitlines() == ["show"], done.stderr
