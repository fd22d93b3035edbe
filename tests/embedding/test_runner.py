import json
import math
from dataclasses import replace

import numpy as np
import pytest
from grooveseek.embedding.bundle import bundled_card
from grooveseek.embedding.local import local_card
from grooveseek.embedding.runner import OnnxEmbedder
from grooveseek.errors import BadVector, EmbeddingError, ModelUnavailable
from tests.embedding.conftest import TEXTS
from tests.support import tiny_models
from tests.support.fastembed_oracle import fastembed_vectors


def local(directory, **options):
    return OnnxEmbedder(lambda: local_card(directory), **options)


def prefixed(directory, query, passage):
    card = local_card(directory)
    return OnnxEmbedder(
        lambda: replace(card, identity=replace(card.identity, query_prefix=query, passage_prefix=passage))
    )


def test_bundled_vectors_are_fastembed_s(bundled):
    # One text a run on both sides: a batch shares the scale of its int8 activations.
    expected = fastembed_vectors(bundled_card().model.parent, TEXTS, pooling="MEAN", dimension=384, batch=1)
    assert np.allclose(bundled.embed_documents(TEXTS), expected, atol=1e-6)


def test_vectors_of_a_model_that_pools_itself_are_fastembed_s(embedder_dir):
    expected = fastembed_vectors(embedder_dir, TEXTS, pooling="DISABLED", dimension=384, batch=3)
    assert np.allclose(local(embedder_dir).embed_documents(TEXTS), expected, atol=1e-6)


@pytest.mark.parametrize(
    ("flag", "pooling"), [("mean_tokens", "MEAN"), ("cls_token", "CLS"), ("lasttoken", "LAST_TOKEN")]
)
def test_pooled_vectors_are_fastembed_s(token_dir, copied, flag, pooling):
    directory = copied(token_dir)
    (directory / "1_Pooling").mkdir()
    (directory / "1_Pooling" / "config.json").write_text(json.dumps({f"pooling_mode_{flag}": True}))
    expected = fastembed_vectors(directory, TEXTS, pooling=pooling, dimension=16, batch=3)
    assert np.allclose(local(directory).embed_documents(TEXTS), expected, atol=1e-6)


def test_texts_beyond_the_window_are_cut_as_fastembed_cuts_them(tmp_path):
    directory = tiny_models.tiny_embedder(tmp_path, window=20)
    texts = ["a text that is longer than twenty bytes", "short"]
    expected = fastembed_vectors(directory, texts, pooling="DISABLED", dimension=384, batch=2)
    assert np.allclose(local(directory).embed_documents(texts), expected, atol=1e-6)


def test_rows_are_unit_float32(bundled):
    vectors = bundled.embed_documents(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), bundled.dimension)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_no_texts_give_no_rows(bundled):
    assert bundled.embed_documents([]).shape == (0, 384)


def test_a_query_is_a_document_where_the_model_has_no_prefixes(bundled):
    assert np.array_equal(bundled.embed_query(TEXTS[0]), bundled.embed_documents([TEXTS[0]])[0])


@pytest.mark.parametrize("threads", [1, 2, 5, 0])
def test_vectors_are_the_same_bytes_whatever_the_threads(threads):
    expected = OnnxEmbedder(bundled_card, threads=1).embed_documents(TEXTS)
    assert OnnxEmbedder(bundled_card, threads=threads).embed_documents(TEXTS).tobytes() == expected.tobytes()


def test_a_bundled_vector_does_not_depend_on_its_neighbours_at_all(bundled):
    together = bundled.embed_documents(TEXTS)
    alone = np.array([bundled.embed_documents([text])[0] for text in TEXTS])
    assert together.tobytes() == alone.tobytes()


def test_a_batched_vector_depends_on_its_neighbours_by_rounding_only(token_dir):
    embedder = local(token_dir)
    together = embedder.embed_documents(TEXTS)
    alone = np.array([embedder.embed_documents([text])[0] for text in TEXTS])
    assert np.allclose(together, alone, atol=1e-6)


