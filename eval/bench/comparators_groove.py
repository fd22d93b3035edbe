"""groove itself, served as the others are: on the same vectors, without its model."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from comparators_worker import Corpus, Found
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.factory import build_embedder
from grooveseek.embedding.protocol import Embedder, ModelIdentity, Vectors
from grooveseek.model.query import Mode, SearchRequest
from grooveseek.retrieval.pipeline import Searcher
from grooveseek.settings.sections import IndexSettings, Settings
from grooveseek.store.store import Store
from texts import document, record

LONGEST_QUERY = 1024


class Replayed:
    """An embedder that gives a text the vector it was given before, and asks its model only for new ones."""

    def __init__(self, folder: Path, inner: Embedder | None = None) -> None:
        self._inner = build_embedder(Settings(), environ=os.environ) if inner is None else inner
        self._texts, self._vectors = folder / "embedded.json", folder / "embedded.npy"
        self._known: dict[str, Vectors] = {}
        if self._texts.exists():
            texts = json.loads(self._texts.read_text(encoding="utf-8"))
            self._known = dict(zip(texts, np.load(self._vectors), strict=True))

    @property
    def identity(self) -> ModelIdentity:
        return self._inner.identity

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    @property
    def window(self) -> int:
        return self._inner.window

    @property
    def scripts(self) -> frozenset[str] | None:
        return self._inner.scripts

    @property
    def lowest_cosine(self) -> float:
        return self._inner.lowest_cosine

    def windows(self, text: str) -> list[tuple[int, int]]:
        return self._inner.windows(text)

    def count_tokens(self, text: str) -> int:
        return self._inner.count_tokens(text)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, new ones made by the model."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._inner.embed_documents(new), strict=True))
        return np.stack([self._known[text] for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query."""
        if text not in self._known:
            self._known[text] = self._inner.embed_query(text)
        return self._known[text]

    def learn(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Know these vectors from now on."""
        self._known.update(zip(texts, vectors, strict=True))

    def keep(self) -> None:
        """Write down what is known."""
        np.save(self._vectors, np.stack(list(self._known.values())))
        self._texts.write_text(json.dumps(list(self._known)), encoding="utf-8")


class Groove:
    """A knowledge base where the corpus comes from files, else an index filled with its chunks."""

    def __init__(self, corpus: Corpus, folder: Path) -> None:
        self._corpus, self._path = corpus, folder / "index.db"
        self._settings = Settings(kb_path=corpus.root or folder, index=IndexSettings(path=self._path))
        self._embedder = Replayed(corpus.folder)
        self._embedder.learn([query[:LONGEST_QUERY] for query in corpus.queries], corpus.query_vectors)

    def build(self) -> None:
        """Index the files, or write the chunks."""
        if self._corpus.root is not None:
            with KnowledgeBase(self._settings, embedder=self._embedder) as kb:
                kb.index()
            return
        with Store.open_for_writing(self._path) as store:
            chunks = groupby(zip(self._corpus.chunks(), self._corpus.vectors, strict=True), key=_path_of)
            for path, rows in chunks:
                records = [record(index, text, vector[np.newaxis]) for index, ((_, text), vector) in enumerate(rows)]
                store.documents.put(document(path), records)
            store.tidy()
            store.database.checkpoint()

    def open(self) -> None:
        """Open the index."""
        store = Store.open_for_reading(self._path)
        root = self._corpus.root or self._path.parent
        self._searcher = Searcher(root=root, store=store, embedder=self._embedder, settings=self._settings)

    def ask(self, mode: str, text: str, vector: Vectors, limit: int) -> Found:
        """One search; its vector is known."""
        answer = self._searcher.search(SearchRequest(query=text[:LONGEST_QUERY], mode=Mode(mode), limit=limit))
        return [(f"{hit.path}#{hit.chunk.index}", hit.chunk.content) for hit in answer.hits]


def _path_of(row: tuple[tuple[str, str], Vectors]) -> str:
    return row[0][0].partition("#")[0]
