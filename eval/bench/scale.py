"""What an index and its searches cost as the number of chunks grows: ``python eval/bench/scale.py --work DIR [SIZES]``.

Texts are sentences of real texts put together at random, vectors synthetic ones (texts.py): nobody wants to embed a
million chunks for a benchmark, so building is measured without the model, and searching without the embedding of the
question. Indexes are kept in ``--work``; building one that was interrupted goes on. Every size is searched in a process
of its own: a first search, others to warm up, then short questions of the collections, each once a leg.
The tables are printed and written to eval/results/scale.md, the curves to docs/performance-scale.svg.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import curves
import numpy as np
import numpy.typing as npt
import texts
from embeddings import DIMENSION, clustered_queries
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.model.query import Mode, SearchRequest
from grooveseek.retrieval.pipeline import Searcher
from grooveseek.settings.sections import Settings
from grooveseek.store.store import Store

ROOT = Path(__file__).resolve().parents[2]
SIZES = (1_000, 10_000, 100_000, 1_000_000)
LEGS = {"vectors": Mode.SEMANTIC, "full text": Mode.KEYWORD, "both": Mode.HYBRID}
WARM_UP, MEASURED = 10, 40
MIB = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Milliseconds of one leg's searches, processor and wall, in the order they were made."""

    processor: Sequence[float]
    wall: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What a process of its own found: the first search, the legs, and its memory in bytes before and after.

    ``own`` is memory nobody shares; ``mapped`` pages of files, the index among them, which the system takes back when
    it wants to. Zero where the system does not tell them apart.
    """

    first: tuple[float, float]
    legs: Mapping[str, Times]
    own_before: int
    own: int
    mapped: int


def main() -> None:
    """Build, search, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="a folder for the indexes, 11 GB for a million chunks")
    parser.add_argument("--search", type=Path, help=argparse.SUPPRESS)  # what the process of its own is asked for
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES)
    options = parser.parse_args()
    if options.search is not None:
        print(json.dumps(asdict(search(options.search, options.work / "queries.npy"))))
        return
    found: dict[int, Searched] = {}
    indexes: dict[int, Path] = {}
    for size in options.sizes:
        _, indexes[size] = texts.knowledge_base(options.work, size)
        np.save(options.work / "queries.npy", clustered_queries(WARM_UP + MEASURED, size, texts.SEED))
        found[size] = searched_apart(options.work, indexes[size])
    text = report(options.sizes, indexes, found)
    print(text)
    (ROOT / "eval/results/scale.md").write_text(text, encoding="utf-8")
    if len(options.sizes) > 1:
        chart = curves.chart("Processor time of a search by number of chunks (median)", lines_of(found))
        (ROOT / "docs/performance-scale.svg").write_text(chart, encoding="utf-8")


