"""What is wrong with a golden set, or will be once it is measured with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from grooveseek.evaluation.findings import leak_findings, stale_findings
from grooveseek.evaluation.golden import Expected, GoldenQuery, GoldenSet
from grooveseek.evaluation.hits import EvalHit, Target
from grooveseek.evaluation.leakage import fields_of, quoted_queries
from grooveseek.evaluation.outcome import Finding
from grooveseek.evaluation.quotes import chunks_with
from grooveseek.model.document import Chunk
from grooveseek.retrieval.query import MIN_PHRASE, compile_query
from grooveseek.store.store import Store
from grooveseek.text.fold import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """``findings`` need a change; ``notes`` are good to know."""

    findings: tuple[Finding, ...]
    notes: tuple[Finding, ...]


def check_golden(golden: GoldenSet, store: Store, root: Path) -> Checked:
    """Hold a golden set against the files and the index, all of it from one state of the index."""
    with store.snapshot():
        checker = _Checker(store, root)
        findings = [*_duplicates(golden), *(f for query in golden.queries for f in checker.query(query))]
        leaks = quoted_queries(fields_of(store.documents.texts()), {query.id: query.query for query in golden.queries})
    return Checked(
        findings=(*sorted(findings, key=lambda finding: finding.line or 0), *leak_findings(leaks, ())),
        notes=tuple(_short(golden)),
    )


class _Checker:
    """The parts that need the index."""

    def __init__(self, store: Store, root: Path) -> None:
        self._store = store
        self._root = root
        self._indexed = frozenset(store.documents.states())

    def query(self, query: GoldenQuery) -> Iterator[Finding]:
        if compile_query(query.query).is_empty:
            said = f'Query "{query.id}" only excludes, so it finds nothing. A group that begins with - is left out.'
            yield _finding("golden-empty-query", said, query)
        for entry in query.expected:
            yield from self._entry(query, entry)

    def _entry(self, query: GoldenQuery, entry: Expected) -> Iterator[Finding]:
        on_disk = (self._root / entry.path).is_file()
        if entry.path in self._indexed:
            if not on_disk:
                said = f"{entry.path} is in the index but no longer in the folder. Run `groove index`."
                yield _finding("golden-missing", said, query, entry)
            yield from self._section(query, entry)
            return
        if on_disk:
            said = f"{entry.path} is on disk but not in the index. Run `groove index`, or look there why it is skipped."
            yield _finding("golden-not-indexed", said, query, entry)
            return
        said = f"{entry.path} does not exist in the folder.{self._meant(entry.path)}"
        yield _finding("golden-missing", said, query, entry)

    def _meant(self, path: str) -> str:
        alike = sorted(each for each in self._indexed if fold(each) == fold(path))
        if alike:
            return f" {alike[0]} does, in other letter case or another Unicode form: copy its name from there."
        near = get_close_matches(path, self._indexed, n=1)
        return f" Did you mean {near[0]}?" if near else ""

    def _section(self, query: GoldenQuery, entry: Expected) -> Iterator[Finding]:
        chunks = [stored.chunk for stored in self._store.documents.chunks_of(entry.path)]
        whole = Target(path=entry.path, heading=entry.heading)
        if not any(whole.matches(_as_hit(entry.path, chunk)) for chunk in chunks):
            yield _finding("golden-heading", _no_heading(entry, chunks), query, entry)
        if entry.quote is None:
            return
        holding = chunks_with(entry.quote, _contents(chunks))
        if not holding:
            yield from stale_findings(query, [entry])
        elif not any(whole.matches(_as_hit(entry.path, chunk)) for chunk in chunks if chunk.index in holding):
            said = (
                f'The quote expected in {entry.path} stands in no section headed "{entry.heading}". Keep one of them.'
            )
            yield _finding("golden-contradiction", said, query, entry)


def _no_heading(entry: Expected, chunks: list[Chunk]) -> str:
    headings = list(dict.fromkeys(chunk.heading for chunk in chunks if chunk.heading))
    if entry.heading is None:
        return f"{entry.path} has no text that could be found."
    near = get_close_matches(entry.heading, headings, n=1)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    return f'{entry.path} has no section headed "{entry.heading}".{hint}'


def _as_hit(path: str, chunk: Chunk) -> EvalHit:
    return EvalHit(path=path, chunk=chunk.index, score=0.0, heading=chunk.heading)


def _contents(chunks: list[Chunk]) -> Mapping[int, str]:
    return {chunk.index: chunk.content for chunk in chunks}


def _duplicates(golden: GoldenSet) -> Iterator[Finding]:
    first: dict[str, GoldenQuery] = {}
    for query in golden.queries:
        seen = first.setdefault(" ".join(query.query.split()).casefold(), query)
        if seen is not query:
            said = f'Query "{query.id}" asks the same as "{seen.id}" on line {seen.line}, so it counts twice. Keep one.'
            yield _finding("golden-duplicate", said, query)


def _short(golden: GoldenSet) -> Iterator[Finding]:
    for query in golden.queries:
        compiled = compile_query(query.query)
        if not compiled.phrases and not compiled.is_empty:
            said = (
                f'Query "{query.id}" has no part of {MIN_PHRASE} characters: it is looked up as a whole word, and not '
                "inside longer ones."
            )
            yield _finding("golden-short-query", said, query)


def _finding(check: str, message: str, query: GoldenQuery, entry: Expected | None = None) -> Finding:
    line = query.line if entry is None else entry.line
    path = None if entry is None else entry.path
    return Finding(check=check, message=message, path=path, query_id=query.id, line=line)
