import logging
import math

import pytest
from grooveseek.embedding.rerank import load_reranker
from grooveseek.errors import ConfigError, EmbeddingError
from tests.support import tiny_models
from tests.support.fastembed_oracle import fastembed_scores

QUERY = "how does yeast make bread rise"
TEXTS = [
    "Yeast makes bread rise.",
    "Submarines dive.",
    "",
    "bread " * 300,
    "酵母でパンを焼く",
    "how does yeast make bread rise",
]


def no_cache():
    raise AssertionError("a local directory needs no cache")


def local(directory, **options):
    return load_reranker(str(directory), cache_dir=no_cache, environ={}, **options)


def test_scores_are_fastembed_s(cross_dir):
    assert local(cross_dir).score(QUERY, TEXTS) == pytest.approx(fastembed_scores(cross_dir, QUERY, TEXTS), abs=1e-6)


def test_scores_are_raw_logits_worked_out_by_hand(cross_dir):
    # The model gives 8 x the share of the query's byte trigrams found in the text, minus 4; a space leads each text.
    # " abcd" has the trigrams " ab", "abc", "bcd"; " abc" has the first two of them.
    assert local(cross_dir).score("abcd", ["abcd", "abc", "xyz"]) == pytest.approx([4, 8 * 2 / 3 - 4, -4])


@pytest.mark.parametrize("threads", [1, 3, 0])
def test_scores_come_in_order_whatever_the_threads(cross_dir, threads):
    texts = TEXTS * 5
    assert local(cross_dir, threads=threads).score(QUERY, texts) == local(cross_dir, threads=1).score(QUERY, texts)


def test_a_score_does_not_depend_on_the_other_texts(cross_dir):
    reranker = local(cross_dir)
    alone = [reranker.score(QUERY, [text])[0] for text in TEXTS]
    assert reranker.score(QUERY, TEXTS) == pytest.approx(alone, abs=1e-6)


def test_no_texts_give_no_scores(cross_dir):
    assert local(cross_dir).score(QUERY, []) == []


def test_lone_surrogates_are_replaced(cross_dir):
    reranker = local(cross_dir)
    assert reranker.score("a\ud800b", ["a\ud800b"]) == reranker.score("a�b", ["a�b"])


def test_its_name_is_the_path(cross_dir):
    assert local(cross_dir).name == str(cross_dir)


@pytest.mark.parametrize(("row", "shown"), [((1.0, 2.0), "2 numbers"), ((math.nan,), "nan"), ((-math.inf,), "-inf")])
def test_a_model_that_gives_no_single_score_is_refused(tmp_path, row, shown):
    directory = tiny_models.constant_model(tmp_path, row, name="logits")
    with pytest.raises(EmbeddingError, match=f"gives {shown} where one finite score is wanted"):
        local(directory).score(QUERY, TEXTS)


def test_a_missing_directory_shows_on_first_use(tmp_path):
    reranker = local(tmp_path / "nowhere")
    with pytest.raises(EmbeddingError, match="neither the name of a model nor a directory"):
        reranker.score(QUERY, TEXTS)


def test_an_unknown_name_shows_at_once():
    with pytest.raises(ConfigError, match='did you mean "bge-base"'):
        load_reranker("bge-bas", cache_dir=no_cache, environ={})


def test_a_restricting_licence_is_said_before_use(caplog):
    with caplog.at_level(logging.WARNING):
        load_reranker("jina-v2-ml", cache_dir=no_cache, environ={})
    assert "CC-BY-NC-4.0: not for commercial use" in caplog.text


def test_other_licences_are_not_spoken_of(caplog):
    with caplog.at_level(logging.DEBUG):
        load_reranker("bge-base", cache_dir=no_cache, environ={})
    assert caplog.text == ""
