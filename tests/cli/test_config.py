from __future__ import annotations

import json
import os
import re
import stat
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from grooveseek.cli.config import render_config
from grooveseek.settings.effective import resolve_settings
from grooveseek.settings.keys import flatten, keys
from grooveseek.settings.loader import load_settings
from grooveseek.settings.sections import Settings

Groove = Callable[..., Any]


def test_show_is_toml_with_the_origin_of_each_value(groove: Groove, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    Path("groove.toml").write_text('model = "bge-m3"\n\n[index]\nmax_raw_text_size = "10 MiB"\n')
    monkeypatch.setenv("FASTEMBED_CACHE_DIR", str(tmp_path))
    answer = groove("config", "show", "--kb-path", "notes")
    assert answer.code == 0
    lines = {re.sub(r" +# ", " # ", line) for line in answer.out.splitlines()}
    assert f"# {Path.cwd() / 'groove.toml'} (found in the working directory, not trusted)" in lines
    assert f'kb_path = "{Path.cwd() / "notes"}" # flag' in lines
    assert 'model = "bge-m3" # file, line 1' in lines
    assert 'max_raw_text_size = "10 MiB" # file, line 4' in lines
    assert f'fastembed_cache_dir = "{tmp_path}" # environment' in lines
    assert 'reranker = "none" # default' in lines
    assert "# path is not set # default" in lines
    settings, _ = load_settings(answer.out, tmp_path / "copy.toml")
    assert settings.model == "bge-m3"
    assert settings.kb_path == Path.cwd() / "notes"


def test_show_without_anything_is_the_defaults(groove: Groove, tmp_path: Path):
    answer = groove("config", "show")
    assert load_settings(answer.out, tmp_path / "copy.toml")[0] == Settings()
    assert answer.out.startswith("# no groove.toml, the defaults\n")
    assert answer.err == "info: settings: no groove.toml, the defaults\n"


def test_show_as_json_has_every_key(groove: Groove):
    Path("groove.toml").write_text('[transport.http]\nmax_sessions = 1\n[index]\nmax_raw_text_size = "1 KiB"\n')
    answer = groove("config", "show", "--format", "json")
    data = json.loads(answer.out)
    path = Path.cwd() / "groove.toml"
    assert data["source"] == {"path": str(path), "origin": "working-directory", "trusted": False}
    assert list(data["settings"]) == list(keys())
    assert data["settings"]["index.max_raw_text_size"] == {"value": 1024, "from": "file", "line": 4}
    assert data["settings"]["transport.http.max_sessions"] == {"value": 256, "from": "default"}
    assert data["settings"]["kb_path"] == {"value": None, "from": "default"}
    assert data["settings"]["parsers.enabled"] == {"value": ["md"], "from": "default"}
    assert len(data["warnings"]) == 1
    assert f"warning: {data['warnings'][0]}\n" in answer.err


def test_show_tells_unlimited_from_not_set(groove: Groove):
    Path("mine.toml").write_text('[index]\nmax_raw_text_size = "unlimited"\n')
    answer = groove("config", "show", "--config", "mine.toml", "--format", "json")
    assert json.loads(answer.out)["settings"]["index.max_raw_text_size"]["value"] == "unlimited"
    assert 'max_raw_text_size = "unlimited"' in groove("config", "show", "--config", "mine.toml").out


def test_show_without_a_file_has_no_path(groove: Groove):
    data = json.loads(groove("config", "show", "--format", "json").out)
    assert data["source"] == {"path": None, "origin": "none", "trusted": True}


def test_show_is_coloured_only_when_asked(tmp_path: Path):
    resolved = resolve_settings(None, {}, tmp_path, {})
    plain = render_config(resolved, color=False)
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[\d+m", "", render_config(resolved, color=True)) == plain
    assert "\x1b[2m# default\x1b[0m" in render_config(resolved, color=True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [("modl = 1\n", ":1: modl is not a setting. Did you mean model?"), ("model = \n", ":1: is not valid TOML: ")],
)
def test_an_error_in_the_file_is_one_line_and_exit_2(groove: Groove, text: str, problem: str):
    Path("groove.toml").write_text(text)
    answer = groove("config", "show")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"groove: {Path.cwd() / 'groove.toml'}{problem}")
    assert answer.err.count("\n") == 1


def test_init_writes_a_file_that_changes_nothing(groove: Groove):
    answer = groove("config", "init")
    path = Path.cwd() / "groove.toml"
    assert (answer.code, answer.out, answer.err) == (0, "", f"groove: wrote {path}.\n")
    assert load_settings(path.read_text(encoding="utf-8"), path)[0] == Settings()
    assert groove("config", "show").err.count("warning") == 0


def test_init_takes_a_file_a_folder_or_the_config_option(groove: Groove, tmp_path: Path):
    (tmp_path / "folder").mkdir()
    assert groove("config", "init", str(tmp_path / "folder")).code == 0
    assert groove("config", "init", "mine.toml").code == 0
    assert groove("config", "init", "--config", "~/other.toml").code == 0
    assert (tmp_path / "folder" / "groove.toml").exists()
    assert Path("mine.toml").exists()
    assert (tmp_path / "home" / "other.toml").exists()
    both = groove("config", "init", "a.toml", "--config", "b.toml")
    assert both.code == 2
    assert "Give one of them" in both.err


def test_init_writes_the_kb_path_it_is_given(groove: Groove, tmp_path: Path):
    groove("config", "init", "--kb-path", "notes")
    written = tomllib.loads(Path("groove.toml").read_text(encoding="utf-8"))
    assert written["kb_path"] == str(Path.cwd() / "notes")
    settings, _ = load_settings(Path("groove.toml").read_text(encoding="utf-8"), tmp_path / "groove.toml")
    assert {name for name, value in flatten(settings).items() if value != keys()[name].default} == {"kb_path"}


def test_init_does_not_replace_a_file_unless_forced(groove: Groove):
    Path("groove.toml").write_text("model = 'mine'\n")
    answer = groove("config", "init")
    assert answer.code == 2
    assert "groove.toml: exists already. --force replaces it." in answer.err
    assert Path("groove.toml").read_text() == "model = 'mine'\n"
    assert groove("config", "init", "--force").code == 0
    assert load_settings(Path("groove.toml").read_text(), Path.cwd() / "groove.toml")[0] == Settings()
    assert os.listdir() == ["groove.toml"]  # noqa: PTH208 - names are what counts


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_init_never_writes_through_a_link(groove: Groove, force: list[str], tmp_path: Path):
    target = tmp_path / "precious"
    target.write_text("precious")
    Path("groove.toml").symlink_to(target)
    assert groove("config", "init", *force).code == (0 if force else 2)
    assert target.read_text() == "precious"
    assert Path("groove.toml").is_symlink() == (not force)


def test_init_says_why_it_cannot_write(groove: Groove):
    answer = groove("config", "init", "no/such/folder/x.toml")
    assert answer.code == 2
    assert "x.toml: cannot be written: No such file or directory." in answer.err


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are Unicode there")
def test_init_cannot_write_a_name_that_is_not_unicode(groove: Groove):
    answer = groove("config", "init", "--kb-path", "n\udcffotes")
    assert answer.code == 2
    assert "--kb-path cannot be written into a groove.toml" in answer.err
    assert not Path("groove.toml").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_init_leaves_permissions_to_the_umask(groove: Groove):
    before = os.umask(0o022)
    try:
        groove("config", "init")
        assert stat.S_IMODE(Path("groove.toml").stat().st_mode) == 0o644
    finally:
        os.umask(before)
