"""Write case C33 to OUT: dates, shares, a formula without a value, far rows, hidden and empty sheets."""

import datetime
import pathlib
import sys

from openpyxl import Workbook


def main(out):
    out.mkdir(parents=True, exist_ok=True)
    book = Workbook()
    sheet = book.active
    sheet.title = "Berths"
    sheet["A1"] = "Quarter plan: tamarin"
    sheet.merge_cells("A1:D1")
    for column, name in zip("ABCD", ["item", "due", "share", "cost"], strict=True):
        sheet[f"{column}3"] = name
    sheet["A4"] = "crane"
    sheet["B4"] = datetime.date(2026, 3, 14)
    sheet["C4"] = 0.075
    sheet["D4"] = 1234.5
    sheet["B4"].number_format = "dd/mm/yyyy"
    sheet["C4"].number_format = "0.0%"
    sheet["D4"].number_format = '"$"#,##0.00'
    sheet["A5"] = "hoist"
    sheet["B5"] = datetime.datetime(2026, 3, 14, 9, 30)
    sheet["D5"] = "=D4*2"  # no cached value
    sheet["A6"] = "code"
    sheet["B6"] = "00123"
    sheet["C6"] = True
    sheet["D6"] = "#N/A"
    sheet["A9"] = "far row: marmoset"
    hidden = book.create_sheet("Archive")
    hidden["A1"] = "hidden word: uakari"
    hidden.sheet_state = "hidden"
    very_hidden = book.create_sheet("Very")
    very_hidden["A1"] = "very hidden word: saki"
    very_hidden.sheet_state = "veryHidden"
    book.create_sheet("Empty")
    pipes = book.create_sheet("Pipes")
    pipes["A1"] = "a|b"
    pipes["B1"] = "line one\nline two"
    pipes["A2"] = "howler"
    book.save(out / "book.xlsx")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
