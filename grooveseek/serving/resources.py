"""The resources: groups of documents as Markdown lists, and the documents themselves."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from grooveseek.errors import QueryError
from grooveseek.serving.served import Served
from grooveseek.serving.uris import document_path, document_uri, topic_prefix, topic_uri

PAGE = 100
"""Groups on one page of the list."""
MOST_LISTED = 1000
"""Documents named in one group's list."""
MOST_COMPLETIONS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A group on the list."""

    uri: str
    name: str
    documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What reading a resource gives."""

    media_type: str
    text: str


def list_groups(served: Served, cursor: str | None) -> tuple[list[Group], str | None]:
    """One page of groups in the order of their names, the root first, and the cursor of the next page.

    Raises QueryError for a cursor that is none of ours.
    """
    listing = served.catalog.listing()
    groups = [("", len(listing.paths)), *listing.groups.items()]
    after = None if cursor is None else _read_cursor(cursor)
    page = [(name, count) for name, count in groups if after is None or name > after][: PAGE + 1]
    more = _write_cursor(page[PAGE - 1][0]) if len(page) > PAGE else None
    return [Group(uri=topic_uri(name), name=name or "all", documents=count) for name, count in page[:PAGE]], more


def read(served: Served, uri: str) -> Content | None:
    """What an address stands for; ``None`` when it is nobody's. Raises as :meth:`DocumentReader.read` does."""
    path = document_path(uri)
    if path is not None:
        return _read_document(served, path)
    prefix = topic_prefix(uri)
    if prefix is None:
        return None
    return _read_group(served, prefix)


def complete(served: Served, argument: str, value: str) -> list[str]:
    """What a value begun for an argument may become: ``path`` a document, ``topic`` a group or a topic."""
    listing = served.catalog.listing()
    if argument == "path":
        return list(listing.starting_with(value))
    if argument != "topic":
        return []
    wanted = value.casefold()
    topics = {topic for _, topic, _ in served.catalog.topics() if topic} if listing.paths else set()
    return sorted(name for name in topics | set(listing.groups) if name.casefold().startswith(wanted))


def _read_document(served: Served, path: str) -> Content | None:
    if path not in served.catalog.listing():
        return None  # not indexed, or not on offer
    document = served.reader.read(path)
    return Content(media_type=document.media_type, text=document.text)


def _read_group(served: Served, prefix: str) -> Content | None:
    listing = served.catalog.listing()
    if prefix and prefix not in listing.groups:
        return None
    depth = len(prefix.split("/")) if prefix else 0
    inside = listing.below(prefix)
    groups = [name for name in listing.groups if _is_child(name, prefix)]
    documents = tuple(path for path in inside if depth >= 2 or path.count("/") == depth)
    lines = [f"# {prefix or 'All documents'}", "", f"{len(inside)} documents", ""]
    if groups:
        lines += ["## Groups", ""]
        lines += [f"- [{_escaped(name)}]({topic_uri(name)}) ({listing.groups[name]} documents)" for name in groups]
        lines.append("")
    if documents:
        shown = documents[:MOST_LISTED]
        lines += ["## Documents", ""]
        titles = served.catalog.titles(shown)
        lines += [f"- [{_escaped(title)}]({document_uri(path)})" for path, title in zip(shown, titles, strict=True)]
        if len(documents) > len(shown):
            lines += ["", f"{len(documents) - len(shown)} more; search with path_globs to find them."]
    return Content(media_type="text/markdown", text="\n".join(lines).rstrip() + "\n")


def _is_child(name: str, prefix: str) -> bool:
    above, _, _ = name.rpartition("/")
    return above == prefix


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is inside a link."""
    line = " ".join(text.split())
    return "".join(f"\\{char}" if char in "\\[]*_`<>" else char for char in line)


def _write_cursor(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode("utf-8")).decode("ascii")


def _read_cursor(cursor: str) -> str:
    try:
        return base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True).decode("utf-8")
    except (binascii.Error, UnicodeError):
        raise QueryError("the cursor is none that this server gave") from None
