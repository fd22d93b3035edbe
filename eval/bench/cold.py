"""What one ``groove search`` costs beside loading its model: ``python eval/bench/cold.py --work DIR [--chunks N]``.

Starts, in turn, ``groove search`` on the handbook, ``groove search`` on a large synthetic base (texts.py), and a bare
script that loads the same model with the same libraries and session options and embeds the same question. Every one is
a process of its own, from its start to its last byte of output. The figures are processor and wall time and their
ratios; the table is printed and written to eval/results/cold.md.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import texts
from grooveseek.embedding.bundle import DIRECTORY

ROOT = Path(__file__).resolve().parents[2]
GROOVE = (sys.executable, "-m", "grooveseek")
BARE = Path(__file__).with_name("bare_model.py")
WARM_UP = 2


@dataclass(slots=True)
class Runs:
    """Milliseconds of one command's runs."""

    processor: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)


def main() -> None:
    """Index, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="a folder for the indexes")
    parser.add_argument("--chunks", type=int, default=100_000, help="size of the large base")
    parser.add_argument("--runs", type=int, default=21, help="runs of each")
    options = parser.parse_args()
    folders = {"handbook": handbook(options.work), f"{options.chunks:,} chunks": large(options.work, options.chunks)}
    measured = run(folders, options.runs)
    text = report(options.runs, measured)
    print(text)
    (ROOT / "eval/results/cold.md").write_text(text, encoding="utf-8")


def handbook(work: Path) -> Path:
    """The handbook, copied and indexed by the bundled model."""
    folder = work / "cold" / "handbook"
    if not folder.exists():
        shutil.copytree(ROOT / "golden/handbook", folder)
    subprocess.run([*GROOVE, "index", "--kb-path", str(folder), "--quiet"], check=True)
    return folder


def large(work: Path, chunks: int) -> Path:
    """A synthetic base; its folder holds no files, which a search does not need."""
    return texts.knowledge_base(work, chunks)[0]


def run(folders: Mapping[str, Path], runs: int) -> dict[str, Runs]:
    """The bare script and a search of every folder, one after the other, again and again."""
    questions = itertools.cycle(texts.short_questions())
    measured = {name: Runs() for name in ("bare", *folders)}
    for turn in range(WARM_UP + runs):
        question = next(questions)
        commands: dict[str, Sequence[str]] = {"bare": (sys.executable, str(BARE), str(DIRECTORY), question)}
        commands |= {name: (*GROOVE, "search", question, "--kb-path", str(path)) for name, path in folders.items()}
        for name, command in commands.items():
            wall, processor = timed(command)
            if turn >= WARM_UP:
                measured[name].wall.append(wall)
                measured[name].processor.append(processor)
    return measured


def timed(command: Sequence[str]) -> tuple[float, float]:
    """(wall, processor) milliseconds of one process, and of what it started."""
    before, started = os.times(), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    wall, after = time.perf_counter() - started, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return wall * 1000, used * 1000


def report(runs: int, measured: Mapping[str, Runs]) -> str:
    """The page; the figure is the ratio of medians."""
    bare = measured["bare"]
    lines = [
        "# A search from a cold start\n",
        "    python eval/bench/cold.py --work DIR\n",
        f"Medians of {runs} processes each, in turn, milliseconds. The bare script (`eval/bench/bare_model.py`) loads",
        "the bundled model and embeds the question; it opens no index, checks no hash and prints a number.\n",
        "| | processor | wall | times the bare script, processor | wall |",
        "|---|---|---|---|---|",
    ]
    for name, one in measured.items():
        processor, wall = statistics.median(one.processor), statistics.median(one.wall)
        ratios = processor / statistics.median(bare.processor), wall / statistics.median(bare.wall)
        label = "bare script" if name == "bare" else f"`groove search`, {name}"
        lines.append(f"| {label} | {processor:.0f} | {wall:.0f} | {ratios[0]:.2f} | {ratios[1]:.2f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
