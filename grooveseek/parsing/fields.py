"""The fields of a frontmatter mapping: which of them groove knows, and in what form it keeps the rest."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from grooveseek.model.document import FieldValue, Frontmatter, FrontmatterStatus, Opaque
from grooveseek.parsing.cuts import clip
from grooveseek.parsing.yaml_tree import Mapping, Node, Scalar, Sequence, is_merge_key

TITLE_CHARS = 500
"""A title is shown with every answer, so what is longer than this is cut."""

_DATE = re.compile(
    r"""(?P<year>\d{4})-(?P<month>\d\d?)-(?P<day>\d\d?)
        (?: (?:[Tt]|[ \t]+) (?P<hour>\d\d?):(?P<minute>\d\d) (?: :(?P<second>\d\d) (?P<fraction>\.\d+)? )?
            [ \t]* (?P<offset> [Zz] | [+-]\d\d?(?::?\d\d)? )? )?""",
    re.VERBOSE | re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping's fields. ``title`` is the title's own node, ``odd_keys`` the places of keys that are no text."""

    frontmatter: Frontmatter
    title: Scalar | None
    odd_keys: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    value: Node
    at: int


def read_fields(root: Mapping) -> Fields:
    """Read the top-level pairs; a key that repeats has its last value. ``key_lines`` is left empty.

    A known key whose value has another shape than it should (a list for a title, a date that is none) is kept in
    ``extra`` under its own name.
    """
    odd: list[int] = []
    entries = _entries(root, odd)
    known = {key: read(_scalar(entries, key)) for key, read in _READERS.items()}
    tags, tags_unparseable = _tags(entries["tags"].value) if "tags" in entries else ((), False)
    frontmatter = Frontmatter(
        title=known["title"],
        date=known["date"],
        topic=known["topic"],
        depth=known["depth"],
        category=known["category"],
        tags=tags,
        tags_unparseable=tags_unparseable,
        extra={key: _kept(entry.value) for key, entry in entries.items() if not _is_used(key, entry, known)},
        status=FrontmatterStatus.PARSED,
    )
    return Fields(frontmatter, _scalar(entries, "title"), tuple(odd))


def key_places(root: Mapping) -> dict[str, int]:
    """Where each top-level key stands, by the same rule as :func:`read_fields`."""
    return {key: entry.at for key, entry in _entries(root, []).items()}


def canonical_date(text: str) -> str | None:
    """``YYYY-MM-DD``, or RFC 3339 where a time is written; ``None`` for what is no date of the calendar.

    Takes YAML 1.1's timestamps, which may leave out zeros, seconds and ``T``. A time without an offset is UTC, as
    YAML has it.
    """
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    written = f"{match['year']}-{match['month']:0>2}-{match['day']:0>2}"
    if match["hour"] is not None:
        seconds = (match["second"] or "00") + (match["fraction"] or "")
        written += f"T{match['hour']:0>2}:{match['minute']}:{seconds}{_offset(match['offset'])}"
    try:
        dt.datetime.fromisoformat(written)
    except ValueError:
        return None
    return written


def _offset(raw: str | None) -> str:
    if raw is None or raw in "Zz":
        return "Z"
    hours, _, minutes = raw[1:].partition(":")
    if len(hours) > 2:
        hours, minutes = hours[:2], hours[2:]
    return f"{raw[0]}{hours:0>2}:{minutes or '00'}"


def _entries(root: Mapping, odd: list[int]) -> dict[str, _Entry]:
    """The pairs by key: the mapping's own, then those taken over with ``<<`` that it does not have itself."""
    own: dict[str, _Entry] = {}
    merged: dict[str, _Entry] = {}
    for key, value in root.pairs:
        sources = list(_merge_sources(value)) if is_merge_key(key) else []
        if sources:
            for source in sources:
                # YAML's merge type: of several sources the earlier wins.
                merged = _entries(source, odd) | merged
        elif isinstance(key, Scalar):
            own[key.value] = _Entry(value, key.start)
        else:
            odd.append(key.start)
    return own | {key: entry for key, entry in merged.items() if key not in own}


def _merge_sources(value: Node) -> Iterator[Mapping]:
    """The mappings a ``<<`` names: one, or a list of them. Nothing where its value has another shape."""
    candidates = value.items if isinstance(value, Sequence) else [value]
    if all(isinstance(each, Mapping) for each in candidates):
        yield from (each for each in candidates if isinstance(each, Mapping))


def _scalar(entries: dict[str, _Entry], key: str) -> Scalar | None:
    value = entries[key].value if key in entries else None
    return value if isinstance(value, Scalar) and not value.is_null else None


def _title(node: Scalar | None) -> str | None:
    return clip(" ".join(node.value.split()), TITLE_CHARS) or None if node is not None else None


def _text(node: Scalar | None) -> str | None:
    return (node.value.strip() or None) if node is not None else None


def _date(node: Scalar | None) -> str | None:
    return canonical_date(node.value) if node is not None else None


_READERS: dict[str, Callable[[Scalar | None], str | None]] = {
    "title": _title,
    "date": _date,
    "topic": _text,
    "depth": _text,
    "category": _text,
}


def _is_used(key: str, entry: _Entry, known: dict[str, str | None]) -> bool:
    """Whether a known key's value went to its own field, or has nothing in it to keep."""
    if key not in known:
        return key == "tags"
    value = entry.value
    is_empty = isinstance(value, Scalar) and (value.is_null or not value.value.strip())
    return known[key] is not None or is_empty


def _tags(value: Node) -> tuple[tuple[str, ...], bool]:
    """(tags without repeats, whether the value has a shape that tags do not have)."""
    if isinstance(value, Mapping):
        return (), True
    if isinstance(value, Scalar):
        return _clean_tags([] if value.is_null else value.value.split(",")), False
    texts = [each.value for each in value.items if isinstance(each, Scalar) and not each.is_null]
    return _clean_tags(texts), any(not isinstance(each, Scalar) for each in value.items)


def _clean_tags(raw: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for tag in map(str.strip, raw) if tag))


def _kept(value: Node) -> FieldValue:
    """Text as written, a list of texts, or opaque. A value left empty, or ``null``, is the empty text."""
    if isinstance(value, Scalar):
        return "" if value.is_null else value.value
    if isinstance(value, Sequence) and all(isinstance(each, Scalar) for each in value.items):
        return tuple("" if each.is_null else each.value for each in value.items if isinstance(each, Scalar))
    return Opaque.VALUE
