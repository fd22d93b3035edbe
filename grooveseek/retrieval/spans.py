"""Match spans: where in a hit's content the query's terms stand, as UTF-8 byte ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grooveseek.text.fold import Folded, fold, fold_with_places
from grooveseek.text.scripts import UNSPACED, is_word_char, script_of

MAX_SPANS = 100
MAX_CONTENT_BYTES = 256 * 1024
MIN_SUBSTRING = 3
"""A shorter term is a word of the word index, so it must stand as a word."""

Span = tuple[int, int]


def match_spans(content: str, terms: Sequence[str]) -> list[Span] | None:
    """Byte ranges of the terms' occurrences: sorted, disjoint, on code-point boundaries, at most 100.

    Each term may have ``100 // len(terms)`` occurrences, at least one. Overlapping ranges become one, ranges that
    merely
    touch stay two. ``None`` (not computed) without a term or for content over 256 KiB; ``[]`` when nothing matches.
    """
    folded_terms = sorted({fold(term) for term in terms} - {""})
    if not folded_terms or len(content.encode("utf-8", "surrogatepass")) > MAX_CONTENT_BYTES:
        return None
    folded = fold_with_places(content)
    each = max(1, MAX_SPANS // len(folded_terms))
    ranges = [span for term in folded_terms for span in _occurrences(folded, term, each)]
    return _as_bytes(content, _united(ranges)[:MAX_SPANS])


def first_place(content: str, terms: Sequence[str]) -> int | None:
    """Where the longest term that occurs at all stands first, in characters; ``None`` when none occurs."""
    folded = fold_with_places(content)
    for term in sorted({fold(term) for term in terms} - {""}, key=lambda term: (-len(term), term)):
        for start, _ in _occurrences(folded, term, 1):
            return start
    return None


def _occurrences(folded: Folded, term: str, most: int) -> Iterator[Span]:
    """The first ``most`` occurrences that do not overlap one another, as character ranges of the original."""
    as_word = len(term) < MIN_SUBSTRING
    position, found = folded.text.find(term), 0
    while position >= 0 and found < most:
        end = position + len(term)
        if not as_word or _stands_as_word(folded.text, position, end):
            yield folded.starts[position], folded.ends[end - 1]
            found += 1
            position = folded.text.find(term, end)
        else:
            position = folded.text.find(term, position + 1)


def _stands_as_word(text: str, start: int, end: int) -> bool:
    """Whether a short term is a word here: no letter of a spaced script goes on beside it."""
    return not (_goes_on(text, start - 1, text[start]) or _goes_on(text, end, text[end - 1]))


def _goes_on(text: str, index: int, neighbour: str) -> bool:
    if not 0 <= index < len(text) or not is_word_char(text[index]):
        return False
    return script_of(text[index]) not in UNSPACED and script_of(neighbour) not in UNSPACED


def _united(ranges: Iterable[Span]) -> list[Span]:
    united: list[Span] = []
    for start, end in sorted(ranges):
        if united and start < united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united


def _as_bytes(content: str, ranges: Sequence[Span]) -> list[Span]:
    if content.isascii():
        return list(ranges)
    spans: list[Span] = []
    at_char = at_byte = 0
    for start, end in ranges:
        first = at_byte + len(content[at_char:start].encode("utf-8", "surrogatepass"))
        at_byte = first + len(content[start:end].encode("utf-8", "surrogatepass"))
        at_char = end
        spans.append((first, at_byte))
    return spans
