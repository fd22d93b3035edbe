from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from grooveseek.settings.discovery import ConfigSource, Origin
from grooveseek.settings.keys import Kind, build, flatten, keys
from grooveseek.settings.trust import restrict

IGNORED = {
    "fastembed_cache_dir",
    "index.path",
    "transport.http.allowed_hosts",
    "transport.http.allowed_origins",
    "transport.http.healthz_public",
    "transport.http.max_sessions",
    "embedding.model",
    "embedding.base_url",
    "embedding.dimension",
    "embedding.api_key_env",
}
"""Whatever their value; the rules for single values have tests of their own."""

SIZES = ("index.max_raw_text_size", "index.max_raw_binary_size", "index.max_decompressed_size")


def source(folder: Path, *, trusted: bool = False) -> ConfigSource:
    return ConfigSource(path=folder / "groove.toml", origin=Origin.WORKING_DIRECTORY, trusted=trusted)


def judged(folder: Path, name: str, value: Any) -> tuple[Any, tuple[str, ...]]:
    """What an untrusted file in ``folder`` gets for one key, and the warnings."""
    settings, restrictions = restrict(build({name: value}), {name: 7}, source(folder))
    untouched = {key: kept for key, kept in flatten(settings).items() if key != name}
    assert untouched == {key: spec.default for key, spec in keys().items() if key != name}
    return flatten(settings)[name], tuple(map(str, restrictions))


def sample(name: str) -> Any:
    """A value that is not the default."""
    key = keys()[name]
    special = {
        "transport.http.bind": "127.0.0.1:4000",
        "embedding.provider": "fastembed",
        "kb_path": Path("/srv/notes-that-are-not-there"),
    }
    if name in special:
        return special[name]
    if key.choices:
        return next(choice for choice in key.choices if choice != key.default)
    if key.kind is Kind.BOOL:
        return not key.default
    return {
        Kind.INT: 777,
        Kind.FLOAT: 0.123,
        Kind.TEXT: "other",
        Kind.PATH: Path("/srv/other"),
        Kind.TEXTS: ("other",),
        Kind.INTS: (7,),
    }[key.kind]


@pytest.mark.parametrize("name", list(keys()))
def test_every_key_is_either_ignored_or_kept_whole(name: str, tmp_path: Path):
    value = sample(name)
    assert value != keys()[name].default
    kept, warnings = judged(tmp_path, name, value)
    if name in IGNORED:
        assert kept == keys()[name].default
        assert len(warnings) == 1
        assert warnings[0].startswith(f"{tmp_path / 'groove.toml'}:7: {name} is ignored, because groove found")
        assert f"--config {tmp_path / 'groove.toml'}" in warnings[0]
    else:
        assert kept == value
        assert warnings == ()


@pytest.mark.parametrize("name", list(keys()))
def test_a_trusted_file_keeps_every_key(name: str, tmp_path: Path):
    settings = build({name: sample(name)})
    assert restrict(settings, {name: 1}, source(tmp_path, trusted=True)) == (settings, ())


@pytest.mark.parametrize("name", sorted(IGNORED))
def test_repeating_a_default_is_no_reason_to_warn(name: str, tmp_path: Path):
    assert judged(tmp_path, name, keys()[name].default) == (keys()[name].default, ())


@pytest.mark.parametrize("name", SIZES)
def test_a_size_may_be_raised_but_not_lifted(name: str, tmp_path: Path):
    assert judged(tmp_path, name, 10**12) == (10**12, ())
    kept, warnings = judged(tmp_path, name, None)
    assert kept == keys()[name].default
    assert f"{name} is ignored" in warnings[0]


def test_a_remote_provider_is_ignored(tmp_path: Path):
    kept, warnings = judged(tmp_path, "embedding.provider", "openai")
    assert kept == "local"
    assert "embedding.provider is ignored" in warnings[0]


