"""Checking what a caller asked for, before anything is searched. Every refusal names the parameter, the value and the
range.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from grooveseek.errors import QueryError
from grooveseek.model.query import Filters, SearchRequest
from grooveseek.text.dates import in_range, parse_date

MAX_QUERY_BYTES = 1024
MAX_LIMIT = 1000
MAX_LIST_ITEMS = 64
MAX_ITEM_BYTES = 1024


def check_request(request: SearchRequest, declared_fields: Collection[str]) -> None:
    """Raise QueryError unless every parameter is in its range and every field filter is on a declared key."""
    size = len(request.query.encode("utf-8", "surrogatepass"))
    if size > MAX_QUERY_BYTES:
        raise QueryError(f"query is {size} bytes long; at most {MAX_QUERY_BYTES} are searched. Shorten it")
    _check_range("limit", request.limit, 1, None)
    _check_range("min_confidence_ratio", request.min_confidence_ratio, 0.0, None)
    _check_range("mmr_lambda", request.mmr_lambda, 0.0, 1.0)
    _check_range("mmr_same_doc_penalty", request.mmr_same_doc_penalty, 0.0, 1.0)
    check_filters(request.filters, declared_fields)


def check_filters(filters: Filters, declared_fields: Collection[str]) -> None:
    """Raise QueryError unless the filters can be meant."""
    _check_range("min_quality", filters.min_quality, 0.0, 1.0)
    for name, value in (("date_from", filters.date_from), ("date_to", filters.date_to)):
        if value is not None and parse_date(value) is None:
            raise QueryError(f"{name} is {value!r}, which is no date. Write YYYY-MM-DD or RFC 3339")
    first, last = filters.date_from, filters.date_to
    if first is not None and last is not None and not in_range(first, None, last):
        raise QueryError(f"date_to {last!r} lies before date_from {first!r}, so no date is in the range. Swap them")
    if filters.path_globs is not None and not filters.path_globs:
        raise QueryError("path_globs is an empty list, which matches nothing. Leave it out or name a glob")
    lists: list[tuple[str, Sequence[str]]] = [
        ("path_globs", filters.path_globs or ()),
        ("tags_any", filters.tags_any),
        ("tags_all", filters.tags_all),
        *((f"fields[{name}]", values) for name, values in filters.fields.items()),
        ("fields", tuple(filters.fields)),
    ]
    for name, items in lists:
        _check_list(name, items)
    for name in filters.fields:
        if name not in declared_fields:
            raise QueryError(_undeclared(name, declared_fields))


def filters_with_effect(filters: Filters) -> dict[str, object]:
    """The filters given, as the answer echoes them: never the quality ones, never an empty list."""
    echo: dict[str, object] = {
        "category": filters.category,
        "topic": filters.topic,
        "path_globs": list(filters.path_globs or ()),
        "tags_any": list(filters.tags_any),
        "tags_all": list(filters.tags_all),
        "date_from": filters.date_from,
        "date_to": filters.date_to,
        "fields": {name: list(values) for name, values in sorted(filters.fields.items())},
        "symbol_kind": filters.symbol_kind,
        "language": filters.language,
    }
    return {name: value for name, value in echo.items() if value}


def _check_range(name: str, value: float | None, lowest: float, highest: float | None) -> None:
    if value is None:
        return
    if not math.isfinite(value) or value < lowest or (highest is not None and value > highest):
        allowed = f"{lowest:g} or more" if highest is None else f"{lowest:g} to {highest:g}"
        raise QueryError(f"{name} is {value!r}; allowed is {allowed}")


def _check_list(name: str, items: Sequence[str]) -> None:
    if len(items) > MAX_LIST_ITEMS:
        raise QueryError(f"{name} has {len(items)} items; at most {MAX_LIST_ITEMS} are allowed")
    for item in items:
        if len(item.encode("utf-8", "surrogatepass")) > MAX_ITEM_BYTES:
            raise QueryError(f"an item of {name} is longer than {MAX_ITEM_BYTES} bytes: {item[:40]!r}...")


def _undeclared(name: str, declared_fields: Collection[str]) -> str:
    known = f"Declared are: {', '.join(sorted(declared_fields))}" if declared_fields else "No field is declared yet"
    return (
        f"the field {name!r} cannot be filtered on: groove-schema.toml does not declare it, or did not at the last "
        f"`groove index`. {known}. Add [fields.{name}] there and run `groove index`"
    )
