"""A model file in onnxruntime: loading it, and running batches of encoded texts on several threads at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from grooveseek.errors import EmbeddingError

Output = npt.NDArray[Any]

_KNOWN_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_BATCH_ROWS = 8
"""Texts a run. Sorted by length, eight were 2.4 times as fast as 256 unsorted ones, and need far less memory."""
_BATCH_TOKENS = 4096
"""Padded tokens a run: what bounds memory for models that read thousands of tokens."""


def available_cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class OnnxSession:
    """One loaded model. Runs are single-threaded, so a result does not depend on how many happen at once."""

    def __init__(self, path: Path, *, remedy: str) -> None:
        self.path = path
        self._session = _load(path, remedy)
        self.inputs = frozenset(node.name for node in self._session.get_inputs())
        self.outputs: dict[str, tuple[int | str | None, ...]] = {
            str(node.name): tuple(node.shape) for node in self._session.get_outputs()
        }
        if unknown := self.inputs - _KNOWN_INPUTS:
            raise EmbeddingError(
                f"the model {path} asks for the input {', '.join(sorted(unknown))}, which groove does not have: "
                "use an encoder model that takes token ids and an attention mask"
            )

    def run(self, encodings: Sequence[Any], pad_id: int, output: str) -> tuple[Output, npt.NDArray[np.int64]]:
        """The named output for a batch of encodings, and the batch's mask; shorter ones are padded on the right."""
        longest = max(len(encoding) for encoding in encodings)
        ids = np.full((len(encodings), longest), pad_id, dtype=np.int64)
        types = np.zeros_like(ids)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            length = len(encoding)
            ids[row, :length] = encoding.ids
            types[row, :length] = encoding.type_ids
            mask[row, :length] = 1
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        try:
            result = self._session.run([output], {name: feeds[name] for name in self.inputs})[0]
        except Exception as error:  # onnxruntime's errors are plain Exception subclasses, one a status code
            raise EmbeddingError(
                f"the model {self.path} failed on a text of {longest} tokens ({first_line(error)}): "
                "check that its files belong together, or choose another model"
            ) from error
        return result, mask


def run_all(
    encodings: Sequence[Any], run: Callable[[list[Any]], Output], *, threads: int, one_at_a_time: bool
) -> list[Any]:
    """``run`` over all encodings in batches, ``threads`` batches at once; one row of its result for each, in order.

    The batches depend on the encodings alone, so the rows are the same whatever ``threads`` is.
    """
    lengths = [len(encoding) for encoding in encodings]
    batches = plan_batches(lengths, rows=1 if one_at_a_time else _BATCH_ROWS, tokens=_BATCH_TOKENS)
    workers = min(threads or available_cores(), len(batches))
    rows: list[Any] = [None] * len(encodings)

    def work(batch: list[int]) -> Output:
        return run([encodings[index] for index in batch])

    for batch, result in zip(batches, _map(work, batches, workers), strict=True):
        for index, row in zip(batch, result, strict=True):
            rows[index] = row
    return rows


def plan_batches(lengths: Sequence[int], *, rows: int, tokens: int) -> list[list[int]]:
    """Indices grouped by length, the longest first: at most ``rows`` a group and ``tokens`` tokens once padded.

    A text longer than ``tokens`` is a group of its own. Starting with the longest keeps the threads busy to the end.
    """
    batches: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda at: (-lengths[at], at)):
        batch = batches[-1] if batches else []
        if batch and len(batch) < rows and lengths[batch[0]] * (len(batch) + 1) <= tokens:
            batch.append(index)
        else:
            batches.append([index])
    return batches


def _map(work: Callable[[list[int]], Output], batches: list[list[int]], workers: int) -> list[Output]:
    if workers <= 1:
        return [work(batch) for batch in batches]
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(workers, thread_name_prefix="groove-model")
    try:
        return list(pool.map(work, batches))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _load(path: Path, remedy: str) -> Any:
    if not path.is_file():
        raise EmbeddingError(f"the model file {path} is missing: {remedy}")
    try:
        import onnxruntime
    except ImportError as error:
        raise EmbeddingError(
            f"onnxruntime cannot be loaded ({first_line(error)}): reinstall it with pip install --force-reinstall "
            "onnxruntime; on Windows it needs the Visual C++ runtime"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what goes wrong arrives as an exception; stderr is the user's
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # a truncated file, a missing data file and an unknown operator each have their own
        raise EmbeddingError(f"the model file {path} cannot be loaded ({first_line(error)}): {remedy}") from error


def first_line(error: Exception) -> str:
    """What an error of a library says, short enough to stand inside a message of ours, without the path it repeats."""
    line = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return line.rpartition(" failed:")[2][:200]
