"""How well the confidence signals tell answerable questions from others: ``python eval/confidence.py [--work DIR]``.

AUROC on the handbook's golden queries, answerable against unanswerable, for all and by language.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from fusion import ROOT, open_indexed
from grooveseek.evaluation.golden import GoldenQuery, parse_golden
from grooveseek.evaluation.measures.auroc import auroc
from grooveseek.model.hit import Answer

SIGNALS: dict[str, Callable[[Answer], float]] = {
    "confidence": lambda answer: answer.confidence,
    "low_confidence": lambda answer: float(not answer.low_confidence),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, help="where the index is kept; default: a temporary folder")
    work = parser.parse_args().work or Path(tempfile.mkdtemp(prefix="groove-confidence-"))
    root = ROOT / "golden" / "handbook"
    kb = open_indexed(root, work / "handbook.db")
    golden = parse_golden((root / ".groove-eval.yml").read_bytes())
    answers = [(query, kb.search(query.query)) for query in golden.queries]
    print("| signal | queries | answerable | unanswerable | AUROC |\n|---|---|---|---|---|")
    for name, signal in SIGNALS.items():
        for language in ("en", "ja", None):
            chosen: list[tuple[GoldenQuery, float]] = [
                (query, signal(answer)) for query, answer in answers if language is None or language in query.tags
            ]
            positive = [value for query, value in chosen if query.answerable]
            negative = [value for query, value in chosen if not query.answerable]
            value = auroc(positive, negative)
            print(f"| {name} | {language or 'all'} | {len(positive)} | {len(negative)} | {value:.3f} |")


if __name__ == "__main__":
    main()
