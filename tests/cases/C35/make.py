"""Write case C35 to OUT: files that inflate to MB mebibytes (default 600), and cells at the far corner of the grid."""

import pathlib
import sys
import zipfile

TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>%s</Types>'
)
RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    "%s</Relationships>"
)
KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
OFFICE = "application/vnd.openxmlformats-officedocument."
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
HEAD = f'<?xml version="1.0"?><worksheet xmlns="{SHEET}"><sheetData>'.encode()
TAIL = b"</sheetData></worksheet>"
DOCUMENT = (
    b'<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
)


def part(name, kind):
    return f'<Override PartName="{name}" ContentType="{OFFICE}{kind}+xml"/>'


def big(archive, name, head, unit, tail, mebibytes):
    with archive.open(name, "w", force_zip64=True) as entry:
        entry.write(head)
        for _ in range(mebibytes * 1024 * 1024 // len(unit) // 4096):
            entry.write(unit * 4096)
        entry.write(tail)


def write_docx(path, mebibytes):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("[Content_Types].xml", TYPES % part("/word/document.xml", "wordprocessingml.document.main"))
        link = f'<Relationship Id="r1" Type="{KIND}officeDocument" Target="word/document.xml"/>'
        archive.writestr("_rels/.rels", RELATIONS % link)
        unit = b"<w:p><w:r><w:t>aaaa aaaa aaaa</w:t></w:r></w:p>"
        big(archive, "word/document.xml", DOCUMENT, unit, b"</w:body></w:document>", mebibytes)


def write_xlsx(path, head, unit=b"", mebibytes=0):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        kinds = part("/xl/workbook.xml", "spreadsheetml.sheet.main")
        kinds += part("/xl/worksheets/sheet1.xml", "spreadsheetml.worksheet")
        archive.writestr("[Content_Types].xml", TYPES % kinds)
        link = f'<Relationship Id="r1" Type="{KIND}officeDocument" Target="xl/workbook.xml"/>'
        archive.writestr("_rels/.rels", RELATIONS % link)
        archive.writestr(
            "xl/workbook.xml",
            f'<?xml version="1.0"?><workbook xmlns="{SHEET}" xmlns:r="{KIND[:-1]}">'
            '<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        link = f'<Relationship Id="r1" Type="{KIND}worksheet" Target="worksheets/sheet1.xml"/>'
        archive.writestr("xl/_rels/workbook.xml.rels", RELATIONS % link)
        if unit:
            big(archive, "xl/worksheets/sheet1.xml", head, unit, TAIL, mebibytes)
        else:
            archive.writestr("xl/worksheets/sheet1.xml", head + TAIL)


def cell(column, row, text):
    return f'<row r="{row}"><c r="{column}{row}" t="inlineStr"><is><t>{text}</t></is></c></row>'.encode()


def main(out, mebibytes):
    out.mkdir(parents=True, exist_ok=True)
    (out / "ok.md").write_text("# Fine\n\nword: tapir\n")
    write_docx(out / "bomb.docx", mebibytes)
    write_xlsx(out / "bomb.xlsx", HEAD, b'<row><c t="inlineStr"><is><t>aaaa</t></is></c></row>', mebibytes)
    corners = cell("A", 1, "top left: peccary") + cell("XFD", 1048576, "bottom right: agouti")
    write_xlsx(out / "corners.xlsx", HEAD + corners)
    write_xlsx(out / "outside.xlsx", HEAD + cell("A", 1, "in grid: paca") + cell("XFE", 16777217, "out of grid"))
    write_xlsx(out / "styled.xlsx", HEAD + cell("A", 1, "real cell: capybara"), b"<row><c/></row>", mebibytes)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 600)
