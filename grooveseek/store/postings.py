"""Where words and phrases stand: the full-text tables read as inverted lists, a phrase at a time.

FTS5 computes ``bm25()`` row by row, some 0.7 microseconds each, for every row that matches, each time. The lists of a
phrase cost a sixth of that to read, and searches repeat their words; so the lists are kept (within a limit), follow
the index as it grows, and are scored here, all rows at once (:mod:`grooveseek.store.fulltext`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grooveseek.store.database import Database
from grooveseek.store.memory import Cache, Follower, Kept, Revision, Revisions
from grooveseek.store.ranking import contains
from grooveseek.store.ready import Piece, Ready
from grooveseek.store.records import Ids, Scores
from grooveseek.store.schema import WORD_TOKENIZER

Counts = npt.NDArray[np.unsignedinteger]
Flags = npt.NDArray[np.bool_]
ChunkIds = npt.NDArray[np.int32]
"""Ascending."""

_VOCABULARIES = (
    ("words_by_instance", "fts_words", "instance"),
    ("words_by_row", "fts_words", "row"),
    ("trigrams", "fts_trigram", "row"),
)
_COLUMNS = 3
_TRIGRAM = 3
_PLACES = 2**24
"""More than a chunk has words."""
_KEY = "doc * 4 + iif(col = 'content', 2, col = 'context')"
"""Chunk and column of an instance as one number; columns in the order of the table: heading, context, content."""
_ALIVE = "SELECT group_concat(id) FROM (SELECT id FROM chunks ORDER BY id)"


@dataclass(frozen=True, slots=True)
class Population:
    """The chunks of one state of the index, by id.

    ``alive`` says whether there is one of that id, ``lengths`` how many words it has in all columns (0 where there is
    none), ``relative_lengths`` the same as shares of the mean. All run from 0 to the last id ever given.
    """

    alive: Flags
    lengths: npt.NDArray[np.int32]
    relative_lengths: Scores
    count: int


@dataclass(frozen=True, slots=True)
class WordPosting:
    """The chunks in which a phrase of words stands, ascending (int32), and how often in each column: [3, n]."""

    ids: ChunkIds
    counts: Counts

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return self.ids.nbytes + self.counts.nbytes


NOWHERE = WordPosting(np.zeros(0, dtype=np.int32), np.zeros((_COLUMNS, 0), dtype=np.uint8))


class PostingMemory:
    """What is kept of the lists of one index file.

    A list of a common word takes some 700 kB at 100,000 chunks; the limits hold those of a few hundred.
    """

    def __init__(self) -> None:
        self.population: Kept[Population] = Kept()
        self.words: Cache[WordPosting] = Cache(64 * 2**20)
        self.substrings: Cache[ChunkIds] = Cache(32 * 2**20)


class Postings:
    """The lists of one index. Chunk ids beyond 2**31 are out of its reach; at that size so is everything else."""

    def __init__(self, database: Database, revisions: Revisions, memory: PostingMemory) -> None:
        self._db = database
        self._revisions = revisions
        self._ready = Ready(database)
        self._words, self._substrings = memory.words, memory.substrings
        self._population = Follower(memory.population, revisions, self._read_population)
        self._tokenize = database.tokenizer(*WORD_TOKENIZER)
        for name, table, form in _VOCABULARIES:
            vocabulary = f"fts5vocab('main', '{table}', '{form}')"
            self._db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name} USING {vocabulary}")

    def population(self) -> Population:
        """The chunks there are, in the present snapshot."""
        return self._population.current()

    def of_words(self, phrase: str) -> WordPosting:
        """Where a phrase of the word table stands: words as :func:`grooveseek.text.words.spell` spells them."""
        stems = tuple(self._tokenize(phrase))
        if not stems:
            return NOWHERE
        return self._words.get(stems, self._revisions.current(), lambda *known: self._follow_words(stems, *known))

    def of_substring(self, phrase: str) -> ChunkIds:
        """The chunks that hold a folded text of three characters or more, ascending.

        Of two characters too, but for those that hold it at the end of a column only and not behind a blank.
        """
        return self._substrings.get(
            phrase, self._revisions.current(), lambda *known: self._follow_substring(phrase, *known)
        )

    def stems_in(self, chunks: int) -> list[str]:
        """The words, as the table stems them, that stand in so many chunks or more."""
        rows = self._db.all("SELECT term FROM temp.words_by_row WHERE doc >= ? ORDER BY term", (chunks,))
        return [row[0] for row in rows]

    def read_words(self, stems: Sequence[str], *, after: int = 0) -> WordPosting:
        """The list of some words in a row, read from the table; of the chunks after one only."""
        if len(stems) == 1:
            return _counted(self._instances(_KEY, stems[0], after))
        return _counted(self._places_of_all(stems, after) // _PLACES)

    # -- following the index ---------------------------------------------------------------------------------------

    def _read_population(self, known: Population | None) -> Population:
        now = self._revisions.current()
        known = known or self._ready_population()
        before = 0 if known is None else len(known.alive) - 1
        alive, lengths = np.zeros(now.last + 1, dtype=np.bool_), np.zeros(now.last + 1, dtype=np.int32)
        if known is not None:
            alive[: before + 1], lengths[: before + 1] = known.alive, known.lengths
        new, new_lengths = self.lengths_after(before)
        alive[new], lengths[new] = True, new_lengths
        if int(alive.sum()) != now.count:
            alive[:] = False
            alive[_numbers(self._db.value(_ALIVE))] = True
            lengths[~alive] = 0
        return _population(alive, lengths)

    def _ready_population(self) -> Population | None:
        piece = self._ready.piece("lengths", "")
        if piece is None:
            return None
        alive, lengths = np.zeros(piece.last + 1, dtype=np.bool_), np.zeros(piece.last + 1, dtype=np.int32)
        alive[piece.ids], lengths[piece.ids] = True, np.frombuffer(piece.data, dtype="<i4")
        return _population(alive, lengths)

    def lengths_after(self, last: int) -> tuple[Ids, Ids]:
        """The chunks after one, and how many words each has: FTS5 keeps them, a variable-length number a column
        (https://sqlite.org/fts5.html#the_document_sizes_table)."""
        rows = self._db.all("SELECT id, sz FROM fts_words_docsize WHERE id > ? ORDER BY id", (last,))
        ids = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
        numbers = _varints(b"".join([row[1] for row in rows]))
        return ids, numbers.reshape(len(rows), _COLUMNS).sum(axis=1) if len(rows) else ids

    def _follow_words(self, stems: tuple[str, ...], at: Revision | None, known: WordPosting | None) -> WordPosting:
        last = 0 if at is None else at.last
        if known is None and len(stems) == 1:
            known, last = self._ready_words(stems[0])
        if known is None:
            return self.read_words(stems)
        kept = self.population().alive[known.ids]
        known = known if kept.all() else WordPosting(known.ids[kept], known.counts[:, kept])
        phrase = " AND ".join(map(quoted, stems))
        if not self._db.value(
            "SELECT EXISTS (SELECT 1 FROM fts_words WHERE fts_words MATCH ? AND rowid > ?)", (phrase, last)
        ):
            return known
        new = self.read_words(stems, after=last)
        return WordPosting(np.concatenate([known.ids, new.ids]), np.concatenate([known.counts, new.counts], axis=1))

    def _ready_words(self, stem: str) -> tuple[WordPosting | None, int]:
        piece = self._ready.piece("words", stem)
        if piece is None:
            return None, 0
        return WordPosting(piece.ids, word_counts(piece)), piece.last

    def _follow_substring(self, phrase: str, at: Revision | None, known: ChunkIds | None) -> ChunkIds:
        if at is None or known is None:
            return self._read_substring(phrase, after=0)
        return np.concatenate([known[self.population().alive[known]], self._read_substring(phrase, after=at.last)])

    # -- reading ---------------------------------------------------------------------------------------------------

    def _read_substring(self, phrase: str, *, after: int) -> ChunkIds:
        found = self._db.value(
            "SELECT group_concat(rowid) FROM fts_trigram WHERE fts_trigram MATCH ? AND rowid > ?",
            (quoted(phrase) if len(phrase) >= _TRIGRAM else self._any_trigram(phrase), after),
        )
        return _numbers(found).astype(np.int32)

    def _any_trigram(self, phrase: str) -> str:
        """A MATCH expression of all trigrams that begin with a shorter text, and of the one with a blank before it."""
        last = phrase + chr(sys.maxunicode)
        rows = self._db.all("SELECT term FROM temp.trigrams WHERE term BETWEEN ? AND ?", (phrase, last))
        return " OR ".join(map(quoted, [" " + phrase, *(row[0] for row in rows)]))

    def _places_of_all(self, stems: Sequence[str], after: int) -> Ids:
        """Where the first of some words stands with the others right behind it: (key, place) as one number."""
        places = {stem: self._instances(f"({_KEY}) * {_PLACES} + offset", stem, after) for stem in dict.fromkeys(stems)}
        starts = places[stems[0]]
        for distance, stem in enumerate(stems[1:], start=1):
            starts = starts[contains(places[stem], starts + distance)]
        return starts

    def _instances(self, expression: str, stem: str, after: int) -> Ids:
        """A number for each time a word stands somewhere, ascending by chunk, column and place."""
        return _numbers(
            self._db.value(
                f"SELECT group_concat({expression}) FROM temp.words_by_instance WHERE term = ? AND doc > ?",
                (stem, after),
            )
        )


def _population(alive: Flags, lengths: npt.NDArray[np.int32]) -> Population:
    count = int(alive.sum())
    mean = float(lengths.sum(dtype=np.int64)) / max(1, count)
    return Population(alive=alive, lengths=lengths, relative_lengths=lengths / (mean or 1.0), count=count)


def word_counts(piece: Piece) -> Counts:
    """How often a word stands in each chunk of a piece, by column: [3, chunks]."""
    width = len(piece.data) // max(1, len(piece.ids) * _COLUMNS)
    return np.frombuffer(piece.data, dtype=f"<u{width}").reshape(_COLUMNS, -1)


def quoted(phrase: str) -> str:
    """A MATCH expression of one phrase. Whatever it holds is text, never syntax."""
    return '"' + phrase.replace('"', '""') + '"'


def _counted(keys: Ids) -> WordPosting:
    """Instances, ascending by chunk and column, counted by both."""
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    ids, columns = keys[firsts] // 4, keys[firsts] % 4
    often = np.diff(firsts, append=len(keys))
    chunks = np.flatnonzero(np.diff(ids, prepend=-1))
    counts = np.zeros((_COLUMNS, len(chunks)), dtype=np.min_scalar_type(int(often.max(initial=0))))
    counts[columns, np.searchsorted(chunks, np.arange(len(ids)), side="right") - 1] = often
    return WordPosting(ids[chunks].astype(np.int32), counts)


def _numbers(text: str | None) -> Ids:
    """Numbers that SQLite gave as one text, separated by commas: fifteen times as quick as a row each."""
    if not text:
        return np.zeros(0, dtype=np.int64)
    return np.fromstring(text, dtype=np.int64, sep=",")


def _varints(data: bytes) -> Ids:
    """SQLite's variable-length integers, seven bits a byte, the highest first; numbers below 2**56."""
    encoded = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(encoded < 0x80)
    if not len(ends):
        return np.zeros(0, dtype=np.int64)
    starts = np.r_[0, ends[:-1] + 1]
    lengths = ends - starts + 1
    shifts = np.repeat(ends, lengths) - np.arange(len(encoded))
    values: Ids = np.add.reduceat((encoded & 0x7F).astype(np.int64) << (7 * shifts), starts)
    return values
