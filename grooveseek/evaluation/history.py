"""Runs kept on disk: the local history beside the knowledge base, and baselines a team commits.

A file is read through the safe reader and replaced whole, never written in place. A file that is a link or cannot be
read is an error, so that a baseline is never lost to a permission or a swapped file. A history whose content does not
parse starts afresh, and says so; a baseline was named by a person, so there that is an error too.
"""

from __future__ import annotations

import contextlib
import json
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from grooveseek.errors import FileSkipped, HistoryError
from grooveseek.evaluation.evalrun import EvalRun, decode_run, encode_run
from grooveseek.evaluation.fingerprint import ConfigFingerprint
from grooveseek.evaluation.replacing import replace_whole
from grooveseek.knowledge_base.safe_read import read_checked

HISTORY_FILE = ".groove-eval-history.json"
HISTORY_VERSION = 1
MAX_HISTORY_BYTES = 64 * 1024 * 1024

LOCK_SECONDS = 30.0
"""How long a run waits for others to write theirs, which takes each a moment."""

_BASELINE = "groove-eval-baseline"
_HISTORY = "groove-eval-history"
_BETWEEN = b",\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Runs, oldest first. ``note`` says what was lost when the file could not be made sense of."""

    runs: tuple[EvalRun, ...] = ()
    note: str | None = None

    def compatible(self, fingerprint: ConfigFingerprint) -> EvalRun | None:
        """The newest run measured the same way."""
        return next((run for run in reversed(self.runs) if run.fingerprint == fingerprint), None)

    @property
    def latest(self) -> EvalRun | None:
        """The newest run, whatever it was measured with."""
        return self.runs[-1] if self.runs else None


def load_history(path: Path) -> History:
    """Read a history; an empty one when there is no file. Raises HistoryError for a link or an unreadable file, and for
    one written by a later groove."""
    data = _read(path, "history")
    if data is None:
        return History()
    try:
        entries = _entries(data, path)
    except ValueError as error:
        return History(note=f"{path} holds no evaluation history ({error}). Starting a new one.")
    runs = []
    dropped = 0
    for entry in entries:
        try:
            runs.append(decode_run(entry))
        except ValueError:
            dropped += 1
    note = f"{path}: {dropped} of {len(entries)} runs could not be read and are dropped." if dropped else None
    return History(runs=tuple(runs), note=note)


def record_run(path: Path, run: EvalRun, *, keep: int) -> History:
    """Add a run to what the file holds by now, which another evaluation may have added to since it was last read.

    A lock file beside the history keeps others out for that moment, and stays there. Raises as :func:`load_history` and
    :func:`append_run` do, and HistoryError when the lock is not to be had.
    """
    with _locked(path):
        return append_run(path, load_history(path), run, keep=keep)


def append_run(path: Path, history: History, run: EvalRun, *, keep: int, max_bytes: int = MAX_HISTORY_BYTES) -> History:
    """Write the history with one more run, the newest ``keep`` of them, fewer where they would not fit the cap.

    Raises HistoryError when the file cannot be written, or when the new run alone is larger than the cap.
    """
    head = _dump({"format": _HISTORY, "version": HISTORY_VERSION})[:-1] + b',"runs":[\n'
    tail = b"\n]}\n"
    room = max_bytes - len(head) - len(tail) + len(_BETWEEN)
    kept: list[EvalRun] = []
    encoded: list[bytes] = []
    for candidate in [run, *reversed(history.runs)][:keep]:
        data = _dump(encode_run(candidate))
        room -= len(data) + len(_BETWEEN)
        if room < 0:
            break
        kept.insert(0, candidate)
        encoded.insert(0, data)
    if not kept:
        raise HistoryError(
            f"{path}: this run alone is over the history's {max_bytes} bytes. Use --no-history, or a lower --limit."
        )
    _replace(path, head + _BETWEEN.join(encoded) + tail, "history")
    return History(runs=tuple(kept))


