"""The figures of comparators.py as Markdown, with groove's wins and losses in words."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from comparators_worker import HYBRID, KEYWORD, SEMANTIC
from grooveseek.evaluation.measures import mean, parse_measure
from grooveseek.evaluation.statistics import paired_results

GROOVE = "groove"
NEAR = 1.05
"""Ratios up to this, either way, are called neither a win nor a loss."""
ALPHA = 0.05

Judgments = Sequence[Mapping[str, int] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a system's index takes: seconds to build, MiB on disk, MiB of memory at most."""

    system: str
    version: str
    seconds: float
    mebibytes: float
    building: float
    searching: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A system's answers in one mode: milliseconds and keys (``document#chunk``) of each query."""

    system: str
    mode: str
    ms: list[float]
    keys: list[list[str]]

    def documents(self) -> list[list[str]]:
        """Documents by their best chunk."""
        return [list(dict.fromkeys(key.partition("#")[0] for key in keys)) for keys in self.keys]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Everything measured on one corpus. ``files``: it is made of files, and has judgments. ``load``: processes that
    wanted a core, on average over the last minute of asking; NaN where the system does not say.
    """

    corpus: str
    chunks: int
    files: bool
    costs: list[Cost]
    runs: list[Run]
    missing: list[str]
    load: float = math.nan

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Figures:
        """Read what ``dataclasses.asdict`` made."""
        costs, runs = [Cost(**one) for one in value["costs"]], [Run(**one) for one in value["runs"]]
        return cls(**{**value, "costs": costs, "runs": runs})


@dataclass(frozen=True, slots=True)
class Difference:
    """How another system compares with groove: above 1 groove does better, whatever is compared."""

    what: str
    ratio: float


INTRODUCTION = """# groove beside what one would use instead

    python eval/bench/comparators.py --work DIR --python PATH --qmd DIR --node PATH

Every system got the same chunks (groove's own; breadcrumb, text, and the frontmatter's words) and the same vectors of
the bundled MiniLM model, in one run, each in a process of its own and set up as its documentation shows; qmd reads the
files. Where a chunk is longer than the model's window it has several vectors, and systems that keep one a row got the
chunk once for each. Documents are ranked by their best chunk of 50. Times are of the wall clock, warm, ten hits with
their text, without embedding the question; all systems were open at once and asked each question in turn. Ratios are
to groove in the same mode: above 1 the other system takes more. p is of the paired difference in nDCG@10.

- bm25s + numpy: everything in memory, BM25 with stemming and stop words, exact cosines, RRF (60) of the first 100 each.
- chromadb: a persistent client. A local one ranks by vectors only: sparse and hybrid search are its cloud's.
- lancedb: its full-text index, vectors scanned without an index (as it advises up to 100,000 rows), RRF. "IVF-PQ" is
  its default vector index, ten times as many candidates refined.
- txtai: faiss and its own BM25, content in SQLite; a hybrid index runs both legs whatever is asked, so one leg alone
  was measured on an index of its own, and the cost is that of the hybrid one.
- qmd: keyword search only, its models cannot be had here. It asks for every word of the question, so a question in
  whole sentences finds next to nothing, and fast: its own `qmd query` has a language model turn it into keywords first.
- groove, and qmd, also read, parse and cut the files of the collections while they build; the others are handed chunks.

