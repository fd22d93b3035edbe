from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from grooveseek.embedding.cache import check_cache_dir, os_cache_dir, resolve_cache_dir
from grooveseek.errors import ConfigError


def test_the_variable_wins(tmp_path):
    environ = {"FASTEMBED_CACHE_DIR": str(tmp_path / "variable"), "HOME": str(tmp_path)}
    assert resolve_cache_dir(tmp_path / "setting", environ) == tmp_path / "variable"


def test_the_setting_comes_next(tmp_path):
    assert resolve_cache_dir(tmp_path / "setting", {"HOME": str(tmp_path)}) == tmp_path / "setting"


def test_an_empty_variable_counts_as_unset(tmp_path):
    assert resolve_cache_dir(tmp_path / "setting", {"FASTEMBED_CACHE_DIR": ""}) == tmp_path / "setting"


@pytest.mark.parametrize("value", ["models", "./models", "~/models", "../models", "."])
def test_a_relative_variable_stops_groove(tmp_path, value):
    with pytest.raises(ConfigError, match=r"FASTEMBED_CACHE_DIR is .*, which is relative: write an absolute path"):
        resolve_cache_dir(tmp_path, {"FASTEMBED_CACHE_DIR": value})


def test_a_relative_setting_stops_groove():
    with pytest.raises(ConfigError, match='fastembed_cache_dir is "models", which is relative'):
        resolve_cache_dir(Path("models"), {})


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        ({"HOME": "/home/ada"}, "linux", PurePosixPath("/home/ada/.cache")),
        ({"HOME": "/home/ada", "XDG_CACHE_HOME": "/fast"}, "linux", PurePosixPath("/fast")),
        ({"HOME": "/home/ada", "XDG_CACHE_HOME": "fast"}, "linux", PurePosixPath("/home/ada/.cache")),
        ({"HOME": "/home/ada", "XDG_CACHE_HOME": ""}, "freebsd14", PurePosixPath("/home/ada/.cache")),
        ({"HOME": "/Users/ada", "XDG_CACHE_HOME": "/fast"}, "darwin", PurePosixPath("/Users/ada/Library/Caches")),
        ({"LOCALAPPDATA": r"D:\Local"}, "win32", PureWindowsPath(r"D:\Local")),
        ({"USERPROFILE": r"C:\Users\ada"}, "win32", PureWindowsPath(r"C:\Users\ada\AppData\Local")),
        ({}, "linux", None),
        ({"HOME": "home"}, "linux", None),
        ({"HOME": ""}, "darwin", None),
        ({"LOCALAPPDATA": "Local"}, "win32", None),
    ],
)
def test_each_system_has_its_cache_folder(environ, platform, expected):
    assert os_cache_dir(environ, platform) == expected


def test_the_system_s_folder_is_joined_with_fastembed(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.platform", "linux")
    assert resolve_cache_dir(None, {"XDG_CACHE_HOME": str(tmp_path)}) == tmp_path / "fastembed"


def test_without_any_absolute_folder_groove_stops(monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    with pytest.raises(ConfigError, match="set FASTEMBED_CACHE_DIR or fastembed_cache_dir to an absolute path"):
        resolve_cache_dir(None, {"HOME": ""})


def test_a_check_does_not_ask_for_a_folder_that_nobody_named():
    check_cache_dir(None, {})


def test_a_check_stops_at_a_relative_one():
    with pytest.raises(ConfigError, match="relative"):
        check_cache_dir(None, {"FASTEMBED_CACHE_DIR": "models"})
    with pytest.raises(ConfigError, match="relative"):
        check_cache_dir(Path("models"), {})
