"""Test collections: TREC queries and judgments as a golden set, and a golden run as TREC files."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from grooveseek.errors import GoldenError
from grooveseek.evaluation.golden import Expected, GoldenQuery, GoldenSet
from grooveseek.evaluation.hits import RankedHit, Target, judged_of
from grooveseek.evaluation.identifiers import decode, encode
from grooveseek.evaluation.trec import QrelsFile, QueryLine, read_qrels, read_queries
from grooveseek.model.judgments import Qrels, Run


class DocumentNames:
    """The indexed paths, by everything a judgment may call them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = set(paths)
        by_stem: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(self._paths):
            by_stem[PurePosixPath(path).stem].append(path)
        self._by_stem = by_stem

    def resolve(self, doc_id: str) -> tuple[str, ...]:
        """The paths a document id may mean: the path itself (as it is, or percent-decoded), else every file of that
        stem. None: not indexed. Several: ambiguous."""
        for name in (doc_id, decode(doc_id)):
            if name in self._paths:
                return (name,)
        return tuple(self._by_stem.get(doc_id) or self._by_stem.get(decode(doc_id)) or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A test collection as a golden set, and what a person should hear about the import."""

    golden: GoldenSet
    notices: tuple[str, ...] = ()


def import_collection(queries: tuple[bytes, str], qrels: tuple[bytes, str], indexed_paths: Iterable[str]) -> Imported:
    """Make a golden set of two files, each given as its bytes and its name.

    Judgments of documents that are not indexed stay in the set, since recall must count them. Queries without a
    relevant document are left out, with a notice: there is nothing to measure. Raises GoldenError for an unreadable
    file, and for a document id that fits several files.
    """
    lines = read_queries(*queries)
    judgments = read_qrels(*qrels)
    names = DocumentNames(indexed_paths)
    kept = [query for query in (_golden_query(line, judgments, names) for line in lines) if query.relevant]
    if not kept:
        raise GoldenError(f"{judgments.name}: no query of {queries[1]} has a relevant document here. Do the ids agree?")
    digest = hashlib.sha256(hashlib.sha256(queries[0]).digest() + hashlib.sha256(qrels[0]).digest())
    golden = GoldenSet(queries=tuple(kept), sha256=digest.hexdigest(), name=queries[1])
    return Imported(golden=golden, notices=_notices(lines, judgments, kept, names))


def export_collection(
    ranked: Mapping[str, Sequence[RankedHit]], targets: Mapping[str, Sequence[Target]]
) -> tuple[Qrels, Run]:
    """Judgments and run of the queries in ``targets``, ready to be written: ids encoded, a rank for every hit.

    Both arguments are by golden query id. A query missing from ``ranked`` found nothing.
    """
    qrels = Qrels(by_query={encode(query_id): judged_of(entries) for query_id, entries in targets.items()})
    run = {
        encode(query_id): tuple((entry.doc_id, entry.hit.score) for entry in ranked.get(query_id, ()))
        for query_id in targets
    }
    return qrels, Run(by_query=run)


def _golden_query(line: QueryLine, judgments: QrelsFile, names: DocumentNames) -> GoldenQuery:
    query_id = line.id if line.id in judgments.qrels.by_query else encode(line.id)
    expected: dict[str, Expected] = {}
    for doc_id, relevance in judgments.qrels.of(query_id).items():
        path = _one_path(doc_id, names, judgments, query_id)
        if path in expected:
            raise GoldenError(
                f"{judgments.name}:{judgments.lines[query_id, doc_id]}: "
                f'"{doc_id}" is {path}, which query "{query_id}" names already.'
            )
        expected[path] = Expected(path=path, relevance=relevance)
    return GoldenQuery(id=line.id, query=line.text, expected=tuple(expected.values()), line=line.line)


def _one_path(doc_id: str, names: DocumentNames, judgments: QrelsFile, query_id: str) -> str:
    paths = names.resolve(doc_id)
    if len(paths) > 1:
        raise GoldenError(
            f'{judgments.name}:{judgments.lines[query_id, doc_id]}: document "{doc_id}" fits {len(paths)} files: '
            f"{paths[0]} and {paths[1]}. Write the path instead."
        )
    return paths[0] if paths else decode(doc_id)


def _notices(
    lines: Sequence[QueryLine], judgments: QrelsFile, kept: Sequence[GoldenQuery], names: DocumentNames
) -> tuple[str, ...]:
    notices = []
    if left_out := len(lines) - len(kept):
        notices.append(f"{left_out} of {len(lines)} queries have no relevant document in {judgments.name}; left out.")
    known = {line.id for line in lines} | {encode(line.id) for line in lines}
    if unknown := [query_id for query_id in judgments.qrels.by_query if query_id not in known]:
        notices.append(f"{judgments.name} judges {len(unknown)} queries that are not in the list, {unknown[0]} first.")
    missing = {entry.path: None for query in kept for entry in query.expected if not names.resolve(encode(entry.path))}
    if missing:
        notices.append(f"{len(missing)} judged documents are not indexed, {next(iter(missing))} first.")
    return tuple(notices)
