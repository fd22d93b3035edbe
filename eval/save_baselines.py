"""Write the project's own baselines anew: ``python eval/save_baselines.py``.

Run it when a change to retrieval is meant, look at the diff it prints, and commit the files with the change and the
figures. tests/e2e/test_own_gate.py holds every later change against them.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from broken_builds import ROOT, SETS, settings_of
from grooveseek.app import KnowledgeBase
from grooveseek.errors import HistoryError
from grooveseek.evaluation.compare import compare
from grooveseek.evaluation.conclusion import Records
from grooveseek.evaluation.evaluate import EvalRequest
from grooveseek.evaluation.history import load_baseline
from grooveseek.evaluation.verdict import verdict

BASELINES = ROOT / "eval" / "baselines"


def save(name: str, work: Path) -> str:
    """Measure one golden set, replace its baseline, and say what changed."""
    file = BASELINES / f"{name}.json"
    try:
        before = load_baseline(file)
    except HistoryError as error:
        before, said = None, str(error)
    with KnowledgeBase(settings_of(name, work / f"{name}.db")) as kb:
        kb.index()
        run = kb.evaluate(EvalRequest(records=Records(save_baseline=file))).report.run
    return said if before is None else verdict(compare(run, before))


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="groove-baselines-") as work:
        for name in SETS:
            print(f"{name}: {save(name, Path(work))}", flush=True)


if __name__ == "__main__":
    main()
