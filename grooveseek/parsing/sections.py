"""The sections of a Markdown file: what stands under each heading, and the trail of headings it stands under."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from grooveseek.parsing.blocks import HeadingBlock, Layout
from grooveseek.parsing.headings import HEADING_CHARS, heading_text
from grooveseek.parsing.source import Source
from grooveseek.parsing.split import Block

Range = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The text from a heading to the next one, or from the body's start to the first heading (``level`` is None).

    ``heading``: the heading as a reader sees it; ``None`` where nothing is to be seen. ``path``: the headings it
    stands under and itself, outermost first. ``own_text``: range of the heading's own text in the source, markers
    aside. ``start`` and ``end``: range of the body, heading lines excluded. ``blocks``: the body's blocks.
    """

    heading: str | None
    level: int | None
    path: tuple[str, ...]
    own_text: Range
    start: int
    end: int
    blocks: Sequence[Block]

    @property
    def heading_is_long(self) -> bool:
        """Whether ``heading`` may have been cut."""
        return self.own_text[1] - self.own_text[0] > HEADING_CHARS


def read_sections(source: Source, layout: Layout, body: int, rule_line: int | None) -> Iterator[Section]:
    """The sections in order, first the text before the first heading (which may be empty).

    ``layout`` was read from the text from ``body`` on. A setext heading whose underline is ``rule_line`` is none.
    """
    first_line = source.line_at(body)
    headings = [each for each in layout.headings if first_line + each.end - 1 != rule_line]
    trail: list[tuple[int, str | None]] = []
    for heading, following in zip_longest([None, *headings], headings):
        text = _open(heading, layout, trail) if heading else None
        end = source.line_start(first_line + following.start) if following else len(source.text)
        yield Section(
            heading=text,
            level=heading.level if heading else None,
            path=tuple(name for _, name in trail if name),
            own_text=_own_text(source, heading, first_line) if heading else (body, body),
            start=min(source.line_start(first_line + heading.end), end) if heading else body,
            end=end,
            blocks=_blocks_between(layout.blocks, heading, following),
        )


def is_excluded(section: Section, exclude: Sequence[str]) -> bool:
    """Whether the section's own heading contains one of the texts. Sections below it are judged by theirs."""
    return any(part and part in (section.heading or "") for part in exclude)


def _open(heading: HeadingBlock, layout: Layout, trail: list[tuple[int, str | None]]) -> str | None:
    """The heading's text, put on the trail in place of every heading it does not stand under."""
    text = heading_text(heading.source, layout.env) or None
    while trail and trail[-1][0] >= heading.level:
        trail.pop()
    trail.append((heading.level, text))
    return text


def _blocks_between(
    blocks: Sequence[Block], heading: HeadingBlock | None, following: HeadingBlock | None
) -> Sequence[Block]:
    first = bisect_left(blocks, heading.end, key=_start) if heading else 0
    last = bisect_left(blocks, following.start, key=_start) if following else len(blocks)
    return blocks[first:last]


def _start(block: Block) -> int:
    return block.start


def _own_text(source: Source, heading: HeadingBlock, first_line: int) -> Range:
    """Where a heading's text stands, between the markers."""
    start = source.line_start(first_line + heading.start)
    if heading.is_setext:
        stretch = source.text[start : source.line_start(first_line + heading.end - 1)]
        return start + len(stretch) - len(stretch.lstrip()), start + len(stretch.rstrip())
    # markdown-it shows NUL as U+FFFD, one character for one.
    line = source.line(first_line + heading.start).replace("\0", "\ufffd")
    after_marker = len(line) - len(line.lstrip(" ")) + heading.level
    place = start + line.find(heading.source, after_marker)
    return place, place + len(heading.source)