Asking keeps one core busy, a load of about 1: times taken at a higher load say less, and least of the systems that
use several cores (numpy's products, lancedb, chromadb, faiss).

A ratio compares what a user waits for or pays, not equal work: groove's answer also has match spans, a confidence and
a look at whether each file has changed, and its index takes changes of single files, where bm25s has to be built anew.

Memory is the most a process held, interpreter, libraries and input included; while searching, after every question was
asked in the fullest mode. No system has the embedding model in it.
"""


def render(measured: Iterable[tuple[Figures, Judgments]]) -> str:
    """The page."""
    parts = [INTRODUCTION]
    for figures, judged in measured:
        name = f"{figures.chunks:,} synthetic chunks" if not figures.files else figures.corpus.capitalize()
        size = f"{figures.chunks:,} chunks, {len(figures.runs[0].ms)} questions"
        parts.append(f"## {name}\n\n{size}, the machine's load {figures.load:.1f} when they were asked.\n")
        parts.append(quality_table(figures, judged) if figures.files else speed_table(figures))
        parts.append(cost_table(figures))
        parts.append("\n".join(verdicts(figures, judged)) + "\n")
        parts += [f"{line}\n" for line in figures.missing]
    return "\n".join(parts)


def quality_table(figures: Figures, judged: Judgments) -> str:
    """nDCG@10, R@10 and speed of every system and mode."""
    lines = [
        "| mode | system | nDCG@10 | R@10 | nDCG@10 against groove | no hit | p50, ms | ratio | p95, ms | ratio |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for run, own in by_mode(figures):
        beside = ""
        if run is not own:
            difference, p = against(run, own, judged)
            beside = f"{difference:+.4f} (p = {p:.3f})"
        scores = [f"{mean(per_query(name, run, judged)).value:.4f}" for name in ("nDCG@10", "R@10")]
        empty = sum(not keys for keys in run.keys)
        cells = [run.mode, run.system, *scores, beside, str(empty), *times(run.ms, own.ms)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def speed_table(figures: Figures) -> str:
    """Speed for short questions and for long ones; and how much of the exact nearest vector search finds."""
    lines = [
        "Short questions are 3 words of a chunk, long ones 32. recall@10 is of the exact nearest vectors.\n",
        "| mode | system | recall@10 | short: p50, ms | ratio | p95, ms | ratio | long: p50, ms | ratio | p95, ms "
        "| ratio |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    exact = next((run for run in figures.runs if run.mode == SEMANTIC and run.system == "bm25s + numpy"), None)
    for run, own in by_mode(figures):
        found = "" if exact is None or run.mode != SEMANTIC else f"{shared(run, exact):.3f}"
        short, long = (times(run.ms[part], own.ms[part]) for _, part in questions(figures))
        lines.append(f"| {' | '.join([run.mode, run.system, found, *short, *long])} |")
    return "\n".join(lines) + "\n"


def cost_table(figures: Figures) -> str:
    """Build time, size, memory."""
    lines = [
        "| system | version | build, s | ratio | on disk, MiB | ratio | memory building, MiB | ratio "
        "| memory searching, MiB | ratio |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    own = next(cost for cost in figures.costs if cost.system == GROOVE)
    for cost in figures.costs:
        cells = [cost.system, cost.version]
        for _, value in MEASURED:
            cells += [f"{value(cost):,.1f}", f"{value(cost) / value(own):.2f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


MEASURED: Sequence[tuple[str, Callable[[Cost], float]]] = (
    ("time to build", lambda cost: cost.seconds),
    ("size on disk", lambda cost: cost.mebibytes),
    ("memory to build", lambda cost: cost.building),
    ("memory to search", lambda cost: cost.searching),
)


def verdicts(figures: Figures, judged: Judgments) -> list[str]:
    """What groove does better and worse, in words."""
    compared: dict[str, list[Difference]] = {}
    for kind, part in questions(figures):
        for run, own in by_mode(figures):
            if run is not own:
                ratio = statistics.median(run.ms[part]) / statistics.median(own.ms[part])
                compared.setdefault(f"{run.mode} search{kind}", []).append(Difference(run.system, ratio))
    own_cost = next(cost for cost in figures.costs if cost.system == GROOVE)
    for what, value in MEASURED:
        others = [cost for cost in figures.costs if cost is not own_cost]
        compared[what] = [Difference(cost.system, value(cost) / value(own_cost)) for cost in others]
    lines = [f"- {what}: {sentence(differences)}" for what, differences in compared.items()]
    return [*lines, f"- nDCG@10: {quality_sentence(figures, judged)}"] if figures.files else lines


def questions(figures: Figures) -> list[tuple[str, slice]]:
    """The kinds of questions, and where they stand: a synthetic corpus has short ones first, then long ones."""
    count = len(figures.runs[0].ms)
    if figures.files:
        return [("", slice(0, count))]
    return [(", short questions", slice(0, count // 2)), (", long questions", slice(count // 2, count))]


def sentence(differences: Iterable[Difference]) -> str:
    """Whom groove beats, and who beats groove, with how many times."""
    better, worse, near = list[str](), list[str](), list[str]()
    for one in sorted(differences, key=lambda one: one.ratio):
        if one.ratio > NEAR:
            better.append(f"{one.what} ({one.ratio:.1f} times)")
        elif one.ratio < 1 / NEAR:
            worse.append(f"{one.what} ({1 / one.ratio:.1f} times)")
        else:
            near.append(one.what)
    return listed(("groove takes more than", worse), ("about as much as", near), ("less than", better))


def quality_sentence(figures: Figures, judged: Judgments) -> str:
    """As above, by nDCG@10, with what is within chance apart."""
    better, worse, near = list[str](), list[str](), list[str]()
    for run, own in by_mode(figures):
        if run is own:
            continue
        difference, p = against(run, own, judged)
        name = f"{run.system} ({run.mode}, {-difference:+.4f})"
        (near if not p < ALPHA else worse if difference > 0 else better).append(name)
    return listed(("groove is worse than", worse), ("not told apart from", near), ("better than", better))


def listed(*groups: tuple[str, Sequence[str]]) -> str:
    """The groups that have members, as one sentence."""
    said = "; ".join(f"{head} {', '.join(members)}" for head, members in groups if members)
    return f"{said or 'nothing to compare'}."


def by_mode(figures: Figures) -> list[tuple[Run, Run]]:
    """Every run with groove's own run in the same mode, mode by mode, groove first."""
    own = {run.mode: run for run in figures.runs if run.system == GROOVE}
    return [(run, own[mode]) for mode in (HYBRID, KEYWORD, SEMANTIC) for run in figures.runs if run.mode == mode]


def times(ms: Sequence[float], own: Sequence[float]) -> list[str]:
    """p50, its ratio, p95, its ratio."""
    cells = []
    for share in (0.5, 0.95):
        value, other = percentile(ms, share), percentile(own, share)
        cells += [f"{value:.2f}", f"{value / other:.2f}"]
    return cells


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that so large a share does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def per_query(name: str, run: Run, judged: Judgments) -> list[float]:
    """A measure of each judged query."""
    measure = parse_measure(name)
    return [
        measure.evaluate(ranking, judgments)
        for ranking, judgments in zip(run.documents(), judged, strict=True)
        if judgments is not None
    ]


def against(run: Run, own: Run, judged: Judgments) -> tuple[float, float]:
    """(mean difference to groove in nDCG@10, p of the paired randomisation test)."""
    pairs = zip(per_query("nDCG@10", run, judged), per_query("nDCG@10", own, judged), strict=True)
    result = paired_results([[value - other for value, other in pairs]])[0]
    return result.mean, result.p


def shared(run: Run, exact: Run) -> float:
    """The mean share of the exact ten that a run found."""
    pairs = zip(run.keys, exact.keys, strict=True)
    return statistics.fmean(len({*found[:10]} & {*wanted[:10]}) / len(wanted[:10]) for found, wanted in pairs)
