import logging
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from grooveseek.embedding.catalog import MODELS, HubFiles
from grooveseek.embedding.hub import fetch, find_cached, hub_card, loadable
from grooveseek.embedding.pooling import Pooling
from grooveseek.embedding.rerank import load_reranker
from grooveseek.embedding.runner import OnnxEmbedder
from grooveseek.errors import EmbeddingError, ModelUnavailable
from tests.support import hub, tiny_models

FILES = HubFiles(repo="someone/tiny", model="model.onnx", gigabytes=0.067)
SPEC = replace(MODELS["bge-small-en-v1.5"], files=FILES, pooling=Pooling.NONE, query_prefix="")
COMMIT = hub.COMMIT


def get(cache_dir, endpoint, files=FILES, **environ):
    environ = {"HF_ENDPOINT": endpoint, **environ}
    return fetch("tiny", files, cache_dir=cache_dir, environ=environ, instead="use another")


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def fill_cache(cache_dir: Path, files: dict[str, bytes], commit: str = COMMIT, *, main: bool = True) -> Path:
    """The layout of a hub cache, with plain files where there would be links."""
    repo = cache_dir / "models--someone--tiny"
    for name, data in files.items():
        path = repo / "snapshots" / commit / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    if main:
        (repo / "refs").mkdir(exist_ok=True)
        (repo / "refs" / "main").write_text(commit)
    return repo / "snapshots" / commit


def test_a_model_is_downloaded_once_and_then_found_in_the_cache(tmp_path, embedder_dir, caplog):
    with hub.serving(FILES.repo, contents(embedder_dir)) as server, caplog.at_level(logging.WARNING):
        card = hub_card(SPEC, FILES, cache_dir=tmp_path, environ={"HF_ENDPOINT": server.url})
    assert f"Downloading the model bge-small-en-v1.5 (67 MB) from {server.url} to {tmp_path}" in caplog.text
    assert card.identity.name == "bge-small-en-v1.5"
    assert OnnxEmbedder(lambda: card).embed_query("krill").shape == (384,)
    again = hub_card(SPEC, FILES, cache_dir=tmp_path, environ={"HF_ENDPOINT": hub.refusing()})
    assert again == card


def test_only_the_files_the_model_needs_are_downloaded(tmp_path, embedder_dir):
    files = contents(embedder_dir) | {"pytorch_model.bin": b"large", "README.md": b"text"}
    with hub.serving(FILES.repo, files) as server:
        snapshot = get(tmp_path, server.url)
    assert {path.name for path in snapshot.iterdir()} == {"model.onnx", "tokenizer.json", "tokenizer_config.json"}


def test_an_interrupted_download_is_completed(tmp_path, embedder_dir):
    fill_cache(tmp_path, {"tokenizer.json": (embedder_dir / "tokenizer.json").read_bytes()})
    with hub.serving(FILES.repo, contents(embedder_dir)) as server:
        assert (get(tmp_path, server.url) / "model.onnx").read_bytes() == (embedder_dir / "model.onnx").read_bytes()


def check_ways_out(message: str, cache_dir: Path, endpoint: str) -> None:
    assert f'the model "tiny" is not in {cache_dir} and cannot be had from {endpoint}' in message
    assert "use another" in message
    assert "FASTEMBED_CACHE_DIR" in message
    assert "name a directory with the model's files" in message
    assert "HF_ENDPOINT" in message


def test_a_refused_connection_is_said_with_the_ways_out(tmp_path):
    endpoint = hub.refusing()
    with pytest.raises(ModelUnavailable) as caught:
        get(tmp_path, endpoint)
    check_ways_out(str(caught.value), tmp_path, endpoint)
    assert "refused" in str(caught.value)


@pytest.mark.timeout(30)  # left alone, the library waits for more than a minute
def test_a_silent_hub_is_given_up_within_seconds(tmp_path):
    with hub.silent() as endpoint, pytest.raises(ModelUnavailable) as caught:
        get(tmp_path, endpoint)
    check_ways_out(str(caught.value), tmp_path, endpoint)
    assert "timed out" in str(caught.value)


@pytest.mark.timeout(30)  # left alone, the library tries again and again for 39 seconds
@pytest.mark.parametrize("status", [401, 403, 404, 500, 503])
def test_an_error_of_the_hub_is_said_with_the_ways_out(tmp_path, status):
    with hub.serving(FILES.repo, {}, status=status) as server, pytest.raises(ModelUnavailable) as caught:
        get(tmp_path, server.url)
    check_ways_out(str(caught.value), tmp_path, server.url)
    assert str(status) in str(caught.value)
    assert len(server.requests) == 1


def test_a_repository_without_the_model_is_said(tmp_path, embedder_dir):
    files = contents(embedder_dir)
    del files["model.onnx"]
    with (
        hub.serving(FILES.repo, files) as server,
        pytest.raises(ModelUnavailable, match=r"the repository someone/tiny there lacks some of model\.onnx"),
    ):
        get(tmp_path, server.url)


@pytest.mark.parametrize("value", ["1", "true", "YES", " on "])
def test_offline_mode_does_not_touch_the_network(tmp_path, value):
    with (
        hub.serving(FILES.repo, {}) as server,
        pytest.raises(ModelUnavailable, match="HF_HUB_OFFLINE is set"),
    ):
        get(tmp_path, server.url, HF_HUB_OFFLINE=value)
    assert server.requests == []


def test_an_empty_endpoint_counts_as_unset(tmp_path):
    with pytest.raises(ModelUnavailable, match=re.escape("cannot be had from https://huggingface.co (HF_HUB_OFFLINE")):
        get(tmp_path, "", HF_HUB_OFFLINE="1")


