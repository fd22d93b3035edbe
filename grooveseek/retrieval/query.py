"""The query compiler: what a person typed becomes phrases for the two full-text tables, a pure function.

The trigram table finds any substring of three folded characters or more; the word table finds words, of one character
too. So a query is cut into *phrases* for the first and *words* for the second:

- ``"..."`` is one phrase, verbatim (``""`` inside is a literal quote); an unclosed quote is ordinary text.
- Other text is cut into groups at white space, punctuation and symbols, and a group into runs of one script (kanji,
  hiragana, katakana, everything else). A run under three characters joins its neighbour inside its group; where that
  extends a run that was long enough, the run alone is a phrase too. ``再ランキングの評価について`` gives
  ``再ランキング``,
  ``ランキング``, ``の評価``, ``について``.
- A piece between blanks that holds symbols (``C++``, ``C#``, ``VLV-0071``) is also a phrase as it stands.
- Function words are left out beside others (see :mod:`grooveseek.retrieval.stopwords`).
- A piece led by ``-`` is excluded: a chunk that holds it is no answer, whichever leg found it.

Every phrase is a contiguous piece of the input. Nothing of the input reaches FTS5 but as a quoted string.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from grooveseek.retrieval.stopwords import without_kana_grammar, without_stop_words
from grooveseek.text.fold import fold
from grooveseek.text.scripts import HAN, HIRAGANA, KATAKANA, UNSPACED, is_word_char, script_of
from grooveseek.text.words import spell, words

COMPILER_VERSION = 3
"""Part of every evaluation's fingerprint: a change of the rules above makes figures incomparable."""

MAX_PHRASES = 32
MIN_PHRASE = 3
"""Folded characters a trigram phrase needs."""
MIN_SYMBOLS = 2
"""Folded characters a piece with symbols needs to be looked for as it stands: C#, 5%."""

