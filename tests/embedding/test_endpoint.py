import json
import threading
import time
from email.utils import formatdate

import pytest
from grooveseek.embedding.endpoint import BaseUrl, Endpoint
from grooveseek.errors import ConfigError, EmbeddingError
from tests.support.embedding_server import Reply, embedding_server
from tests.support.hub import refusing

SECRET = "sk-test-0123456789"


@pytest.fixture
def server():
    with embedding_server() as serving:
        yield serving


@pytest.fixture
def pauses():
    """The pauses made instead of sleeping."""
    return []


def endpoint(url, pauses, *, key=None, timeout=30.0):
    return Endpoint(BaseUrl.parse(url), "/embeddings", key=lambda: key, timeout=timeout, sleep=pauses.append)


def post(server, pauses, *, key=None, attempts=5, most=1 << 20, timeout=30.0):
    body = {"model": "m", "input": ["krill"]}
    return endpoint(server.url, pauses, key=key, timeout=timeout).post(body, most=most, attempts=attempts)


def refusal(server, pauses, **options):
    with pytest.raises(EmbeddingError) as caught:
        post(server, pauses, **options)
    return str(caught.value)


# -- addresses ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "url", "name"),
    [
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1", "127.0.0.1:8080/v1"),
        ("https://API.example.com/v1/", "https://api.example.com/v1", "api.example.com/v1"),
        ("https://api.example.com/v1/embeddings", "https://api.example.com/v1", "api.example.com/v1"),
        ("http://[::1]:80", "http://[::1]:80", "[::1]:80"),
        ("http://host/Deployments/A", "http://host/Deployments/A", "host/Deployments/A"),
    ],
)
def test_an_address_is_taken_apart(text, url, name):
    base = BaseUrl.parse(text)
    assert (base.url, base.name) == (url, name)


@pytest.mark.parametrize(("text", "here"), [("http://localhost:1", True), ("http://[::1]", True), ("http://a", False)])
def test_an_address_says_whether_it_is_this_machine(text, here):
    assert BaseUrl.parse(text).loopback is here


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("api.example.com/v1", "must begin with http"),
        ("file:///etc/passwd", "must begin with http"),
        ("ftp://example.com", "must begin with http"),
        ("http://", "must begin with http"),
        ("http://host:99999", "is not an address"),
        ("http://host:x", "is not an address"),
        ("http://[::1", "is not an address"),
        ("http://host/a b", "without spaces"),
        ("http://höst/", "in ASCII"),
        (f"http://user:{SECRET}@host/v1", "no user, password or query"),
        (f"http://host/v1?api-key={SECRET}", "no user, password or query"),
        (f"http://host/v1#{SECRET}", "no user, password or query"),
    ],
)
def test_what_is_no_address_is_refused_without_showing_it(text, why):
    with pytest.raises(ConfigError, match=why) as caught:
        BaseUrl.parse(text)
    assert SECRET not in str(caught.value)


# -- requests ----------------------------------------------------------------------------------------------------------


def test_a_request_is_json_to_the_one_path(server, pauses):
    assert len(post(server, pauses)["data"]) == 1
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.headers["content-type"] == "application/json"
    assert "authorization" not in request.headers
    assert request.body == {"model": "m", "input": ["krill"]}
    assert pauses == []


def test_a_key_is_sent_as_a_bearer_token(server, pauses):
    post(server, pauses, key=SECRET)
    assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"


def test_a_proxy_of_the_environment_is_not_asked_about_this_machine(server, pauses, monkeypatch):
    monkeypatch.setenv("http_proxy", refusing())
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    post(server, pauses)
    assert len(server.requests) == 1


def test_a_proxy_of_the_environment_is_asked_about_other_machines(server, pauses, monkeypatch):
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", f"http://{server.host}")
    endpoint("http://embeddings.invalid/v1", pauses).post({"model": "m", "input": ["krill"]}, most=1 << 20, attempts=1)
    assert server.requests[0].path == "http://embeddings.invalid/v1/embeddings"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(server, pauses, status):
    with embedding_server() as elsewhere:
        server.answers.append(Reply(status=status, headers={"Location": f"{elsewhere.url}/embeddings"}))
        message = refusal(server, pauses, key=SECRET)
        assert elsewhere.requests == []
    assert f'redirects to "{elsewhere.url}/embeddings" (HTTP {status})' in message
    assert "set it as [embedding] base_url" in message
    assert len(server.requests) == 1


# -- trying again ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again_after_growing_pauses(server, pauses, status):
    server.answers.extend([Reply(status=status)] * 4)
    assert len(post(server, pauses)["data"]) == 1
    assert pauses == [1, 2, 4, 8]


