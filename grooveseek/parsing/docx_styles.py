"""Which paragraphs of a Word document are headings, and of what level."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grooveseek.errors import Unparsable
from grooveseek.parsing.ooxml import Package, attribute, child

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_MAX_CHAIN = 16
_BODY_TEXT = 9
_HEADING_NAME = re.compile(r"heading ?([1-9])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    based_on: str | None
    outline: int | None


class StyleTable:
    """The paragraph styles of ``word/styles.xml`` by id. A style's id may be in any language; its name is English."""

    def __init__(self, styles: Mapping[str, _Style], default: str | None) -> None:
        self._styles = styles
        self._default = default

    @classmethod
    def of(cls, package: Package, document: str) -> StyleTable:
        """The styles the document part points at; a missing or damaged part gives an empty table."""
        styles: dict[str, _Style] = {}
        default = None
        try:
            for part in package.related(document, "styles")[:1]:
                for element in package.children(part, "styles", ("style",)):
                    if (attribute(element, "type") or "paragraph") == "paragraph":
                        identifier = attribute(element, "styleId") or ""
                        styles[identifier] = _read_style(element)
                        if attribute(element, "default") in ("1", "true", "on"):
                            default = identifier
        except Unparsable:
            return cls({}, None)
        return cls(styles, default)

    def heading_level(self, paragraph: Element) -> int | None:
        """1..9 for a heading paragraph, ``None`` for body text.

        The paragraph's own outline level decides first. Then its style: the nearest of the style and those it is based
        on that is named "heading N" or has an outline level, where level 9 means body text.
        """
        properties = child(paragraph, "pPr")
        own = _outline_of(properties)
        if own is not None:
            return _as_level(own)
        named = child(properties, "pStyle") if properties is not None else None
        identifier = attribute(named, "val") if named is not None else self._default
        return self._level_of_style(identifier) if identifier else None

    def _level_of_style(self, identifier: str) -> int | None:
        style = self._styles.get(identifier)
        if style is None:
            return _named_level(identifier)
        for _ in range(_MAX_CHAIN):
            level = _named_level(style.name)
            if level is not None:
                return level
            if style.outline is not None:
                return _as_level(style.outline)
            parent = self._styles.get(style.based_on) if style.based_on else None
            if parent is None:
                return None
            style = parent
        return None


def _read_style(element: Element) -> _Style:
    name, based_on = child(element, "name"), child(element, "basedOn")
    return _Style(
        " ".join((attribute(name, "val") or "").split()) if name is not None else "",
        attribute(based_on, "val") if based_on is not None else None,
        _outline_of(child(element, "pPr")),
    )


def _outline_of(properties: Element | None) -> int | None:
    level = child(properties, "outlineLvl") if properties is not None else None
    value = (attribute(level, "val") or "").strip() if level is not None else ""
    return int(value) if value.isascii() and value.isdigit() and len(value) == 1 else None


def _as_level(outline: int) -> int | None:
    return None if outline >= _BODY_TEXT else outline + 1


def _named_level(name: str) -> int | None:
    match = _HEADING_NAME.fullmatch(name)
    return int(match[1]) if match else None
