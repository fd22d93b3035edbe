"""Where an evaluation's queries come from: a golden file, or the files of a test collection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grooveseek.errors import FileSkipped, GoldenError, UsageError
from grooveseek.evaluation.exchange import import_collection
from grooveseek.evaluation.golden import GOLDEN_FILE, MAX_GOLDEN_BYTES, GoldenSet, parse_golden
from grooveseek.evaluation.trec import MAX_TREC_BYTES
from grooveseek.knowledge_base.safe_read import read_checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A golden set, the file its lines are in, and what a person should hear of the import."""

    golden: GoldenSet
    file: Path
    imported: bool = False
    notices: tuple[str, ...] = ()


def golden_path(root: Path, named: Path | None, configured: str | None) -> Path:
    """The golden file: as named, else as configured relative to the knowledge base, else the default in its folder."""
    return root / (configured or GOLDEN_FILE) if named is None else named


def load_golden(path: Path) -> Loaded:
    """Read a golden file. Raises GoldenError, saying how to begin when there is none."""
    data = read_golden(path)
    if data is None:
        raise GoldenError(
            f'There is no golden file at {path}. `groove golden add "a question"` makes one, or name one with --golden.'
        )
    return Loaded(golden=parse_golden(data, name=str(path)), file=path)


def read_golden(path: Path) -> bytes | None:
    """The bytes of a golden file, None when there is none. Raises GoldenError for one that may not be read."""
    return _read(path, MAX_GOLDEN_BYTES)


def load_collection(queries: Path, qrels: Path, indexed_paths: Iterable[str]) -> Loaded:
    """Read a test collection's queries and judgments. Raises GoldenError."""
    files = []
    for path in (queries, qrels):
        data = _read(path, MAX_TREC_BYTES)
        if data is None:
            raise GoldenError(f"There is no file {path}.")
        files.append((data, str(path)))
    collection = import_collection(files[0], files[1], indexed_paths)
    return Loaded(golden=collection.golden, file=queries, imported=True, notices=collection.notices)


def check_sources(golden: Path | None, queries: Path | None, qrels: Path | None) -> None:
    """Raise UsageError unless the queries come from one place."""
    if (queries is None) != (qrels is None):
        missing = "--qrels" if qrels is None else "--queries"
        raise UsageError(f"{missing} is missing. A test collection is its queries and its judgments together.")
    if golden is not None and queries is not None:
        raise UsageError("--golden and --queries both name the queries. Give one of them.")


def _read(path: Path, limit: int) -> bytes | None:
    try:
        return read_checked(path, max_bytes=limit, setting=None).data
    except FileNotFoundError:
        return None
    except FileSkipped as error:
        raise GoldenError(f"{path}: {str(error).rstrip('.')}.") from error
