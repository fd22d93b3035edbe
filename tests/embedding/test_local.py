import json
import shutil
from pathlib import Path

import pytest
from grooveseek.embedding import files
from grooveseek.embedding.bundle import DIRECTORY
from grooveseek.embedding.files import scan
from grooveseek.embedding.local import local_card, read_window
from grooveseek.embedding.runner import OnnxEmbedder
from grooveseek.errors import EmbeddingError
from onnx import TensorProto
from tests.support import tiny_models


def write(directory: Path, name: str, value) -> None:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def test_a_directory_says_what_its_model_is(embedder_dir):
    card = local_card(embedder_dir)
    identity = card.identity
    assert (identity.provider, identity.name, identity.dimension, identity.window) == (
        "local",
        "tiny-embedder",
        384,
        512,
    )
    assert (identity.pooling, identity.normalised) == ("none", True)
    assert len(identity.revision) == 16
    assert card.scripts is None
    assert not card.one_at_a_time


def test_a_dynamically_quantised_model_is_noticed(embedder_dir):
    assert local_card(DIRECTORY).one_at_a_time
    assert not local_card(embedder_dir).one_at_a_time


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_an_exchanged_file_is_another_revision(embedder_dir, copied, name):
    directory = copied(embedder_dir)
    before = local_card(directory).identity
    if name == "model.onnx":
        tiny_models.tiny_embedder(directory, seed=8)
    else:
        path = directory / name
        path.write_text(path.read_text().replace('"Lowercase"', '"NFC"'))
    after = local_card(directory).identity
    assert after.revision != before.revision
    assert after.name == before.name


def test_exchanged_weights_beside_the_model_are_another_revision(embedder_dir, copied):
    directory = copied(embedder_dir)
    (directory / "model.onnx_data").write_bytes(b"weights")
    before = local_card(directory).identity.revision
    (directory / "model.onnx_data").write_bytes(b"WEIGHTS")
    assert local_card(directory).identity.revision != before


def test_where_a_directory_lies_is_not_part_of_the_identity(embedder_dir, tmp_path):
    moved = Path(shutil.copytree(embedder_dir, tmp_path / "elsewhere" / embedder_dir.name))
    assert local_card(moved).identity == local_card(embedder_dir).identity


@pytest.mark.parametrize("name", ["onnx/model.onnx", "model_optimized.onnx"])
def test_the_model_may_lie_where_exporters_put_it(embedder_dir, copied, name):
    directory = copied(embedder_dir)
    (directory / name).parent.mkdir(exist_ok=True)
    (directory / "model.onnx").rename(directory / name)
    assert local_card(directory).model == directory / name


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_mean_tokens": True, "word_embedding_dimension": 16}, "mean"),
        ({"pooling_mode_lasttoken": True}, "last"),
        ({}, "mean"),
        (None, "mean"),
    ],
)
def test_pooling_is_read_from_the_pooling_module(token_dir, copied, flags, expected):
    directory = copied(token_dir)
    if flags is not None:
        write(directory, "1_Pooling/config.json", flags)
    assert local_card(directory).identity.pooling == expected


def test_a_sentence_embedding_output_is_preferred_to_pooling_tokens(tmp_path):
    directory = tiny_models.three_outputs(tmp_path)
    write(directory, "1_Pooling/config.json", {"pooling_mode_mean_tokens": True})
    embedder = OnnxEmbedder(lambda: local_card(directory))
    assert embedder.identity.pooling == "none"
    assert embedder.embed_query("krill").tolist() == pytest.approx([0.6, 0.8])


def test_a_lone_row_output_of_another_name_is_taken_as_it_is(tmp_path):
    directory = tiny_models.constant_model(tmp_path / "rows", (3.0, 4.0), name="embeddings")
    embedder = OnnxEmbedder(lambda: local_card(directory))
    assert embedder.embed_query("krill").tolist() == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize(
    "flags", [{"pooling_mode_max_tokens": True}, {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}]
)
def test_pooling_that_is_not_known_is_refused(token_dir, copied, flags):
    directory = copied(token_dir)
    write(directory, "1_Pooling/config.json", flags)
    with pytest.raises(EmbeddingError, match=r"pooling_mode_\w+.*, which groove does not know"):
        local_card(directory)


def test_a_module_after_pooling_is_refused(token_dir, copied):
    directory = copied(token_dir)
    kinds = ("Transformer", "Pooling", "Dense", "Normalize")
    write(directory, "modules.json", [{"type": f"sentence_transformers.models.{kind}"} for kind in kinds])
    with pytest.raises(EmbeddingError, match="lists the module Dense, which groove does not apply"):
        local_card(directory)


def test_the_usual_modules_are_fine(token_dir, copied):
    directory = copied(token_dir)
    kinds = ("Transformer", "Pooling", "Normalize")
    write(directory, "modules.json", [{"type": f"sentence_transformers.models.{kind}"} for kind in kinds])
    assert local_card(directory).identity.pooling == "mean"


