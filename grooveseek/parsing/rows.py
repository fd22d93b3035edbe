"""Table rows as lines, the same in Word and PowerPoint files."""

from __future__ import annotations

from collections.abc import Callable

from grooveseek.parsing.pieces import Line


class RowWriter:
    """Writes the rows of one table: cells joined by a tab, the paragraphs and breaks in a cell by a space.

    An empty cell keeps its field; a row whose cells are all empty is not written. ``flush`` in the middle of a row
    writes what there is of it (a heading or a nested table stands in the cell); what follows makes a further line.
    """

    def __init__(self, table: int, write: Callable[[Line], None]) -> None:
        """``table`` is the table's number in the file."""
        self._table = table
        self._write = write
        self._row = 0
        self._fields: list[str] = []
        self._cell: list[str] | None = None
        self._cut = False

    def start_row(self) -> None:
        """Begin the next row; rows are numbered from 1, the empty ones too."""
        self._row += 1
        self._fields = []

    def start_cell(self) -> None:
        """Begin a cell."""
        self._cell = []
        self._cut = False

    def add(self, text: str) -> None:
        """Add a paragraph to the cell."""
        words = " ".join(text.split())
        if words and self._cell is not None:
            self._cell.append(words)

    def end_cell(self) -> None:
        """Close the cell; one that was cut and has nothing after the cut adds no second field."""
        if self._cell is not None and (self._cell or not self._cut):
            self._fields.append(" ".join(self._cell))
        self._cell = None

    def flush(self) -> None:
        """Write the row, or the part of it read so far."""
        fields = self._fields
        if self._cell is not None:
            fields = [*fields, *([" ".join(self._cell)] if self._cell or not self._cut else [])]
            self._cell, self._cut = [], True
        if any(fields):
            self._write(Line("\t".join(fields), self._table, self._row))
        self._fields = []
