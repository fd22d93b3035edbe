"""The texts, vectors and queries every system is given: two collections with judgments, and synthetic ones of any size.

A corpus is a folder: ``chunks.jsonl`` ({key, text}), ``vectors.npy`` and ``owners.npy`` (a row a window, and the chunk
it is of), ``queries.json``, ``query_vectors.npy``, ``judged.json`` (for each query the grades of documents, or null)
and ``corpus.json``. A key is ``document#chunk``.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import texts
from comparators_groove import Replayed
from embeddings import COLLECTIONS, Vectors, clustered, clustered_queries
from grooveseek.app import KnowledgeBase
from grooveseek.evaluation.trec import read_qrels, read_queries
from grooveseek.settings.sections import IndexSettings, Settings
from grooveseek.store.records import StoredChunk
from grooveseek.store.store import Store

ROOT = Path(__file__).resolve().parents[2]
SEED = 1
SENTENCES_A_CHUNK = 6
CHUNKS_A_DOCUMENT = 50
QUESTIONS = 40
SHORT, LONG = 3, 32


def collection(name: str, work: Path) -> Path:
    """A test collection: groove's own chunks of its Markdown files, vectors of the bundled model."""
    folder = work / name
    root, queries_file, qrels_file = folder / "kb", folder / f"{name}-queries.tsv", folder / f"{name}-qrels.txt"
    if not root.exists():
        folder.mkdir(parents=True, exist_ok=True)
        convert = [sys.executable, str(ROOT / "golden" / "convert_collections.py"), name]
        subprocess.run([*convert, str(COLLECTIONS / name), str(root), "--keywords"], check=True, stdout=sys.stderr)
    judged = read_qrels(qrels_file.read_bytes(), qrels_file.name).qrels
    queries = [
        query for query in read_queries(queries_file.read_bytes(), queries_file.name) if judged.relevant(query.id)
    ]
    embedder = Replayed(folder)
    settings = Settings(kb_path=root, index=IndexSettings(path=folder / "source.db"))
    with KnowledgeBase(settings, embedder=embedder) as kb:
        kb.index(force=True)
        _write_chunks(folder, kb.store())
    _write_json(folder / "queries.json", [query.text for query in queries])
    np.save(folder / "query_vectors.npy", np.stack([embedder.embed_query(query.text) for query in queries]))
    embedder.keep()
    _write_json(folder / "judged.json", [dict(judged.of(query.id)) for query in queries])
    _write_json(folder / "corpus.json", {"root": str(root.resolve())})
    return folder


def _write_chunks(folder: Path, store: Store) -> None:
    vectors, owners = [], list[int]()
    with (folder / "chunks.jsonl").open("w", encoding="utf-8") as lines:
        stored = (chunk for path in sorted(store.documents.states()) for chunk in store.documents.chunks_of(path))
        for number, chunk in enumerate(stored):
            row = {"key": f"{chunk.document.path}#{chunk.chunk.index}", "text": text_of(chunk)}
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
            windows = store.vectors.of([chunk.id]).get(chunk.id)
            if windows is not None:
                vectors.append(windows)
                owners += [number] * len(windows)
    np.save(folder / "vectors.npy", np.concatenate(vectors))
    np.save(folder / "owners.npy", np.array(owners, dtype=np.int64))


def text_of(stored: StoredChunk) -> str:
    """All that groove's full text reads of a chunk: breadcrumb, content, and with a document's first chunk what the
    frontmatter says beside the title.
    """
    said = [value for name, values in sorted(stored.document.fields.items()) if name != "title" for value in values]
    return "\n\n".join([stored.chunk.context, stored.chunk.content, *(said if stored.chunk.index == 0 else ())])


def synthetic(size: int, work: Path) -> Path:
    """Sentences of real texts put together at random, clustered vectors that have nothing to do with them.

    The first half of the queries are short, the words of a chunk; the other half long.
    """
    folder = work / str(size)
    if (folder / "corpus.json").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    chance, every = random.Random(SEED), texts.sentences()
    asked = dict.fromkeys(np.linspace(0, size - 1, QUESTIONS).astype(int).tolist(), "")
    with (folder / "chunks.jsonl").open("w", encoding="utf-8") as lines:
        for number in range(size):
            text = " ".join(chance.choices(every, k=SENTENCES_A_CHUNK))
            key = f"d{number // CHUNKS_A_DOCUMENT:06}.md#{number % CHUNKS_A_DOCUMENT}"
            lines.write(json.dumps({"key": key, "text": text}, ensure_ascii=False) + "\n")
            if number in asked:
                asked[number] = text
    np.save(folder / "vectors.npy", np.concatenate(list(_vectors(size))))
    np.save(folder / "owners.npy", np.arange(size, dtype=np.int64))
    queries = [words_of(text, count) for count in (SHORT, LONG) for text in asked.values()]
    _write_json(folder / "queries.json", queries)
    np.save(folder / "query_vectors.npy", clustered_queries(len(queries), size, SEED))
    _write_json(folder / "judged.json", [None for _ in queries])
    _write_json(folder / "corpus.json", {"root": None})
    return folder


def _vectors(size: int) -> Iterator[Vectors]:
    """float16 and back, as groove keeps them, so that all search in the same vectors."""
    return (block.astype(np.float16).astype(np.float32) for block in clustered(size, SEED))


def words_of(text: str, count: int) -> str:
    """The longest of a text's first words."""
    found = list(dict.fromkeys(word for word in text.split() if word.isalpha()))
    return " ".join(sorted(found[: 2 * count], key=len, reverse=True)[:count])


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
