"""Text from a PDF that is not worth indexing: decoded wrongly, or hardly there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grooveseek.errors import Unparsable

MIN_CHARACTERS_A_PAGE = 50
"""Below this average a file with pictures is refused. A scan with stamped page numbers measures about 39."""
MAX_C1_SHARE = 0.01
MIN_PAIR_SHARE = 0.30

_C1 = re.compile(r"[\x80-\x9f]")
_RUN = re.compile(r"[!-~\xa0-\xff]{2,}")
_LONG_RUN = 8
_CONSTANT_SHARE = 0.9
_VARIED_KINDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """What one page gave. ``pictured``: it holds pictures, or drawings in such number that they may be letters."""

    text: str = ""
    unmapped: bool = False
    damaged: bool = False
    pictured: bool = False


def refuse_unreadable(pages: Sequence[PageText]) -> None:
    """Raise Unparsable, with what was measured, when the pages' text is garbled or too little."""
    if all(page.damaged for page in pages):
        raise Unparsable("has no page that is not damaged")
    readable = [page.text for page in pages if not page.unmapped]
    if not readable:
        raise Unparsable("has no readable text: its fonts do not say which characters their glyphs are")
    _refuse_garbled("".join(readable))
    _refuse_sparse(pages, sum(len(text.strip()) for text in readable))


def _refuse_garbled(text: str) -> None:
    share = c1_share(text)
    if share >= MAX_C1_SHARE:
        raise Unparsable(f"gives garbled text: {share:.1%} of its characters are C1 controls, which no language uses")
    pairs = byte_pair_share(text)
    if pairs >= MIN_PAIR_SHARE:
        raise Unparsable(f"gives garbled text: {pairs:.0%} of it looks like two-byte characters read byte by byte")


def _refuse_sparse(pages: Sequence[PageText], characters: int) -> None:
    """Little text is refused only beside pictures, or when there is none: on a bare page it is all there is to read."""
    average = characters / len(pages)
    if average >= MIN_CHARACTERS_A_PAGE or (characters and not any(page.pictured for page in pages)):
        return
    raise Unparsable(
        f"has too little text to index: {average:.0f} characters a page on average, over {len(pages)} pages, where"
        f" {MIN_CHARACTERS_A_PAGE} are asked for. Pages that are pictures (scans, photographs), text drawn as outlines"
        " and slides of figures are common causes; text recognition (OCR) may help"
    )


def c1_share(text: str) -> float:
    """The share of U+0080..U+009F among the characters: none in any language, many in UTF-16 read byte by byte."""
    return len(_C1.findall(text)) / len(text) if text else 0.0


def byte_pair_share(text: str) -> float:
    """The share of characters in runs with the look of UTF-16BE read byte by byte: ``あいう`` gives ``0B0D0F``.

    In such a run the characters at even places (the high bytes) are nearly all one and the same, those at odd places
    varied; in prose, numbers and identifiers they are not. Runs too short to judge alone are judged together.
    """
    if not text:
        return 0.0
    caught = 0
    short: list[str] = []
    for run in _RUN.findall(text):
        if len(run) >= _LONG_RUN:
            caught += len(run) if _looks_paired(run[::2], run[1::2]) else 0
        else:
            short.append(run[: len(run) // 2 * 2])
    pool = "".join(short)
    if len(pool) >= _LONG_RUN and _looks_paired(pool[::2], pool[1::2]):
        caught += sum(map(len, short))
    return caught / len("".join(text.split())) if text.strip() else 0.0


def _looks_paired(high: Iterable[str], low: Iterable[str]) -> bool:
    """High bytes near-constant and of an East Asian block (0x30: kana; 0x4E-0x9F: kanji), low bytes varied."""
    highs, lows = Counter(high), Counter(low)
    ((_, most),) = highs.most_common(1)
    total = highs.total()
    return most >= _CONSTANT_SHARE * total and highs.most_common(1)[0][0] == "0" and len(lows) >= _VARIED_KINDS
