import subprocess
import sys

import numpy as np
import pytest
from grooveseek.embedding.fake import FakeEmbedder, FakeReranker

PAIRS = [
    ("Bread rises because yeast makes gas.", "How does yeast make bread rise?", "Submarines dive with ballast tanks."),
    ("評価の指標を選ぶ", "指標の評価", "設定ファイルの場所"),
    ("Как испечь хлеб", "хлеба испечь", "подводные лодки"),
]


@pytest.mark.parametrize(("text", "related", "other"), PAIRS)
def test_texts_that_share_words_are_nearer_in_any_script(text, related, other):
    embedder = FakeEmbedder()
    rows = embedder.embed_documents([related, other])
    near, far = rows @ embedder.embed_query(text)
    assert near > far + 0.2


def test_case_and_width_do_not_matter():
    embedder = FakeEmbedder()
    assert np.array_equal(embedder.embed_query("ＡＢＣ Straße"), embedder.embed_query("abc STRASSE"))


def test_rows_are_unit_float32_of_the_dimension_asked_for():
    rows = FakeEmbedder(dimension=17).embed_documents(["a", "", "…", "a\ud800b", "word " * 1000])
    assert rows.shape == (5, 17)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


def test_no_texts_give_no_rows():
    assert FakeEmbedder(dimension=8).embed_documents([]).shape == (0, 8)


def test_it_says_what_it_is():
    identity = FakeEmbedder(dimension=8, window=9).identity
    assert (identity.provider, identity.name, identity.dimension, identity.window) == ("fake", "fake", 8, 9)
    assert FakeEmbedder().scripts is None
    assert FakeEmbedder(dimension=8).dimension == 8
    assert FakeEmbedder(window=9).window == 9


def test_the_same_text_has_the_same_vector_in_another_process():
    program = (
        "from grooveseek.embedding.fake import FakeEmbedder\n"
        "print(FakeEmbedder().embed_query('krill 日本').tobytes().hex())\n"
    )
    environment = {"PYTHONHASHSEED": "12345"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment, timeout=60
    )
    assert done.stdout.strip() == FakeEmbedder().embed_query("krill 日本").tobytes().hex()


def test_what_lies_beyond_the_window_is_not_seen():
    embedder = FakeEmbedder(window=3)
    assert np.array_equal(embedder.embed_query("one two three four"), embedder.embed_query("one two three"))
    assert not np.array_equal(embedder.embed_query("one two three"), embedder.embed_query("one two"))


def test_windows_hold_as_many_tokens_as_the_window():
    embedder, text = FakeEmbedder(window=8), " ".join(f"w{number}" for number in range(20))
    ranges = embedder.windows(text)
    pieces = [text[start:end] for start, end in ranges]
    assert pieces[0] == "w0 w1 w2 w3 w4 w5 w6 w7"
    assert pieces[1].startswith("w7 ")
    assert pieces[-1].endswith("w19")
    assert embedder.windows("  \n") == []
    assert embedder.windows(" short ") == [(0, 7)]


def test_tokens_are_words_and_single_other_characters():
    assert FakeEmbedder().count_tokens("naïve, 日本語!? x_1") == 6


def test_the_fake_reranker_prefers_the_text_with_the_query_s_words():
    scores = FakeReranker().score("yeast bread", ["yeast makes bread rise", "submarines dive", "yeast bread"])
    assert scores[0] > scores[1]
    assert scores[2] == 4
    assert FakeReranker().score("", ["text"]) == [-4.0]
    assert FakeReranker().score("q", []) == []
