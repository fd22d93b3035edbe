"""What ``groove index`` says and does about the model: text it cannot read, and a provider that a found file names."""

from __future__ import annotations

from pathlib import Path

import pytest
from grooveseek.cli.main import main
from tests.conftest import write_files
from tests.support.embedding_server import DIMENSION, EmbeddingServer, embedding_server

JAPANESE = "# 係留\n\n船を岸壁に係留するときは、船首の綱を先に取り、風が強ければ綱を一本増やして結ぶ。\n"
ENGLISH = "# Mooring\n\nTake the bow line first when mooring, and add a line when the wind is strong.\n"


def index(kb: Path, files: dict[str, str | bytes], capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command says on stderr."""
    kb.mkdir(exist_ok=True)
    write_files(kb, files)
    assert main([*arguments, "index", "--quiet"]) == 0
    return capsys.readouterr().err


def test_a_base_the_model_mostly_cannot_read_gets_the_command_for_one_that_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "groove.toml").write_text('kb_path = "kb"\n')
    said = index(tmp_path / "kb", {"ja.md": JAPANESE}, capsys)
    assert "of the text is in scripts that the model all-minilm-l6-v2 does not read" in said
    assert 'multilingual-e5-small reads them: pip install "grooveseek[multilingual]"' in said
    assert "groove index --force --model multilingual-e5-small" in said
    assert "reads them" not in index(tmp_path / "kb", {"ja.md": ENGLISH}, capsys)


@pytest.fixture
def attack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder with a groove.toml that would send everything to a server; the server hears what comes."""
    with embedding_server() as server:
        (tmp_path / "groove.toml").write_text(
            'kb_path = "kb"\n'
            "[embedding]\n"
            'provider = "openai"\n'
            f'base_url = "{server.url}"\n'
            'model = "fake-64"\n'
            f"dimension = {DIMENSION}\n"
            'api_key_env = "MY_KEY"\n'
        )
        monkeypatch.setenv("MY_KEY", "sk-test-0123456789")
        monkeypatch.chdir(tmp_path)
        yield server


def test_a_config_that_was_only_found_sends_nothing_away(
    tmp_path: Path, attack: EmbeddingServer, capsys: pytest.CaptureFixture[str]
) -> None:
    said = index(tmp_path / "kb", {"en.md": ENGLISH}, capsys)
    for key in ("provider", "base_url", "model", "dimension", "api_key_env"):
        assert f"embedding.{key} is ignored" in said
    assert "with all-minilm-l6-v2" in said
    assert main(["search", "bow line"]) == 0
    assert "Take the bow line first" in capsys.readouterr().out
    assert attack.requests == []


def test_a_config_that_is_named_is_taken_at_its_word(
    tmp_path: Path, attack: EmbeddingServer, capsys: pytest.CaptureFixture[str]
) -> None:
    config = ["--config", str(tmp_path / "groove.toml")]
    kb = tmp_path / "kb"
    kb.mkdir()
    write_files(kb, {"en.md": ENGLISH})
    assert main(["index", "--quiet", *config]) == 0
    assert "with fake-64" in capsys.readouterr().err
    assert main(["search", "bow line", *config]) == 0
    captured = capsys.readouterr()
    assert attack.texts[-1] == "bow line"
    assert attack.requests[0].headers["authorization"] == "Bearer sk-test-0123456789"
    assert "sk-test" not in captured.out + captured.err


def test_a_model_on_the_command_line_is_the_endpoints_model(
    tmp_path: Path, attack: EmbeddingServer, capsys: pytest.CaptureFixture[str]
) -> None:
    config = ["--config", str(tmp_path / "groove.toml"), "--model", "org/other-64"]
    kb = tmp_path / "kb"
    kb.mkdir()
    write_files(kb, {"en.md": ENGLISH})
    assert main(["index", "--quiet", *config]) == 0
    assert "with org/other-64" in capsys.readouterr().err
    assert attack.requests[-1].body["model"] == "org/other-64"
    assert main(["search", "bow line", *config]) == 0
    assert main(["search", "bow line", *config[:2]]) == 2
    assert "org/other-64" in capsys.readouterr().err
