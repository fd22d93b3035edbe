from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from grooveseek.cli import main
from grooveseek.cli.log import _StderrHandler


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def own_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty working directory, a home of its own, none of the developer's variables; logging left as found."""
    for name in (
        "GROOVE_LOG",
        "GROOVE_DEBUG",
        "GROOVE_CONFIG_HOME",
        "NO_COLOR",
        "FASTEMBED_CACHE_DIR",
        "_GROOVE_COMPLETE",
    ):
        monkeypatch.delenv(name, raising=False)
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.chdir(work)
    root, ours = logging.getLogger(), logging.getLogger("grooveseek")
    levels = root.level, ours.level
    yield
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
    for handler in [handler for handler in root.handlers if isinstance(handler, _StderrHandler)]:
        root.removeHandler(handler)


@pytest.fixture
def groove(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Run a command line in this process."""

    def run(*argv: str) -> Answer:
        code = main(argv)
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return run
