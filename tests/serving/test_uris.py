from __future__ import annotations

import pytest
from grooveseek.serving.uris import document_path, document_uri, topic_prefix, topic_uri


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a/b.md", "kb://doc/a/b.md"),
        ("two words.md", "kb://doc/two%20words.md"),
        ("100%.md", "kb://doc/100%25.md"),
        ("a?b#c&d=e+f.md", "kb://doc/a%3Fb%23c%26d%3De%2Bf.md"),
        ("倉庫/手順.md", "kb://doc/%E5%80%89%E5%BA%AB/%E6%89%8B%E9%A0%86.md"),
        ("A-Z_a.z~0.md", "kb://doc/A-Z_a.z~0.md"),
        ("[x](y).md", "kb://doc/%5Bx%5D%28y%29.md"),
    ],
)
def test_a_path_and_its_address(path: str, uri: str):
    assert document_uri(path) == uri
    assert document_path(uri) == path


@pytest.mark.parametrize("uri", ["kb://doc/a%2Fb.md", "kb://doc/a/b.md"])
def test_an_encoded_slash_is_a_slash(uri: str):
    assert document_path(uri) == "a/b.md"


@pytest.mark.parametrize(
    "uri",
    [
        "kb://doc/",
        "kb://doc/../a.md",
        "kb://doc/%2e%2e/a.md",
        "kb://doc/a/%2E%2E/b.md",
        "kb://doc/a%2F..%2Fb.md",
        "kb://doc//etc/passwd",
        "kb://doc/%2Fetc/passwd",
        "kb://doc/a%5Cb.md",
        "kb://doc/a%00.md",
        "kb://doc/%FF.md",
        "kb://doc/./a.md",
        "kb://docs/a.md",
        "KB://doc/a.md",
        "kb:doc/a.md",
        "file:///a.md",
        "a.md",
        "",
    ],
)
def test_other_texts_name_no_document(uri: str):
    assert document_path(uri) is None


def test_an_address_is_decoded_once():
    assert document_path("kb://doc/%252e%252e/a.md") == "%2e%2e/a.md"


@pytest.mark.parametrize(
    ("prefix", "uri"), [("", "kb://topic/"), ("a b", "kb://topic/a%20b"), ("a/b", "kb://topic/a/b")]
)
def test_a_group_and_its_address(prefix: str, uri: str):
    assert topic_uri(prefix) == uri
    assert topic_prefix(uri) == prefix


@pytest.mark.parametrize("uri", ["kb://topic/a/b/c", "kb://topic/..", "kb://topic/a/", "kb://topic", "kb://doc/a"])
def test_other_texts_name_no_group(uri: str):
    assert topic_prefix(uri) is None
