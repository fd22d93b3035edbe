"""One search system in a process of its own: ``python comparators_worker.py SYSTEM CORPUS FOLDER``.

CORPUS is a folder written by comparators_corpora.py, FOLDER holds the system's index. Commands are JSON lines on
standard input, each answered by one line on standard output; what libraries print goes to standard error.

    {"do": "build"}                                     {"seconds": 1.5, "memory": 312.0}
    {"do": "open"}                                      {}
    {"do": "ask", "mode": "hybrid", "query": 3, "limit": 10}    {"ms": 2.1, "keys": ["a.md#0", ...]}
    {"do": "memory"}                                    {"memory": 150.2}

Memory is the most the process ever held, in MiB. Needs numpy and the system's own library, nothing of groove's: a
system runs under whatever interpreter has it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
Found = Sequence[tuple[str, str]]
"""(key, text) of what was found, best first."""

KEYWORD, SEMANTIC, HYBRID = "keyword", "semantic", "hybrid"


@dataclass(frozen=True)
class Corpus:
    """Texts with their keys, a vector for each window of a text, queries with a vector each."""

    folder: Path

    def chunks(self) -> Iterator[tuple[str, str]]:
        """(key, text) of every chunk, in order."""
        with (self.folder / "chunks.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                yield row["key"], row["text"]

    @cached_property
    def vectors(self) -> Vectors:
        """float32 [windows, dimension], unit rows, in the order of the chunks; read when they are looked at."""
        found: Vectors = np.load(self.folder / "vectors.npy", mmap_mode="r")
        return found

    @cached_property
    def owners(self) -> npt.NDArray[np.int64]:
        """The chunk, from 0, each vector is of."""
        found: npt.NDArray[np.int64] = np.load(self.folder / "owners.npy")
        return found

    def rows(self) -> Iterator[tuple[int, str, str, Vectors]]:
        """(row, key, text, vector) of every window; a chunk of two windows comes twice."""
        chunks = enumerate(self.chunks())
        number, (key, text) = next(chunks)
        for row, owner in enumerate(self.owners):
            while number < owner:
                number, (key, text) = next(chunks)
            yield row, key, text, self.vectors[row]

    @cached_property
    def queries(self) -> list[str]:
        """What is asked."""
        found: list[str] = json.loads((self.folder / "queries.json").read_text(encoding="utf-8"))
        return found

    @cached_property
    def query_vectors(self) -> Vectors:
        """float32 [queries, dimension]."""
        found: Vectors = np.load(self.folder / "query_vectors.npy")
        return found

    @property
    def root(self) -> Path | None:
        """The folder of files the chunks were cut from, if there is one."""
        root = json.loads((self.folder / "corpus.json").read_text(encoding="utf-8"))["root"]
        return None if root is None else Path(root)


class System(Protocol):
    """What is compared. ``build`` writes an index, ``open`` reads it in another process, ``ask`` searches."""

    def build(self) -> None: ...

    def open(self) -> None: ...

    def ask(self, mode: str, text: str, vector: Vectors, limit: int) -> Found: ...


def once(found: Iterator[tuple[str, str]], limit: int) -> Found:
    """The first ``limit`` chunks, each once: of a chunk with several windows the best counts."""
    return list(islice(dict(found).items(), limit))


def serve(system: System, corpus: Corpus, commands: Iterator[str], answer: Callable[[dict[str, Any]], None]) -> None:
    """Do what each line says and answer it."""
    for line in commands:
        command = json.loads(line)
        match command["do"]:
            case "build":
                started = time.perf_counter()
                system.build()
                answer({"seconds": time.perf_counter() - started, "memory": most_memory()})
            case "open":
                system.open()
                answer({})
            case "ask":
                text, vector = corpus.queries[command["query"]], corpus.query_vectors[command["query"]]
                started = time.perf_counter()
                found = system.ask(command["mode"], text, vector, command["limit"])
                took = (time.perf_counter() - started) * 1000
                answer({"ms": took, "keys": [key for key, _ in found]})
            case "memory":
                answer({"memory": most_memory()})


def most_memory() -> float:
    """MiB this process held at most. Not getrusage where /proc is: after a fork that counts the parent's too."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    import resource

    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def load(name: str, corpus: Corpus, folder: Path) -> System:
    """The system of that name."""
    if name == "groove":
        from comparators_groove import Groove

        return Groove(corpus, folder)
    from comparators_systems import SYSTEMS

    return SYSTEMS[name](corpus, folder)


def main() -> None:
    """Serve one system until standard input ends."""
    name, corpus, folder = sys.argv[1], Corpus(Path(sys.argv[2])), Path(sys.argv[3])
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(value: dict[str, Any]) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    serve(load(name, corpus, folder), corpus, iter(sys.stdin), answer)


if __name__ == "__main__":
    main()
