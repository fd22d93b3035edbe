"""Unicode's composed and decomposed spellings of one text: they look the same, so whoever types one means the other.

Some keyboards, file systems and language models give ``é`` as one character, others as two (The Unicode Standard,
annex 15). Names and tags are kept as they were written; these functions let what is asked for meet them.
"""

from __future__ import annotations

import unicodedata


def composed(text: str) -> str:
    """The text in normalisation form C: equal for texts that differ in spelling only."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def spellings(text: str) -> tuple[str, ...]:
    """The text as it stands, composed, and decomposed, without repeats: where equality is looked up in an index."""
    if text.isascii():
        return (text,)
    return tuple(dict.fromkeys((text, *(unicodedata.normalize(form, text) for form in ("NFC", "NFD")))))
