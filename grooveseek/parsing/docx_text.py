"""The text of a Word paragraph: insertions in, deletions and field codes out, text boxes and notes set aside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grooveseek.parsing.ooxml import attribute, child, chosen_alternative, local

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_LEFT_OUT = frozenset(
    (
        *("del", "moveFrom", "delText", "instrText", "delInstrText"),
        *("pPr", "rPr", "sdtPr", "sdtEndPr", "tblPr", "trPr", "tcPr", "sectPr"),
        *("rt", "annotationRef", "binData"),
    )
)
_MARKS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_NOTE_REFERENCES = {"footnoteReference": "footnote", "endnoteReference": "endnote"}


@dataclass(slots=True)
class Paragraph:
    """One paragraph: its text, the text boxes anchored in it, and the notes it refers to as (kind, id)."""

    text: str = ""
    boxes: list[Element] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


def reading_children(element: Element) -> Iterator[Element]:
    """The children that are read, in order: no deletions, no properties, one branch of an alternative."""
    if local(element) == "AlternateContent":
        branch = chosen_alternative(element)
        if branch is not None:
            yield branch
        return
    for each in element:
        kind = local(each)
        if kind and kind not in _LEFT_OUT and not (kind == "tc" and _is_deleted_cell(each)):
            yield each


def read_paragraph(element: Element) -> Paragraph:
    """Read a ``w:p``. A line break is a newline, ruby text (readings over kanji) is left out."""
    paragraph = Paragraph()
    texts: list[str] = []
    waiting = list(reading_children(element))[::-1]
    while waiting:
        each = waiting.pop()
        kind = local(each)
        if kind == "t":
            texts.append(each.text or "")
        elif kind in _MARKS:
            texts.append(_MARKS[kind])
        elif kind == "txbxContent":
            paragraph.boxes.append(each)
        elif kind in _NOTE_REFERENCES:
            paragraph.notes.append((_NOTE_REFERENCES[kind], attribute(each, "id") or ""))
        else:
            waiting += list(reading_children(each))[::-1]
    paragraph.text = "".join(texts)
    return paragraph


def flat_text(element: Element) -> str:
    """All text of a note, header or footer on one line, paragraphs and breaks joined by a space."""
    texts: list[str] = []
    waiting = [element]
    while waiting:
        each = waiting.pop()
        if local(each) == "p":
            paragraph = read_paragraph(each)
            texts.append(paragraph.text)
            waiting += paragraph.boxes[::-1]
        else:
            waiting += list(reading_children(each))[::-1]
    return " ".join(" ".join(texts).split())


def _is_deleted_cell(cell: Element) -> bool:
    properties = child(cell, "tcPr")
    return properties is not None and child(properties, "cellDel") is not None
