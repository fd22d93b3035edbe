"""A server's reply becomes the vectors that were asked for, or an error of ours; windows leave nothing out."""

from __future__ import annotations

from typing import Any

import numpy as np
from grooveseek.embedding import estimate
from grooveseek.embedding.endpoint import BaseUrl
from grooveseek.embedding.remote import RemoteEmbedder, build_remote
from grooveseek.errors import ConfigError, EmbeddingError
from grooveseek.settings.sections import EmbeddingSettings
from hypothesis import example, given
from hypothesis import strategies as st

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["data", "embedding", "index"]), inner),
    max_leaves=12,
)
numbers = st.floats(-1, 1) | st.integers(-3, 3) | st.sampled_from([float("nan"), 1e300, True, None, "1"])
items = st.fixed_dictionaries(
    {"embedding": st.lists(numbers, min_size=1, max_size=3) | st.sampled_from(["AACAPwAAAEA=", "AACAPw==", "?"])},
    optional={"index": st.integers(-1, 3) | st.sampled_from([None, True, "0", 1.0])},
)
replies = json_values | st.fixed_dictionaries({"data": st.lists(items, max_size=3)})


class Answering:
    """An endpoint that gives one reply."""

    name = "server.example/v1"

    def __init__(self, reply: Any) -> None:
        self.reply = reply

    def post(self, *_: Any, **__: Any) -> Any:
        return self.reply


def embedder(reply: Any) -> RemoteEmbedder:
    section = EmbeddingSettings(provider="openai", base_url="http://localhost/v1", model="m", dimension=2)
    return RemoteEmbedder(Answering(reply), build_remote(section, {}).identity, batch_size=64)


@given(replies)
@example({"data": [{"embedding": "AACAPwAAAEA=", "index": 1}, {"embedding": [1, 0], "index": 0}]})
def test_a_reply_is_two_unit_vectors_or_an_error_of_ours(reply: Any) -> None:
    try:
        vectors = embedder(reply).embed_documents(["a", "b"])
    except EmbeddingError:
        return
    assert vectors.shape == (2, 2)
    np.testing.assert_allclose(np.linalg.norm(vectors.astype(np.float64), axis=1), 1, atol=1e-5)


@given(st.text(max_size=60) | st.text(alphabet="htps:/@?#[]x1.%", max_size=30).map("http://".__add__))
def test_an_address_is_taken_or_refused(text: str) -> None:
    try:
        base = BaseUrl.parse(text)
    except ConfigError:
        return
    assert base.url.isascii()
    assert base.url.endswith(base.name)
    assert not set("?#") & set(base.url)
    assert BaseUrl.parse(base.url) == base


@given(
    st.lists(
        st.text(alphabet="abcxyz", min_size=1, max_size=12) | st.sampled_from("日本語 é 42 \n👍"), max_size=300
    ).map(" ".join),
    st.sampled_from(["", "passage: "]),
    st.integers(1, 8),
)
def test_windows_hold_every_character_but_white_space_and_fit(text: str, prefix: str, times: int) -> None:
    text = text * times
    ranges = estimate.windows(text, prefix)
    held = [False] * len(text)
    for start, end in ranges:
        assert estimate.count(prefix + text[start:end]) <= estimate.WINDOW
        held[start:end] = [True] * (end - start)
    assert all(inside or char.isspace() for inside, char in zip(held, text, strict=True))
    assert ranges == sorted(ranges)
