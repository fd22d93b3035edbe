from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

import pytest
from grooveseek.errors import ConfigError, UsageError
from grooveseek.settings.discovery import Origin
from grooveseek.settings.effective import Resolved, announce, resolve_settings
from grooveseek.settings.keys import keys
from grooveseek.settings.sections import Settings


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def resolve(
    cwd: Path, overrides: Mapping[str, object] | None = None, environ: Mapping[str, str] | None = None
) -> Resolved:
    return resolve_settings(None, overrides or {}, cwd, environ or {})


def named(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "named.toml"
    path.write_text(text)
    return path


def test_without_anything_the_defaults_are_in_force(cwd: Path):
    resolved = resolve(cwd)
    assert resolved.settings == Settings()
    assert resolved.source.origin is Origin.NONE
    assert resolved.provenance == dict.fromkeys(keys(), "default")
    assert (resolved.lines, resolved.warnings) == ({}, ())


def test_each_layer_wins_over_the_one_before(cwd: Path, tmp_path: Path):
    file = named(tmp_path, 'model = "from-file"\nreranker = "from-file"\nfastembed_cache_dir = "/file"\n')
    environ = {"FASTEMBED_CACHE_DIR": "/environment"}
    flags = {"reranker": "from-flag", "search.mmr.lambda": 0.25}
    resolved = resolve_settings(file, flags, cwd, environ)
    assert resolved.settings.model == "from-file"
    assert resolved.settings.reranker == "from-flag"
    assert resolved.settings.fastembed_cache_dir == Path("/environment")
    assert resolved.settings.search.mmr.lambda_ == 0.25
    origins = {name: layer for name, layer in resolved.provenance.items() if layer != "default"}
    assert origins == {
        "model": "file",
        "reranker": "flag",
        "fastembed_cache_dir": "environment",
        "search.mmr.lambda": "flag",
    }
    assert resolve_settings(file, {"fastembed_cache_dir": "/flag"}, cwd, environ).settings.fastembed_cache_dir == Path(
        "/flag"
    )


def test_an_empty_environment_variable_counts_as_unset(cwd: Path):
    assert resolve(cwd, environ={"FASTEMBED_CACHE_DIR": ""}).settings.fastembed_cache_dir is None


def test_a_relative_cache_directory_in_the_environment_stops_groove(cwd: Path):
    with pytest.raises(ConfigError, match="environment variable FASTEMBED_CACHE_DIR must be an absolute path"):
        resolve(cwd, environ={"FASTEMBED_CACHE_DIR": "models"})


def test_a_flag_that_was_not_given_decides_nothing(cwd: Path):
    (cwd / "groove.toml").write_text("search.mmr.enabled = true\n")
    resolved = resolve(cwd, {"search.mmr.enabled": None})
    assert resolved.settings.search.mmr.enabled is True
    assert resolved.provenance["search.mmr.enabled"] == "file"


def test_false_and_zero_are_flags_that_were_given(cwd: Path):
    resolved = resolve(cwd, {"watch.enabled": False, "search.min_confidence_ratio": 0})
    assert resolved.settings.watch.enabled is False
    assert resolved.settings.search.min_confidence_ratio == 0.0


def test_paths_in_flags_start_from_the_working_directory(cwd: Path, tmp_path: Path):
    file = named(tmp_path, 'kb_path = "in-file"\n')
    assert resolve_settings(file, {}, cwd, {}).settings.kb_path == tmp_path / "in-file"
    assert resolve_settings(file, {"kb_path": Path("in-flag")}, cwd, {}).settings.kb_path == cwd / "in-flag"
    assert resolve_settings(file, {"model": "./dir"}, cwd, {}).settings.model == str(cwd / "dir")


REMOTE = '[embedding]\nprovider = "openai"\nmodel = "from-file"\n'


@pytest.mark.parametrize("name", ["text-embedding-3-large", "org/model", "./model", "registry:5000/model:latest"])
def test_a_model_in_a_flag_is_the_endpoints_where_vectors_come_from_one(cwd: Path, tmp_path: Path, name: str):
    resolved = resolve_settings(named(tmp_path, REMOTE), {"model": name}, cwd, {})
    assert resolved.settings.embedding.model == name
    assert resolved.settings.model == Settings().model
    assert (resolved.provenance["embedding.model"], resolved.provenance["model"]) == ("flag", "default")
    assert resolve_settings(named(tmp_path, REMOTE), {"model": None}, cwd, {}).settings.embedding.model == "from-file"


def test_an_endpoint_that_is_not_trusted_does_not_get_the_model_of_a_flag(cwd: Path):
    (cwd / "groove.toml").write_text(REMOTE)
    settings = resolve(cwd, {"model": "bge-m3"}).settings
    assert (settings.model, settings.embedding.model) == ("bge-m3", None)


def test_an_empty_model_in_a_flag_is_refused_for_an_endpoint_too(cwd: Path, tmp_path: Path):
    with pytest.raises(UsageError, match=r"^embedding\.model must not be empty"):
        resolve_settings(named(tmp_path, REMOTE), {"model": ""}, cwd, {})


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        ({"search.mmr.lambda": 3.0}, r"search\.mmr\.lambda must be at most 1, not 3\.0\."),
        ({"transport.kind": "x"}, "transport.kind must be"),
        (
            {"search.fusion.vector_weight": 0, "search.fusion.fts_weight": 0},
            "vector_weight and search.fusion.fts_weight cannot both be 0",
        ),
    ],
)
def test_a_flag_out_of_range_is_a_usage_error(cwd: Path, flags: dict[str, object], problem: str):
    with pytest.raises(UsageError, match=problem):
        resolve(cwd, flags)


