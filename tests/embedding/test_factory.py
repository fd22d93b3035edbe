import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from grooveseek.embedding.bundle import bundled_card
from grooveseek.embedding.factory import PROVIDERS, build_embedder, build_reranker
from grooveseek.embedding.fake import FakeEmbedder, FakeReranker
from grooveseek.errors import ConfigError, EmbeddingError, ModelUnavailable
from grooveseek.settings.sections import EmbeddingSettings, Settings

HEAVY = ("onnxruntime", "tokenizers", "fastembed", "huggingface_hub", "scipy", "requests", "httpx")


def build(environ=None, **settings):
    return build_embedder(Settings(**settings), environ=environ or {})


def modules_after(program: str) -> dict[str, list[str]]:
    """Which heavy modules are loaded at each point where the program calls ``note(name)``."""
    head = (
        "import sys, json\n"
        "notes = {}\n"
        f"heavy = {HEAVY!r}\n"
        "def note(name): notes[name] = [module for module in heavy if module in sys.modules]\n"
    )
    command = [sys.executable, "-c", head + program + "\nprint(json.dumps(notes))"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    notes: dict[str, list[str]] = json.loads(done.stdout)
    return notes


def test_nothing_heavy_is_imported_before_the_first_vector():
    notes = modules_after(
        "from grooveseek.embedding.factory import build_embedder, build_reranker\n"
        "from grooveseek.settings.sections import Settings\n"
        "note('import')\n"
        "embedder = build_embedder(Settings(), environ={})\n"
        "embedder.identity, embedder.dimension, embedder.window, embedder.scripts\n"
        "build_reranker(Settings(), 'bge-v2-m3', environ={'FASTEMBED_CACHE_DIR': '/nowhere'})\n"
        "note('build')\n"
        "embedder.windows('some text')\n"
        "note('windows')\n"
        "embedder.embed_query('some text')\n"
        "note('query')\n"
    )
    assert notes == {
        "import": [],
        "build": [],
        "windows": ["tokenizers"],
        "query": ["onnxruntime", "tokenizers"],
    }


def test_the_default_is_the_bundled_model():
    assert build().identity == bundled_card().identity


def test_a_directory_is_a_model(embedder_dir):
    embedder = build(model=str(embedder_dir))
    assert embedder.identity.name == "tiny-embedder"
    assert embedder.embed_query("krill").shape == (384,)


def test_a_relative_directory_is_a_model(embedder_dir, monkeypatch):
    monkeypatch.chdir(embedder_dir.parent)
    assert build(model=f"./{embedder_dir.name}").dimension == 384


def test_the_fakes_go_by_the_name_fake():
    assert isinstance(build(model="fake"), FakeEmbedder)
    assert isinstance(build_reranker(Settings(), "fake", environ={}), FakeReranker)


def test_prefixes_of_the_settings_win(embedder_dir):
    section = EmbeddingSettings(query_prefix="Q ", passage_prefix="P ")
    embedder = build(model=str(embedder_dir), embedding=section)
    plain = build(model=str(embedder_dir))
    assert (embedder.identity.query_prefix, embedder.identity.passage_prefix) == ("Q ", "P ")
    assert np.array_equal(embedder.embed_query("krill"), plain.embed_query("Q krill"))
    assert np.array_equal(embedder.embed_documents(["krill"]), plain.embed_documents(["P krill"]))


def test_a_model_keeps_its_prefixes_where_the_settings_have_none(embedder_dir, copied):
    directory = copied(embedder_dir)
    prompts = {"prompts": {"query": "Q: ", "passage": "P: "}}
    (directory / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    identity = build(model=str(directory), embedding=EmbeddingSettings(passage_prefix="mine: ")).identity
    assert (identity.query_prefix, identity.passage_prefix) == ("Q: ", "mine: ")


@pytest.mark.parametrize("provider", ["local", "fastembed"])
def test_both_local_providers_mean_the_same(provider):
    assert build(embedding=EmbeddingSettings(provider=provider)).identity == bundled_card().identity


def test_a_provider_that_is_not_there_is_named_with_those_that_are():
    missing = "somewhere-else"
    assert missing not in PROVIDERS
    with pytest.raises(ConfigError, match='provider = "somewhere-else" is not available in this version: use local or'):
        build(embedding=EmbeddingSettings(provider=missing))


def test_an_unknown_model_stops_at_once():
    with pytest.raises(ConfigError, match='did you mean "bge-m3"'):
        build(model="bge-m2")


def test_an_unknown_reranker_stops_at_once():
    with pytest.raises(ConfigError, match='did you mean "bge-base"'):
        build_reranker(Settings(), "bge-bse", environ={})


@pytest.mark.parametrize("model", ["all-minilm-l6-v2", "bge-m3", "fake"])
def test_a_relative_cache_variable_stops_every_model(model):
    with pytest.raises(ConfigError, match="FASTEMBED_CACHE_DIR"):
        build(model=model, environ={"FASTEMBED_CACHE_DIR": "models"})


def test_the_bundled_model_needs_no_cache_folder(monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    assert build(environ={"HOME": ""}).dimension == 384


def test_a_downloaded_model_needs_one(monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    with pytest.raises(ConfigError, match="no folder for downloaded models"):
        build(model="bge-m3", environ={"HOME": ""})


def test_a_missing_download_shows_on_first_use_and_names_the_bundled_model(tmp_path):
    environ = {"FASTEMBED_CACHE_DIR": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    embedder = build(model="bge-small-en-v1.5", environ=environ)
    with pytest.raises(ModelUnavailable, match='model = "all-minilm-l6-v2"'):
        _ = embedder.identity


def test_the_settings_name_the_cache(tmp_path):
    embedder = build(model="bge-m3", fastembed_cache_dir=tmp_path / "mine", environ={"HF_HUB_OFFLINE": "1"})
    with pytest.raises(ModelUnavailable, match=f"is not in {tmp_path / 'mine'}"):
        _ = embedder.identity


def test_a_reranker_takes_the_settings_cache_and_threads(cross_dir, tmp_path):
    settings = Settings(fastembed_cache_dir=tmp_path, embedding=EmbeddingSettings(threads=2))
    assert build_reranker(settings, str(cross_dir), environ={}).score("abcd", ["abcd"]) == pytest.approx([4])
    remote = build_reranker(settings, "bge-base", environ={"HF_HUB_OFFLINE": "1"})
    with pytest.raises(ModelUnavailable, match=f"is not in {tmp_path}"):
        remote.score("abcd", ["abcd"])


def test_a_directory_that_is_not_there_shows_on_first_use():
    embedder = build(model=str(Path("/nowhere/model")))
    with pytest.raises(EmbeddingError, match="neither the name of a model nor a directory"):
        embedder.embed_query("krill")
