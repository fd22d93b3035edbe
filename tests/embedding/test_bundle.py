import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest
from grooveseek.embedding.bundle import DIRECTORY, HASHES, bundled_card
from grooveseek.embedding.local import local_card
from grooveseek.embedding.runner import OnnxEmbedder
from grooveseek.errors import EmbeddingError


def test_the_identity_is_known_without_the_files(tmp_path):
    identity = bundled_card(tmp_path / "nowhere").identity
    assert (identity.provider, identity.name, identity.dimension) == ("local", "all-minilm-l6-v2", 384)
    assert (identity.window, identity.pooling, identity.normalised) == (256, "mean", True)
    assert (identity.query_prefix, identity.passage_prefix) == ("", "")


def test_the_revision_is_that_of_the_same_files_in_a_directory_of_one_s_own():
    assert bundled_card().identity.revision == local_card(DIRECTORY).identity.revision


def test_the_revision_stays_what_indexes_have_stored():
    # Another value makes every index built with the bundled model unusable: on purpose only.
    assert bundled_card().identity.revision == "5cdae8fa939911de"


def test_vectors_are_near_those_of_the_published_full_precision_weights(bundled):
    # The file holds what the published float32 weights give in scripts/build_all_minilm.py's graph before quantisation.
    expected = json.loads((Path(__file__).parent / "full_precision.json").read_text(encoding="utf-8"))
    vectors = bundled.embed_documents(list(expected))
    assert np.einsum("ij,ij->i", vectors, np.array(list(expected.values()))).min() > 0.98


@pytest.mark.parametrize("name", HASHES)
def test_the_bundled_files_are_the_published_ones(name):
    assert hashlib.sha256((DIRECTORY / name).read_bytes()).hexdigest() == HASHES[name]


def test_it_reads_latin_script_only(bundled):
    assert bundled.scripts == frozenset({"latin"})


@pytest.mark.parametrize("name", HASHES)
def test_a_changed_file_is_refused_before_it_is_loaded(copied, name):
    directory = copied()
    with (directory / name).open("r+b") as file:
        file.seek(1000)
        file.write(b"\0\1\2")
    embedder = OnnxEmbedder(lambda: bundled_card(directory))
    with pytest.raises(EmbeddingError, match=rf"{name} is damaged .*: reinstall groove with pip install"):
        embedder.embed_query("krill")


def test_a_changed_tokenizer_is_refused_by_windows_too(copied):
    directory = copied()
    (directory / "tokenizer.json").write_text("{}")
    with pytest.raises(EmbeddingError, match="is damaged"):
        OnnxEmbedder(lambda: bundled_card(directory)).windows("krill")


@pytest.mark.parametrize("name", HASHES)
def test_a_missing_file_is_named_with_the_remedy(copied, name):
    directory = copied()
    (directory / name).unlink()
    with pytest.raises(EmbeddingError, match=rf"{name} cannot be read .*: reinstall groove"):
        OnnxEmbedder(lambda: bundled_card(directory)).embed_query("krill")


def test_the_licence_and_the_origin_go_with_the_model():
    licence = (DIRECTORY / "LICENSE").read_text(encoding="utf-8")
    notice = (DIRECTORY / "NOTICE").read_text(encoding="utf-8")
    assert "Apache License" in licence
    assert "END OF TERMS AND CONDITIONS" in licence
    assert "sentence-transformers/all-MiniLM-L6-v2" in notice
    assert "int8" in notice
    assert "scripts/build_all_minilm.py" in notice


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_everyone_may_read_the_files():
    assert {path.stat().st_mode & 0o444 for path in DIRECTORY.iterdir()} == {0o444}
