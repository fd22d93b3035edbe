"""Judging a pool one section at a time: what to show next, and what undo takes back. No terminal in here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grooveseek.evaluation.curation.pool import Section
from grooveseek.evaluation.golden import Expected

GRADES = {0: "not relevant", 1: "touches it", 2: "helps", 3: "answers", 4: "answers in full"}

Judgments = Mapping[Section, int]


@dataclass(slots=True, kw_only=True)
class Judging:
    """A pass over the sections that ``judged`` does not have yet. ``judge``, ``skip`` and ``undo`` move it."""

    sections: Sequence[Section]
    judged: dict[Section, int]
    _waiting: list[Section] = field(init=False)
    _passed: list[Section] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self._waiting = [section for section in self.sections if section not in self.judged]

    @property
    def current(self) -> Section | None:
        """What is to be judged now; None when the pass is over."""
        return self._waiting[0] if self._waiting else None

    @property
    def place(self) -> tuple[int, int]:
        """(how many of this pass have been seen, the current one included; how many there are)."""
        seen = len(self._passed)
        return seen + bool(self._waiting), seen + len(self._waiting)

    @property
    def left(self) -> int:
        """How many sections have no grade."""
        return sum(section not in self.judged for section in self.sections)

    def judge(self, grade: int) -> None:
        """Grade the current section, 0 to 4, and go on."""
        section = self._pass()
        self.judged[section] = grade

    def skip(self) -> None:
        """Go on without a grade; the section is asked for again another time."""
        self._pass()

    def undo(self) -> bool:
        """Go back one, taking back its grade. False at the beginning."""
        if not self._passed:
            return False
        section = self._passed.pop()
        self.judged.pop(section, None)
        self._waiting.insert(0, section)
        return True

    def _pass(self) -> Section:
        section = self._waiting.pop(0)
        self._passed.append(section)
        return section


def expected_of(judgments: Judgments) -> tuple[Expected, ...]:
    """The golden entries that judgments make, best first.

    A golden query names a path once. Several relevant sections of one document are one entry of their highest grade,
    without a heading, so that each of them is a hit.
    """
    by_path: dict[str, list[tuple[Section, int]]] = {}
    for section, grade in judgments.items():
        if grade > 0:
            by_path.setdefault(section.path, []).append((section, grade))
    entries = [
        Expected(
            path=path,
            heading=graded[0][0].heading if len(graded) == 1 else None,
            relevance=max(grade for _, grade in graded),
        )
        for path, graded in by_path.items()
    ]
    return tuple(sorted(entries, key=lambda entry: (-entry.relevance, entry.path)))


def judged_already(sections: Sequence[Section], entries: Sequence[Expected]) -> dict[Section, int]:
    """The grades a golden query's entries give to sections of a pool: an entry without a heading grades all of its
    document's."""
    by_path = {entry.path: entry for entry in entries}
    found = {}
    for section in sections:
        entry = by_path.get(section.path)
        if entry is not None and (entry.heading is None or _fold(entry.heading) == _fold(section.heading or "")):
            found[section] = entry.relevance
    return found


def _fold(heading: str) -> str:
    return heading.strip().casefold()


def merged(existing: Sequence[Expected], before: Judgments, after: Judgments) -> tuple[Expected, ...]:
    """A query's entries after a pass: those there were, changed where a section of the same document was found relevant
    too, and the new ones. An entry with a quote stays as it was written."""
    made = {entry.path: entry for entry in expected_of(after)}
    touched = {section.path for section, grade in after.items() if section not in before and grade > 0}
    kept = [made[e.path] if e.path in touched and e.quote is None else e for e in existing]
    known = {entry.path for entry in existing}
    return (*kept, *(entry for path, entry in made.items() if path not in known))
