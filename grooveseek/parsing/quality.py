"""The quality score of a chunk: how much a text says, from its length and from whether it is only a placeholder."""

from __future__ import annotations

import unicodedata

from grooveseek.model.document import QualityProfile

_SHORT_CHARS = 30
_SHORT_LINE_CHARS = 80

# The score is counted in tenths, so that 1 - 0.6 - 0.3 is 0.1 and not a float beside it.
_FULL, _SHORT, _BOILERPLATE, _SINGLE_LINE = 10, 6, 5, 3

_LONGEST_PLACEHOLDER = 200  # characters, punctuation and all; keeps the check cheap on long chunks


def score(text: str, profile: QualityProfile) -> float:
    """From 0.0 to 1.0 in steps of 0.1.

    A text loses 0.6 when it is under 30 characters (trimmed), 0.5 when all of it is a placeholder such as ``TBD``, and
    0.3 when it is a single line under 80 characters. Only the placeholder counts for the profiles ``BINARY`` (extracted
    text comes in short lines) and ``DEFINITION`` (a short function is no worse for it).
    """
    trimmed = text.strip()
    tenths = _FULL
    if is_boilerplate(trimmed):
        tenths -= _BOILERPLATE
    if profile is QualityProfile.TEXT:
        tenths -= _SHORT if len(trimmed) < _SHORT_CHARS else 0
        tenths -= _SINGLE_LINE if len(trimmed) < _SHORT_LINE_CHARS and not _has_line_break(trimmed) else 0
    return max(tenths, 0) / 10


def is_boilerplate(text: str) -> bool:
    """Whether the whole text is a placeholder, letter case, punctuation and white space aside."""
    return len(text) <= _LONGEST_PLACEHOLDER and _letters(text) in _PLACEHOLDERS


def _has_line_break(text: str) -> bool:
    return "\n" in text or "\r" in text


def _letters(text: str) -> str:
    """The folded letters and digits of a text, with the marks on them."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if unicodedata.category(char)[0] in "LNM")


_PLACEHOLDERS = frozenset(
    map(
        _letters,
        (
            *("TBD", "TBA", "TBC", "TODO", "FIXME", "WIP", "N/A", "coming soon", "work in progress", "placeholder"),
            *("to be done", "to be defined", "to be determined", "to be decided", "to be announced", "to be written"),
            *("under construction", "draft", "empty", "not yet written", "more to come", "see below"),
            *("details to follow", "details below"),
            *("未定", "準備中", "作成中", "執筆中", "工事中", "検討中", "調整中", "未記入", "未記載"),
            *("未作成", "未着手", "詳細は後述", "後述", "後日追記", "追記予定", "記載予定", "近日公開", "省略"),
            *("待定", "待补充", "待補充", "待完善", "敬请期待", "敬請期待", "미정", "준비 중", "작성 중", "추후 작성"),
            *("folgt", "in Arbeit", "in Vorbereitung", "à compléter", "à venir", "en construction", "por definir"),
            *("próximamente", "pendiente", "da definire", "в разработке", "будет дополнено"),
        ),
    )
)
