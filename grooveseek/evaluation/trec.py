"""TREC files: qrels and runs to and from text, and query lists, so that other tools can check every figure.

Columns are separated by white space, which ids therefore may not hold; :mod:`grooveseek.evaluation.identifiers` writes
paths and query ids so that they fit. Formats as trec_eval reads them: qrels are ``query 0 document relevance``, runs
are ``query Q0 document rank score tag``. Readers take the whole file as bytes and the name messages should use; every
error is a GoldenError naming file and line.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from grooveseek.errors import GoldenError
from grooveseek.evaluation.identifiers import is_column
from grooveseek.model.judgments import MAX_RELEVANCE, Qrels, Run, as_float32, trec_order

MAX_TREC_BYTES = 64 * 1024 * 1024
"""What a caller should let the safe reader take; pooled judgments of large collections stay well below."""

_ID_KEYS = ("id", "_id", "query_id", "qid")
_TEXT_KEYS = ("text", "query", "title")


@dataclass(frozen=True, slots=True, kw_only=True)
class QrelsFile:
    """Judgments with the line each stands on: ``lines[query id, document id]``."""

    name: str
    qrels: Qrels
    lines: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryLine:
    """One query of a list, and its 1-based line."""

    id: str
    text: str
    line: int


def read_qrels(data: bytes, name: str) -> QrelsFile:
    """Read judgments. A negative relevance (spam, in some collections) is judged and not relevant: 0."""
    by_query: dict[str, dict[str, int]] = {}
    lines: dict[tuple[str, str], int] = {}
    for number, line in _lines(data, name):
        columns = line.split()
        if len(columns) != 4:
            raise _error(
                name, number, f"{len(columns)} columns; a judgment has 4: query id, 0, document id and relevance."
            )
        query_id, _, doc_id, relevance = columns
        if (query_id, doc_id) in lines:
            raise _error(
                name,
                number,
                f'document "{doc_id}" is judged twice for query "{query_id}", first on line {lines[query_id, doc_id]}.',
            )
        lines[query_id, doc_id] = number
        by_query.setdefault(query_id, {})[doc_id] = _relevance(relevance, name, number)
    if not lines:
        raise GoldenError(f"{name}: no judgments in this file. Each line is: query id, 0, document id, relevance.")
    return QrelsFile(name=name, qrels=Qrels(by_query=by_query), lines=lines)


def read_run(data: bytes, name: str) -> Run:
    """Read a run. Its ranking is made from the scores as trec_eval makes it; the rank column is not looked at."""
    by_query: dict[str, dict[str, float]] = {}
    for number, line in _lines(data, name):
        columns = line.split()
        if len(columns) != 6:
            raise _error(
                name,
                number,
                f"{len(columns)} columns; a run line has 6: query id, Q0, document id, rank, score and a tag.",
            )
        query_id, _, doc_id, _, score, _ = columns
        scores = by_query.setdefault(query_id, {})
        if doc_id in scores:
            raise _error(name, number, f'document "{doc_id}" is ranked twice for query "{query_id}".')
        scores[doc_id] = _score(score, name, number)
    return Run(by_query={query_id: trec_order(docs.items()) for query_id, docs in by_query.items()})


def read_queries(data: bytes, name: str) -> tuple[QueryLine, ...]:
    """Read a query list: JSON lines when the name ends in ``.jsonl``, else ``id<TAB>text`` lines.

    JSON objects have an ``id`` (or ``_id``, ``query_id``, ``qid``) and a ``text`` (or ``query``, ``title``).
    """
    read = _json_query if name.lower().endswith((".jsonl", ".ndjson")) else _tab_query
    queries: dict[str, QueryLine] = {}
    for number, line in _lines(data, name):
        query = read(line, name, number)
        if query.id in queries:
            raise _error(name, number, f'query id "{query.id}" was used on line {queries[query.id].line}.')
        queries[query.id] = query
    if not queries:
        raise GoldenError(f"{name}: no queries in this file.")
    return tuple(queries.values())


def write_qrels(qrels: Qrels) -> str:
    """Judgments as text. Raises GoldenError for an id with white space in it."""
    rows = []
    for query_id, judged in qrels.by_query.items():
        for doc_id, relevance in judged.items():
            _check_columns(query_id, doc_id)
            rows.append(f"{query_id} 0 {doc_id} {relevance}\n")
    return "".join(rows)


def write_run(run: Run, tag: str = "groove") -> str:
    """A run as text, in an order no reader can change.

    trec_eval and its relatives rank by the score column and break ties by document id. So that they see the ranking of
    ``run``, a score that does not fall below the one before it, as a 32-bit float, is written as the next one below.
    Raises GoldenError for an id with white space in it.
    """
    rows = []
    for query_id, ranked in run.by_query.items():
        scores = falling_scores([score for _, score in ranked])
        for rank, ((doc_id, _), score) in enumerate(zip(ranked, scores, strict=True), 1):
            _check_columns(query_id, doc_id)
            rows.append(f"{query_id} Q0 {doc_id} {rank} {score:.9g} {tag}\n")
    return "".join(rows)


def falling_scores(scores: list[float]) -> list[float]:
    """The scores as 32-bit floats, each lowered where needed to stand strictly below the one before it."""
    falling: list[float] = []
    for score in scores:
        narrowed = as_float32(score)
        if falling and narrowed >= falling[-1]:
            narrowed = _next_below(falling[-1])
        falling.append(narrowed)
    if all(map(math.isfinite, falling)) and all(before > after for before, after in pairwise(falling)):
        return falling
    return [float(len(scores) - index) for index in range(len(scores))]  # beyond 32-bit range: ranks say it all


def _next_below(score: float) -> float:
    # two to four units in the last place, and well away from subnormal numbers, which some C libraries flush to zero
    return as_float32(score - max(abs(score) * 2.0**-22, 2.0**-40))


def _lines(data: bytes, name: str) -> Iterator[tuple[int, str]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        broken = data.count(b"\n", 0, error.start) + 1
        raise _error(name, broken, f"not UTF-8 (byte {error.start} of the file).") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line.rstrip("\r")


def _relevance(text: str, name: str, line: int) -> int:
    try:
        relevance = int(text)
    except ValueError:
        raise _error(name, line, f'relevance "{text}" is not a whole number.') from None
    if relevance > MAX_RELEVANCE:
        raise _error(name, line, f"relevance {relevance} is above {MAX_RELEVANCE}.")
    return max(relevance, 0)


def _score(text: str, name: str, line: int) -> float:
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise _error(name, line, f'score "{text}" is not a finite number.')
    return score


def _tab_query(line: str, name: str, number: int) -> QueryLine:
    query_id, tab, text = line.partition("\t")
    if not tab or not query_id.strip() or not text.strip():
        raise _error(name, number, "a query line is the query's id, a tab, and its text.")
    return QueryLine(id=query_id.strip(), text=text.strip(), line=number)


def _json_query(line: str, name: str, number: int) -> QueryLine:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise _error(name, number, "not JSON. Each line is one object with an id and a text.") from None
    if not isinstance(value, dict):
        raise _error(name, number, "not a JSON object. Each line is one object with an id and a text.")
    query_id = next((value[key] for key in _ID_KEYS if key in value), None)
    text = next((value[key] for key in _TEXT_KEYS if key in value), None)
    is_id = isinstance(query_id, str | int) and not isinstance(query_id, bool)
    if not is_id or not str(query_id).strip() or not isinstance(text, str) or not text.strip():
        raise _error(
            name,
            number,
            f"needs an id ({', '.join(_ID_KEYS)}: text or a whole number) and a text ({', '.join(_TEXT_KEYS)}).",
        )
    if any("\ud800" <= character <= "\udfff" for character in f"{query_id}{text}"):
        raise _error(name, number, "half of a surrogate pair in the id or the text.")
    return QueryLine(id=str(query_id).strip(), text=text.strip(), line=number)


def _check_columns(query_id: str, doc_id: str) -> None:
    for what, value in (("query", query_id), ("document", doc_id)):
        if not is_column(value):
            raise GoldenError(f'The {what} id "{value}" has white space in it, which a TREC file cannot hold.')


def _error(name: str, line: int, message: str) -> GoldenError:
    return GoldenError(f"{name}:{line}: {message}")
