"""The dialogue of ``groove golden add``: one section at a time on the terminal, one key an answer."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grooveseek.cli.keys import ReadKey
from grooveseek.cli.output import say, write
from grooveseek.errors import GoldenError, UsageError

if TYPE_CHECKING:
    from grooveseek.app import KnowledgeBase
    from grooveseek.evaluation.curation.judging import Judging, Judgments
    from grooveseek.evaluation.curation.pool import Pooled, Section
    from grooveseek.evaluation.golden import GoldenQuery

_KEYS = "0-4 grade, s skip, u undo, q quit and keep"
_LEFT_FOR_LATER = 1
_MOST_LINES = 16
"""Lines of a passage shown; more would push its heading off a small terminal."""


def judge_query(
    kb: KnowledgeBase,
    query: str,
    file: Path,
    *,
    depth: int,
    query_id: str | None,
    tags: Sequence[str],
    seed: int,
    color: bool,
    read_key: ReadKey,
) -> int:
    """Pool, judge and write. Exit code 0 when the query is in the golden file, 1 when nothing relevant was found."""
    from grooveseek.evaluation.curation.judging import Judging, judged_already
    from grooveseek.evaluation.curation.pool import pool, shuffled
    from grooveseek.evaluation.curation.unfinished import UNFINISHED_FILE, load_unfinished, save_unfinished

    start = _entry_for(file, query, query_id, tags)
    unfinished = kb.root / UNFINISHED_FILE
    items = shuffled(pool(kb.searcher(), kb.store(), query, depth=depth), query, seed)
    if not items:
        raise UsageError(f"nothing is found for {query!r}, so there is nothing to judge. Ask in other words.")
    sections = [item.section for item in items]
    before = judged_already(sections, start.expected) | load_unfinished(unfinished, query)
    judging = Judging(sections=sections, judged=dict(before))
    try:
        finished = _Dialogue(items, judging, color=color, read_key=read_key).run(query)
    finally:  # also when Ctrl-C ends it: nothing that was judged is asked again
        save_unfinished(unfinished, query, judging.judged if judging.left else None)
    return _write(file, start, before, judging, finished=finished, read_key=read_key)


class _Dialogue:
    """Shows sections and takes keys until all are seen or somebody quits."""

    def __init__(self, items: Sequence[Pooled], judging: Judging, *, color: bool, read_key: ReadKey) -> None:
        self._items = {item.section: item for item in items}
        self._judging = judging
        self._color = color
        self._read_key = read_key

    def run(self, query: str) -> bool:
        """True when the pass is finished, False when it was left."""
        known = len(self._items) - self._judging.place[1]
        if known:
            say(f"{known} of {len(self._items)} sections are judged already.")
        while (section := self._judging.current) is not None:
            self._show(query, section)
            if not self._answer():
                return False
        return True

    def _answer(self) -> bool:
        """Take keys until one means something; False for q."""
        from grooveseek.evaluation.curation.judging import GRADES

        while True:
            key = _key(self._read_key)
            if key == "q":
                return False
            if key in {str(grade) for grade in GRADES}:
                self._judging.judge(int(key))
                say(f"  {key}: {GRADES[int(key)]}")
                return True
            if key == "s":
                self._judging.skip()
                say("  skipped")
                return True
            if key == "u":
                say("  back" if self._judging.undo() else "  nothing to undo")
                return True
            say(f"  {_KEYS}")

    def _show(self, query: str, section: Section) -> None:
        from grooveseek.evaluation.curation.judging import GRADES

        number, total = self._judging.place
        item = self._items[section]
        chunk = item.chunk
        lines = "" if chunk.start_line is None else f":{chunk.start_line}-{chunk.end_line}"
        trail = " > ".join(chunk.heading_path) or item.title
        say("")
        say(self._bold(f"[{number}/{total}]  {_clean(query)}"))
        say(f"{_clean(section.path)}{lines}  {_clean(trail)}")
        say("")
        for line in _passage(chunk.content):
            say(f"    {line}")
        say("")
        say("  ".join(f"{grade} {meaning}" for grade, meaning in GRADES.items()))
        say("s skip  u undo  q quit and keep")

    def _bold(self, text: str) -> str:
        return click.style(text, bold=True) if self._color else text


def _entry_for(file: Path, query: str, query_id: str | None, tags: Sequence[str]) -> GoldenQuery:
    """The query as the golden file has it, or a new one. Raises GoldenError when the file cannot be read."""
    from grooveseek.evaluation.golden import ID_CHARACTERS, MAX_QUERY_BYTES, GoldenQuery, parse_golden
    from grooveseek.evaluation.sources import read_golden

    if not query.strip() or len(query.encode("utf-8", "surrogatepass")) > MAX_QUERY_BYTES:
        raise UsageError(f"the query is empty or longer than {MAX_QUERY_BYTES} bytes")
    data = read_golden(file)
    if data is not None:
        known = next((entry for entry in parse_golden(data, str(file)).queries if entry.query == query), None)
        if known is not None:
            return known
    return GoldenQuery(id=query_id or query[:ID_CHARACTERS], query=query, tags=tuple(tags))


def _write(
    file: Path,
    start: GoldenQuery,
    before: Judgments,
    judging: Judging,
    *,
    finished: bool,
    read_key: ReadKey,
) -> int:
    from grooveseek.evaluation.curation.judging import merged

    expected = merged(start.expected, before, judging.judged)
    if judging.left:
        say(f"{judging.left} of {len(judging.sections)} sections are not judged; the same command goes on with them.")
    if expected and expected != start.expected:
        _store(file, replace(start, expected=expected, answerable=True))
    elif expected or not start.answerable:
        say(f"{file} has these judgments already.")
    elif finished and not judging.left and _confirms_unanswerable(read_key):
        _store(file, replace(start, answerable=False))
    else:
        say(f"Nothing relevant so far, so {file} stays as it is.")
        return _LEFT_FOR_LATER
    return 0


def _confirms_unanswerable(read_key: ReadKey) -> bool:
    say("Nothing shown is relevant. Keep the query as one that has no answer here (it measures confidence)? y/n")
    while (key := _key(read_key)) not in ("y", "n", "q"):
        say("  y or n")
    return key == "y"


def _store(file: Path, query: GoldenQuery) -> None:
    from grooveseek.evaluation.curation.lines import entry_text
    from grooveseek.evaluation.curation.write import with_query
    from grooveseek.evaluation.replacing import replace_whole
    from grooveseek.evaluation.sources import read_golden

    data = with_query(read_golden(file), str(file), query)
    try:
        replace_whole(file, data)
    except OSError as error:
        raise GoldenError(f"{file} could not be written: {error.strerror or error}.") from error
    say(f"Written to {file}:")
    write(entry_text(query))


def _key(read_key: ReadKey) -> str:
    """One key, in lower case. The end of input is q."""
    try:
        return read_key().lower()
    except EOFError:
        return "q"


def _passage(text: str) -> list[str]:
    """The beginning of a passage, wrapped to the terminal, free of what a terminal would act on."""
    from rich.cells import cell_len

    width = max(20, min(100, shutil.get_terminal_size().columns - 6))
    lines: list[str] = []
    for line in text.strip().splitlines():
        room = width // 2 if cell_len(line) > len(line) else width  # such characters take two columns
        lines += textwrap.wrap(_clean(line), room, replace_whitespace=False) or [""]
    return lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], "…"]


def _clean(text: str) -> str:
    from grooveseek.evaluation.report.plain import printable

    indent = text[: len(text) - len(text.lstrip(" "))]
    return indent + printable(text)
