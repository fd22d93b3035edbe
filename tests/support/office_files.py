"""Office files written part by part, for what no producer at hand would write."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip of these entries."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return held.getvalue()


def relations(*targets: tuple[str, str, str]) -> str:
    """A .rels part of (id, kind, target) triples."""
    listed = "".join(f'<Relationship Id="{i}" Type="{RELATIONS}/{kind}" Target="{to}"/>' for i, kind, to in targets)
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{listed}</Relationships>'
    )


def document(body: str) -> str:
    return (
        f'<w:document xmlns:w="{W}" xmlns:mc="{MC}" xmlns:r="{RELATIONS}" xmlns:v="urn:schemas-microsoft-com:vml"'
        f' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><w:body>{body}</w:body></w:document>'
    )


def docx(body: str, styles: str | None = None, **parts: str | bytes) -> bytes:
    """A Word file of this body. ``styles``: the inside of ``w:styles``. ``parts``: other parts of ``word/`` by kind."""
    held: dict[str, str | bytes] = {"word/document.xml": document(body)}
    links = []
    if styles is not None:
        held["word/styles.xml"] = f'<w:styles xmlns:w="{W}">{styles}</w:styles>'
        links.append(("s", "styles", "styles.xml"))
    for kind, content in parts.items():
        held[f"word/{kind}.xml"] = content
        links.append((kind, kind.rstrip("0123456789"), f"{kind}.xml"))
    held["word/_rels/document.xml.rels"] = relations(*links)
    held["_rels/.rels"] = relations(("d", "officeDocument", "word/document.xml"))
    return archive(held)


def paragraph(text: str, style: str | None = None) -> str:
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{named}<w:r><w:t>{text}</w:t></w:r></w:p>"


def xlsx(rows: str, *, styles: str = "", strings: str = "", workbook: str = "", after: str = "") -> bytes:
    """A workbook of one sheet. ``rows``: the inside of ``sheetData``; the others: the insides of their parts."""
    held = {
        "xl/workbook.xml": f'<workbook xmlns="{S}" xmlns:r="{RELATIONS}">{workbook}'
        '<sheets><sheet name="S" sheetId="1" r:id="a"/></sheets></workbook>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{S}"><sheetData>{rows}</sheetData>{after}</worksheet>',
        "xl/styles.xml": f'<styleSheet xmlns="{S}">{styles}</styleSheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{S}">{strings}</sst>',
        "xl/_rels/workbook.xml.rels": relations(
            ("a", "worksheet", "worksheets/sheet1.xml"),
            ("b", "styles", "styles.xml"),
            ("c", "sharedStrings", "/xl/sharedStrings.xml"),
        ),
        "_rels/.rels": relations(("d", "officeDocument", "xl/workbook.xml")),
    }
    return archive(held)


def slide(shapes: str) -> str:
    return (
        f'<p:sld xmlns:p="{P}" xmlns:a="{A}" xmlns:r="{RELATIONS}" xmlns:mc="{MC}"'
        ' xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram">'
        f"<p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
    )


def shape(*paragraphs: str, placeholder: str | None = None) -> str:
    """A shape of these paragraphs; ``placeholder``: its type."""
    ph = f'<p:ph type="{placeholder}"/>' if placeholder else ""
    texts = "".join(
        f"<a:p>{text if text.startswith('<') else f'<a:r><a:t>{text}</a:t></a:r>'}</a:p>" for text in paragraphs
    )
    return f"<p:sp><p:nvSpPr><p:nvPr>{ph}</p:nvPr></p:nvSpPr><p:txBody>{texts}</p:txBody></p:sp>"


def pptx(
    slides: Mapping[str, str], order: tuple[str, ...], links: Mapping[str, str] | None = None, **parts: str
) -> bytes:
    """A presentation. ``slides``: slide XML by file name; ``order``: file names as shown; ``links``: .rels by slide;
    ``parts``: others under ``ppt/``, ``__`` for a slash."""
    listed = "".join(f'<p:sldId id="{256 + n}" r:id="r{n}"/>' for n in range(len(order)))
    held: dict[str, str | bytes] = {
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{P}" xmlns:r="{RELATIONS}"><p:sldIdLst>{listed}</p:sldIdLst>'
        "</p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            *((f"r{n}", "slide", f"slides/{name}") for n, name in enumerate(order))
        ),
        "_rels/.rels": relations(("d", "officeDocument", "ppt/presentation.xml")),
    }
    held |= {f"ppt/slides/{name}": content for name, content in slides.items()}
    held |= {f"ppt/slides/_rels/{name}.rels": content for name, content in (links or {}).items()}
    held |= {f"ppt/{name.replace('__', '/')}": content for name, content in parts.items()}
    return archive(held)
