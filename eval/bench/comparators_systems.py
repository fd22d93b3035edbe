"""The systems groove is compared with, each set up as its own documentation shows, on given texts and vectors.

Their libraries are loaded by name: they are not the project's, and a process has only its own one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from comparators_worker import HYBRID, KEYWORD, SEMANTIC, Corpus, Found, System, Vectors, once

RRF_K = 60
RRF_DEPTH = 100


class Bm25sNumpy:
    """bm25s with stemming and stop words, every cosine by numpy, both fused by RRF: a page of one's own code."""

    def __init__(self, corpus: Corpus, folder: Path) -> None:
        self._corpus, self._folder = corpus, folder
        self._bm25s = import_module("bm25s")
        self._stemmer = import_module("Stemmer").Stemmer("english")

    def build(self) -> None:
        """Count words, write both indexes."""
        chunks = [{"key": key, "text": text} for key, text in self._corpus.chunks()]
        index = self._bm25s.BM25()
        index.index(self._tokens([chunk["text"] for chunk in chunks]), show_progress=False)
        index.save(self._folder, corpus=chunks, show_progress=False)
        np.save(self._folder / "vectors.npy", self._corpus.vectors)
        np.save(self._folder / "owners.npy", self._corpus.owners)

    def open(self) -> None:
        """Read everything into memory."""
        self._index: Any = self._bm25s.BM25.load(self._folder, load_corpus=True)
        self._vectors = np.load(self._folder / "vectors.npy")
        self._owners = np.load(self._folder / "owners.npy")

    def ask(self, mode: str, text: str, vector: Vectors, limit: int) -> Found:
        """One search."""
        chunks = self._index.corpus
        if mode == KEYWORD:
            return [(chunk["key"], chunk["text"]) for chunk in self._by_words(text, limit)]
        if mode == SEMANTIC:
            return once(((chunks[i]["key"], chunks[i]["text"]) for i in self._by_vector(vector, limit)), limit)
        texts, scores = {}, dict[str, float]()
        for ranking in (self._by_words(text, RRF_DEPTH), [chunks[i] for i in self._by_vector(vector, RRF_DEPTH)]):
            for rank, (key, found) in enumerate({chunk["key"]: chunk["text"] for chunk in ranking}.items(), start=1):
                texts[key] = found
                scores[key] = scores.get(key, 0.0) + 1 / (RRF_K + rank)
        best = sorted(scores, key=lambda key: -scores[key])[:limit]
        return [(key, texts[key]) for key in best]

    def _by_words(self, text: str, limit: int) -> list[Any]:
        limit = min(limit, len(self._index.corpus))
        found, scores = self._index.retrieve(self._tokens([text]), k=limit, show_progress=False)
        return [chunk for chunk, score in zip(found[0], scores[0], strict=True) if score > 0]

    def _by_vector(self, vector: Vectors, limit: int) -> list[int]:
        scores = self._vectors @ vector
        count = min(2 * limit, len(scores))
        best = np.argpartition(-scores, count - 1)[:count]
        return [int(i) for i in self._owners[best[np.argsort(-scores[best])]]]

    def _tokens(self, texts: list[str]) -> Any:
        return self._bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)


class Chroma:
    """A persistent client and one collection: vectors only, since a local Chroma ranks by nothing else."""

    def __init__(self, corpus: Corpus, folder: Path) -> None:
        self._corpus, self._folder = corpus, folder
        self._chromadb, self._config = import_module("chromadb"), import_module("chromadb.config")

    def _client(self) -> Any:
        settings = self._config.Settings(anonymized_telemetry=False)
        return self._chromadb.PersistentClient(str(self._folder), settings=settings)

    def build(self) -> None:
        """Add everything in the largest batches the client takes."""
        client = self._client()
        collection = client.create_collection(
            "texts", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )
        rows = self._corpus.rows()
        while batch := list(islice(rows, client.get_max_batch_size())):
            collection.add(
                ids=[f"{key}|{row}" for row, key, _, _ in batch],
                documents=[text for _, _, text, _ in batch],
                embeddings=np.stack([vector for _, _, _, vector in batch]),
            )

    def open(self) -> None:
        """Open the collection."""
        self._collection: Any = self._client().get_collection("texts", embedding_function=None)

    def ask(self, mode: str, text: str, vector: Vectors, limit: int) -> Found:
        """One search."""
        found = self._collection.query(query_embeddings=[vector], n_results=limit, include=["documents", "distances"])
        keys = (name.rpartition("|")[0] for name in found["ids"][0])
        return once(zip(keys, found["documents"][0], strict=True), limit)


