"""Sections as headings open them: the heading trail by level, and headings without a body folded forward."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from grooveseek.parsing.pieces import Line, Section, has_text


@dataclass(slots=True)
class _Open:
    path: tuple[str, ...] = ()
    level: int | None = None
    excluded: bool = False
    lines: list[Line] = field(default_factory=list)


class Outline:
    """Collects headings and lines in document order."""

    def __init__(self, exclude_headings: Iterable[str] = ()) -> None:
        """``exclude_headings``: a section whose heading contains one of these is dropped, up to the next heading."""
        self._exclude = tuple(exclude_headings)
        self._trail: list[tuple[int, str]] = []
        self._sections = [_Open()]

    def heading(self, level: int, text: str) -> None:
        """Open a section; it stands under the nearest heading before it of a smaller level."""
        name = " ".join(text.split())
        while self._trail and self._trail[-1][0] >= level:
            self._trail.pop()
        self._trail.append((level, name))
        path = tuple(heading for _, heading in self._trail)
        self._sections.append(_Open(path, level, is_excluded(name, self._exclude)))

    def line(self, line: Line) -> None:
        """Add a line to the open section."""
        self._sections[-1].lines.append(line)

    def sections(self) -> list[Section]:
        """The sections that have a body.

        A heading without one becomes a line at the start of the next section that has; those left over at the end are
        dropped. Where no section has a body, each heading is a section of itself.
        """
        kept = [section for section in self._sections if not section.excluded]
        if not any(has_text(section.lines) for section in kept):
            return [_as_section(each, [Line(each.path[-1])]) for each in kept if each.path]
        folded: list[Section] = []
        waiting: list[Line] = []
        for each in kept:
            if has_text(each.lines):
                folded.append(_as_section(each, waiting + each.lines))
                waiting = []
            elif each.path:
                waiting.append(Line(each.path[-1]))
        return folded


def is_excluded(heading: str, exclude: Iterable[str]) -> bool:
    """Whether the heading contains one of the texts."""
    return any(words and words in heading for words in exclude)


def _as_section(section: _Open, lines: list[Line]) -> Section:
    return Section(lines=lines, path=section.path, level=section.level)