def test_it_ends_after_the_attempts_with_the_server_s_words(server, pauses):
    server.always = Reply(status=503, body=b'{"error": {"message": "model is\\nloading"}}')
    message = refusal(server, pauses, attempts=3)
    assert f'the endpoint {server.host}/v1 answers HTTP 503 and says "model is loading", 3 times' in message
    assert "what is indexed stays" in message
    assert (len(server.requests), pauses) == (3, [1, 2])


@pytest.mark.parametrize(
    ("header", "pause"),
    [("7", 7), ("0", 1), ("3600", 60), ("99999999999999999999", 60), ("soon", 1), ("-5", 1), ("", 1)],
)
def test_retry_after_is_honoured_up_to_a_minute(server, pauses, header, pause):
    server.answers.append(Reply(status=429, headers={"Retry-After": header}))
    post(server, pauses)
    assert pauses == [pause]


@pytest.mark.parametrize(("ahead", "least", "most"), [(30, 20, 30), (-30, 1, 1), (4000, 60, 60)])
def test_retry_after_may_be_a_date(server, pauses, ahead, least, most):
    server.answers.append(Reply(status=503, headers={"Retry-After": formatdate(time.time() + ahead, usegmt=True)}))
    post(server, pauses)
    assert least <= pauses[0] <= most


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "model and base_url name an embedding model"),
        (401, "holds a valid key"),
        (403, "may use this model"),
        (404, "base_url ends where /embeddings follows"),
        (413, "smaller [embedding] batch_size"),
        (422, "model and base_url name an embedding model"),
    ],
)
def test_what_will_not_pass_is_not_tried_again(server, pauses, status, advice):
    server.answers.append(Reply(status=status, body=b"no"))
    message = refusal(server, pauses)
    assert f'answers HTTP {status} and says "no": ' in message
    assert advice in message
    assert (len(server.requests), pauses) == (1, [])


def test_a_connection_that_is_cut_is_tried_again(server, pauses):
    server.answers.extend([Reply(status=0), Reply(body=b'{"data": [', declared=500)])
    assert len(post(server, pauses)["data"]) == 1
    assert pauses == [1, 2]


def test_a_connection_that_is_always_cut_is_named(server, pauses):
    server.always = Reply(body=b'{"data": [', declared=500)
    assert "cannot be reached or breaks off" in refusal(server, pauses, attempts=2)


def test_a_server_that_is_not_there_is_named(pauses):
    url = refusing()
    with pytest.raises(
        EmbeddingError, match=f"the endpoint {url[7:]} cannot be reached .* 2 times: see that the server"
    ):
        endpoint(url, pauses).post({}, most=1, attempts=2)


def test_a_silent_server_is_given_up(server, pauses):
    release = threading.Event()
    server.always = Reply(wait=release)
    try:
        message = refusal(server, pauses, attempts=2, timeout=0.1)
    finally:
        release.set()
    assert "does not answer in time, 2 times" in message
    assert "timeout_secs" in message


def test_a_server_that_never_ends_its_answer_is_given_up(server, pauses):
    server.always = Reply(body=b"{", declared=1 << 30, drips=True)
    assert "does not answer in time, 2 times" in refusal(server, pauses, attempts=2, timeout=0.3)


# -- replies -----------------------------------------------------------------------------------------------------------


def test_a_huge_reply_is_not_read_to_its_end(server, pauses):
    server.answers.append(Reply(body=b" " * 50_000, declared=1 << 40))
    message = refusal(server, pauses, most=10_000)
    assert "answers with more than 10000 bytes" in message
    assert pauses == []


@pytest.mark.parametrize("body", [b"<html>\x1b[31mnope</html>", b"", b'{"data": ', b"\xff\xfe", b"[" * 100_000])
def test_what_is_not_json_is_shown_in_part(server, pauses, body):
    server.answers.append(Reply(body=body))
    message = refusal(server, pauses)
    assert "is not JSON" in message
    assert message.isprintable()
    assert len(message) < 600


@pytest.mark.parametrize(
    "body",
    [
        json.dumps({"error": {"message": f"bad key {SECRET}"}}),
        json.dumps({"error": f"bad key {SECRET}"}),
        json.dumps({"detail": [{"msg": SECRET}]}),
        json.dumps([SECRET]),
        f"bad key {SECRET}",
        "x" * 190 + SECRET,
        "x" * 390 + SECRET,
    ],
)
def test_a_key_that_the_server_repeats_is_not_shown(server, pauses, body, caplog):
    for status in (401, 503, 200):
        server.always = Reply(status=status, body=body.encode())
        if status == 200 and body[0] in "[{":
            continue  # JSON, which is for the caller to check
        message = refusal(server, pauses, key=SECRET, attempts=2)
        assert SECRET[:9] not in message
    assert SECRET[:9] not in caplog.text


def test_an_endpoint_does_not_show_its_key(server, pauses):
    made = endpoint(server.url, pauses, key=SECRET)
    assert SECRET not in repr(made)
    assert SECRET not in repr(vars(made))
