"""Frontmatter: the YAML mapping between ``---`` lines at the very start of a file (the rules: docs/markdown.md)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from grooveseek.model.document import Frontmatter, FrontmatterStatus, Notice
from grooveseek.parsing.fields import key_places, read_fields
from grooveseek.parsing.source import Source
from grooveseek.parsing.yaml_tree import Mapping, Scalar, Tree, YamlError, read_tree

_OPENING = re.compile(r"---[ \t]*")
_CLOSING = re.compile(r"(?:---|\.\.\.)[ \t]*")
_KEY = re.compile(r"[^\s#>|`*&!%@\[{-][^:\n]*:(?:[ \t]|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """What stands at the start of a file, and where the body begins.

    ``body``: position of the body's first character. ``text_block``: range of a block that was meant as frontmatter
    but cannot be used, so that its text is indexed as it stands. ``rule_line``: 0-based line of a ``---`` that closes
    no frontmatter, and so is a rule and never the underline of a heading. ``title``: range of the title as it stands
    in the file, where it stands there letter by letter. ``repeats``: each key given again, dotted, with its 1-based
    line.
    """

    frontmatter: Frontmatter
    body: int
    text_block: tuple[int, int] | None = None
    rule_line: int | None = None
    title: tuple[int, int] | None = None
    notices: tuple[Notice, ...] = ()
    repeats: tuple[tuple[str, int], ...] = ()


_NONE = Matter(frontmatter=Frontmatter(), body=0)


def read_frontmatter(source: Source) -> Matter:
    """Find and read a file's frontmatter. Raises nothing: what cannot be used is reported in the notices."""
    closing = _closing_line(source)
    if closing is None:
        return _NONE
    start, end = source.line_start(1), source.line_start(closing)
    block = source.text[start:end]
    body = source.line_start(closing + 1)
    if not block.strip():
        return Matter(frontmatter=Frontmatter(status=FrontmatterStatus.PARSED), body=body)
    try:
        tree = read_tree(block)
    except YamlError as problem:
        return _unusable(source, problem, closing, block)
    if isinstance(tree.root, Mapping):
        return _usable(source, tree, tree.root, start, body)
    return replace(_NONE, rule_line=_rule_line(source, closing))


def _closing_line(source: Source) -> int | None:
    if not source.text.startswith("---") or not _OPENING.fullmatch(source.line(0)):
        return None
    for line in range(1, len(source.line_starts)):
        if source.text.startswith(("---", "..."), source.line_starts[line]) and _CLOSING.fullmatch(source.line(line)):
            return line
    return None


def _rule_line(source: Source, closing: int) -> int | None:
    """The closing line of a block that is body. Below a rule with a blank line after it, Markdown's own rules hold."""
    return closing if source.line(1).strip() else None


def _unusable(source: Source, problem: YamlError, closing: int, block: str) -> Matter:
    start, end = source.line_start(1), source.line_start(closing)
    meant = _looks_like_fields(block)
    if not meant and not source.line(1).strip():
        return _NONE
    line = source.line_at(min(start + problem.at, max(start, end - 1)))
    notice = Notice(message=f"frontmatter could not be read and is indexed as text: {problem}", line=line + 1)
    return Matter(
        frontmatter=Frontmatter(status=FrontmatterStatus.UNPARSED),
        body=source.line_start(closing + 1) if meant else 0,
        text_block=(start, end) if meant else None,
        rule_line=None if meant else closing,
        notices=(notice,),
    )


def _looks_like_fields(block: str) -> bool:
    """Whether the first line that says anything is a key with a colon."""
    said = (line for line in re.split(r"[\r\n]+", block) if line.strip() and not line.startswith("#"))
    return _KEY.match(next(said, "")) is not None


def _usable(source: Source, tree: Tree, root: Mapping, start: int, body: int) -> Matter:
    fields = read_fields(root)
    lines = {key: source.line_at(start + at) + 1 for key, at in key_places(root).items()}
    repeats = tuple((repeat.path, source.line_at(start + repeat.at) + 1) for repeat in tree.repeats)
    notices = [
        Notice(message=f'frontmatter key "{path}" is given twice; the last value counts', line=line)
        for path, line in repeats
    ]
    notices += [
        Notice(message="a frontmatter key that is no text is left out", line=source.line_at(start + at) + 1)
        for at in fields.odd_keys
    ]
    return Matter(
        frontmatter=replace(fields.frontmatter, key_lines=lines),
        body=body,
        title=_place_of(source.text, fields.title, start) if fields.title else None,
        notices=tuple(notices),
        repeats=repeats,
    )


def _place_of(text: str, title: Scalar, start: int) -> tuple[int, int] | None:
    value = title.value.strip()
    place = text.find(value, start + title.start, start + title.end) if value else -1
    return (place, place + len(value)) if place >= 0 else None
