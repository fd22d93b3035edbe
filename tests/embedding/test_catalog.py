from pathlib import Path

import pytest
from grooveseek.embedding.catalog import DEFAULT_MODEL, MODELS, RERANKERS, ModelSpec, resolve_model, resolve_reranker
from grooveseek.embedding.pooling import Pooling
from grooveseek.errors import ConfigError
from grooveseek.settings.sections import Settings
from grooveseek.text.scripts import script_of

DOWNLOADED = [spec for spec in MODELS.values() if spec.files]


def fastembed_models():
    from fastembed import TextEmbedding

    return {model["model"].casefold(): model for model in TextEmbedding.list_supported_models()}


def fastembed_rerankers():
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    return {model["model"].casefold(): model for model in TextCrossEncoder.list_supported_models()}


def listed(spec, models):
    return next((models[alias.casefold()] for alias in spec.aliases if alias.casefold() in models), None)


def same_files(files, theirs):
    ours = (files.repo, files.model, list(files.data), files.gigabytes)
    return ours == (theirs["sources"]["hf"], theirs["model_file"], theirs["additional_files"], theirs["size_in_GB"])


@pytest.mark.parametrize("spec", [spec for spec in DOWNLOADED if spec.name != "bge-m3"], ids=lambda spec: spec.name)
def test_a_downloaded_model_is_what_fastembed_says_it_is(spec):
    theirs = listed(spec, fastembed_models())
    assert spec.dimension == theirs["dim"]
    assert spec.licence.casefold() == theirs["license"]
    assert f"{spec.window} input tokens" in theirs["description"]
    assert same_files(spec.files, theirs)


def test_bge_m3_is_not_in_fastembed_yet():
    # When this fails, take its description from there as for the others.
    assert listed(MODELS["bge-m3"], fastembed_models()) is None


@pytest.mark.parametrize("spec", RERANKERS.values(), ids=lambda spec: spec.name)
def test_a_reranker_is_what_fastembed_says_it_is(spec):
    theirs = listed(spec, fastembed_rerankers())
    assert spec.licence.casefold() == theirs["license"]
    assert same_files(spec.files, theirs)


def test_the_rerankers_the_settings_promise_are_there():
    assert {"bge-v2-m3", "jina-v2-ml", "bge-base"} <= set(RERANKERS)


def test_a_licence_against_commercial_use_is_a_warning():
    restricted = {spec.name for spec in (*MODELS.values(), *RERANKERS.values()) if "NC" in spec.licence}
    assert restricted == {"jina-v2-ml"}
    assert "not for commercial use" in RERANKERS["jina-v2-ml"].warning


def test_the_default_model_is_bundled_and_is_the_settings_default():
    assert MODELS[DEFAULT_MODEL].files is None
    assert Settings().model == DEFAULT_MODEL


def test_scripts_are_named_as_the_text_package_names_them():
    named = {script for spec in MODELS.values() for script in spec.scripts or ()}
    assert named == {script_of("a")}


def test_a_dynamically_quantised_model_runs_one_text_at_a_time():
    assert MODELS[DEFAULT_MODEL].one_at_a_time
    assert RERANKERS["bge-v2-m3-int8"].one_at_a_time


def test_the_identity_of_a_model_carries_its_prefixes():
    identity = MODELS["multilingual-e5-large"].identity("abc")
    assert (identity.revision, identity.query_prefix, identity.passage_prefix) == ("abc", "query: ", "passage: ")
    assert identity.pooling == "mean"
    assert type(identity.pooling) is str


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("all-minilm-l6-v2", "all-minilm-l6-v2"),
        ("All-MiniLM-L6-v2", "all-minilm-l6-v2"),
        ("sentence-transformers/all-MiniLM-L6-v2", "all-minilm-l6-v2"),
        ("BAAI/bge-m3", "bge-m3"),
        ("baai/BGE-M3", "bge-m3"),
    ],
)
def test_names_and_aliases_are_known_whatever_their_case(name, found):
    spec = resolve_model(name)
    assert isinstance(spec, ModelSpec)
    assert spec.name == found


def test_a_reranker_is_known_by_its_own_name():
    assert resolve_reranker("BAAI/bge-reranker-v2-m3").name == "bge-v2-m3"


@pytest.mark.parametrize("name", ["./mine", "models/of/mine", "/srv/mine", "../x/y", "..\\mine", "C:\\mine", "C:/mine"])
def test_a_name_with_a_separator_is_a_path(name):
    assert resolve_model(name) == Path(name)
    assert resolve_reranker(name) == Path(name)


def test_a_published_name_that_is_a_directory_here_is_its_path(tmp_path, monkeypatch):
    (tmp_path / "models" / "mine").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert resolve_model("models/mine") == Path("models/mine")


@pytest.mark.parametrize(("resolve", "kind"), [(resolve_model, "embedding model"), (resolve_reranker, "reranker")])
def test_an_unknown_published_name_gets_the_known_ones_and_the_way_to_write_a_path(resolve, kind):
    with pytest.raises(ConfigError) as caught:
        resolve("nobody/zzzz")
    message = str(caught.value)
    assert message.startswith(f'no {kind} is called "nobody/zzzz": Known are ')
    assert {"embedding model": "bge-m3", "reranker": "bge-base"}[kind] in message
    assert message.endswith('a model directory is given by its path, as in "./nobody/zzzz"')


@pytest.mark.parametrize("spec", [*MODELS.values(), *RERANKERS.values()], ids=lambda spec: spec.name)
def test_every_entry_is_known_by_the_name_it_was_published_under(spec):
    published = [alias for alias in spec.aliases if "/" in alias]
    resolve = resolve_model if isinstance(spec, ModelSpec) else resolve_reranker
    assert published
    assert {resolve(alias) for alias in published} == {spec}


def test_a_tilde_is_the_home_directory(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert resolve_model("~/mine") == tmp_path / "mine"


def test_an_unknown_home_directory_is_an_error():
    with pytest.raises(ConfigError, match="home directory"):
        resolve_model("~nobody-of-this-name/mine")


@pytest.mark.parametrize(
    ("name", "guess"),
    [
        ("bge-smal-en-v1.5", "bge-small-en-v1.5"),
        ("all-minilm", "all-minilm-l6-v2"),
        ("BGE-M-3", "bge-m3"),
        ("BAAI/bge-small-en", "bge-small-en-v1.5"),
        ("Xenova/all-MiniLM-L6-v2", "all-minilm-l6-v2"),
    ],
)
def test_an_unknown_model_gets_the_nearest_name(name, guess):
    with pytest.raises(ConfigError, match=f'no embedding model is called "{name}": did you mean "{guess}"'):
        resolve_model(name)


def test_a_name_like_nothing_gets_the_list_and_the_way_to_write_a_path():
    with pytest.raises(ConfigError) as caught:
        resolve_model("qqqqqq")
    assert "did you mean" not in str(caught.value)
    assert "bge-m3" in str(caught.value)
    assert '"./qqqqqq"' in str(caught.value)


def test_an_unknown_reranker_is_guessed_among_rerankers():
    with pytest.raises(ConfigError, match='no reranker is called "bge-m3": did you mean "bge-v2-m3"'):
        resolve_reranker("bge-m3")


def test_every_model_pools_in_a_way_there_is():
    assert {spec.pooling for spec in MODELS.values()} <= set(Pooling)