def searched_apart(work: Path, index: Path) -> Searched:
    """:func:`search` in a process of its own, so that memory and first search are of this index alone."""
    command = [sys.executable, __file__, "--work", str(work), "--search", str(index)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    plain: dict[str, Any] = json.loads(done.stdout)
    legs = {name: Times(**times) for name, times in plain.pop("legs").items()}
    return Searched(**{**plain, "first": tuple(plain["first"])}, legs=legs)


# -- searching ---------------------------------------------------------------------------------------------------------


class Prepared(FakeEmbedder):
    """Gives vectors near those of the index, made before, in place of a model's: a new one for every new question."""

    def __init__(self, vectors: npt.NDArray[np.float32]) -> None:
        super().__init__(DIMENSION)
        self._vectors = itertools.cycle(vectors)

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """The next vector; a searcher asks once a question."""
        return next(self._vectors)


def search(index: Path, queries: Path) -> Searched:
    """Search an index as a server would that has just been started."""
    asked = texts.short_questions()[: WARM_UP + MEASURED]
    embedder = Prepared(np.load(queries))
    settings = Settings(kb_path=index.parent)
    before, _ = memory()
    started = time.perf_counter(), time.process_time()
    with Store.open_for_reading(index) as store:
        searcher = Searcher(root=index.parent / "notes", store=store, embedder=embedder, settings=settings)
        searcher.search(SearchRequest(query=asked[0]))
        first = (time.perf_counter() - started[0]) * 1000, (time.process_time() - started[1]) * 1000
        for question in asked[1:WARM_UP]:
            for mode in LEGS.values():
                searcher.search(SearchRequest(query=question, mode=mode))
        legs = {name: timed(searcher, asked[WARM_UP:], mode) for name, mode in LEGS.items()}
        own, mapped = memory()
    return Searched(first=first, legs=legs, own_before=before, own=own, mapped=mapped)


def timed(searcher: Searcher, asked: Sequence[str], mode: Mode) -> Times:
    """Every question once."""
    processor, wall = [], []
    for question in asked:
        request = SearchRequest(query=question, mode=mode)
        began = time.perf_counter(), time.process_time()
        searcher.search(request)
        wall.append((time.perf_counter() - began[0]) * 1000)
        processor.append((time.process_time() - began[1]) * 1000)
    return Times(processor=processor, wall=wall)


def memory() -> tuple[int, int]:
    """Bytes of this process in memory: its own, and those of mapped files. Zeros where there is no ``/proc``."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
    kib = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines) if "Rss" in name}
    return kib.get("RssAnon", 0) * 1024, kib.get("RssFile", 0) * 1024


# -- the tables --------------------------------------------------------------------------------------------------------


def report(sizes: Sequence[int], indexes: Mapping[int, Path], found: Mapping[int, Searched]) -> str:
    """The page: building and size, the legs, a process's first search and its memory."""
    return "\n".join(
        [
            "# What grows with the number of chunks\n",
            "    python eval/bench/scale.py --work DIR " + " ".join(map(str, sizes)) + "\n",
            "Texts put together from real sentences, one synthetic vector of 384 numbers a chunk; building is writing",
            f"the store, without parsing and embedding. {MEASURED} short questions of Cranfield and CACM, after",
            f"{WARM_UP} others, ten hits, one thread, without the embedding of the question.\n",
            "| chunks | build, s | processor, s | ms a chunk | file, MB | KB a chunk |",
            "|---|---|---|---|---|---|",
            *(_build_row(size, indexes[size]) for size in sizes),
            "",
            'Milliseconds of a search. "times" is the processor time\'s median by that of the size before.\n',
            "| chunks | leg | processor p50 | p95 | wall p50 | p95 | times |",
            "|---|---|---|---|---|---|---|",
            *(_leg_row(size, before, name, found) for size, before in _with_before(sizes) for name in LEGS),
            "",
            "The first search of a process, milliseconds, and the process's memory after all of them, MiB: its own",
            "beyond what it had before the index was opened, and pages of mapped files, the index among them.\n",
            "| chunks | first search, processor | wall | own memory | mapped files |",
            "|---|---|---|---|---|",
            *(_process_row(size, found[size]) for size in sizes),
            "",
        ]
    )


def lines_of(found: Mapping[int, Searched]) -> dict[str, list[tuple[int, float]]]:
    """The curves: each leg's median, and the first search."""
    legs = {name: [(size, statistics.median(one.legs[name].processor)) for size, one in found.items()] for name in LEGS}
    return {**legs, "first search": [(size, one.first[1]) for size, one in found.items()]}


def _with_before(sizes: Sequence[int]) -> list[tuple[int, int | None]]:
    return list(zip(sizes, (None, *sizes), strict=False))


def _build_row(size: int, index: Path) -> str:
    cost, file_bytes = texts.cost(index), index.stat().st_size
    seconds = f"{cost.seconds:.1f} | {cost.processor_seconds:.1f} | {cost.processor_seconds / size * 1000:.2f}"
    return f"| {size:,} | {seconds} | {file_bytes / 1e6:,.0f} | {file_bytes / size / 1e3:.1f} |"


def _leg_row(size: int, before: int | None, name: str, found: Mapping[int, Searched]) -> str:
    times = found[size].legs[name]
    median = statistics.median(times.processor)
    growth = "" if before is None else f"{median / statistics.median(found[before].legs[name].processor):.1f}"
    return (
        f"| {size:,} | {name} | {median:.1f} | {_p95(times.processor):.1f} | {statistics.median(times.wall):.1f} | "
        f"{_p95(times.wall):.1f} | {growth} |"
    )


def _p95(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20, method="inclusive")[-1]


def _process_row(size: int, one: Searched) -> str:
    wall, processor = one.first
    own = max(0, one.own - one.own_before)
    return f"| {size:,} | {processor:.0f} | {wall:.0f} | {own / MIB:.0f} | {one.mapped / MIB:.0f} |"


if __name__ == "__main__":
    main()
