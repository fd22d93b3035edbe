"""Judgments of passes that were left early, kept beside the documents until they are finished.

A golden file holds what is relevant. That a section was looked at and found irrelevant has no place in it, and has to
be remembered somewhere for a pass to go on where it was left.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from grooveseek.errors import FileSkipped, GoldenError
from grooveseek.evaluation.curation.judging import Judgments
from grooveseek.evaluation.curation.pool import Section
from grooveseek.evaluation.replacing import replace_whole
from grooveseek.knowledge_base.safe_read import read_checked

UNFINISHED_FILE = ".groove-golden-unfinished.json"
_FORMAT = "groove-golden-unfinished"
_MAX_BYTES = 16 * 1024 * 1024


def load_unfinished(path: Path, query: str) -> dict[Section, int]:
    """The grades given to a query's sections so far. Raises GoldenError for a file that is none of groove's."""
    return dict(_load(path).get(query, {}))


def save_unfinished(path: Path, query: str, judgments: Judgments | None) -> None:
    """Keep a query's grades, or with None forget them; the file goes when it holds nothing. Raises GoldenError."""
    kept = {**_load(path)}
    kept.pop(query, None)
    if judgments:
        kept[query] = judgments
    try:
        if kept:
            replace_whole(path, _encode(kept))
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise GoldenError(f"{path} could not be written: {error.strerror or error}.") from error


def _encode(kept: Mapping[str, Judgments]) -> bytes:
    queries = {
        query: [{"path": s.path, "heading": s.heading, "grade": grade} for s, grade in judgments.items()]
        for query, judgments in kept.items()
    }
    text = json.dumps({"format": _FORMAT, "version": 1, "queries": queries}, ensure_ascii=False, indent=1)
    return text.encode("utf-8", "surrogatepass") + b"\n"


def _load(path: Path) -> dict[str, Judgments]:
    try:
        data = read_checked(path, max_bytes=_MAX_BYTES, setting=None).data
    except FileNotFoundError:
        return {}
    except FileSkipped as error:
        raise GoldenError(f"{path}: {str(error).rstrip('.')}. Move it away.") from error
    try:
        document = json.loads(data)
        if document["format"] != _FORMAT or document["version"] != 1:
            raise ValueError
        return {
            query: {Section(path=entry["path"], heading=entry["heading"]): int(entry["grade"]) for entry in entries}
            for query, entries in document["queries"].items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise GoldenError(f"{path} holds no unfinished judgments groove can read. Move it away.") from None
