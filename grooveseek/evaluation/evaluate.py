"""One whole evaluation: load the queries, search for them, measure, compare, keep."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from grooveseek.evaluation.conclusion import Records, conclude
from grooveseek.evaluation.exchange import export_collection
from grooveseek.evaluation.gate import GateRule
from grooveseek.evaluation.measured_with import fingerprint_of
from grooveseek.evaluation.options import EvalOptions
from grooveseek.evaluation.outcome import EvalReport
from grooveseek.evaluation.runner import Progress, measure
from grooveseek.evaluation.sources import Loaded, check_sources, golden_path, load_collection, load_golden
from grooveseek.model.judgments import Qrels, Run
from grooveseek.retrieval.pipeline import Searcher
from grooveseek.settings.sections import Settings
from grooveseek.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalRequest:
    """What to evaluate and what to hold it against.

    Queries come from ``golden`` (None: the knowledge base's own file), or from ``queries`` with ``qrels``. No ``rule``:
    no gate, and the report has no decision.
    """

    golden: Path | None = None
    queries: Path | None = None
    qrels: Path | None = None
    options: EvalOptions = field(default_factory=EvalOptions)
    records: Records = field(default_factory=Records)
    rule: GateRule | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A report, and what else came of it.

    ``golden_file`` is the file that lines in the report refer to. ``qrels`` and ``runs`` are ready to be written as
    TREC files. ``notes`` are for a person: about the import, and what searches said of themselves.
    """

    report: EvalReport
    golden_file: Path
    qrels: Qrels
    runs: Run
    notes: tuple[str, ...] = ()


def evaluate(
    request: EvalRequest,
    *,
    root: Path,
    settings: Settings,
    store: Store,
    searcher: Searcher,
    reranker: str | None,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate an open index; ``store`` is the one the searcher reads, ``reranker`` the name of the one it would use.

    Raises UsageError, GoldenError, HistoryError, StoreError, and the first query's failure when all failed.
    """
    loaded = _load(request, root, settings, store)
    options = request.options
    with store.snapshot():
        fingerprint = fingerprint_of(
            loaded.golden, options, settings.search, store.meta, reranker=reranker if options.rerank else None
        )
        measured = measure(
            loaded.golden, searcher, store, options, fingerprint, imported=loaded.imported, progress=progress
        )
    report = conclude(measured, loaded.golden.name, options.primary, request.records, request.rule)
    qrels, runs = export_collection(measured.ranked, measured.targets)
    notes = (*loaded.notices, *measured.notes)
    return Evaluation(report=report, golden_file=loaded.file, qrels=qrels, runs=runs, notes=notes)


def _load(request: EvalRequest, root: Path, settings: Settings, store: Store) -> Loaded:
    check_sources(request.golden, request.queries, request.qrels)
    if request.queries is not None and request.qrels is not None:
        return load_collection(request.queries, request.qrels, store.documents.states())
    return load_golden(golden_path(root, request.golden, settings.eval.golden))
