"""Ids that survive files with columns separated by blanks.

TREC qrels and run files split a line at white space, so a path such as ``my notes/plan.md`` would become two columns in
trec_eval and ir_measures. ``%``, ``#``, white space and control characters are therefore written as in RFC 3986: ``%``
and two hexadecimal digits for each UTF-8 byte. Every other character, of any script, stays as it is.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

# \s is Unicode white space as str.split() sees it, which is what ir_measures splits at; \x1c-\x1f are in both
_UNSAFE = re.compile(r"[%#\s\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def encode(text: str) -> str:
    """The text as one column; :func:`decode` is its inverse."""
    return _UNSAFE.sub(_escape, text)


def decode(text: str) -> str:
    """The text that :func:`encode` was given. Text it could not have written comes back as it is."""
    if "%" not in text:
        return text
    try:
        decoded = unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return text
    return decoded if encode(decoded) == text else text


def is_column(text: str) -> bool:
    """Whether the text can stand in a column: not empty, and no white space in it."""
    return bool(text) and not any(character.isspace() for character in text)


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8", "surrogatepass"))
