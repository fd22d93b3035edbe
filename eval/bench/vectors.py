"""Vector search by size: groove's funnel beside a whole scan and beside sqlite-vec, on the same vectors in one run.

python eval/bench/vectors.py --work DIR [1000 10000 100000 1000000]

For each size three indexes: clustered vectors, real ones (mixtures of real ones beyond --real of them; see
embeddings.py), and docstrings asked about other subjects, the hard case. Every query is put to each method in turn;
times are medians of processor time, which other programs on the machine change little. Figures are kept in the work
folder, so that sizes can be measured one by one; the tables of all are printed and written to
eval/results/vectors.md, the chart to docs/performance.svg.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from curves import chart
from embeddings import DIMENSION, Vectors, clustered, clustered_queries, collection_texts, mixed, real
from grooveseek.store.records import Ids
from grooveseek.store.store import Store
from vector_files import SqliteVec, add_document, build_groove, exact_nearest, open_sqlite_vec

ROOT = Path(__file__).resolve().parents[2]
K = 50
DEEP = 200
NONE: Ids = np.zeros(0, dtype=np.int64)
SEED = 1
CHANGES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One index's figures: medians in milliseconds, recall in [0, 1], mebibytes."""

    kind: str
    size: int
    queries: int
    times: dict[str, float]
    recall: dict[str, float]
    memory: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """Vectors, made anew whenever asked for, and queries."""

    kind: str
    blocks: Callable[[], Iterable[Vectors]]
    queries: Vectors


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="a folder for indexes and embeddings")
    parser.add_argument("sizes", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--queries", type=int, default=30)
    parser.add_argument("--real", type=int, default=14_000, help="how many texts to embed")
    parser.add_argument("--memory-of", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_of:
        print(memory_of(options.memory_of))
        return
    options.work.mkdir(parents=True, exist_ok=True)
    embedded, asked = real(options.work, options.real)
    documents = len(collection_texts("docs.jsonl"))
    chosen = np.linspace(0, len(asked) - 1, options.queries).astype(int)
    for size in options.sizes:
        for data in (
            clustered_data(size, options.queries),
            real_data(embedded, asked[chosen], size),
            off_subject_data(embedded[documents:], asked[chosen], size),
        ):
            print(f"{size:,} {data.kind} ...", file=sys.stderr)
            keep(options.work, measure(data, size, options.work))
    results = kept(options.work)
    text = tables(results)
    print(text)
    (ROOT / "eval/results/vectors.md").write_text(text, encoding="utf-8")
    (ROOT / "docs/performance.svg").write_text(curves(results), encoding="utf-8")


def keep(work: Path, result: Result) -> None:
    """Keep one index's figures, so that sizes can be measured one by one."""
    name = f"{result.kind.split()[0]}-{result.size:08}.json"
    (work / name).write_text(json.dumps(asdict(result)), encoding="utf-8")


def kept(work: Path) -> list[Result]:
    """Every size measured so far, smallest first."""
    results = [Result(**json.loads(path.read_text(encoding="utf-8"))) for path in work.glob("*-????????.json")]
    return sorted(results, key=lambda result: (result.size, result.kind))


def clustered_data(size: int, queries: int) -> Data:
    """Clustered vectors, and queries near some of them."""
    return Data(kind="clustered", blocks=lambda: clustered(size, SEED), queries=clustered_queries(queries, size, SEED))


def real_data(embedded: Vectors, queries: Vectors, size: int) -> Data:
    """Real vectors, and mixtures of them where there are too few."""
    kind = "real" if size <= len(embedded) else f"real ({len(embedded):,}) and mixtures"
    return Data(kind=kind, blocks=lambda: mixed(embedded, size, SEED), queries=queries)


def off_subject_data(docstrings: Vectors, queries: Vectors, size: int) -> Data:
    """The docstrings among the real vectors, asked about aerodynamics and algorithms: all cosines are low and close."""
    kind = "off-subject" if size <= len(docstrings) else f"off-subject ({len(docstrings):,}) and mixtures"
    return Data(kind=kind, blocks=lambda: mixed(docstrings, size, SEED), queries=queries)


def measure(data: Data, size: int, work: Path) -> Result:
    """Build one set of vectors in every form, ask every method every query."""
    path = work / f"bench-{size}.db"
    build_groove(path, data.blocks())
    other = open_sqlite_vec(path.with_suffix(".vec.db"), data.blocks())
    exact = exact_nearest(data.blocks(), data.queries, DEEP)
    memory = float(
        subprocess.check_output(
            [sys.executable, __file__, "--work", str(work), "--memory-of", str(path)],
            cwd=ROOT,
            text=True,
        )
    )
    with Store.open_for_writing(path) as store:
        times, recall = ask(store, other, data.queries, exact, size)
        times["after a change"] = after_changes(store, data.queries)
    other.close()
    return Result(
        kind=data.kind,
        size=size,
        queries=len(data.queries),
        times={name: statistics.median(values) for name, values in times.items()},
        recall=recall,
        memory=memory,
    )


def ask(
    store: Store, other: SqliteVec, queries: Vectors, exact: Sequence[Sequence[int]], size: int
) -> tuple[dict[str, list[float]], dict[str, float]]:
    """Milliseconds of every method for every query, and groove's recall."""
    half = np.arange(1, size + 1, 2, dtype=np.int64)
    few = np.linspace(1, size, 3).astype(np.int64)
    times: dict[str, list[float]] = {}

    def timed(name: str, call: Callable[[], list[int]]) -> list[int]:
        started = time.process_time()
        found = call()
        times.setdefault(name, []).append((time.process_time() - started) * 1000)
        return found

    def nearest(query: Vectors, k: int, allowed: Ids | None = None) -> list[int]:
        found: list[int] = store.vectors.nearest(query, k, allowed=allowed, held_back=NONE).ids.tolist()
        return found

    def whole(query: Vectors) -> list[int]:
        ids, scores = store.vectors.scores(query)
        found: list[int] = ids[np.argpartition(-scores, min(K, len(ids)) - 1)[:K]].tolist()
        return found

    timed("first search", lambda: nearest(queries[0], K))
    shared: dict[int, float] = dict.fromkeys((10, K, DEEP), 0.0)
    for number, query in enumerate(queries):
        blob = query.tobytes()
        found = timed("groove", partial(nearest, query, K))
        deep = timed("groove, k = 200", partial(nearest, query, DEEP))
        timed("sqlite-vec scan", partial(other.scan, blob, K))
        timed("vec0", partial(other.vec0, blob, K))
        timed("half allowed", partial(nearest, query, K, half))
        kept = timed("three allowed", partial(nearest, query, K, few))
        if sorted(kept) != few.tolist():
            raise SystemExit(f"a filter that keeps {few.tolist()} gave {kept}")
        if number < CHANGES:
            timed("whole scan", partial(whole, query))
        for k, ids in ((10, found), (K, found), (DEEP, deep)):
            shared[k] += len({*ids[:k]} & {*exact[number][:k]}) / min(k, size) / len(queries)
    return times, {str(k): value for k, value in shared.items()}


def after_changes(store: Store, queries: Vectors) -> list[float]:
    """Milliseconds of the first search after five chunks went and five came."""
    times = []
    for number in range(CHANGES):
        with store.transaction():
            store.database.execute("DELETE FROM chunks WHERE id BETWEEN ? AND ?", (number * 30 + 5, number * 30 + 9))
            add_document(store, f"new{number}.md", queries[:5])
        started = time.process_time()
        store.vectors.nearest(queries[0], K, allowed=None, held_back=NONE)
        times.append((time.process_time() - started) * 1000)
    return times


def memory_of(path: Path) -> float:
    """Mebibytes of this process's own memory that a first search adds; NaN where /proc does not say."""
    with Store.open_for_reading(path) as store:
        before = _own_memory()
        query = np.ones(DIMENSION, dtype=np.float32)
        store.vectors.nearest(query, K, allowed=None, held_back=NONE)
        return _own_memory() - before


def _own_memory() -> float:
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) / 1024


def tables(results: Sequence[Result]) -> str:
    """Speed, recall and what else it takes, as Markdown."""
    head = "# Vector search by size\n\n    python eval/bench/vectors.py --work DIR "
    lines = [
        head + " ".join(str(size) for size in sorted({result.size for result in results})) + "\n",
        "384 dimensions, k = 50, one thread, medians in milliseconds of processor time, every method asked each query",
        "in turn. sqlite-vec is given float32, in an ordinary table (`vec_distance_cosine`) and in `vec0`. The whole",
        "scan is groove's own exact one. Up to 20,000 vectors groove scans all of them, kept in memory; above, it uses",
        "the funnel.\n",
        "| vectors | kind | groove | groove, k = 200 | whole scan | sqlite-vec scan | vec0 | "
        "times faster than scan / vec0 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for result in results:
        t = result.times
        lines.append(
            f"| {result.size:,} | {result.kind} | {t['groove']:.1f} | {t['groove, k = 200']:.1f} | "
            f"{t['whole scan']:.1f} | {t['sqlite-vec scan']:.1f} | {t['vec0']:.1f} | "
            f"{t['sqlite-vec scan'] / t['groove']:.1f} / {t['vec0'] / t['groove']:.1f} |"
        )
    lines += [
        "\nRecall against the exact nearest. The first search reads every vector once; the memory is what it adds to",
        "the process. A change is five chunks deleted and five added; filters allow half of the chunks, or three.\n",
        "| vectors | kind | queries | recall@10 | recall@50 | recall@200 | first search | after a change | "
        "half allowed | three allowed | memory, MiB |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for result in results:
        t = result.times
        lines.append(
            f"| {result.size:,} | {result.kind} | {result.queries} | {result.recall['10']:.4f} | "
            f"{result.recall[str(K)]:.4f} | {result.recall[str(DEEP)]:.4f} | {t['first search']:.0f} | "
            f"{t['after a change']:.1f} | {t['half allowed']:.1f} | {t['three allowed']:.2f} | {result.memory:.0f} |"
        )
    return "\n".join(lines) + "\n"


def curves(results: Sequence[Result]) -> str:
    """The chart of the times on clustered vectors."""
    shown = [result for result in results if result.kind == "clustered"]
    names = ("groove", "whole scan", "sqlite-vec scan", "vec0")
    return chart(
        "50 nearest of n clustered (synthetic) vectors, 384 dimensions",
        {name: [(result.size, result.times[name]) for result in shown] for name in names},
    )


if __name__ == "__main__":
    main()
