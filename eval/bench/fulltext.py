"""What full text costs at some number of chunks: many phrases joined by OR, against SQL's ORDER BY bm25.

python eval/bench/fulltext.py --work DIR [10000 100000]

The index holds sentences of real texts put together at random (texts.py). "Natural" queries are 32 phrases of a chunk,
"common" ones the 32 phrases that stand in most chunks. The plain form is one statement for each table, the best 50 by
FTS5's own bm25. Groove's is timed new (nothing of the query is in memory, as for the first question of its kind) and
again (its lists are). For the word table both forms must give the same 50 chunks. Times are medians of processor time.
The table is printed and written to eval/results/fulltext.md.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import texts
from grooveseek.retrieval.legs import SUBSTRING_WEIGHT
from grooveseek.retrieval.query import compile_query, forms
from grooveseek.store.fulltext import ColumnWeights, Tally
from grooveseek.store.memory import Cache
from grooveseek.store.postings import quoted
from grooveseek.store.records import Ids
from grooveseek.store.store import Store

ROOT = Path(__file__).resolve().parents[2]
QUERIES = 7
COMMON = 32
BEST = 50
TOP = 10
WEIGHTS = ColumnWeights()
TABLES = ("fts_words", "fts_trigram")
LEG = "both, as the leg"


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="a folder for the indexes")
    parser.add_argument("sizes", type=int, nargs="*", default=[10_000, 100_000])
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Full text by size\n",
        "    python eval/bench/fulltext.py --work DIR " + " ".join(map(str, options.sizes)) + "\n",
        f"Medians in milliseconds of processor time, one thread. Plain: the best {BEST} by `ORDER BY bm25()`. New: the",
        "query's lists are not in memory; again: they are. Natural: 32 phrases of a chunk. Common: the 32 phrases that",
        "stand in most chunks.\n",
        "| chunks | table | query | matches | plain | new | again | plain / new | plain / again | same best "
        f"{BEST} | of the best {TOP} |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for size in options.sizes:
        path = options.work / f"text-{size}.db"
        texts.build(path, size)
        with Store.open_for_reading(path) as store:
            for table in TABLES:
                lines += [f"| {size:,} | {row}" for row in rows(store, table, size)]
            lines.append(f"| {size:,} | {whole_leg(store, size)}")
    text = "\n".join(lines) + "\n"
    print(text)
    (ROOT / "eval/results/fulltext.md").write_text(text, encoding="utf-8")


def rows(store: Store, table: str, size: int) -> list[str]:
    """A table's lines: the commonest phrase, the commonest ones joined, natural queries."""
    asked = [phrases(store, table, 1 + number * size // QUERIES) for number in range(QUERIES)]
    counts = {phrase: len(matching(store, table, phrase)) for one in asked for phrase in one}
    common = sorted(counts, key=lambda phrase: (-counts[phrase], phrase))[:COMMON]
    return [
        line(store, table, name, queries)
        for name, queries in (("the commonest phrase", [common[:1]]), ("common", [common]), ("natural", asked))
    ]


def whole_leg(store: Store, size: int) -> str:
    """The line of the whole leg for natural queries, against every match of both tables by SQL, added up."""
    asked = [[phrases(store, table, 1 + number * size // QUERIES) for table in TABLES] for number in range(QUERIES)]
    by_sql = [timed(partial(plain_leg, store, *query)) for query in asked for _ in range(3)]
    new, again = [], []
    for query in asked:
        for _ in range(3):
            forget(store)
            new.append(timed(partial(leg, store, *query)))
            again.append(timed(partial(leg, store, *query)))
    shared = [len({*plain_leg(store, *query)[:TOP]} & {*leg(store, *query)[:TOP]}) for query in asked]
    plain_time, new_time, again_time = map(statistics.median, (by_sql, new, again))
    return (
        f"{LEG} | natural | - | {plain_time:.0f} | {new_time:.0f} | {again_time:.1f} | {plain_time / new_time:.1f} | "
        f"{plain_time / again_time:.0f} | - | {statistics.mean(shared):.1f} |"
    )


def leg(store: Store, words: Sequence[str], substrings: Sequence[str]) -> list[int]:
    """The best of groove's leg."""
    scores = store.fulltext.of_words(words, (WEIGHTS,)).scores[0]
    scores = scores + SUBSTRING_WEIGHT * store.fulltext.of_substrings(substrings, (WEIGHTS,)).scores[0]
    first = np.argpartition(-scores, min(BEST, len(scores) - 1))[:BEST]
    return [int(chunk) for chunk in first[np.argsort(-scores[first], kind="stable")]]


def plain_leg(store: Store, words: Sequence[str], substrings: Sequence[str]) -> list[int]:
    """The best by FTS5's own bm25 of both tables, the second by half."""
    total: dict[int, float] = {}
    for table, asked, weight in (("fts_words", words, 1.0), ("fts_trigram", substrings, SUBSTRING_WEIGHT)):
        rows = store.database.all(
            f"SELECT rowid, -bm25({table}, ?, ?, ?) FROM {table} WHERE {table} MATCH ?",
            (WEIGHTS.heading, WEIGHTS.context, WEIGHTS.content, " OR ".join(map(quoted, asked))),
        )
        for chunk, score in rows:
            total[chunk] = total.get(chunk, 0.0) + weight * score
    return sorted(total, key=lambda chunk: (-total[chunk], chunk))[:BEST]


def line(store: Store, table: str, name: str, queries: Sequence[Sequence[str]]) -> str:
    """One line: times, and whether both forms agree."""
    by_sql = [timed(partial(plain, store, table, query)) for query in queries for _ in range(3)]
    new, again = [], []
    for query in queries:
        for _ in range(3):
            forget(store)
            new.append(timed(partial(best, store, table, query)))
            again.append(timed(partial(best, store, table, query)))
    plain_time, new_time, again_time = map(statistics.median, (by_sql, new, again))
    found = statistics.median(int(tally(store, table, query).found.sum()) for query in queries)
    agreed = [agreement(store, table, query) for query in queries]
    same = f"{sum(whole for whole, _ in agreed)} of {len(agreed)}" if table == "fts_words" else "-"
    return (
        f"{table} | {name} | {found:,.0f} | {plain_time:.0f} | {new_time:.0f} | {again_time:.1f} | "
        f"{plain_time / new_time:.1f} | {plain_time / again_time:.0f} | {same} | "
        f"{statistics.mean(shared for _, shared in agreed):.1f} |"
    )


def phrases(store: Store, table: str, chunk: int) -> list[str]:
    """The phrases a search for a chunk's own text would look up in a table."""
    content = store.documents.chunks([chunk])[chunk].chunk.content
    query = compile_query(content[:1000])
    return forms(query.words, spelled=True) if table == "fts_words" else forms(query.phrases, spelled=False)


def matching(store: Store, table: str, phrase: str) -> Ids:
    """The chunks one phrase matches."""
    ids = store.fulltext.ids_with_words if table == "fts_words" else store.fulltext.ids_with_substring
    return ids(phrase)


def plain(store: Store, table: str, asked: Sequence[str]) -> dict[int, float]:
    """The best by SQL alone, and their scores."""
    rows = store.database.all(
        f"SELECT rowid, -bm25({table}, ?, ?, ?) FROM {table} WHERE {table} MATCH ? ORDER BY 2 DESC LIMIT {BEST}",
        (WEIGHTS.heading, WEIGHTS.context, WEIGHTS.content, " OR ".join(map(quoted, asked))),
    )
    return {row[0]: row[1] for row in rows}


def tally(store: Store, table: str, asked: Sequence[str]) -> Tally:
    """What groove's leg makes of a table's phrases."""
    of = store.fulltext.of_words if table == "fts_words" else store.fulltext.of_substrings
    return of(asked, (WEIGHTS,))


def best(store: Store, table: str, asked: Sequence[str]) -> dict[int, float]:
    """The best of groove's leg, and their scores."""
    scores = tally(store, table, asked).scores[0]
    first = np.argpartition(-scores, min(BEST, len(scores) - 1))[:BEST]
    return {int(chunk): float(scores[chunk]) for chunk in first[np.argsort(-scores[first], kind="stable")]}


def agreement(store: Store, table: str, asked: Sequence[str]) -> tuple[bool, int]:
    """Whether both forms' best are the same, equals at the edge aside; and how many of the first ones are."""
    by_sql, ours = plain(store, table, asked), best(store, table, asked)
    edge = min(by_sql.values()) + 1e-9
    whole = {chunk for chunk, score in by_sql.items() if score > edge} <= ours.keys()
    close = all(abs(ours[chunk] - score) < 1e-9 for chunk, score in by_sql.items() if chunk in ours)
    return whole and close, len({*list(by_sql)[:TOP]} & {*list(ours)[:TOP]})


def forget(store: Store) -> None:
    """Take the lists out of memory; how long the chunks are stays, as it does from one question to the next."""
    postings = store.fulltext._postings
    postings._words, postings._substrings = Cache(2**30), Cache(2**30)
    postings.population()


def timed(call: Callable[[], object]) -> float:
    """Milliseconds of processor time."""
    started = time.process_time()
    call()
    return (time.process_time() - started) * 1000


if __name__ == "__main__":
    main()
