"""groove beside what one would use instead: the same texts, vectors and queries, in one run.

python eval/bench/comparators.py --work DIR --python PATH --qmd DIR --node PATH [cranfield cacm 10000 100000]

PATH is an interpreter with the other systems, which are no dependencies of groove:

    python3 -m venv /some/venv
    /some/venv/bin/pip install chromadb==1.5.9 lancedb==0.40.0 bm25s==0.3.16 PyStemmer==3.1.0 txtai==9.14.0

(txtai brings torch, 5 GB.) What PATH lacks is left out and named. qmd is a program for Node 22 and later, which --node
names; optional packages and scripts are left out, because keyword search needs no model:

    mkdir /some/qmd && cd /some/qmd && npm init -y
    npm install --ignore-scripts --omit=optional @tobilu/qmd@2.8.3

Under Node 20 its SQLite driver ends the process; there `npm pkg set overrides.better-sqlite3=12.11.1` before, and
`npm rebuild better-sqlite3` after.

Cranfield and CACM are read beside the repository, in ../shared/collections; every system gets groove's own chunks of
them (qmd reads the files, as groove does) and the vectors the bundled model makes. A number is a synthetic corpus of so
many chunks (texts.py's sentences, embeddings.py's clustered vectors), where only speed and size mean something.

Every system is a process of its own. One builds the index; another opens it and is asked everything, for its memory;
then all are open at once, asked each query in turn, once to warm up and once for the time. Times are of the wall clock,
around the call, without embedding. Figures are kept in the work folder, a corpus at a time; the tables of all that were
measured are printed and written to eval/results/comparators.md.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from comparators_corpora import collection, synthetic
from comparators_tables import GROOVE, Cost, Figures, Run, render
from comparators_worker import HYBRID, KEYWORD, SEMANTIC
from grooveseek import __version__

ROOT = Path(__file__).resolve().parents[2]
BENCH = Path(__file__).resolve().parent
CORPORA = ("cranfield", "cacm", "10000", "100000")
DEEP, LIMIT = 50, 10
"""Chunks asked for when documents are judged, and when time is taken."""
ALL = (HYBRID, KEYWORD, SEMANTIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A system: its modes, the fullest first, the packages it needs (as pip takes them), and its name in tables."""

    name: str
    modes: tuple[str, ...]
    packages: tuple[str, ...] = ()
    shown: str = ""
    judged: bool = True
    """Whether it is measured on the collections too."""