class Lance:
    """A table with a full-text index. Vectors are scanned: up to 100,000 rows its documentation advises no index."""

    _COLUMNS = ("key", "text")

    def __init__(self, corpus: Corpus, folder: Path) -> None:
        os.environ.setdefault("LANCEDB_LOG", "error")
        self._corpus, self._folder = corpus, folder
        self._lancedb, self._index = import_module("lancedb"), import_module("lancedb.index")
        self._arrow = import_module("pyarrow")

    def build(self) -> None:
        """Write the table, index its texts."""
        self._write().create_index("text", config=self._index.FTS())

    def _write(self) -> Any:
        columns = list(zip(*((key, text) for _, key, text, _ in self._corpus.rows()), strict=True))
        vectors = self._corpus.vectors
        flat = self._arrow.array(np.asarray(vectors).ravel())
        table = self._arrow.table(
            {
                "key": columns[0],
                "text": columns[1],
                "vector": self._arrow.FixedSizeListArray.from_arrays(flat, vectors.shape[1]),
            }
        )
        return self._lancedb.connect(str(self._folder)).create_table("texts", data=table)

    def open(self) -> None:
        """Open the table."""
        self._table: Any = self._lancedb.connect(str(self._folder)).open_table("texts")

    def ask(self, mode: str, text: str, vector: Vectors, limit: int) -> Found:
        """One search."""
        if mode == KEYWORD:
            search = self._table.search(text, query_type="fts").select([*self._COLUMNS, "_score"])
        elif mode == SEMANTIC:
            search = self._nearest(vector).select([*self._COLUMNS, "_distance"])
        else:
            hybrid = self._table.search(query_type="hybrid").vector(vector).text(text)
            search = hybrid.distance_type("cosine").select([*self._COLUMNS])
        return once(((row["key"], row["text"]) for row in search.limit(limit).to_list()), limit)

    def _nearest(self, vector: Vectors) -> Any:
        return self._table.search(vector).distance_type("cosine")


class LanceIndexed(Lance):
    """As above, with its default vector index instead of the full-text one.

    Ten times as many candidates are scored again by their own vectors: without, it finds three of the nearest ten.
    """

    def build(self) -> None:
        """Write the table, index its vectors."""
        self._write().create_index("vector", config=self._index.IvfPq(distance_type="cosine"))

    def _nearest(self, vector: Vectors) -> Any:
        return super()._nearest(vector).refine_factor(10)


_to_embed: Iterator[Vectors] = iter(())


def given_vectors(texts: list[str]) -> Vectors:
    """What txtai calls to embed: the vectors that are due, in order."""
    return np.stack(list(islice(_to_embed, len(texts))))


class Txtai:
    """Embeddings with content. A hybrid index always runs both its legs, so each mode has an index of its own."""

    _SETTINGS: Mapping[str, Mapping[str, Any]] = {
        HYBRID: {"method": "external", "hybrid": True},
        SEMANTIC: {"method": "external"},
        KEYWORD: {"keyword": True},
    }

    def __init__(self, corpus: Corpus, folder: Path, modes: tuple[str, ...] = (HYBRID,)) -> None:
        os.environ.update(ALLOW_RESOLVE_TRANSFORM="True", HF_HUB_OFFLINE="1")
        self._corpus, self._folder, self._modes = corpus, folder, modes
        self._open: dict[str, Any] = {}
        self._txtai = import_module("txtai")

    def build(self) -> None:
        """Index everything once for each mode."""
        global _to_embed
        for mode in self._modes:
            _to_embed = (vector for _, _, _, vector in self._corpus.rows())
            vectors = {} if mode == KEYWORD else {"transform": "comparators_systems.given_vectors"}
            index = self._txtai.Embeddings({**self._SETTINGS[mode], **vectors, "content": True})
            index.index((f"{key}|{row}", text, None) for row, key, text, _ in self._corpus.rows())
            index.save(str(self._folder / mode))
            index.close()

    def open(self) -> None:
        """Open the index of each mode."""
        for mode in self._modes:
            self._open[mode] = self._txtai.Embeddings()
            self._open[mode].load(str(self._folder / mode))

    def ask(self, mode: str, text: str, vector: Vectors, limit: int) -> Found:
        """One search."""
        global _to_embed
        _to_embed = iter([vector])
        found = self._open[mode].search(text, limit)
        return once(((row["id"].rpartition("|")[0], row["text"]) for row in found), limit)


SYSTEMS: Mapping[str, Callable[[Corpus, Path], System]] = {
    "bm25s + numpy": Bm25sNumpy,
    "chromadb": Chroma,
    "lancedb": Lance,
    "lancedb, IVF-PQ": LanceIndexed,
    "txtai": Txtai,
    "txtai, one leg": lambda corpus, folder: Txtai(corpus, folder, (SEMANTIC, KEYWORD)),
}