@pytest.mark.parametrize("bind", ["0.0.0.0:4000", "[::]:4000", "192.168.1.5:4000", "my-host:4000"])
def test_an_open_address_keeps_its_port_on_loopback(bind: str, tmp_path: Path):
    settings, restrictions = restrict(
        build({"transport.http.bind": bind}), {"transport.http.bind": 2}, source(tmp_path)
    )
    assert settings.transport.http.bind == "127.0.0.1:4000"
    assert len(restrictions) == 1
    assert "transport.http.bind is kept on 127.0.0.1" in str(restrictions[0])
    assert not restrictions[0].ignored


@pytest.mark.parametrize("bind", ["localhost:1", "127.0.0.9:0", "[::1]:65535"])
def test_a_loopback_address_stays(bind: str, tmp_path: Path):
    assert judged(tmp_path, "transport.http.bind", bind) == (bind, ())


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``tmp_path/people/me``, beside ``tmp_path/repo``."""
    folder = tmp_path / "people" / "me"
    folder.mkdir(parents=True)
    (tmp_path / "repo" / "docs").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    return folder


def kb_path_is_kept(config_folder: Path, kb_path: Path) -> bool:
    kept, warnings = judged(config_folder, "kb_path", kb_path)
    assert (kept is None) == (len(warnings) == 1)
    return kept is not None


def test_a_folder_of_its_own_is_kept(home: Path, tmp_path: Path):
    repo = tmp_path / "repo"
    assert kb_path_is_kept(repo, repo)
    assert kb_path_is_kept(repo, repo / "docs")
    assert kb_path_is_kept(repo, repo / "not-there")
    assert kb_path_is_kept(repo, home / "notes")
    assert kb_path_is_kept(repo, tmp_path / "elsewhere")


def test_a_file_system_root_is_ignored(home: Path, tmp_path: Path):
    assert not kb_path_is_kept(tmp_path / "repo", Path(tmp_path.anchor))
    assert not kb_path_is_kept(tmp_path / "repo", tmp_path / Path(*[".."] * 40))


def test_the_home_directory_and_what_holds_it_are_ignored(home: Path, tmp_path: Path):
    repo = tmp_path / "repo"
    assert not kb_path_is_kept(repo, home)
    assert not kb_path_is_kept(repo, home.parent)
    assert not kb_path_is_kept(home, home)


def test_an_ancestor_of_the_files_directory_is_ignored(home: Path, tmp_path: Path):
    docs = tmp_path / "repo" / "docs"
    assert not kb_path_is_kept(docs, tmp_path / "repo")
    assert not kb_path_is_kept(docs, docs / "..")
    assert not kb_path_is_kept(docs, docs / "not-there" / ".." / "..")


def test_links_are_followed_before_the_check(home: Path, tmp_path: Path):
    repo = tmp_path / "repo"
    (repo / "to-home").symlink_to(home)
    (repo / "to-root").symlink_to(tmp_path.anchor)
    (repo / "to-above").symlink_to("..")
    (repo / "to-docs").symlink_to("docs")
    (repo / "loop").symlink_to("loop")
    assert not kb_path_is_kept(repo, repo / "to-home")
    assert not kb_path_is_kept(repo, repo / "to-root")
    assert not kb_path_is_kept(repo, repo / "to-above")
    assert kb_path_is_kept(repo, repo / "to-docs")


def test_the_files_directory_may_itself_be_reached_through_a_link(home: Path, tmp_path: Path):
    (tmp_path / "link").symlink_to("repo/docs")
    assert not kb_path_is_kept(tmp_path / "link", tmp_path / "repo")


def test_the_home_directory_may_itself_be_a_link(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "me").symlink_to(home)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "me"))
    assert not kb_path_is_kept(tmp_path / "repo", home)
    assert not kb_path_is_kept(tmp_path / "repo", home.parent)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
def test_a_loop_of_links_is_ignored(home: Path, tmp_path: Path):
    loop = tmp_path / "repo" / "loop"
    loop.symlink_to("loop")
    assert not kb_path_is_kept(tmp_path / "repo", loop)


def test_the_warning_for_a_folder_says_what_it_is(home: Path, tmp_path: Path):
    _, warnings = judged(tmp_path / "repo", "kb_path", home)
    assert f"kb_path is ignored: {home} is the home directory or above it" in warnings[0]
    assert "--kb-path" in warnings[0]