@pytest.mark.parametrize(
    ("tokenizer", "config", "sentence", "expected"),
    [
        ({"model_max_length": 512}, {}, {}, 512),
        ({"model_max_length": 512}, {"max_position_embeddings": 384}, {}, 384),
        ({"model_max_length": 512}, {"max_position_embeddings": 512}, {"max_seq_length": 256}, 256),
        ({"model_max_length": 8192}, {}, {}, 2048),
        ({"model_max_length": int(1e30)}, {"max_position_embeddings": 512}, {}, 512),
        ({"model_max_length": 1e30}, {}, {}, 512),
        ({}, {}, {}, 512),
        ({}, {"max_position_embeddings": 514, "model_type": "xlm-roberta", "pad_token_id": 1}, {}, 512),
        ({}, {"max_position_embeddings": 512, "model_type": "bert", "pad_token_id": 0}, {}, 512),
    ],
)
def test_the_window_is_the_smallest_that_the_files_name(tmp_path, tokenizer, config, sentence, expected):
    write(tmp_path, "tokenizer_config.json", tokenizer)
    write(tmp_path, "config.json", config)
    write(tmp_path, "sentence_bert_config.json", sentence)
    assert read_window(tmp_path) == expected


def test_only_the_model_and_the_tokenizer_are_needed(embedder_dir, copied):
    directory = copied(embedder_dir)
    (directory / "tokenizer_config.json").unlink()
    assert OnnxEmbedder(lambda: local_card(directory)).embed_query("krill").shape == (384,)


def test_prefixes_are_read_from_the_model_s_prompts(embedder_dir, copied):
    directory = copied(embedder_dir)
    write(directory, "config_sentence_transformers.json", {"prompts": {"query": "Q: ", "document": "D: "}})
    identity = local_card(directory).identity
    assert (identity.query_prefix, identity.passage_prefix) == ("Q: ", "D: ")


def symbolic(directory: Path) -> Path:
    """A model whose output does not say how long its rows are."""
    tiny_models.write_tokenizer(directory, 512)
    graph = tiny_models.Graph()
    graph.op("Cast", "input_ids", out="sentence_embedding", to=TensorProto.FLOAT)
    return graph.save(directory, "sentence_embedding", [None, None])


def test_the_dimension_may_stand_in_the_configuration(tmp_path):
    directory = symbolic(tmp_path)
    write(directory, "config.json", {"hidden_size": 7})
    assert local_card(directory).identity.dimension == 7


def test_a_dimension_that_stands_nowhere_is_an_error(tmp_path):
    with pytest.raises(EmbeddingError, match="says how long its vectors are: add hidden_size"):
        local_card(symbolic(tmp_path))


def test_a_path_that_is_no_directory_is_neither_name_nor_model(tmp_path):
    with pytest.raises(EmbeddingError, match="neither the name of a model nor a directory"):
        local_card(tmp_path / "nowhere")


@pytest.mark.parametrize(("alias", "name"), [("BAAI/bge-m3", "bge-m3"), ("baai/bge-reranker-base", "bge-base")])
def test_a_path_that_ends_like_a_published_name_gets_ours(tmp_path, alias, name):
    with pytest.raises(EmbeddingError, match=f'nor a directory: write "{name}" for the model of that name'):
        local_card(tmp_path / alias)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(embedder_dir, copied, name):
    directory = copied(embedder_dir)
    (directory / name).unlink()
    with pytest.raises(EmbeddingError, match=rf"{directory.name} has no {name}.*: export or copy the model to"):
        local_card(directory)


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json", "modules.json", "1_Pooling/config.json"])
@pytest.mark.parametrize("content", ["{", '"text"', "[" * 100_000, "\xff"])
def test_a_broken_configuration_is_named(token_dir, copied, name, content):
    directory = copied(token_dir)
    (directory / name).parent.mkdir(exist_ok=True)
    (directory / name).write_bytes(content.encode("latin-1"))
    with pytest.raises(EmbeddingError, match=rf"{name.replace('/', '.')} (cannot be read|does not hold)"):
        local_card(directory)


def test_a_truncated_model_is_one_error(embedder_dir, copied):
    directory = copied(embedder_dir)
    path = directory / "model.onnx"
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(EmbeddingError, match=r"model\.onnx cannot be loaded .*: export or copy the model to"):
        local_card(directory)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(EmbeddingError, match=r"model\.onnx cannot be read \(No such file .*\): copy it again"):
        scan(tmp_path / "model.onnx", "copy it again")


def test_a_cross_encoder_is_not_taken_for_an_embedder(cross_dir):
    with pytest.raises(
        EmbeddingError, match="gives one number a text, as a cross-encoder does: name it as the reranker"
    ):
        local_card(cross_dir)


def test_a_large_file_is_sampled_from_its_first_byte_to_its_last(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_WHOLE_BYTES", 1000)
    monkeypatch.setattr(files, "_MIB", 100)
    path, content = tmp_path / "weights", bytearray(range(256)) * 10
    seen = set()
    for changed in (None, 0, 1300, len(content) - 1):
        data = bytearray(content)
        if changed is not None:
            data[changed] ^= 1
        path.write_bytes(data)
        seen.add(scan(path, "").digest)
    path.write_bytes(content[:-1])
    seen.add(scan(path, "").digest)
    assert len(seen) == 5


def test_a_sampled_file_shows_dynamic_quantisation(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_WHOLE_BYTES", 1000)
    path = tmp_path / "model.onnx"
    path.write_bytes(b"\0" * 50 + b"DynamicQuantizeLinear" + b"\0" * (3 << 20))
    assert scan(path, "").dynamic
    path.write_bytes(b"\0" * (3 << 20))
    assert not scan(path, "").dynamic
