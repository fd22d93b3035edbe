"""The text of a heading as a reader sees it: Markdown markup reduced, comments gone, links by their text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from grooveseek.parsing.cuts import clip

HEADING_CHARS = 500
"""A heading is shown with every piece of its section, so what is longer than this is cut."""

_PARSED_CHARS = 2000  # inline parsing takes quadratic time in unclosed brackets
_WIKILINK = re.compile(r"!?\[\[([^\[\]|]+)(?:\|([^\[\]]*))?\]\]")
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")
_HTML_TAGS = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del"),
        *("dfn", "em", "font", "i", "iframe", "img", "input", "ins", "kbd", "label", "mark", "picture"),
        *("q", "rp", "rt", "ruby", "s", "samp", "small", "source", "span", "strike", "strong", "sub"),
        *("summary", "sup", "svg", "time", "tt", "u", "var", "video", "wbr"),
    )
)


def heading_text(source: str, env: dict[str, Any]) -> str:
    """A heading's inline source as one line of plain text, at most 500 characters.

    ``[[page|shown]]`` is ``shown``. An HTML element is dropped and its text kept; what only looks like a tag, as in
    ``Vec<T>``, stays. ``env`` holds the document's link definitions.
    """
    if len(source) > _PARSED_CHARS:
        return clip(" ".join(source[:_PARSED_CHARS].split()), HEADING_CHARS)
    tokens: list[Token] = []
    parser = _parser()
    parser.inline.parse(source, parser, env, tokens)
    return clip(" ".join("".join(_texts(tokens)).split()), HEADING_CHARS)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("strikethrough")


def _texts(tokens: Iterable[Token]) -> Iterator[str]:
    for is_text, run in groupby(tokens, key=lambda token: token.type == "text"):
        if is_text:
            yield _WIKILINK.sub(_shown, "".join(token.content for token in run))
        else:
            for token in run:
                yield _text_of(token)


def _text_of(token: Token) -> str:
    match token.type:
        case "text_special" | "code_inline":
            return token.content
        case "softbreak" | "hardbreak":
            return " "
        case "image":
            return "".join(_texts(token.children or ()))
        case "html_inline":
            return _html(token.content)
        case _:
            return ""


def _html(markup: str) -> str:
    tag = _TAG.match(markup)
    if tag is None:
        return ""
    name = tag[1].lower()
    return " " if name == "br" else "" if name in _HTML_TAGS else markup


def _shown(link: re.Match[str]) -> str:
    return link[2] or link[1]
