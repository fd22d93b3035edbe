"""The package an Office file is: parts inside a checked zip, the relationships between them, and their XML.

Elements are compared by local name alone, so the transitional and the strict namespaces, and any prefix, read alike.
XML is read by lxml without network, external entities or document types (no Office program writes one), part by part
and piece by piece, so that a large part never stands in memory as a whole tree.
"""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import IO, TYPE_CHECKING
from urllib.parse import unquote

from grooveseek.errors import MissingExtra, Unparsable
from grooveseek.parsing.document_info import DocumentInfo, split_keywords, usable_title, w3c_date
from grooveseek.parsing.preflight import open_archive

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_ROOT = ""
_DOCTYPE = b"<!DOCTYPE"
_PEEK = 4096


@dataclass(frozen=True, slots=True)
class Relation:
    """One relationship of a part. ``kind`` is the last segment of its type URI; ``target`` a part name."""

    kind: str
    target: str


def require_office() -> None:
    """Raise MissingExtra unless the library that reads Office XML is installed."""
    if find_spec("lxml") is None:
        raise MissingExtra("Reading Office files", "office")


class Package:
    """The parts of one Office file. Part names compare without case and with ``/``, as the format says."""

    def __init__(self, data: bytes, budget: int | None) -> None:
        """``budget``: bytes all entries together may inflate to. Raises Unparsable (see :mod:`.preflight`)."""
        self._archive = open_archive(data, budget)
        self._entries = {_part_key(entry.filename): entry for entry in self._archive.infolist()}

    def has(self, part: str) -> bool:
        """Whether the package holds the part."""
        return _part_key(part) in self._entries

    def main_part(self, usual: str) -> str:
        """The part that holds the document, by relationship, else where it ``usual``ly lies."""
        for relation in self.relations(_ROOT).values():
            if relation.kind == "officeDocument" and self.has(relation.target):
                return relation.target
        if not self.has(usual):
            raise Unparsable(f"holds no {usual}, so it is no file of this format")
        return usual

    def relations(self, part: str) -> dict[str, Relation]:
        """The relationships of ``part`` by id, in file order; external ones left out. Damaged ones count as none."""
        folder, name = posixpath.split(part)
        listing = posixpath.join(folder, "_rels", f"{name}.rels")
        if not self.has(listing):
            return {}
        found: dict[str, Relation] = {}
        try:
            for element in self.tree(listing):
                if local(element) == "Relationship" and element.get("TargetMode") != "External":
                    kind = (element.get("Type") or "").rsplit("/", 1)[-1]
                    found[element.get("Id") or ""] = Relation(kind, _resolve(folder, element.get("Target") or ""))
        except Unparsable:
            return {}
        return found

    def related(self, part: str, kind: str) -> list[str]:
        """Existing parts that ``part`` points at with a relationship of ``kind``, in file order."""
        targets = [relation.target for relation in self.relations(part).values() if relation.kind == kind]
        return [target for target in targets if self.has(target)]

    def tree(self, part: str) -> Element:
        """The whole of a small part."""
        root: Element | None = None
        for element in self._read(part, ("start",), None):
            root = element if root is None else root
        if root is None:
            raise Unparsable(f"has an empty part, {part}")
        return root

    def children(self, part: str, container: str, names: tuple[str, ...]) -> Iterator[Element]:
        """Each child of ``container`` that has one of the ``names``, complete; freed once the next one is asked for."""
        for element in self._read(part, ("end",), tuple(f"{{*}}{name}" for name in names)):
            parent = element.getparent()
            if parent is not None and local(parent) == container:
                yield element
                _free(element)

    def _open(self, part: str) -> IO[bytes]:
        entry = self._entries.get(_part_key(part))
        if entry is None:
            raise Unparsable(f"lacks the part {part}")
        return self._archive.open(entry)

    def _read(self, part: str, events: tuple[str, ...], tags: tuple[str, ...] | None) -> Iterator[Element]:
        from lxml import etree

        try:
            with self._open(part) as peeked:
                if _DOCTYPE in peeked.read(_PEEK).replace(b"\0", b""):  # also where it is written in UTF-16
                    raise Unparsable(_doctype_found(part))
            with self._open(part) as stream:
                reading = etree.iterparse(
                    stream, events=events, tag=tags, resolve_entities=False, no_network=True, load_dtd=False
                )
                number = -1
                for number, (_, element) in enumerate(reading):
                    if number == 0:
                        _refuse_doctype(element, part)
                    yield element
                if number < 0 and reading.root is not None:
                    _refuse_doctype(reading.root, part)
        except (etree.XMLSyntaxError, zipfile.BadZipFile, zlib.error, EOFError, ValueError) as broken:
            raise Unparsable(f"has a damaged part, {part} ({broken})") from broken

    def info(self) -> DocumentInfo:
        """The core properties: title, date (created, else modified) and keywords. A damaged part counts as none."""
        parts = self.related(_ROOT, "core-properties") or ["docProps/core.xml"]
        if not self.has(parts[0]):
            return DocumentInfo()
        try:
            fields = {local(element): "".join(map(str, element.itertext())) for element in self.tree(parts[0])}
        except Unparsable:
            return DocumentInfo()
        return DocumentInfo(
            title=usable_title(fields.get("title", "")),
            date=w3c_date(fields.get("created", "")) or w3c_date(fields.get("modified", "")),
            tags=split_keywords(fields.get("keywords", "")),
        )


def local(element: Element) -> str:
    """The element's name without its namespace; empty for a comment or a processing instruction."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element, name: str) -> str | None:
    """The attribute called ``name`` in whatever namespace, or in none."""
    for key, value in element.attrib.items():
        if str(key).rpartition("}")[2] == name:
            return str(value)
    return None


def child(element: Element, name: str) -> Element | None:
    """The first child called ``name``."""
    return next((each for each in element if local(each) == name), None)


def chosen_alternative(element: Element) -> Element | None:
    """Of an ``mc:AlternateContent``, the one branch to read: both say the same, for newer and older programs."""
    return child(element, "Choice") if child(element, "Choice") is not None else child(element, "Fallback")


def is_on(element: Element | None) -> bool:
    """A switch element's or absent element's truth: present without a value is true."""
    return element is not None and (attribute(element, "val") or "1") not in ("0", "false", "off")


def _refuse_doctype(element: Element, part: str) -> None:
    """By the first element a document type is known, whatever encoding hid it from a look at the bytes."""
    if element.getroottree().docinfo.internalDTD is not None:
        raise Unparsable(_doctype_found(part))


def _doctype_found(part: str) -> str:
    return f"declares a document type in {part}, which no Office program does"


def _free(element: Element) -> None:
    """Drop what has been read: the element's inside, and its elder siblings altogether."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _part_key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").casefold()


def _resolve(folder: str, target: str) -> str:
    path = unquote(target.split("#", 1)[0]).replace("\\", "/")
    return posixpath.normpath(path if path.startswith("/") else posixpath.join("/", folder, path)).lstrip("/")
