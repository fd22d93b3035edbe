"""What indexing costs beside what it cannot do without: the model for a first run, asking the file system for a run in
which nothing changed, the model again for one edited file.

python eval/bench/indexing.py --work DIR [--documents 1400] [--files 10000] [--rounds 5] [--edits 20]

The table is printed and written to eval/results/indexing.md. ``--documents`` and ``--files`` make it smaller.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from embeddings import COLLECTIONS, unit
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.factory import build_embedder
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.embedding.protocol import Embedder, ModelIdentity, Vectors
from grooveseek.indexing.prepare import embedding_input
from grooveseek.settings.sections import Settings
from grooveseek.store.store import Store

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = 10
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds by the wall's clock, all cores together by the processor's."""

    wall: float
    processor: float


class StandIn(FakeEmbedder):
    """Says that it is the bundled model, and gives vectors without a meaning in no time: for large bases."""

    def __init__(self, identity: ModelIdentity) -> None:
        super().__init__(dimension=identity.dimension)
        self._named = identity

    @property
    def identity(self) -> ModelIdentity:
        """The bundled model's."""
        return self._named

    def windows(self, text: str) -> list[tuple[int, int]]:
        """One window a text."""
        return [(0, len(text))]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors that depend on the texts alone."""
        chance = np.random.default_rng(zlib.crc32("\n".join(texts).encode()))
        return unit(chance.standard_normal((len(texts), self.dimension)))


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="a folder for the knowledge bases")
    parser.add_argument("--documents", type=int, default=1_400, help="documents of each collection")
    parser.add_argument("--files", type=int, default=10_000, help="files of the large base, about eleven chunks each")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--edits", type=int, default=20)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    arguments = f"--documents {options.documents} --files {options.files}"
    arguments += f" --rounds {options.rounds} --edits {options.edits}"
    lines = ["# Indexing\n", f"    python eval/bench/indexing.py --work DIR {arguments}\n"]
    lines += first_runs(options.work, options.documents, options.rounds)
    sizes = (max(options.files // 100, 10), options.files)
    bases = [large_base(options.work / f"files-{size}", size) for size in sizes]
    lines += unchanged_runs(bases, options.rounds)
    lines += edited_files(bases, options.edits)
    text = "\n".join(lines) + "\n"
    print(text)
    (ROOT / "eval/results/indexing.md").write_text(text, encoding="utf-8")


def timed(work: Callable[[], object]) -> Took:
    """How long it takes."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return Took(time.perf_counter() - wall, time.process_time() - processor)


# -- a first run ---------------------------------------------------------------------------------------------------


