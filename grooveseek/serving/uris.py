"""``kb://`` addresses: documents, and groups of documents by the first folders of their paths.

``/`` stands as it is, everything else that is no letter, digit, ``-``, ``.``, ``_`` or ``~`` is percent-encoded (RFC
3986, 2.3). What an address names is checked after decoding, and decoded once only.
"""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes

from grooveseek.knowledge_base.addressing import is_addressable

DOC = "kb://doc/"
TOPIC = "kb://topic/"


def document_uri(path: str) -> str:
    """The address of a document."""
    return DOC + quote(path, safe="/")


def topic_uri(prefix: str) -> str:
    """The address of a group; the root's prefix is empty."""
    return TOPIC + quote(prefix, safe="/")


def document_path(uri: str) -> str | None:
    """The path that a document's address names; ``None`` for any other text, and for what no document can be called."""
    path = _decoded(uri, DOC)
    return path if path is not None and is_addressable(path) else None


def topic_prefix(uri: str) -> str | None:
    """The prefix that a group's address names, one or two folders or empty; ``None`` for any other text."""
    prefix = _decoded(uri, TOPIC)
    if not prefix:
        return prefix
    return prefix if is_addressable(prefix) and prefix.count("/") <= 1 else None


def _decoded(uri: str, scheme: str) -> str | None:
    if not uri.startswith(scheme):
        return None
    try:
        return unquote_to_bytes(uri[len(scheme) :]).decode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError):
        return None