CONTENDERS = (
    Contender(name=GROOVE, modes=ALL),
    Contender(name="bm25s + numpy", modes=ALL, packages=("bm25s==0.3.16", "PyStemmer==3.1.0", "numpy")),
    Contender(name="chromadb", modes=(SEMANTIC,), packages=("chromadb==1.5.9",)),
    Contender(name="lancedb", modes=ALL, packages=("lancedb==0.40.0",)),
    Contender(name="lancedb, IVF-PQ", modes=(SEMANTIC,), packages=("lancedb==0.40.0",), judged=False),
    Contender(name="txtai", modes=(HYBRID,), packages=("txtai==9.14.0",)),
    Contender(name="txtai, one leg", modes=(SEMANTIC, KEYWORD), packages=("txtai==9.14.0",), shown="txtai"),
)
QMD = Contender(name="qmd", modes=(KEYWORD,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A contender that is here: the version measured, and the command that serves it, less corpus and folder."""

    contender: Contender
    version: str
    command: tuple[str, ...]


class Process:
    """A system being served."""

    def __init__(self, entry: Entry, corpus: Path, folder: Path) -> None:
        self._name = entry.contender.name
        command = [*entry.command, str(corpus.resolve()), str(folder.resolve())]
        log = folder.with_suffix(".log")
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=BENCH
            )
        self._log = log

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def do(self, what: str, **options: object) -> dict[str, Any]:
        """Send a command, read its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": what, **options}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self._name} stopped at {what} {options}; what it said is in {self._log}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="a folder for corpora, indexes and figures")
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has the other systems")
    parser.add_argument("--qmd", type=Path, help="the folder npm installed @tobilu/qmd in")
    parser.add_argument("--node", default="node", help="what runs qmd, Node 22 or later")
    parser.add_argument("--only-tables", action="store_true", help="measure nothing, print what was kept")
    parser.add_argument("corpora", nargs="*", default=CORPORA, help="cranfield, cacm, or a number of chunks")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    if not options.only_tables:
        entries, missing = found(options.python, options.qmd, options.node)
        for line in missing:
            print(line, file=sys.stderr)
        for name in options.corpora:
            folder = synthetic(int(name), options.work) if name.isdecimal() else collection(name, options.work)
            print(f"{name} ...", file=sys.stderr)
            figures = measure(name, folder, entries, missing)
            (folder / "figures.json").write_text(json.dumps(asdict(figures)), encoding="utf-8")
    text = render(kept(options.work))
    print(text)
    (ROOT / "eval/results/comparators.md").write_text(text, encoding="utf-8")


def kept(work: Path) -> list[tuple[Figures, Sequence[Mapping[str, int] | None]]]:
    """Every corpus measured so far with its judgments: collections first, then by size."""
    found = []
    for path in work.glob("*/figures.json"):
        judged = json.loads((path.parent / "judged.json").read_text(encoding="utf-8"))
        found.append((Figures.from_json(json.loads(path.read_text(encoding="utf-8"))), judged))
    names = {name: place for place, name in enumerate(CORPORA[:2])}
    return sorted(found, key=lambda one: (names.get(one[0].corpus, 2), one[0].chunks))


def found(python: str, qmd: Path | None, node: str) -> tuple[list[Entry], list[str]]:
    """What can be measured, and a line for everything that cannot."""
    versions = installed(python)
    entries, missing = [], []
    for contender in CONTENDERS:
        lacking = [package for package in contender.packages if not versions[package]]
        if lacking:
            missing.append(f"{contender.name} is left out: {python} lacks it (pip install {' '.join(lacking)})")
            continue
        version = ", ".join(f"{plain(package)} {versions[package]}" for package in contender.packages) or __version__
        interpreter = python if contender.packages else sys.executable
        command = (interpreter, "comparators_worker.py", contender.name)
        entries.append(Entry(contender=contender, version=version, command=command))
    package = None if qmd is None else qmd.resolve() / "node_modules" / "@tobilu" / "qmd"
    if package is None or not package.exists():
        missing.append("qmd is left out: name the folder it is installed in with --qmd (see --help)")
    else:
        command = (node, "comparators_qmd.mjs", str(package))
        entries.append(Entry(contender=QMD, version=qmd_version(package, node), command=command))
    return entries, missing


def installed(python: str) -> dict[str, str | None]:
    """The versions an interpreter has of every package a system needs; it may have others than are named here."""
    packages = sorted({package for contender in CONTENDERS for package in contender.packages})
    ask = (
        "import json, sys\nfrom importlib.metadata import PackageNotFoundError, version\nfound = {}\n"
        "for name in sys.argv[1:]:\n    try: found[name] = version(name)\n"
        "    except PackageNotFoundError: found[name] = None\nprint(json.dumps(found))"
    )
    answer = json.loads(subprocess.check_output([python, "-c", ask, *map(plain, packages)], text=True))
    return {package: answer[plain(package)] for package in packages}


def plain(package: str) -> str:
    """A package's name without the version."""
    return package.partition("==")[0]


def qmd_version(package: Path, node: str) -> str:
    """qmd's version, its driver's and Node's."""
    driver = package.parents[1] / "better-sqlite3"
    qmd, sqlite = (
        json.loads((folder / "package.json").read_text(encoding="utf-8"))["version"] for folder in (package, driver)
    )
    version = subprocess.check_output([node, "--version"], text=True).strip().removeprefix("v")
    return f"qmd {qmd}, better-sqlite3 {sqlite}, Node {version}"


def measure(name: str, corpus: Path, entries: Sequence[Entry], missing: Sequence[str]) -> Figures:
    """Everything about one corpus."""
    judged = not name.isdecimal()
    entries = [entry for entry in entries if entry.contender.judged or not judged]
    folders = {entry.contender.name: index_folder(corpus, entry) for entry in entries}
    costs = [cost(entry, corpus, folders[entry.contender.name]) for entry in entries]
    return Figures(
        corpus=name,
        chunks=sum(1 for _ in (corpus / "chunks.jsonl").open(encoding="utf-8")),
        files=judged,
        costs=[one for one in costs if one is not None],
        runs=ask_in_turn(entries, corpus, folders, DEEP if judged else LIMIT),
        missing=list(missing),
        load=os.getloadavg()[0] if hasattr(os, "getloadavg") else math.nan,
    )


def index_folder(corpus: Path, entry: Entry) -> Path:
    """An empty folder for a system's index."""
    folder = corpus / "indexes" / "".join(c if c.isalnum() else "-" for c in entry.contender.name)
    shutil.rmtree(folder, ignore_errors=True)
    folder.with_suffix(".log").unlink(missing_ok=True)
    folder.mkdir(parents=True)
    return folder


def cost(entry: Entry, corpus: Path, folder: Path) -> Cost | None:
    """Build the index, then ask everything in the fullest mode in a new process."""
    print(f"  building {entry.contender.name}", file=sys.stderr)
    with Process(entry, corpus, folder) as process:
        built = process.do("build")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if entry.contender.shown:
        return None  # a second index of the same system: its first one is in the table
    with Process(entry, corpus, folder) as process:
        process.do("open")
        for query in range(number_of_queries(corpus)):
            process.do("ask", mode=entry.contender.modes[0], query=query, limit=LIMIT)
        searching = process.do("memory")["memory"]
    return Cost(
        system=entry.contender.name,
        version=entry.version,
        seconds=built["seconds"],
        mebibytes=size / 2**20,
        building=built["memory"],
        searching=searching,
    )


def ask_in_turn(entries: Sequence[Entry], corpus: Path, folders: Mapping[str, Path], depth: int) -> list[Run]:
    """Open all, put each query to every system in every mode: once for the answer, once for the time."""
    with ExitStack() as stack:
        runs = []
        for entry in entries:
            process = stack.enter_context(Process(entry, corpus, folders[entry.contender.name]))
            process.do("open")
            shown = entry.contender.shown or entry.contender.name
            runs += [(process, Run(system=shown, mode=mode, ms=[], keys=[])) for mode in entry.contender.modes]
        for query in range(number_of_queries(corpus)):
            for process, run in runs:
                run.keys.append(process.do("ask", mode=run.mode, query=query, limit=depth)["keys"])
        for query in range(number_of_queries(corpus)):
            turn = query % len(runs)  # nobody always follows the same other
            for process, run in runs[turn:] + runs[:turn]:
                run.ms.append(process.do("ask", mode=run.mode, query=query, limit=LIMIT)["ms"])
        return [run for _, run in runs]


def number_of_queries(corpus: Path) -> int:
    """How many queries a corpus has."""
    return len(json.loads((corpus / "queries.json").read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
