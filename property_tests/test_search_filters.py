"""A filtered search is the true top of what passes the filter, however the filter is put together."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.model.query import Filters, SearchRequest
from grooveseek.settings.sections import Settings
from hypothesis import given, settings
from hypothesis import strategies as st

TAGS = ("red", "green", "blue")
CATEGORIES = ("harbour", "office")
DATES = (None, "2026-01-01", "2026-02-15", "2026-02-15T12:00:00Z", "2026-03-31")
WORDS = "tide pump radio crane fog ice leave ticket ramp engine".split()  # noqa: SIM905 - reads better than ten quotes


@dataclass(frozen=True, slots=True)
class Note:
    path: str
    category: str
    tags: tuple[str, ...]
    date: str | None


@dataclass(frozen=True, slots=True)
class Base:
    kb: KnowledgeBase
    notes: tuple[Note, ...]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Base]:
    chance = random.Random(11)
    root = tmp_path_factory.mktemp("filters") / "kb"
    notes = []
    for number in range(40):
        note = Note(
            path=f"{chance.choice(('north', 'south'))}/n{number:02d}.md",
            category=chance.choice(CATEGORIES),
            tags=tuple(tag for tag in TAGS if chance.random() < 0.4),
            date=chance.choice(DATES),
        )
        notes.append(note)
        front = [f"category: {note.category}", f"tags: [{', '.join(note.tags)}]"]
        front += [f"date: {note.date}"] if note.date else []
        body = " ".join(chance.choices(WORDS, k=30))
        target = root / note.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("---\n" + "\n".join(front) + f"\n---\n# Note {number}\n\n{body}.\n")
    with KnowledgeBase(Settings(kb_path=root), embedder=FakeEmbedder()) as kb:
        kb.index()
        yield Base(kb, tuple(notes))


filters = st.builds(
    Filters,
    category=st.sampled_from((None, *CATEGORIES, "nowhere")),
    tags_any=st.lists(st.sampled_from(TAGS), max_size=2).map(tuple),
    tags_all=st.lists(st.sampled_from(TAGS), max_size=2).map(tuple),
    date_from=st.sampled_from((None, "2026-02-01", "2026-02-15T11:00:00Z", "2026-02-15T13:00:00+00:00")),
    date_to=st.sampled_from((None, "2026-02-15", "2026-03-30")),
    path_globs=st.sampled_from((None, ("north/**",), ("!south/n1*",), ("*/n?0.md", "south/*"))),
)


def passes(note: Note, asked: Filters) -> bool:
    """The filters in words of one syllable; what the SQL must equal."""
    path = note.path
    by_globs = {
        None: True,
        ("north/**",): path.startswith("north/"),
        ("!south/n1*",): not path.startswith("south/n1"),
        ("*/n?0.md", "south/*"): path.startswith("south/") or path.endswith("0.md"),
    }
    return (
        asked.category in (None, note.category)
        and (not asked.tags_any or any(tag in note.tags for tag in asked.tags_any))
        and all(tag in note.tags for tag in asked.tags_all)
        and (asked.date_from is None or (note.date is not None and _not_before(note.date, asked.date_from)))
        and (asked.date_to is None or (note.date is not None and note.date[:10] <= asked.date_to[:10]))
        and by_globs[asked.path_globs]
    )


def _not_before(date: str, earliest: str) -> bool:
    if "T" in date and "T" in earliest:  # the only time of day in the notes is noon UTC
        return earliest.startswith("2026-02-15T11")
    return date[:10] >= earliest[:10]


@settings(max_examples=80)
@given(asked=filters, words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
def test_each_leg_ranks_what_passes_as_it_ranks_everything(base: Base, asked: Filters, words: list[str]) -> None:
    searcher = base.kb.searcher()
    paths = {
        stored.id: stored.document.path
        for note in base.notes
        for stored in base.kb.store().documents.chunks_of(note.path)
    }
    right = {note.path for note in base.notes if passes(note, asked)}
    everything = searcher.run_legs(SearchRequest(query=" ".join(words)))
    filtered = searcher.run_legs(SearchRequest(query=" ".join(words), filters=asked))
    for before, after in ((everything.vector, filtered.vector), (everything.fulltext, filtered.fulltext)):
        kept = [
            (id_, score)
            for id_, score in zip(before.candidates.ids.tolist(), before.candidates.scores.tolist(), strict=True)
            if paths[id_] in right
        ]
        assert list(zip(after.candidates.ids.tolist(), after.candidates.scores.tolist(), strict=True)) == kept