def load_baseline(path: Path) -> EvalRun:
    """Read a committed run. Raises HistoryError when it is missing, a link, unreadable or not a baseline."""
    data = _read(path, "baseline")
    if data is None:
        raise HistoryError(f"{path}: there is no such baseline. Write one with --save-baseline.")
    try:
        return decode_run(_document(data, path, _BASELINE).get("run"))
    except ValueError as error:
        raise HistoryError(f"{path} is not a baseline ({error}). Write one with --save-baseline.") from None


def save_baseline(path: Path, run: EvalRun) -> None:
    """Write a run as a baseline, a line a query so that a diff of it can be read. Raises HistoryError."""
    data = _baseline_text(run).encode("utf-8", "surrogatepass")
    if len(data) > MAX_HISTORY_BYTES:
        raise HistoryError(f"{path}: this run has {len(data)} bytes, a baseline at most {MAX_HISTORY_BYTES}.")
    _replace(path, data, "baseline")


def _baseline_text(run: EvalRun) -> str:
    encoded = encode_run(run)
    rows = (f"   {_text(query_id)}: {_text(query)}" for query_id, query in encoded["queries"].items())
    queries = "{\n" + ",\n".join(rows) + "\n  }"
    document = {"format": _BASELINE, "version": HISTORY_VERSION, "run": encoded | {"queries": {}}}
    before, _, after = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1).rpartition("{}")
    return f"{before}{queries}{after}\n"


def _read(path: Path, what: str) -> bytes | None:
    try:
        return read_checked(path, max_bytes=MAX_HISTORY_BYTES, setting=None).data
    except FileNotFoundError:
        return None
    except FileSkipped as error:
        _refuse(path, what, str(error).rstrip("."))


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_name(path.name + ".lock"), mode=0o600)
    try:
        lock.acquire(timeout=LOCK_SECONDS)
    except Timeout:
        raise HistoryError(
            f"{path}: another groove has held {lock.lock_file} for {LOCK_SECONDS:.0f} s. End it, or use --no-history."
        ) from None
    except OSError as error:
        raise HistoryError(
            f"The evaluation history {path} could not be written: {lock.lock_file} cannot be locked "
            f"({error.strerror or error}). Make the folder writable, or use --no-history."
        ) from error
    try:
        yield
    finally:
        lock.release()


def _entries(data: bytes, path: Path) -> Sequence[object]:
    runs = _document(data, path, _HISTORY).get("runs")
    if not isinstance(runs, list):
        raise ValueError("it has no list of runs")
    return runs


def _document(data: bytes, path: Path, expected: str) -> dict[str, Any]:
    try:
        document = json.loads(data.decode("utf-8", "surrogatepass"), parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except ValueError:
        raise ValueError("it is not JSON") from None
    if not isinstance(document, dict) or document.get("format") != expected:
        raise ValueError(f'it has no "format": "{expected}"')
    version = document.get("version")
    if isinstance(version, int) and version > HISTORY_VERSION:
        raise HistoryError(
            f"{path} was written by a later groove (version {version}, this one reads {HISTORY_VERSION}). "
            "Update groove, or move the file away."
        )
    if version != HISTORY_VERSION:
        raise ValueError(f"its version is {version!r}")
    return document


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _dump(value: object) -> bytes:
    return _text(value).encode("utf-8", "surrogatepass")


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _refuse(path: Path, what: str, why: str) -> NoReturn:
    raise HistoryError(
        f"The evaluation {what} {path} cannot be used: {why}. It was left as it is; move it away or name another."
    )


def _replace(path: Path, data: bytes, what: str) -> None:
    """Put the bytes in the file's place in one step; the old file stays if anything fails."""
    try:
        _check_replaceable(path, what)
        replace_whole(path, data)
    except OSError as error:
        raise HistoryError(f"The evaluation {what} {path} could not be written: {error.strerror}.") from error


def _check_replaceable(path: Path, what: str) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        _refuse(path, what, "it is a link" if stat.S_ISLNK(mode) else "it is not a regular file")
