"""Cross-encoders on the same runner as the embedders."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from grooveseek.embedding.catalog import RerankerSpec, resolve_reranker
from grooveseek.embedding.hub import TOKENIZER, fetch, loadable, redownload
from grooveseek.embedding.lazy import Lazy
from grooveseek.embedding.local import find_files, is_dynamic, read_window
from grooveseek.embedding.protocol import Reranker
from grooveseek.embedding.session import OnnxSession, Output, run_all
from grooveseek.embedding.tokens import PairTokenizer
from grooveseek.errors import EmbeddingError

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossEncoderCard:
    """A cross-encoder on disk; the fields mean what they mean in :class:`grooveseek.embedding.runner.ModelCard`."""

    model: Path
    tokenizer: Path
    window: int
    one_at_a_time: bool
    remedy: str


class OnnxReranker:
    """A Reranker on a model directory. Thread-safe; found, downloaded and loaded on first use.

    A pair that is longer than the model's window is judged by its beginning: the longer of query and text is cut.
    """

    def __init__(self, name: str, find: Callable[[], CrossEncoderCard], *, threads: int = 0) -> None:
        self._name = name
        self._threads = threads
        self._card = Lazy(find)
        self._session = Lazy(self._load_session)
        self._tokenizer = Lazy(self._load_tokenizer)

    @property
    def name(self) -> str:
        """The catalogue's name, or the directory's path."""
        return self._name

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One raw logit a text, in the order given. Raises EmbeddingError for a model that gives anything else."""
        session, tokenizer = self._session.value, self._tokenizer.value
        output = next(iter(session.outputs))

        def run(batch: list[Any]) -> Output:
            logits, _ = session.run(batch, tokenizer.pad_id, output)
            return np.asarray(logits).reshape(len(batch), -1)

        pairs = tokenizer.encode(query, texts)
        rows = run_all(pairs, run, threads=self._threads, one_at_a_time=self._card.value.one_at_a_time)
        return [self._logit(row) for row in rows]

    def _logit(self, row: Output) -> float:
        if row.size != 1 or not np.isfinite(row[0]):
            shown = f"{row.size} numbers" if row.size != 1 else str(row[0])
            raise EmbeddingError(
                f'the reranker "{self._name}" gives {shown} where one finite score is wanted: use a cross-encoder with '
                "a single logit"
            )
        return float(row[0])

    def _load_session(self) -> OnnxSession:
        return OnnxSession(self._card.value.model, remedy=self._card.value.remedy)

    def _load_tokenizer(self) -> PairTokenizer:
        card = self._card.value
        return PairTokenizer(card.tokenizer, window=card.window, remedy=card.remedy)


def load_reranker(
    name: str, *, cache_dir: Callable[[], Path], environ: Mapping[str, str], threads: int = 0
) -> Reranker:
    """The cross-encoder of a catalogue name or a model directory; ``none`` is for the caller to handle.

    Raises ConfigError for an unknown name. A licence that restricts use is said at once; the model itself is looked
    for on first use. ``cache_dir`` is asked for only when the model comes from the hub.
    """
    found = resolve_reranker(name)
    if isinstance(found, Path):
        return OnnxReranker(str(found), lambda: _local_card(found), threads=threads)
    if found.warning:
        _logger.warning("The reranker %s: %s", found.name, found.warning)
    return OnnxReranker(found.name, lambda: _hub_card(found, cache_dir(), environ), threads=threads)


def _local_card(directory: Path) -> CrossEncoderCard:
    model, tokenizer, remedy = find_files(directory)
    return CrossEncoderCard(
        model=model,
        tokenizer=tokenizer,
        window=read_window(directory),
        one_at_a_time=is_dynamic(model, remedy),
        remedy=remedy,
    )


def _hub_card(spec: RerankerSpec, cache_dir: Path, environ: Mapping[str, str]) -> CrossEncoderCard:
    instead = 'search without a reranker (reranker = "none")'
    directory = fetch(spec.name, spec.files, cache_dir=cache_dir, environ=environ, instead=instead)
    return CrossEncoderCard(
        model=loadable(directory, spec.files),
        tokenizer=directory / TOKENIZER,
        window=spec.window,
        one_at_a_time=spec.one_at_a_time,
        remedy=redownload(directory),
    )