def test_a_cache_that_does_not_exist_holds_nothing(tmp_path):
    assert find_cached(tmp_path / "nowhere", FILES) is None


def test_the_main_revision_is_preferred(tmp_path):
    needed = {"model.onnx": b"", "tokenizer.json": b""}
    fill_cache(tmp_path, needed, "aaaa", main=False)
    newest = fill_cache(tmp_path, needed, "bbbb")
    assert find_cached(tmp_path, FILES) == newest


def test_a_cache_without_a_main_revision_is_used_too(tmp_path):
    snapshot = fill_cache(tmp_path, {"model.onnx": b"", "tokenizer.json": b""}, "aaaa", main=False)
    assert find_cached(tmp_path, FILES) == snapshot


@pytest.mark.parametrize("missing", ["onnx/model.onnx", "onnx/model.onnx_data", "tokenizer.json"])
def test_a_snapshot_that_lacks_a_file_is_not_used(tmp_path, missing):
    files = replace(FILES, model="onnx/model.onnx", data=("onnx/model.onnx_data",))
    needed = {"onnx/model.onnx": b"", "onnx/model.onnx_data": b"", "tokenizer.json": b""}
    fill_cache(tmp_path, needed)
    assert find_cached(tmp_path, files) is not None
    (tmp_path / "models--someone--tiny" / "snapshots" / COMMIT / missing).unlink()
    assert find_cached(tmp_path, files) is None


@pytest.mark.skipif(os.name != "posix", reason="the cache has links where links are to be had")
def test_a_link_to_a_deleted_file_is_not_used(tmp_path):
    snapshot = fill_cache(tmp_path, {"tokenizer.json": b""})
    (snapshot / "model.onnx").symlink_to("../../blobs/gone")
    assert find_cached(tmp_path, FILES) is None


def test_a_damaged_download_names_the_folder_to_delete(tmp_path, embedder_dir):
    files = contents(embedder_dir)
    fill_cache(tmp_path, files | {"model.onnx": files["model.onnx"][:3000]})
    embedder = OnnxEmbedder(lambda: hub_card(SPEC, FILES, cache_dir=tmp_path, environ={}))
    folder = re.escape(str(tmp_path / "models--someone--tiny"))
    with pytest.raises(EmbeddingError, match=rf"model\.onnx cannot be loaded .*: delete the folder {folder} and run"):
        embedder.embed_query("krill")


def test_the_revision_is_that_of_the_files_and_not_of_the_commit(tmp_path, embedder_dir):
    files = contents(embedder_dir)
    identities = []
    for number, commit in enumerate(["aaaa", "bbbb"]):
        cache_dir = tmp_path / str(number)
        fill_cache(cache_dir, files, commit)
        identities.append(hub_card(SPEC, FILES, cache_dir=cache_dir, environ={}).identity)
    assert identities[0] == identities[1]
    fill_cache(tmp_path / "1", {"tokenizer.json": files["tokenizer.json"] + b" "}, "bbbb")
    assert hub_card(SPEC, FILES, cache_dir=tmp_path / "1", environ={}).identity != identities[0]


@pytest.mark.skipif(os.name != "posix", reason="the cache has links where links are to be had")
def test_weights_that_links_take_elsewhere_are_brought_together(tmp_path, token_dir):
    # huggingface_hub keeps blobs by hash in folders of their own. onnxruntime refuses weights outside the model's
    # folder, since 1.32 unless both are in that very layout; "store" is not, so any release refuses it.
    import onnx

    model = onnx.load(token_dir / "model.onnx")
    source = tmp_path / "source"
    source.mkdir()
    onnx.save_model(
        model, source / "model.onnx", save_as_external_data=True, location="model.onnx_data", size_threshold=1024
    )
    snapshot = tmp_path / "models--someone--tiny" / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    for name, blob in (("model.onnx", "aa"), ("model.onnx_data", "bb")):
        target = tmp_path / "store" / blob / (blob * 20)
        target.parent.mkdir(parents=True)
        (source / name).rename(target)
        (snapshot / name).symlink_to(target)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (snapshot / name).write_bytes((token_dir / name).read_bytes())
    files = replace(FILES, data=("model.onnx_data",))
    spec = replace(SPEC, dimension=16, pooling=Pooling.MEAN)
    embedder = OnnxEmbedder(lambda: hub_card(spec, files, cache_dir=tmp_path, environ={}))
    assert embedder.embed_query("krill").shape == (16,)


def test_a_model_in_one_file_is_loaded_where_it_lies(tmp_path):
    assert loadable(tmp_path, FILES) == tmp_path / "model.onnx"


def test_a_reranker_comes_from_the_cache_and_says_its_own_way_out(tmp_path, monkeypatch):
    from grooveseek.embedding import catalog

    spec = replace(catalog.RERANKERS["bge-base"], files=FILES)
    monkeypatch.setattr(catalog, "RERANKERS", {spec.name: spec})
    reranker = load_reranker("bge-base", cache_dir=lambda: tmp_path, environ={"HF_HUB_OFFLINE": "1"})
    with pytest.raises(ModelUnavailable, match='reranker = "none"'):
        reranker.score("query", ["text"])
    directory = tiny_models.tiny_cross_encoder(tmp_path / "made")
    fill_cache(tmp_path, contents(directory))
    assert reranker.score("abcd", ["abcd", "xyz"]) == pytest.approx([4, -4])
    assert reranker.name == "bge-base"
