"""Write case C31 to OUT: a Word file whose headings go by styles of other names, by outline levels, and by neither."""

import pathlib
import sys

from docx import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn


def outline(properties, level):
    element = OxmlElement("w:outlineLvl")
    element.set(qn("w:val"), str(level))
    properties.append(element)


def add_style(document, name, level=None, base="Normal"):
    style = document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
    style.base_style = document.styles[base]
    if level is not None:
        outline(style.element.get_or_add_pPr(), level)


def main(out):
    out.mkdir(parents=True, exist_ok=True)
    document = Document()
    add_style(document, "Nadpis jedna", 0)
    add_style(document, "Kapitel zwei", 1)
    add_style(document, "Section Custom", base="Heading 2")
    add_style(document, "Body Sentinel", 9)
    for heading, style, word in (
        ("Přístav", "Nadpis jedna", "sandpiper"),
        ("Kräne", "Kapitel zwei", "turnstone"),
        ("Derived part", "Section Custom", "whimbrel"),
        ("Looks bold but is body", "Body Sentinel", "godwit"),
    ):
        document.add_paragraph(heading, style=style)
        document.add_paragraph(f"word: {word}")
    direct = document.add_paragraph("Direct outline")
    outline(direct._p.get_or_add_pPr(), 1)
    document.add_paragraph("word: plover")
    document.add_paragraph("Plain Built In", style="Heading 1")
    document.add_paragraph("word: lapwing")
    document.save(out / "headings.docx")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
