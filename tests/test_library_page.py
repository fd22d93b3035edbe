"""The library page's example runs, and its names exist."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import grooveseek
import pytest
from grooveseek.indexing import events

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "library.md").read_text("utf-8")


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes").mkdir()
    text = "# Fog\n\nWhen fog comes in the master slows the ship and posts a lookout on the bow.\n"
    (tmp_path / "notes" / "fog.md").write_text(text)
    (tmp_path / "groove.toml").write_text('model = "fake"\n')
    monkeypatch.chdir(tmp_path)
    example = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert example is not None
    exec(compile(example.group(1), "docs/library.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "fog.md 1"
    assert lines[1] == "1 1"
    assert "fog.md 3 When fog comes in" in lines[2]


def test_the_methods_and_parameters_named_exist() -> None:
    for name, parameters in re.findall(r"`kb\.(\w+)\(([^)]*)\)`", PAGE):
        signature = inspect.signature(getattr(grooveseek.KnowledgeBase, name))
        named = re.findall(r"(\w+)=", parameters)
        known = {*signature.parameters, *(("limit", "mode", "filters") if name == "search" else ())}
        assert set(named) <= known
    for parameter in re.findall(r"(\w+)=", re.findall(r"`grooveseek\.open\(([^)]*)\)`", PAGE)[0]):
        assert parameter in inspect.signature(grooveseek.open).parameters


def test_every_event_is_named() -> None:
    classes = {name for name in events.Event.__args__ for name in [name.__name__]}
    assert all(f"`{name}`" in PAGE for name in classes)
