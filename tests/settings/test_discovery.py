from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from grooveseek.errors import ConfigError
from grooveseek.settings.discovery import ConfigSource, Origin, config_home, discover, entry_point_directory


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    return path


def found(path: Path | None, origin: Origin, *, trusted: bool) -> ConfigSource:
    return ConfigSource(path=path, origin=origin, trusted=trusted)


def test_nothing_found_is_trusted_defaults(tmp_path: Path):
    assert discover(None, tmp_path, tmp_path, {}) == found(None, Origin.NONE, trusted=True)


def test_a_named_file_wins_and_is_trusted(tmp_path: Path):
    named = put(tmp_path / "elsewhere" / "my.toml")
    put(tmp_path / "groove.toml")
    assert discover(named, tmp_path, None, {}) == found(named, Origin.NAMED, trusted=True)


def test_a_named_file_may_be_relative_or_in_the_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    named = put(tmp_path / "sub" / "my.toml")
    assert discover(Path("my.toml"), tmp_path / "sub", None, {}).path == named
    assert discover(Path("~/sub/my.toml"), tmp_path / "sub", None, {}).path == named


@pytest.mark.parametrize(
    ("given", "problem"),
    [("none.toml", "there is no such file"), (".", "is a directory"), ("~no-such-user/x", "home directory")],
)
def test_a_named_file_that_is_not_there_is_an_error(tmp_path: Path, given: str, problem: str):
    put(tmp_path / "groove.toml")
    with pytest.raises(ConfigError, match=problem):
        discover(Path(given), tmp_path, None, {})


def test_the_working_directory_comes_before_the_repository_and_is_not_trusted(tmp_path: Path):
    (tmp_path / ".git").mkdir()
    put(tmp_path / "groove.toml")
    here = put(tmp_path / "sub" / "groove.toml")
    assert discover(None, here.parent, None, {}) == found(here, Origin.WORKING_DIRECTORY, trusted=False)


def test_the_repositorys_root_is_looked_at_and_is_not_trusted(tmp_path: Path):
    (tmp_path / ".git").mkdir()
    root = put(tmp_path / "groove.toml")
    cwd = tmp_path / "a" / "b"
    cwd.mkdir(parents=True)
    assert discover(None, cwd, None, {}) == found(root, Origin.GIT_ANCESTOR, trusted=False)


def test_a_worktree_has_a_git_file(tmp_path: Path):
    put(tmp_path / ".git")
    root = put(tmp_path / "groove.toml")
    (tmp_path / "a").mkdir()
    assert discover(None, tmp_path / "a", None, {}).path == root


def test_the_nearest_repository_is_the_only_one_looked_at(tmp_path: Path):
    (tmp_path / ".git").mkdir()
    put(tmp_path / "groove.toml")
    (tmp_path / "inner" / ".git").mkdir(parents=True)
    assert discover(None, tmp_path / "inner", None, {}).origin is Origin.NONE


def test_an_ancestor_without_git_is_not_looked_at(tmp_path: Path):
    put(tmp_path / "groove.toml")
    (tmp_path / "a").mkdir()
    assert discover(None, tmp_path / "a", None, {}).origin is Origin.NONE


@pytest.mark.parametrize(("depth", "origin"), [(19, Origin.GIT_ANCESTOR), (20, Origin.NONE)])
def test_the_walk_up_ends_after_19_ancestors(tmp_path: Path, depth: int, origin: Origin):
    (tmp_path / ".git").mkdir()
    put(tmp_path / "groove.toml")
    cwd = tmp_path.joinpath(*["d"] * depth)
    cwd.mkdir(parents=True)
    assert discover(None, cwd, None, {}).origin is origin


def test_the_programs_folder_comes_last_and_is_trusted(tmp_path: Path):
    beside = put(tmp_path / "bin" / "groove.toml")
    cwd = tmp_path / "work"
    cwd.mkdir()
    assert discover(None, cwd, beside.parent, {}) == found(beside, Origin.ENTRY_POINT, trusted=True)
    put(cwd / "groove.toml")
    assert discover(None, cwd, beside.parent, {}).origin is Origin.WORKING_DIRECTORY


def test_the_working_directory_is_not_trusted_though_the_program_lies_there(tmp_path: Path):
    put(tmp_path / "groove.toml")
    assert not discover(None, tmp_path, tmp_path, {}).trusted


def test_a_folder_of_that_name_is_no_file(tmp_path: Path):
    (tmp_path / "groove.toml").mkdir()
    assert discover(None, tmp_path, None, {}).origin is Origin.NONE


def test_a_services_own_file_is_trusted_from_its_folder(tmp_path: Path):
    own = put(tmp_path / "home" / "notes" / "groove.toml")
    environ = {"GROOVE_CONFIG_HOME": str(tmp_path / "home")}
    assert discover(None, own.parent, None, environ) == found(own, Origin.SERVICE, trusted=True)
    assert not discover(None, own.parent, None, {}).trusted
    deeper = put(own.parent / "sub" / "groove.toml")
    assert not discover(None, deeper.parent, None, environ).trusted


def test_the_config_home_has_a_default_of_the_system(tmp_path: Path):
    assert config_home({}).name == "groove"
    assert config_home({}).is_absolute()
    assert config_home({"GROOVE_CONFIG_HOME": ""}) == config_home({})
    assert config_home({"GROOVE_CONFIG_HOME": str(tmp_path)}) == tmp_path


@pytest.mark.skipif(sys.platform != "linux", reason="names the XDG variable")
def test_a_services_own_file_is_trusted_in_the_default_config_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    own = put(tmp_path / "groove" / "notes" / "groove.toml")
    assert discover(None, own.parent, None, {}).origin is Origin.SERVICE
    alike = put(tmp_path / "other" / "groove" / "notes" / "groove.toml")
    assert discover(None, alike.parent, None, {}).origin is Origin.WORKING_DIRECTORY


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="permissions do not bind here")
def test_a_directory_that_may_not_be_searched_holds_nothing(tmp_path: Path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    try:
        assert discover(None, closed, None, {}).origin is Origin.NONE
    finally:
        closed.chmod(0o700)


def test_the_program_is_found_behind_its_link(tmp_path: Path):
    program = put(tmp_path / "venv" / "bin" / "groove")
    link = tmp_path / "bin" / "groove"
    link.parent.mkdir()
    link.symlink_to(program)
    assert entry_point_directory(str(link)) == program.parent


@pytest.mark.parametrize("argv0", ["groove", "/usr/bin/python", "/x/pytest", "/x/grooveseek/__main__.py", "", "-c"])
def test_another_program_or_a_bare_name_has_no_folder(argv0: str):
    assert entry_point_directory(argv0) is None


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (found(None, Origin.NONE, trusted=True), "no groove.toml, the defaults"),
        (found(Path("/a/g"), Origin.NAMED, trusted=True), f"{Path('/a/g')} (named by --config, trusted)"),
        (
            found(Path("/a/g"), Origin.GIT_ANCESTOR, trusted=False),
            f"{Path('/a/g')} (found at the root of the git repository, not trusted)",
        ),
    ],
)
def test_a_source_says_path_origin_and_trust_in_one_line(source: ConfigSource, line: str):
    assert source.describe() == line
