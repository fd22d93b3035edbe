"""Writing golden entries into a file that people edit: nothing else in it may change, comments least of all.

A new query becomes new lines behind the last one. Only where that cannot be done (a list in ``[...]`` style, or a query
that is there already) the file is rewritten by ruamel.yaml, which keeps comments and may change spacing. Either way the
result is read back, and has to be the old set and the change.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grooveseek.errors import GoldenError
from grooveseek.evaluation.curation.lines import entry_lines
from grooveseek.evaluation.golden import ID_CHARACTERS, Expected, GoldenQuery, GoldenSet, parse_golden
from grooveseek.evaluation.golden_nodes import read_root

if TYPE_CHECKING:
    import yaml

_NEW_FILE = (
    "# Golden queries: what should be found. `groove eval` measures with them, `groove golden` helps make them.\n"
)


def with_query(data: bytes | None, name: str, query: GoldenQuery) -> bytes:
    """The golden file with this query in it: added, or in place of the one with the same text.

    ``data`` is the file as it is, None when there is none, and ``name`` what messages call it. An id that another
    query has gets a number. Raises GoldenError when the file cannot be read, or not be changed safely.
    """
    if data is None:
        text = _NEW_FILE + "queries:\n" + "".join(f"{line}\n" for line in entry_lines(_with_free_id(query, ()), 2))
        return _checked(text.encode(), name, (), query)
    old = parse_golden(data, name)
    others = tuple(known for known in old.queries if known.query != query.query)
    replacing = len(others) < len(old.queries)
    query = query if replacing else _with_free_id(query, old.queries)
    for draft in (_rewritten,) if replacing else (_spliced, _rewritten):
        changed = draft(data.decode("utf-8-sig"), query)
        if changed is not None and _is_right(changed.encode(), name, others, query):
            return changed.encode()
    raise GoldenError(f'{name}: query "{query.query}" could not be added without touching others. Add it by hand.')


def _with_free_id(query: GoldenQuery, others: Sequence[GoldenQuery]) -> GoldenQuery:
    taken = {other.id for other in others}
    number, free = 2, query.id
    while free in taken:
        free = f"{query.id} {number}"
        number += 1
    return replace(query, id=free)


def _spliced(text: str, query: GoldenQuery) -> str | None:
    """The new lines behind the last query's last line; None where the list is not in block style."""
    import yaml

    root = read_root(text.encode(), "").raw
    listed = next((value for key, value in root.value if key.value == "queries"), None)
    if not isinstance(listed, yaml.SequenceNode) or listed.flow_style or not listed.value:
        return None
    end = _last_line(listed.value[-1])
    column = int(listed.start_mark.column)
    lines = text.splitlines(keepends=True)
    newline = "\r\n" if lines[0].endswith("\r\n") else "\n"
    if not lines[end].endswith("\n"):
        lines[end] += newline
    added = [f"{line}{newline}" for line in entry_lines(query, column)]
    if end > 0 and _separated(lines, listed):
        added.insert(0, newline)
    return "".join([*lines[: end + 1], *added, *lines[end + 1 :]])


def _separated(lines: Sequence[str], listed: yaml.SequenceNode) -> bool:
    """Whether the file keeps an empty line between its last two queries, comments aside."""
    above = (line.strip() for line in reversed(lines[: listed.value[-1].start_mark.line]))
    return len(listed.value) > 1 and next((line for line in above if not line.startswith("#")), "-") == ""


def _last_line(node: yaml.Node) -> int:
    """The 0-based line on which a node's own text ends, without the comments behind it."""
    import yaml

    if isinstance(node, yaml.MappingNode) and not node.flow_style and node.value:
        return _last_line(node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
        return _last_line(node.value[-1])
    mark = node.end_mark
    return int(mark.line) - (1 if mark.column == 0 and mark.line > node.start_mark.line else 0)


def _rewritten(text: str, query: GoldenQuery) -> str | None:
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 1_000_000
    offset = next((len(line) - len(line.lstrip()) for line in text.splitlines() if line.lstrip().startswith("- ")), 2)
    yaml.indent(mapping=2, sequence=offset + 2, offset=offset)
    document = yaml.load(text)
    queries = document["queries"]
    place = next((i for i, item in enumerate(queries) if str(item.get("query")) == query.query), None)
    if place is None:
        queries.append(_plain(query))
    else:
        _update(queries[place], query)
    out = io.StringIO()
    yaml.dump(document, out)
    return out.getvalue()


def _update(item: Any, query: GoldenQuery) -> None:
    """Change a query in place; entries that stay keep their lines and comments."""
    wanted = {entry.path: entry for entry in query.expected}
    expected = item.setdefault("expected", [])
    for entry in list(expected):
        path = str(entry["path"]).removeprefix("./")
        if path not in wanted:
            expected.remove(entry)
            continue
        for key, value in _fields(wanted.pop(path)).items():
            if value is None:
                entry.pop(key, None)
            elif str(entry.get(key)) != str(value) and not (key == "relevance" and value == 1 and key not in entry):
                entry[key] = value
    expected.extend({k: v for k, v in _fields(entry).items() if v is not None} for entry in wanted.values())
    if not query.answerable:
        item["answerable"] = False
    else:
        item.pop("answerable", None)


def _fields(entry: Expected) -> dict[str, Any]:
    return {"path": entry.path, "heading": entry.heading, "relevance": entry.relevance, "quote": entry.quote}


def _plain(query: GoldenQuery) -> dict[str, Any]:
    values: dict[str, Any] = {"id": query.id} if query.id != query.query[:ID_CHARACTERS] else {}
    values["query"] = query.query
    if query.tags:
        values["tags"] = list(query.tags)
    if not query.answerable:
        values["answerable"] = False
    values["expected"] = [{k: v for k, v in _fields(entry).items() if v is not None} for entry in query.expected]
    return values


def _is_right(data: bytes, name: str, others: Sequence[GoldenQuery], query: GoldenQuery) -> bool:
    try:
        read = parse_golden(data, name)
    except GoldenError:
        return False
    return _same(read, others, query)


def _checked(data: bytes, name: str, others: Sequence[GoldenQuery], query: GoldenQuery) -> bytes:
    if not _same(parse_golden(data, name), others, query):
        raise GoldenError(f'{name}: query "{query.query}" cannot be written as YAML. Add it by hand.')
    return data


def _same(read: GoldenSet, others: Sequence[GoldenQuery], query: GoldenQuery) -> bool:
    """Whether a set is these queries, lines aside, in any order."""
    wanted = {_withoutentry_lines(known) for known in (*others, query)}
    return {_withoutentry_lines(known) for known in read.queries} == wanted


def _withoutentry_lines(query: GoldenQuery) -> GoldenQuery:
    return replace(query, line=None, expected=tuple(replace(entry, line=None) for entry in query.expected))
