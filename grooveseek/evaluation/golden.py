"""Golden sets: queries with the documents that answer them, as people write them in ``.groove-eval.yml``."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from grooveseek.errors import GoldenError
from grooveseek.evaluation.golden_nodes import Node, read_root

GOLDEN_FILE = ".groove-eval.yml"
MAX_GOLDEN_BYTES = 1024 * 1024
MAX_QUERY_BYTES = 1024
"""As long as a search accepts."""

ID_CHARACTERS = 32

_QUERY_KEYS = ("query", "expected", "id", "tags", "answerable")
_EXPECTED_KEYS = ("path", "heading", "relevance", "quote")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """One document that answers a query.

    ``path`` is relative to the knowledge base with ``/``. ``heading`` narrows it to a section, ``quote`` to the chunk
    that holds that text. ``relevance`` is 1 to 4 in a golden file, and 0 or more in imported judgments, where 0 means
    judged and not relevant. ``line`` is 1-based in the golden file, None when imported.
    """

    path: str
    heading: str | None = None
    relevance: int = 1
    quote: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenQuery:
    """One query and what should be found. ``expected`` names each path once and is empty when not ``answerable``."""

    id: str
    query: str
    expected: tuple[Expected, ...] = ()
    tags: tuple[str, ...] = ()
    answerable: bool = True
    line: int | None = None

    @property
    def judgments(self) -> Mapping[str, int]:
        """Path to relevance."""
        return {entry.path: entry.relevance for entry in self.expected}

    @property
    def relevant(self) -> int:
        """How many documents answer it."""
        return sum(entry.relevance > 0 for entry in self.expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSet:
    """The queries in file order, and the SHA-256 of the bytes they came from, in hexadecimal."""

    queries: tuple[GoldenQuery, ...]
    sha256: str
    name: str = GOLDEN_FILE

    def by_id(self) -> Mapping[str, GoldenQuery]:
        """Query id to query."""
        return {query.id: query for query in self.queries}


def parse_golden(data: bytes, name: str = GOLDEN_FILE) -> GoldenSet:
    """Read a golden file. ``name`` is how messages call it.

    Raises GoldenError at the first thing that is wrong, naming file, line, key and what is allowed.
    """
    if len(data) > MAX_GOLDEN_BYTES:
        raise GoldenError(f"{name}: {len(data)} bytes; a golden file has at most {MAX_GOLDEN_BYTES}. Split the set.")
    root = read_root(data, name)
    top = root.items(("queries",))
    if "queries" not in top:
        raise GoldenError(f"{name}:{root.line}: queries: missing. The file needs a list of queries under this key.")
    lines_by_id: dict[str, int] = {}
    queries = tuple(_query(node, lines_by_id) for node in top["queries"].sequence())
    if not queries:
        top["queries"].fail("the list is empty. Add at least one query.")
    return GoldenSet(queries=queries, sha256=hashlib.sha256(data).hexdigest(), name=name)


def _query(node: Node, lines_by_id: dict[str, int]) -> GoldenQuery:
    items = node.items(_QUERY_KEYS)
    text = _query_text(node, items)
    query_id = items["id"].text() if "id" in items else text[:ID_CHARACTERS]
    if query_id in lines_by_id:
        hint = "Give" if "id" in items else f"It is the first {ID_CHARACTERS} characters of the query; give"
        items.get("id", items["query"]).fail(
            f'the id "{query_id}" is taken by the query on line {lines_by_id[query_id]}. {hint} each query its own id.'
        )
    lines_by_id[query_id] = node.line
    answerable = items["answerable"].boolean() if "answerable" in items else True
    return GoldenQuery(
        id=query_id,
        query=text,
        expected=_expected_list(node, items, answerable),
        tags=tuple(tag.text() for tag in items["tags"].sequence()) if "tags" in items else (),
        answerable=answerable,
        line=node.line,
    )


def _query_text(node: Node, items: Mapping[str, Node]) -> str:
    if "query" not in items:
        node.fail('the key "query" is missing. Every entry needs the text that is searched for.')
    text = items["query"].text()
    size = len(text.encode("utf-8"))
    if size > MAX_QUERY_BYTES:
        items["query"].fail(f"{size} bytes; a query has at most {MAX_QUERY_BYTES}.")
    return text


def _expected_list(node: Node, items: Mapping[str, Node], answerable: bool) -> tuple[Expected, ...]:
    entries: list[Expected] = []
    lines_by_path: dict[str, int] = {}
    for entry in items["expected"].sequence() if "expected" in items else ():
        expected = _expected(entry)
        if expected.path in lines_by_path:
            entry.fail(f'"{expected.path}" is listed twice (first on line {lines_by_path[expected.path]}). Keep one.')
        lines_by_path[expected.path] = entry.line
        entries.append(expected)
    _check_answerable(items.get("expected", node), entries, answerable)
    return tuple(entries)


def _check_answerable(node: Node, entries: list[Expected], answerable: bool) -> None:
    if answerable and not entries:
        node.fail(
            "nothing is expected. List at least one path, or say answerable: false when the documents hold no answer."
        )
    if entries and not answerable:
        node.fail("answerable is false, yet paths are expected. Use expected: [] or drop answerable.")


def _expected(node: Node) -> Expected:
    items = node.items(_EXPECTED_KEYS)
    if "path" not in items:
        node.fail('the key "path" is missing. Name the file, relative to the knowledge base.')
    return Expected(
        path=_path(items["path"]),
        heading=items["heading"].text().strip() if "heading" in items else None,
        relevance=items["relevance"].integer(1, 4) if "relevance" in items else 1,
        quote=items["quote"].text() if "quote" in items else None,
        line=node.line,
    )


def _path(node: Node) -> str:
    path = node.text()
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    if not path or path.startswith("/") or ".." in path.split("/"):
        node.fail(f'"{node.text()}" is not a path inside the knowledge base. Write it relative to it, with /.')
    return path
