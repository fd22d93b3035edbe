"""A tiny PDF writer (standard library only) for the PDF cases.

A page is a dict {content: bytes, rotate: 0/90/180/270, resources: bytes}. Strings in ``content`` are raw PDF operators.
"""

import zlib

HELVETICA = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
# Code 1 is the ligature fi, 2 is fl, 3 a soft hyphen.
LIGATURES = (
    b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding"
    b" /BaseEncoding /WinAnsiEncoding /Differences [1 /fi /fl /uni00AD] >> >>"
)
FONTS = b"<< /Font << /F1 3 0 R /F2 4 0 R >> >>"


def build(pages, extra=(), trailer_extra=b"", compress=False):
    """``extra``: objects after the fixed ones; they may be referred to by the numbers from 5."""
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R >>", 3: HELVETICA, 4: LIGATURES}
    objects |= dict(enumerate(extra, start=5))
    number = 5 + len(extra)
    kids = []
    for page in pages:
        content = zlib.compress(page["content"]) if compress else page["content"]
        kind = b"/Filter /FlateDecode " if compress else b""
        objects[number] = b"<< %s/Length %d >>\nstream\n%s\nendstream" % (kind, len(content), content)
        objects[number + 1] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Rotate %d /Resources %s /Contents %d 0 R >>"
            % (page.get("rotate", 0), page.get("resources", FONTS), number)
        )
        kids.append(number + 1)
        number += 2
    objects[2] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(b"%d 0 R" % kid for kid in kids))
    return _written(objects, trailer_extra)


def _written(objects, trailer_extra):
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = {}
    for number in sorted(objects):
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
    table, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        out += b"%010d 00000 n \n" % places[number]
    out += b"trailer\n<< /Size %d /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer_extra, table)
    return bytes(out)


def lines(rows, x=72, y=720, lead=14, font="F1", size=12):
    """Operators that write the rows below one another."""
    written = b"BT /%s %d Tf %d TL %d %d Td " % (font.encode(), size, lead, x, y)
    for row in rows:
        raw = row if isinstance(row, bytes) else row.encode("cp1252")
        raw = raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        written += b"(" + raw + b") Tj T* "
    return written + b"ET"
