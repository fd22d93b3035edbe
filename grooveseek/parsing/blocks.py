"""The block structure of a Markdown text, as markdown-it-py reads it (CommonMark and GFM tables), by lines.

Only blocks are parsed: no inline markup, and no cells inside tables. Block quotes and lists nest :data:`MAX_DEPTH`
levels deep; a marker deeper than that is text. Left to itself markdown-it would skip everything after such a marker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.rules_block import StateBlock, blockquote, list_block
from markdown_it.rules_block import table as table_begins
from markdown_it.token import Token

from grooveseek.parsing.split import Block

MAX_DEPTH = 20
"""Levels of nesting; a quote is one level, a list two. Time grows with it for text that quotes quotes."""

MAX_TOKENS = 1_000_000
"""Tokens of the block parser (some 300 bytes each) above which a text is not parsed any further."""

_Rule = Callable[[StateBlock, int, int, bool], bool]


class TooManyBlocksError(Exception):
    """The text has more blocks than memory is spent on."""


@dataclass(frozen=True, slots=True)
class HeadingBlock:
    """A heading at the top level: lines ``start`` to before ``end``, and its inline source without markers."""

    start: int
    end: int
    level: int
    source: str
    is_setext: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """Top-level headings and top-level blocks that are none, each in order of lines.

    ``env`` is markdown-it's: the link definitions that inline parsing of the headings needs.
    """

    headings: list[HeadingBlock]
    blocks: list[Block]
    env: dict[str, Any]


def lay_out(text: str) -> Layout:
    """Parse a text's blocks. Raises TooManyBlocksError."""
    env: dict[str, Any] = {}
    tokens = _parser().parse(text, env)
    layout = Layout([], [], env)
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.type == "heading_open":
            layout.headings.append(_heading(token, tokens[position + 1]))
            position += 3
        else:
            position, block = _block(tokens, position)
            layout.blocks.append(block)
    return layout


def _heading(opening: Token, inline: Token) -> HeadingBlock:
    start, end = _lines(opening)
    return HeadingBlock(start, end, int(opening.tag[1:]), inline.content, opening.markup in ("=", "-"))


def _block(tokens: list[Token], position: int) -> tuple[int, Block]:
    """The block that begins at a token, and the position after its last token."""
    top = _as_block(tokens[position])
    opened = [top]
    position += 1
    if tokens[position - 1].nesting == 0:
        return position, top
    while opened:
        token = tokens[position]
        position += 1
        if token.nesting < 0:
            opened.pop()
        elif token.type != "inline":
            child = _as_block(token)
            opened[-1].children.append(child)
            if token.nesting > 0:
                opened.append(child)
    return position, top


def _as_block(token: Token) -> Block:
    start, end = _lines(token)
    return Block(token.type.removesuffix("_open"), start, end)


def _lines(token: Token) -> tuple[int, int]:
    assert token.map is not None  # every block token that opens something, or is whole, has its lines
    return token.map[0], token.map[1]


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_DEPTH + 4}).enable("table")
    parser.core.ruler.disable(["inline", "text_join"])
    parser.block.ruler.at("blockquote", _bounded(blockquote), {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.block.ruler.at("list", _bounded(list_block), {"alt": ["paragraph", "reference", "blockquote"]})
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    return parser


def _bounded(rule: _Rule) -> _Rule:
    """A container's rule that holds only down to MAX_DEPTH, and that counts what has been read so far."""

    def apply(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        if len(state.tokens) > MAX_TOKENS:
            raise TooManyBlocksError(f"it has more than {MAX_TOKENS:,} Markdown tokens")
        return state.level < MAX_DEPTH and rule(state, start, end, silent)

    return apply


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A GFM table as one token without its cells, which would take some hundred bytes each."""
    if not table_begins(state, start, end, True):
        return False
    if silent:
        return True
    parent, state.parentType = state.parentType, "table"
    line = start + 2
    while line < end and not _table_ends(state, line, end):
        line += 1
    state.parentType = parent
    state.push("table", "table", 0).map = [start, line]
    state.line = line
    return True


def _table_ends(state: StateBlock, line: int, end: int) -> bool:
    """Whether a line is no row: blank, outdented, indented code, or the start of another block (GFM 0.29, 4.10)."""
    text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
    if state.sCount[line] < state.blkIndent or not mdTrim(text) or state.is_code_block(line):
        return True
    return any(rule(state, line, end, True) for rule in state.md.block.ruler.getRules("blockquote"))
