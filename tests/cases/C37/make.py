"""Write case C37 to OUT: hyphens, ligatures, soft hyphens, turned pages and text, columns, a font without a mapping."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "_lib"))

import minipdf as pdf

CID = (
    b"<< /Type /Font /Subtype /Type0 /BaseFont /Ghost /Encoding /Identity-H /DescendantFonts [6 0 R] >>",
    b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Ghost /CIDSystemInfo"
    b" << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 7 0 R /DW 600 >>",
    b"<< /Type /FontDescriptor /FontName /Ghost /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0"
    b" /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>",
)


def main(out):
    out.mkdir(parents=True, exist_ok=True)

    def write(name, *pages, extra=()):
        (out / name).write_bytes(pdf.build(list(pages), extra=extra))

    hyphens = [
        "The old harbour saw a slow trans-",
        "formation of its cranes, and the weather-",
        "proof sheds; a well-known mid-line word stays.",
    ]
    write("hyphen.pdf", {"content": pdf.lines(hyphens)})
    write("liga.pdf", {"content": pdf.lines([b"The of\x01ce kept a \x02oor plan and a pro\x01le."], font="F2")})
    write("soft.pdf", {"content": pdf.lines([b"A ware\x03house and an in\x03", b"spection."], font="F2")})
    upright = pdf.lines(["upright words orchard valley", "second line meadow"])
    write("rotate_flag.pdf", {"content": upright, "rotate": 90})
    sideways = b"BT /F1 12 Tf 0 1 -1 0 300 100 Tm (sideways words estuary lagoon) Tj ET"
    write("rotate_text.pdf", {"content": sideways})
    left = pdf.lines(["left column heron", "left second egret"], x=72)
    right = pdf.lines(["right column stork", "right second ibis"], x=330)
    write("columns.pdf", {"content": left + b" " + right})
    ghost = {
        "content": b"BT /F3 12 Tf 72 700 Td <00240025002600270028> Tj ET",
        "resources": b"<< /Font << /F3 5 0 R >> >>",
    }
    write("cid.pdf", ghost, {"content": pdf.lines(["Readable page word: sturgeon"])}, extra=CID)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
