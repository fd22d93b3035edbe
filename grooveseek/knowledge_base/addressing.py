"""Which names a document can have: the one predicate for the walk, the watcher, doctor, get_document and URIs.

A name is addressable when it can be written into the index, a URI and a line of output and still mean the same file:
relative to the knowledge base, ``/`` between its parts, nothing in it that steps out, and text rather than raw bytes.
"""

from __future__ import annotations

import os
import re

_UNUSABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\\\ud800-\udfff]")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def is_addressable(rel: str) -> bool:
    """Whether ``rel`` can name a document: ``a/b.md`` can; ``/a.md``, ``a//b.md``, ``../a.md``, ``a\\b.md`` cannot."""
    return why_not_addressable(rel) is None


def why_not_addressable(rel: str) -> str | None:
    """Say what is wrong with ``rel`` as a document's name, as a clause about it ("it contains ..."), or None.

    A file name that is not UTF-8 reaches Python with lone surrogates in it (PEP 383), so that is what is looked for.
    """
    if not rel:
        return "it is empty"
    found = _UNUSABLE.search(rel)
    if found:
        return _why_character(found[0])
    if rel.startswith("/"):
        return "it starts with /, and names are relative to the knowledge base"
    return _why_segments(rel.split("/")) or _why_here(rel, os.name)


def printable(rel: str) -> str:
    """``rel`` in a form that any terminal, log or JSON file takes: control characters and stray bytes as ``\\xNN``."""
    return _UNPRINTABLE.sub(_escape, rel)


def _why_character(char: str) -> str:
    if char == "\\":
        return "it contains a backslash"
    if "\ud800" <= char <= "\udfff":
        return "it is not valid UTF-8"
    if char == "\0":
        return "it contains a NUL character"
    return f"it contains a control character (U+{ord(char):04X})"


def _why_segments(segments: list[str]) -> str | None:
    if "" in segments:
        return "it has an empty part (two / together, or one at the end)"
    for step in (".", ".."):
        if step in segments:
            return f"it has a part that is only {step}"
    return None


def _why_here(rel: str, system: str) -> str | None:
    """What one operating system alone cannot hold. On Windows ``C:`` is a drive and ``a.md:b`` a hidden stream."""
    if system == "nt" and ":" in rel:
        return "it contains a colon, which Windows reads as a drive or a stream"
    return None


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:  # a raw byte that PEP 383 smuggled into the text
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
