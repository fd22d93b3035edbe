"""What a whole search costs by size and mode, short questions and long ones, without the embedding of the question.

python eval/bench/query.py --work DIR [1000 10000 100000]

Texts are sentences of real texts put together at random (texts.py), vectors clustered ones; the embedding model is the
fake one, whose vectors cost next to nothing. Times are medians of processor time. The table is printed and written to
eval/results/query.md.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import texts
from embeddings import DIMENSION, clustered
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.model.query import Mode, SearchRequest
from grooveseek.retrieval.pipeline import Searcher
from grooveseek.settings.sections import Settings
from grooveseek.store.documents import pack
from grooveseek.store.store import Store

ROOT = Path(__file__).resolve().parents[2]
QUERIES = 9
SHORT, LONG = 3, 32
SEED = 1


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="a folder for the indexes")
    parser.add_argument("sizes", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    lines = [
        "# A whole search by size\n",
        "    python eval/bench/query.py --work DIR " + " ".join(map(str, options.sizes)) + "\n",
        "Medians in milliseconds of processor time, one thread, ten hits, without the embedding of the question. Short",
        f"questions have {SHORT} words of a chunk of the index, long ones {LONG}.\n",
        "| chunks | question | semantic | keyword | hybrid |",
        "|---|---|---|---|---|",
    ]
    for size in options.sizes:
        path = options.work / f"text-{size}.db"
        texts.build(path, size)
        with Store.open_for_writing(path) as store:
            add_vectors(store, size)
            searcher = Searcher(
                root=options.work,
                store=store,
                embedder=FakeEmbedder(DIMENSION),
                settings=Settings(kb_path=options.work),
            )
            for name, words in (("short", SHORT), ("long", LONG)):
                took = [
                    timed(searcher, questions(store, size, words), mode)
                    for mode in (Mode.SEMANTIC, Mode.KEYWORD, Mode.HYBRID)
                ]
                lines.append(f"| {size:,} | {name} | " + " | ".join(f"{one:.1f}" for one in took) + " |")
    text = "\n".join(lines) + "\n"
    print(text)
    (ROOT / "eval/results/query.md").write_text(text, encoding="utf-8")


def add_vectors(store: Store, size: int) -> None:
    """A vector for every chunk, unless they are there."""
    if store.database.value("SELECT EXISTS (SELECT 1 FROM chunk_vectors)"):
        return
    with store.transaction():
        first = 1
        for block in clustered(size, SEED):
            store.database.execute_many(
                "INSERT INTO chunk_vectors (chunk_id, window, vector) VALUES (?, 0, ?)",
                ((first + place, pack(vector)) for place, vector in enumerate(block)),
            )
            first += len(block)
        store.database.execute("UPDATE chunks SET windows = 1")


def questions(store: Store, size: int, words: int) -> list[str]:
    """The longest of the first words of some chunks."""
    asked = []
    for number in range(QUERIES):
        chunk = 1 + number * size // QUERIES
        content = store.documents.chunks([chunk])[chunk].chunk.content
        found = dict.fromkeys(word for word in content.split() if word.isalpha())
        asked.append(" ".join(sorted(list(found)[: 2 * words], key=len, reverse=True)[:words]))
    return asked


def timed(searcher: Searcher, asked: Sequence[str], mode: Mode) -> float:
    """The median over the questions, each asked twice, the first time not counted."""
    times = []
    for question in asked:
        request = SearchRequest(query=question[:1024], mode=mode)
        searcher.search(request)
        started = time.process_time()
        searcher.search(request)
        times.append((time.process_time() - started) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    main()