def test_related_texts_are_nearer(bundled):
    bread, dive, query = (
        bundled.embed_query(text)
        for text in ("Bread is baked in an oven.", "Submarines dive deep.", "How do I make a loaf?")
    )
    assert query @ bread > query @ dive + 0.2


def test_lone_surrogates_are_replaced(bundled):
    assert np.array_equal(bundled.embed_query("a\ud800b"), bundled.embed_query("a�b"))
    assert bundled.windows("a\ud800b") == [(0, 3)]


def test_prefixes_stand_in_front_of_queries_and_passages(embedder_dir):
    plain, with_prefixes = local(embedder_dir), prefixed(embedder_dir, "query: ", "passage: ")
    assert np.array_equal(with_prefixes.embed_query("krill"), plain.embed_query("query: krill"))
    assert np.array_equal(with_prefixes.embed_documents(["krill"])[0], plain.embed_query("passage: krill"))
    assert with_prefixes.identity != plain.identity


def test_windows_leave_room_for_the_passage_prefix(tmp_path):
    directory = tiny_models.tiny_embedder(tmp_path, window=40)
    embedder, text = prefixed(directory, "", "passage: "), "some words to be cut " * 10
    lengths = [embedder.count_tokens("passage: " + text[start:end]) for start, end in embedder.windows(text)]
    assert max(lengths) <= 38
    assert max(lengths) > 30


def test_windows_of_the_bundled_model_are_256_tokens_with_their_special_ones(bundled):
    text = "one two three four five six seven eight nine ten " * 100
    counts = [bundled.count_tokens(text[start:end]) for start, end in bundled.windows(text)]
    assert counts[:-1] == [254] * (len(counts) - 1)


@pytest.mark.parametrize(
    ("row", "fault"), [((math.nan, 1.0), "not finite"), ((math.inf, 1.0), "not finite"), ((0.0, 0.0), "of zero length")]
)
def test_a_bad_vector_names_the_text_s_position_and_beginning(tmp_path, row, fault):
    embedder = local(tiny_models.constant_model(tmp_path / "broken", row))
    long = "krill " * 50
    with pytest.raises(BadVector) as caught:
        embedder.embed_documents([long, "second"])
    assert f'a vector that is {fault} for text 0, "{long[:60]}": export or copy the model to' in str(caught.value)
    with pytest.raises(BadVector, match='for query 0, "whales"'):
        embedder.embed_query("whales")


def test_a_model_of_another_length_than_declared_is_refused(embedder_dir):
    card = local_card(embedder_dir)
    wrong = replace(card, identity=replace(card.identity, dimension=100))
    with pytest.raises(EmbeddingError, match="gives vectors of 384 numbers where 100 are declared"):
        OnnxEmbedder(lambda: wrong).embed_query("krill")


def test_a_model_without_a_fitting_output_is_refused(embedder_dir):
    card = local_card(embedder_dir)
    wrong = replace(card, identity=replace(card.identity, pooling="mean"))
    with pytest.raises(EmbeddingError, match="no output to pool by mean, only sentence_embedding"):
        OnnxEmbedder(lambda: wrong).embed_query("krill")


def test_a_model_that_fails_while_running_is_one_error(tmp_path):
    # A position table of 512 rows behind a tokenizer that lets 2048 tokens through.
    directory = tiny_models.tiny_token_embedder(tmp_path, window=512)
    (directory / "tokenizer_config.json").write_text('{"model_max_length": 2048}')
    with pytest.raises(
        EmbeddingError, match=r"failed on a text of 6\d\d tokens .*: check that its files belong together"
    ):
        local(directory).embed_query("x" * 600)


def test_what_finding_the_model_raises_arrives_each_time():
    def find():
        raise ModelUnavailable("not here")

    embedder = OnnxEmbedder(find)
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match="not here"):
            _ = embedder.identity
