"""Function words, which a question is full of and a search is better without.

They are left out of the full-text leg only, and only where something else is left to look for. Measured on whole
documents
with both collections (nDCG@10 of the full-text leg with and without them): Cranfield .364 and .374, CACM .473 and .499.
"""

from __future__ import annotations

from collections.abc import Iterable

from grooveseek.text.fold import fold
from grooveseek.text.scripts import HIRAGANA, script_of

STOP_WORDS = frozenset(
    """
    a an the and or but nor if then else than as at by for from in into of off on onto out over to up with without about
    after again against before below between down during further through under until above i me my mine we us our ours
    you your yours he him his she her hers it its they them their theirs this that these those here there is am are was
    were be been being do does did doing have has had having can could may might must shall should will would not no so
    such too very just also only own same any all both each few more most other others some one ones what which who whom
    whose when where why how
    """.split()  # noqa: SIM905 - a list of 130 quoted words is harder to read
)


def without_stop_words(terms: Iterable[str]) -> list[str]:
    """The terms that are no English function words; all of them when there is no other."""
    listed = list(terms)
    return [term for term in listed if fold(term) not in STOP_WORDS] or listed


def without_kana_grammar(words: Iterable[str]) -> list[str]:
    """The words that are not hiragana alone, which in running Japanese is grammar; all of them when there is no other.

    Measured on the Japanese half of the handbook (nDCG@10 of the full-text leg): .696 with them, .743 without.
    """
    listed = list(words)
    return [word for word in listed if any(script_of(char) != HIRAGANA for char in word)] or listed
