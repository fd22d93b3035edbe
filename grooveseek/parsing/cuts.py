"""Where a text may be cut: after a sentence, after a space, and never inside what a reader sees as one character."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_JOINER = "\u200d"
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s)|[。！？｡][」』”’）]*")


def clip(text: str, limit: int) -> str:
    """The text, or its first ``limit`` characters at most, ending on a whole character as a reader sees it."""
    if len(text) <= limit:
        return text
    return text[: safe_cut(text, limit, 0)].rstrip()


def cut_places(text: str, start: int, end: int, limit: int) -> list[int]:
    """Places that cut ``text[start:end]``, a line or a part of one, into pieces of ``limit`` characters at most.

    Each is after a sentence if one ends in the second half of the piece, else after white space, else wherever no
    visible character is cut. White space after a cut belongs to the piece before it and does not count.
    """
    places: list[int] = []
    while end - start > limit:
        start = _past_space(text, _next_cut(text, start, limit), end)
        if start < end:
            places.append(start)
    return places


def safe_cut(text: str, place: int, floor: int) -> int:
    """The last place in ``(floor, place]`` that cuts no visible character; ``place`` where there is none."""
    for candidate in range(place, floor, -1):
        if is_boundary(text, candidate, floor):
            return candidate
    return place


def is_boundary(text: str, place: int, floor: int = 0) -> bool:
    """Whether ``place`` lies between two visible characters (an approximation of UAX #29's grapheme clusters).

    ``floor`` is a place known to be a boundary, from which flags (pairs of regional indicators) are counted.
    """
    if place <= floor or place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    if before.isascii() and after.isascii():
        return (before, after) != ("\r", "\n")
    if before == _JOINER or _attaches(after):
        return False
    return not (_is_flag_letter(before) and _is_flag_letter(after)) or _flag_letters(text, place, floor) % 2 == 0


def _next_cut(text: str, start: int, limit: int) -> int:
    stop = start + limit
    sentences = [match.end() for match in _SENTENCE_END.finditer(text, start + limit // 2, stop)]
    for place in reversed(sentences):
        if is_boundary(text, place, start):
            return place
    for place in range(stop, start, -1):
        if (text[place - 1].isspace() or text[place].isspace()) and is_boundary(text, place, start):
            return place
    return safe_cut(text, stop, start)


def _past_space(text: str, place: int, end: int) -> int:
    """``place`` moved over white space, unless a mark stands on the last of it."""
    moved = place
    while moved < end and text[moved].isspace():
        moved += 1
    return moved if is_boundary(text, moved, place) else place


def _flag_letters(text: str, place: int, floor: int) -> int:
    """How many regional indicators stand in a row before ``place``."""
    first = place
    while first > floor and _is_flag_letter(text[first - 1]):
        first -= 1
    return place - first


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


@lru_cache(maxsize=65_536)
def _attaches(char: str) -> bool:
    """Whether a character belongs to the one before it: marks, joiners, jamo, skin tones, tags, voicing marks."""
    return (
        unicodedata.category(char)[0] == "M"
        or "\u1160" <= char <= "\u11ff"
        or "\ud7b0" <= char <= "\ud7ff"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
        or char in "\u200c\u200d\uff9e\uff9f"
    )
