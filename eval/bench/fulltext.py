"""What full text costs at some number of chunks: phrases alone, many joined by OR, and what of that is bm25.

python eval/bench/fulltext.py --work DIR [10000 100000]

The index holds sentences of real texts put together at random (texts.py); the queries are chunks of it, 32 phrases
each, and the phrases that stand in most chunks. Times are medians of processor time. The table is printed and
written to eval/results/fulltext.md.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import get_args

import texts
from grooveseek.retrieval.query import any_of, compile_query
from grooveseek.store.fulltext import ColumnWeights, Table
from grooveseek.store.store import Store

ROOT = Path(__file__).resolve().parents[2]
QUERIES = 7
COMMON = 32
CANDIDATES = 400


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
        "Medians in milliseconds of processor time, one thread. Natural: 32 phrases of one chunk of the index. Common:",
        f"the {COMMON} of all those phrases that stand in most chunks. Every match is scored (`bm25`); the last two",
        f"columns walk the same matches without a score, and with a score for {CANDIDATES} of them only.\n",
        "| chunks | table | query | phrases | matches | scored | times one phrase | walked | candidates scored |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for size in options.sizes:
        path = options.work / f"text-{size}.db"
        texts.build(path, size)
        with Store.open_for_reading(path) as store:
            for table in get_args(Table):
                lines += [f"| {size:,} | {row}" for row in rows(store, table, size)]
    text = "\n".join(lines) + "\n"
    print(text)
    (ROOT / "eval/results/fulltext.md").write_text(text, encoding="utf-8")


def rows(store: Store, table: Table, size: int) -> list[str]:
    """A table's lines: the commonest phrase, the commonest ones joined, natural queries."""
    asked = [phrases(store, table, 1 + number * size // QUERIES) for number in range(QUERIES)]
    counts = {phrase: matches(store, table, [phrase]) for phrase in dict.fromkeys(p for one in asked for p in one)}
    common = sorted(counts, key=lambda phrase: (-counts[phrase], phrase))[:COMMON]
    one = statistics.median(timed(partial(scored, store, table, common[:1])) for _ in range(3))
    measured = []
    for name, queries in (("the commonest phrase", [common[:1]]), ("common", [common]), ("natural", asked)):
        took = [
            statistics.median(timed(partial(form, store, table, query)) for query in queries for _ in range(3))
            for form in (scored, matches, candidates)
        ]
        found = statistics.median(matches(store, table, query) for query in queries)
        length = statistics.median(len(query) for query in queries)
        measured.append(
            f"{table} | {name} | {length:.0f} | {found:,.0f} | {took[0]:.0f} | {took[0] / one:.1f} | {took[1]:.0f} | "
            f"{took[2]:.0f} |"
        )
    return measured


def phrases(store: Store, table: Table, chunk: int) -> list[str]:
    """The phrases a search for a chunk's own text would look up in a table."""
    content = store.documents.chunks([chunk])[chunk].chunk.content
    query = compile_query(content[:1000])
    return list(query.words if table == "fts_words" else query.phrases)


def expression(table: Table, asked: Sequence[str]) -> str:
    """The phrases joined by OR."""
    compiled = any_of(asked, spelled=table == "fts_words")
    return "" if compiled is None else compiled.text


def scored(store: Store, table: Table, asked: Sequence[str]) -> int:
    """Every match with its score, as the full-text leg asks."""
    return len(store.fulltext.matches(table, expression(table, asked), ColumnWeights())[0])


def matches(store: Store, table: Table, asked: Sequence[str]) -> int:
    """The number of matches."""
    return int(store.database.value(f"SELECT count(*) FROM {table} WHERE {table} MATCH ?", (expression(table, asked),)))


def candidates(store: Store, table: Table, asked: Sequence[str]) -> int:
    """The scores of some matches only. The plus keeps SQLite from looking each up apart, phrase counts and all."""
    some = json.dumps(list(range(1, CANDIDATES * 7, 7)))
    found = store.database.all(
        f"SELECT rowid, bm25({table}, 2, 1, 1) FROM {table} WHERE {table} MATCH ? "
        "AND +rowid IN (SELECT value FROM json_each(?))",
        (expression(table, asked), some),
    )
    return len(found)


def timed(call: Callable[[], int]) -> float:
    """Milliseconds of processor time."""
    started = time.process_time()
    call()
    return (time.process_time() - started) * 1000


if __name__ == "__main__":
    main()