def first_runs(work: Path, documents: int, rounds: int) -> list[str]:
    """A whole first run, and the bundled model alone on the same windows, in turns."""
    lines = [
        "## A first run\n",
        "Seconds, medians of the rounds, with the model loaded: the bundled model on all windows of a folder, in one",
        "call, and a whole first run over the folder. CPU is processor time of all threads; the ratios are medians of",
        f"the {rounds} rounds' ratios.\n",
        "| folder | documents | windows | model, wall | run, wall | ratio | model, CPU | run, CPU | ratio |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in ("cranfield", "cacm", "handbook"):
        kb = KnowledgeBase(Settings(kb_path=collection(work / name, name, documents)))
        kb.embedder.embed_documents(["The model is loaded by now."])
        first(kb)
        windows = list(windows_of(kb))
        pairs = [
            (timed(lambda: kb.embedder.embed_documents(windows)), timed(lambda: first(kb)))  # noqa: B023 - called here
            for _ in range(rounds)
        ]
        cells = [name, f"{kb.store().meta.counts()[0]:,}", f"{len(windows):,}"]
        for clock in ("wall", "processor"):
            model, run = ([getattr(pair[at], clock) for pair in pairs] for at in (0, 1))
            ratio = statistics.median(r / m for m, r in zip(model, run, strict=True))
            cells += [f"{statistics.median(model):.2f}", f"{statistics.median(run):.2f}", f"{ratio:.3f}"]
        lines.append("| " + " | ".join(cells) + " |")
        kb.close()
    return [*lines, ""]


def collection(folder: Path, name: str, documents: int) -> Path:
    """A knowledge base of the first documents of a collection, or of the handbook; made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    source, root = folder / "all", folder / "kb"
    if name == "handbook":
        source = ROOT / "golden" / "handbook"
    else:
        convert = ROOT / "golden" / "convert_collections.py"
        subprocess.run([sys.executable, convert, name, COLLECTIONS / name, source], check=True, capture_output=True)
    for path in sorted(source.rglob("*.md"))[:documents]:
        copy = root / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return root


def first(kb: KnowledgeBase) -> None:
    """Index from nothing."""
    kb.close()
    for suffix in ("", "-wal", "-shm"):
        kb.index_path.with_name(kb.index_path.name + suffix).unlink(missing_ok=True)
    kb.index()


def windows_of(kb: KnowledgeBase) -> Iterator[str]:
    """Every text the run gave to the model, each once, as the model's window cuts it."""
    cutter, seen = build_embedder(Settings(), environ=os.environ), set()
    for path in kb.store().documents.states():
        for stored in kb.store().documents.chunks_of(path):
            text = embedding_input(stored.chunk, contextual=kb.store().meta.contextual)
            if text not in seen and any(map(str.isalnum, text)):
                seen.add(text)
                yield from (text[start:end] for start, end in cutter.windows(text))


# -- a run in which nothing changed ----------------------------------------------------------------------------------


def large_base(folder: Path, files: int) -> Path:
    """A knowledge base of many files, indexed; both are kept for the next time."""
    root = folder / "kb"
    if not root.exists():
        chance = random.Random(files)
        known = sentences()
        for number in range(files):
            path = root / f"{number // 200:03}" / f"{number:05}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(note(number, chance, known), encoding="utf-8")
    with KnowledgeBase(Settings(kb_path=root), embedder=StandIn(bundled().identity)) as kb:
        kb.index()
    return root


def sentences() -> list[str]:
    """Sentences of the two collections, in a fixed order."""
    found: list[str] = []
    for name in ("cranfield", "cacm"):
        for line in (COLLECTIONS / name / "docs.jsonl").read_text(encoding="utf-8").splitlines():
            found += (one for one in _SENTENCE_END.split(json.loads(line)["text"]) if len(one) > 20)
    return found


def note(number: int, chance: random.Random, known: Sequence[str]) -> str:
    """A Markdown file of ten sections."""
    parts = (f"## Part {part}\n\n{' '.join(chance.choices(known, k=3))}\n" for part in range(SECTIONS))
    return f"---\ntitle: Note {number}\ntags: [note]\n---\n\n# Note {number}\n\n" + "\n".join(parts)


def bundled() -> Embedder:
    """The bundled model, not loaded."""
    return build_embedder(Settings(), environ=os.environ)


def unchanged_runs(bases: Sequence[Path], rounds: int) -> list[str]:
    """Asking the file system for every file, a run in this process, and ``groove index``."""
    lines = [
        "## A run in which nothing changed\n",
        "Seconds, medians. The floor is `os.scandir` over the folder and one `stat` a file; the whole process is",
        "`groove index --quiet` from its start to its end, beside `groove --version`.\n",
        "| files | chunks | floor | run, wall | run, processor | whole process, wall | groove --version, wall |",
        "|---|---|---|---|---|---|---|",
    ]
    for root in bases:
        with KnowledgeBase(Settings(kb_path=root), embedder=StandIn(bundled().identity)) as kb:
            documents, chunks = kb.store().meta.counts()
            floor = [timed(lambda: look_at(root)).wall for _ in range(rounds)]  # noqa: B023 - called here
            runs = [timed(lambda: unchanged(kb)) for _ in range(rounds)]
        command = ("index", "--quiet", "--kb-path", str(root))
        figures = (
            statistics.median(floor),
            statistics.median(run.wall for run in runs),
            statistics.median(run.processor for run in runs),
            statistics.median(timed(lambda: groove(*command)).wall for _ in range(rounds)),  # noqa: B023 - called here
            statistics.median(timed(lambda: groove("--version")).wall for _ in range(rounds)),
        )
        lines.append(f"| {documents:,} | {chunks:,} | " + " | ".join(f"{one:.3f}" for one in figures) + " |")
    return [*lines, ""]


def look_at(folder: Path) -> None:
    """Ask for the status of every file below a folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                look_at(Path(entry.path))
            else:
                entry.stat(follow_symlinks=False)


def unchanged(kb: KnowledgeBase) -> None:
    """Run, and see that there was nothing to do."""
    summary = kb.index()
    if summary.unchanged != summary.documents:
        raise SystemExit(f"{summary.documents - summary.unchanged} files of {kb.root} changed meanwhile")


def groove(*arguments: str) -> None:
    """Run the command in a process of its own."""
    subprocess.run([sys.executable, "-m", "grooveseek", *arguments], check=True, capture_output=True)


# -- one edited file -------------------------------------------------------------------------------------------------


def edited_files(bases: Sequence[Path], edits: int) -> list[str]:
    """One file changed and brought in by a process that runs already, with the bundled model loaded."""
    lines = [
        "## One edited file\n",
        "Milliseconds from the call to the end, wall time, what a server does after a change in the folder: the model",
        "alone on the chunks that changed, and the run. A sentence is put into a section, or the file written anew.\n",
        "| files | edit | chunks embedded | model p50 | model p95 | run p50 | run p95 | the run's own p50 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for root in bases:
        with KnowledgeBase(Settings(kb_path=root)) as kb:
            for name, edit in (("a sentence", with_a_sentence), ("the whole file", written_anew)):
                lines.append(edit_row(kb, name, edit, edits))
    return [*lines, ""]


Edit = Callable[[str, random.Random, Sequence[str]], str]


def with_a_sentence(text: str, chance: random.Random, known: Sequence[str]) -> str:
    """The text with one more sentence in one section."""
    heading = f"## Part {chance.randrange(SECTIONS)}\n\n"
    return text.replace(heading, f"{heading}{chance.choice(known)} ", 1)


def written_anew(text: str, chance: random.Random, known: Sequence[str]) -> str:
    """A note of the same name and of other sentences."""
    found = re.search(r"title: Note (\d+)", text)
    assert found is not None
    return note(int(found[1]), chance, known)


def edit_row(kb: KnowledgeBase, name: str, edit: Edit, edits: int) -> str:
    """Edit some files one after the other; the first two are not counted. Then all is as it was before."""
    chance, known = random.Random(edits), sentences()
    paths = sorted(kb.root.rglob("*.md"))
    model, run, embedded = [], [], []
    originals = {path: path.read_bytes() for path in chance.sample(paths, min(edits + 2, len(paths)))}
    for path in originals:
        relative = path.relative_to(kb.root).as_posix()
        before = inputs(kb, relative)
        path.write_text(edit(path.read_text(encoding="utf-8"), chance, known), encoding="utf-8")
        run.append(timed(lambda: kb.index_paths([relative])).wall * 1000)  # noqa: B023 - called here
        changed = [text for text in inputs(kb, relative) if text not in before]
        embedded.append(len(changed))
        model.append(timed(lambda: kb.embedder.embed_documents(changed)).wall * 1000)  # noqa: B023 - called here
    for path, data in originals.items():
        path.write_bytes(data)
    kb.index()
    own = statistics.median(r - m for r, m in zip(run[2:], model[2:], strict=True))
    figures = (*halves(model[2:]), *halves(run[2:]), own)
    cells = [f"{len(paths):,}", name, f"{statistics.median(embedded):.0f}", *(f"{one:.0f}" for one in figures)]
    return "| " + " | ".join(cells) + " |"


def inputs(kb: KnowledgeBase, path: str) -> list[str]:
    """The texts whose vectors stand for a document's chunks."""
    store: Store = kb.store()
    return [embedding_input(one.chunk, contextual=store.meta.contextual) for one in store.documents.chunks_of(path)]


def halves(times: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    return statistics.median(times), float(np.percentile(times, 95))


if __name__ == "__main__":
    main()