_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
_BLANKS = re.compile(r"\s+")
_SENTENCE_OPEN = "\"'([{<“‘«「『（【"
_SENTENCE_CLOSE = "\"')]}>,.;:!?”’»」』）】、。！？…"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledQuery:
    """A query, ready for the legs.

    ``phrases`` and ``excluded`` are for the trigram table, ``words`` and ``excluded_words`` for the word table, each in
    the order typed, without repeats. ``positive_text`` is the query without its excluded pieces: what the embedding
    model, the reranker and the match spans see.
    """

    text: str
    positive_text: str
    phrases: tuple[str, ...]
    words: tuple[str, ...]
    short_terms: tuple[str, ...]
    runs: tuple[str, ...]
    excluded: tuple[str, ...]
    excluded_words: tuple[str, ...]
    dropped: tuple[str, ...]
    truncated: int

    @property
    def has_exclusions(self) -> bool:
        """Whether anything is excluded."""
        return bool(self.excluded or self.excluded_words)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is searched for, whatever is excluded."""
        return not self.positive_text.strip()

    @property
    def span_terms(self) -> tuple[str, ...]:
        """What to look for when showing where an answer matched: an unbroken run is shown whole where it stands
        whole.
        """
        return self.phrases + self.short_terms + self.runs


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    quoted: bool
    excluded: bool


def compile_query(text: str) -> CompiledQuery:
    """Compile a query. Never fails: any string gives something FTS5 accepts, if only nothing."""
    pieces = list(_pieces(text.replace("\0", " ")))
    positive = [piece for piece in pieces if not piece.excluded]
    negative = [piece for piece in pieces if piece.excluded]
    positive_text = " ".join(f'"{p.text}"' if p.quoted else p.text for p in positive)
    phrases, short = _phrases_and_short(positive)
    trimmed = _BLANKS.sub(" ", positive_text).strip()
    if not phrases and len(fold(trimmed)) >= MIN_PHRASE and trimmed in text:
        phrases = [trimmed]
    excluded, excluded_short = _exclusions(negative)
    phrases = without_stop_words(phrases)
    kept = phrases[:MAX_PHRASES]
    every_word = _unique(word for piece in positive for word in _query_words(piece))
    all_words = without_kana_grammar(without_stop_words(every_word))
    return CompiledQuery(
        text=text,
        positive_text=" ".join(piece.text for piece in positive).strip(),
        phrases=tuple(kept),
        words=tuple(all_words[:MAX_PHRASES]),
        short_terms=tuple(term for term in short if spell(term))[:MAX_PHRASES],
        runs=tuple(_unique(run for piece in positive for run in _unbroken(piece)))[:MAX_PHRASES],
        excluded=tuple(excluded[:MAX_PHRASES]),
        excluded_words=tuple(excluded_short[:MAX_PHRASES]),
        dropped=tuple(term for term in short if not spell(term)),
        truncated=max(0, len(phrases) - MAX_PHRASES) + max(0, len(all_words) - MAX_PHRASES),
    )


def forms(phrases: Iterable[str], *, spelled: bool) -> list[str]:
    """``phrases`` as an index table has them, without repeats: the word table when ``spelled``, else the trigram
    table. What is nothing there is left out.
    """
    found = _unique(spell(phrase) if spelled else fold(phrase) for phrase in phrases)
    return [form for form in found if form]


# -- cutting the input ---------------------------------------------------------------------------------------------


def _pieces(text: str) -> Iterator[_Piece]:
    """Quoted regions and the pieces between blanks, each with whether a ``-`` leads it."""
    position = 0
    for match in _QUOTED.finditer(text):
        before = text[position : match.start()]
        led = before.endswith("-") and (len(before) == 1 or before[-2].isspace())
        yield from _plain_pieces(before[:-1] if led else before)
        if match.group(1).strip():
            yield _Piece(match.group(1).replace('""', '"'), quoted=True, excluded=led)
        position = match.end()
    yield from _plain_pieces(text[position:])


def _plain_pieces(text: str) -> Iterator[_Piece]:
    for piece in text.split():
        excluded = len(piece) > 1 and piece[0] == "-" and piece[1] != "-" and any(map(is_word_char, piece[1:]))
        yield _Piece(piece[1:] if excluded else piece, quoted=False, excluded=excluded)


def _groups(text: str) -> Iterator[str]:
    for is_word, chars in groupby(text, key=is_word_char):
        if is_word:
            yield "".join(chars)


def _script_runs(group: str) -> list[str]:
    runs: list[list[str]] = []
    previous: str | None = None
    for char in group:
        kind = _run_kind(char)
        if runs and kind in (previous, "inherited"):
            runs[-1].append(char)
        else:
            runs.append([char])
            previous = kind
    return ["".join(run) for run in runs]


def _run_kind(char: str) -> str:
    script = script_of(char)
    return script if script in (HAN, HIRAGANA, KATAKANA, "inherited") else "other"


# -- phrases -------------------------------------------------------------------------------------------------------


def _phrases_and_short(pieces: Iterable[_Piece]) -> tuple[list[str], list[str]]:
    """Trigram phrases, and the terms too short to be one."""
    phrases: list[str] = []
    short: list[str] = []
    for piece in pieces:
        if piece.quoted:
            (phrases if _is_long(piece.text) or _symbols(piece.text) else short).append(piece.text)
            continue
        verbatim = _verbatim(piece.text)
        for group in _groups(piece.text):
            joined, too_short = _join_runs(_script_runs(group))
            phrases.extend(joined)
            short.extend(too_short if verbatim is None else ())
        if verbatim is not None:
            phrases.append(verbatim)
    return _unique(phrases), _unique(short)


def _unbroken(piece: _Piece) -> Iterator[str]:
    """Groups of several scripts, which are cut for searching and are one word to their reader."""
    if not piece.quoted:
        yield from (g for g in _groups(piece.text) if len(_script_runs(g)) > 1 and not g.isascii())


def _join_runs(runs: list[str]) -> tuple[list[str], list[str]]:
    """Join runs under three characters to their neighbours; what never gets there is returned apart."""
    phrases: list[str] = []
    pending = last = ""
    for run in runs:
        joined = pending + run
        if not _is_long(joined):
            pending = joined
            continue
        phrases.append(joined)
        if pending and _is_long(run):
            phrases.append(run)
        pending, last = "", joined
    if pending and last:
        phrases.append(last + pending)
    return phrases, [pending] if pending and not last else []


def _verbatim(piece: str) -> str | None:
    """A piece that holds symbols, as it stands, less the punctuation of the sentence around it."""
    core = piece.lstrip(_SENTENCE_OPEN).rstrip(_SENTENCE_CLOSE)
    return core if _symbols(core) and not any(script_of(char) in UNSPACED for char in core) else None


def _symbols(text: str) -> bool:
    """Whether letters and symbols stand together in a text that is long enough to be looked for as it is."""
    text = text.strip()
    return len(fold(text)) >= MIN_SYMBOLS and any(map(is_word_char, text)) and not all(map(is_word_char, text))


def _exclusions(pieces: Iterable[_Piece]) -> tuple[list[str], list[str]]:
    """What to keep out: a piece as it stands where it holds symbols, else its phrases; short ones as words."""
    phrases: list[str] = []
    short: list[str] = []
    for piece in pieces:
        verbatim = None if piece.quoted else _verbatim(piece.text)
        if verbatim is not None:
            phrases.append(verbatim)
            continue
        piece_phrases, piece_short = _phrases_and_short([piece])
        phrases.extend(piece_phrases)
        short.extend(piece_short)
    return _unique(phrases), [term for term in _unique(short) if spell(term)]


# -- words ---------------------------------------------------------------------------------------------------------


def _query_words(piece: _Piece) -> Iterator[str]:
    """Words for the word table. A quoted region stays one; a run of an unspaced script gives its overlapping pairs."""
    if piece.quoted:
        if not (_symbols(piece.text) and len(spell(piece.text)) == 1):
            yield piece.text
        return
    found = [word for group in _groups(piece.text) for run in _script_runs(group) for word in _run_words(run)]
    # a single letter between symbols (the e of e-mail, the C of C++) says nothing beside its piece as it stands
    yield from [word for word in found if len(word) > 1] if _verbatim(piece.text) else found


def _run_words(run: str) -> list[str]:
    spelled = list(words(run))
    return [word for word in spelled if _is_pair(word)] or spelled


def _is_pair(word: str) -> bool:
    letters = [char for char in word if char.isalnum()]
    return len(letters) == 2 and all(script_of(char) in UNSPACED for char in letters)


def _is_long(text: str) -> bool:
    return len(fold(text)) >= MIN_PHRASE


def _unique(terms: Iterable[str]) -> list[str]:
    """Without repeats, case folded; the first spelling stays."""
    seen: dict[str, str] = {}
    for term in terms:
        seen.setdefault(fold(term), term)
    return list(seen.values())