def test_a_flag_and_a_file_together_may_not_silence_both_legs(cwd: Path):
    (cwd / "groove.toml").write_text("search.fusion.vector_weight = 0\n")
    with pytest.raises(UsageError, match="cannot both be 0"):
        resolve(cwd, {"search.fusion.fts_weight": 0})


def test_what_trust_took_away_is_the_default_again_and_warned_about(cwd: Path):
    (cwd / "groove.toml").write_text('model = "kept"\n[transport.http]\nmax_sessions = 1\nbind = "0.0.0.0:9"\n')
    resolved = resolve(cwd)
    assert not resolved.source.trusted
    assert resolved.settings.transport.http.max_sessions == 256
    assert resolved.settings.transport.http.bind == "127.0.0.1:9"
    assert resolved.provenance["transport.http.max_sessions"] == "default"
    assert resolved.provenance["transport.http.bind"] == "file"
    assert resolved.lines == {"model": 1, "transport.http.bind": 4}
    assert [warning.split(": ")[1].split()[0] for warning in resolved.warnings] == [
        "transport.http.max_sessions",
        "transport.http.bind",
    ]


def test_trust_does_not_reach_environment_and_flags(cwd: Path):
    (cwd / "groove.toml").write_text('fastembed_cache_dir = "/evil"\n')
    resolved = resolve(cwd, {"transport.http.bind": "0.0.0.0:9"}, {"FASTEMBED_CACHE_DIR": "/mine"})
    assert resolved.settings.fastembed_cache_dir == Path("/mine")
    assert resolved.settings.transport.http.bind == "0.0.0.0:9"


def test_the_same_file_is_trusted_once_it_is_named(cwd: Path):
    file = cwd / "groove.toml"
    file.write_text('[transport.http]\nbind = "0.0.0.0:9"\n')
    resolved = resolve_settings(file, {}, cwd, {})
    assert resolved.settings.transport.http.bind == "0.0.0.0:9"
    assert resolved.warnings == ()


def test_a_file_with_an_error_stops_even_when_a_flag_would_win(cwd: Path):
    (cwd / "groove.toml").write_text("model = 3\n")
    with pytest.raises(ConfigError, match=r"groove\.toml:1: model must be a text"):
        resolve(cwd, {"model": "x"})


def test_the_programs_folder_is_looked_at_when_it_is_given(cwd: Path, tmp_path: Path):
    (tmp_path / "groove.toml").write_text('model = "beside"\n')
    resolved = resolve_settings(None, {}, cwd, {}, entry_point_dir=tmp_path)
    assert resolved.settings.model == "beside"
    assert resolved.source.origin is Origin.ENTRY_POINT


def test_a_start_up_logs_one_line_and_each_warning(cwd: Path, caplog: pytest.LogCaptureFixture):
    (cwd / "groove.toml").write_text("[transport.http]\nmax_sessions = 1\n")
    with caplog.at_level(logging.INFO, logger="grooveseek"):
        announce(resolve(cwd))
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("INFO", f"settings: {cwd / 'groove.toml'} (found in the working directory, not trusted)"),
        (
            "WARNING",
            f"{cwd / 'groove.toml'}:2: transport.http.max_sessions is ignored, because groove found this file by "
            f"itself. --config {cwd / 'groove.toml'} trusts it.",
        ),
    ]
