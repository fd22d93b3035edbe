"""The forced build: searches answer from the old index until the new one is whole, and no embedding is made twice."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.errors import DiskFull, EmbeddingError, ModelMismatch, StoreError
from grooveseek.indexing.build import building_path
from grooveseek.indexing.events import Cancelled, Deleted, Event, Finished, Indexed, Skipped, Started
from grooveseek.settings.sections import ParserSettings, Settings
from grooveseek.store.database import Database
from tests.conftest import write_files
from tests.indexing.conftest import Open, Told, counts
from tests.support.embedders import WatchedEmbedder, refuse_everything, refuse_poison
from tests.support.index_rows import fresh_rows, rows
from tests.support.indexes import assert_whole, everything, sql
from tests.support.search import paths

FILES = {
    f"{number:02d}.md": f"# Note {number}\n\noldlapse {number}, in so many words that it counts as a passage,\n"
    f"on two lines.\n\n## Two\n\nmore {number}\n"
    for number in range(12)
}
PLAIN = replace(Settings(), contextual=replace(Settings().contextual, enabled=False))

ASK = """
import sys
from pathlib import Path
from dataclasses import replace
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.settings.sections import Settings
with KnowledgeBase(replace(Settings(), kb_path=Path(sys.argv[1])), embedder=FakeEmbedder()) as kb:
    for line in sys.stdin:
        answer = kb.search(line.strip(), mode="keyword", limit=50)
        print(len(answer.hits), flush=True)
"""


@pytest.fixture
def kb(open_base: Open, embedder: WatchedEmbedder) -> KnowledgeBase:
    """Twelve documents of two chunks, indexed."""
    made = open_base(FILES)
    made.index()
    embedder.forget()
    return made


@contextmanager
def asking_from_elsewhere(root: Path) -> Iterator[object]:
    """A function that searches in another process, which keeps its connection; it gives the number of hits."""
    process = subprocess.Popen(
        [sys.executable, "-c", ASK, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert process.stdin
    assert process.stdout
    stdin, stdout = process.stdin, process.stdout

    def ask(query: str) -> int:
        stdin.write(query + "\n")
        stdin.flush()
        return int(stdout.readline())

    try:
        yield ask
    finally:
        stdin.close()
        process.wait(20)
        stdout.close()


def test_a_forced_build_of_what_is_there_makes_the_same_and_embeds_nothing(
    kb: KnowledgeBase, embedder: WatchedEmbedder
):
    before = everything(kb.index_path)
    assert counts(kb.index(force=True)) == {"updated": 12, "reused": 24}
    assert embedder.texts == []
    assert everything(kb.index_path) == before
    assert_whole(kb.index_path)
    assert not building_path(kb.index_path).exists()


def test_a_forced_build_makes_what_a_first_run_would(kb: KnowledgeBase, tmp_path: Path):
    write_files(kb.root, {"00.md": "# Note 0\n\nnew\n", "sub/new.md": "# New\n\nnew words\n"})
    (kb.root / "01.md").unlink()
    (kb.root / "02.md").rename(kb.root / "z.md")
    told = Told()
    summary = kb.index(force=True, listener=told)
    assert counts(summary) == {"indexed": 2, "updated": 10, "deleted": 2, "embedded": 2, "reused": 20}
    assert [event.path for event in told.of(Deleted)] == ["01.md", "02.md"]
    assert told.of(Started) == [Started(total=14, found=12)]
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)
    assert_whole(kb.index_path)


def test_searches_elsewhere_see_the_old_index_until_the_end_and_then_the_new_one(kb: KnowledgeBase):
    for name, text in FILES.items():
        (kb.root / name).write_text(text.replace("oldlapse", "newlapse"))
    seen: list[tuple[int, int]] = []
    with asking_from_elsewhere(kb.root) as ask:
        assert (ask("oldlapse"), ask("newlapse")) == (12, 0)

        def listen(event: Event) -> None:
            if isinstance(event, Started | Indexed | Finished):
                seen.append((ask("oldlapse"), ask("newlapse")))

        kb.index(force=True, listener=listen)
    assert seen == [(12, 0)] * 13 + [(0, 12)]  # what Finished tells of is already so


@pytest.mark.parametrize("stop_at", [1, 6, 12])
def test_cancelling_leaves_the_old_index_and_the_next_try_goes_on(
    kb: KnowledgeBase, embedder: WatchedEmbedder, tmp_path: Path, stop_at: int
):
    for name, text in FILES.items():
        (kb.root / name).write_text(text.replace("oldlapse", "newlapse"))
    before = everything(kb.index_path)
    told = Told()
    told.stop_at = lambda _: len(told.of(Indexed)) == stop_at
    summary = kb.index(force=True, listener=told, cancel=told.cancel)
    assert (
        told.events[-1] == Cancelled(done=stop_at if stop_at < 12 else 12, total=12, summary=summary)
        or summary.cancelled
    )
    assert (summary.cancelled, summary.documents, summary.chunks) == (True, 12, 24)
    assert everything(kb.index_path) == before
    assert len(paths(kb, "oldlapse", limit=50)) == 12
    assert_whole(building_path(kb.index_path))
    made = len(embedder.texts)
    kb.index(force=True)
    assert len(embedder.texts) == 12  # in both tries together, each once
    assert made > 0
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)
    assert not building_path(kb.index_path).exists()


def test_a_model_that_fails_half_way_leaves_the_old_index(kb: KnowledgeBase, embedder: WatchedEmbedder):
    before = everything(kb.index_path)
    write_files(kb.root, {"00.md": "# Note\n\nquite new\n"})
    embedder.before = refuse_everything
    with pytest.raises(EmbeddingError):
        kb.index(force=True)
    assert everything(kb.index_path) == before


@pytest.mark.skipif(os.name != "posix", reason="POSIX limits")
def test_no_room_for_the_switch_leaves_the_old_index_and_loses_no_embedding(
    kb: KnowledgeBase, embedder: WatchedEmbedder, monkeypatch: pytest.MonkeyPatch
):
    write_files(kb.root, {"00.md": "# Note\n\nquite new\n"})
    before = everything(kb.index_path)
    replace_content = Database.replace_content_with

    def with_little_room(self: Database, other: Database) -> None:
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))  # as where the drive is full
        try:
            replace_content(self, other)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    told = Told()
    with monkeypatch.context() as patched:
        patched.setattr(Database, "replace_content_with", with_little_room)
        with pytest.raises(DiskFull):
            kb.index(force=True, listener=told)
    assert told.of(Finished) == []
    assert everything(kb.index_path) == before
    assert_whole(kb.index_path)
    made = len(embedder.texts)
    kb.index(force=True)
    assert len(embedder.texts) == made


def test_reembedding_makes_every_vector_anew(kb: KnowledgeBase, embedder: WatchedEmbedder):
    before = everything(kb.index_path)
    sql(kb.index_path, "UPDATE chunk_vectors SET vector = (SELECT vector FROM chunk_vectors WHERE id = 1)")
    assert everything(kb.index_path) != before
    assert counts(kb.index(reembed=True)) == {"updated": 12, "embedded": 24}
    assert len(embedder.texts) == 24
    assert everything(kb.index_path) == before


def test_reembedding_that_was_stopped_goes_on_with_its_own_vectors_only(kb: KnowledgeBase, embedder: WatchedEmbedder):
    told = Told()
    told.stop_at = lambda _: len(told.of(Indexed)) == 4
    kb.index(reembed=True, listener=told, cancel=told.cancel)
    kb.index(reembed=True)
    assert len(embedder.texts) == 24
    embedder.forget()
    told = Told()
    told.stop_at = lambda _: len(told.of(Indexed)) == 4
    kb.index(reembed=True, listener=told, cancel=told.cancel)
    embedder.forget()
    kb.index(force=True)  # another kind of build: begun anew, from the old index's vectors
    assert embedder.texts == []


def test_reembedding_takes_no_vector_of_a_plain_forced_build(kb: KnowledgeBase, embedder: WatchedEmbedder):
    half_built(kb)
    embedder.forget()
    kb.index(reembed=True)
    assert len(embedder.texts) == 24


# -- another model, another context mode ---------------------------------------------------------------------------


def test_another_model_takes_over_by_force_at_the_end(kb: KnowledgeBase, open_base: Open, tmp_path: Path):
    other_model = WatchedEmbedder(name="other", dimension=32)
    other = open_base(embedder=other_model)
    answered: list[str] = []

    def search_with_the_old_model(event: Event) -> None:
        if isinstance(event, Indexed):
            answered.append(paths(kb, "note 3 oldlapse", mode="semantic")[0])

    assert counts(other.index(force=True, listener=search_with_the_old_model)) == {"updated": 12, "embedded": 24}
    assert len(answered) == 12
    assert len(other_model.texts) == 24
    assert paths(other, "note 3 oldlapse", mode="semantic")
    with pytest.raises(ModelMismatch, match=r"'other'.*'fake'"):
        kb.search("oldlapse")
    assert rows(other.index_path) == fresh_rows(other, tmp_path)


def test_a_build_for_another_model_that_was_stopped_is_not_mixed_with_the_next(kb: KnowledgeBase, open_base: Open):
    stopped = Told()
    stopped.stop_at = lambda _: len(stopped.of(Indexed)) == 3
    open_base(embedder=WatchedEmbedder(name="second")).index(force=True, listener=stopped, cancel=stopped.cancel)
    third = WatchedEmbedder(name="third")
    base = open_base(embedder=third)
    base.index(force=True)
    assert len(third.texts) == 24
    assert base.status().model == "third"
    assert_whole(base.index_path)


def test_another_context_mode_takes_effect_by_force(
    kb: KnowledgeBase, open_base: Open, embedder: WatchedEmbedder, tmp_path: Path
):
    plain = open_base(settings=PLAIN)
    assert counts(plain.index()) == {"unchanged": 12}
    assert plain.status().contextual
    plain.index(force=True)
    assert not plain.status().contextual
    assert len(embedder.texts) == 24  # every input changed
    assert rows(plain.index_path) == fresh_rows(plain, tmp_path)
    assert everything(plain.index_path)["fts_words postings"]


def test_a_build_in_one_context_mode_is_not_gone_on_with_in_another(kb: KnowledgeBase, open_base: Open):
    half_built(kb)
    write_files(kb.root, {"00.md": "x" * 2000})  # from here on it cannot be read
    tight = replace(PLAIN, index=replace(Settings().index, max_raw_text_size=1000))
    plain = open_base(settings=tight)
    plain.index(force=True)
    assert [row for row in everything(plain.index_path)["fts_words postings"] if row[3] == "context"] == []
    assert "00.md" in plain.store().documents.states()


# -- files that cannot be read on the day --------------------------------------------------------------------------


def test_what_cannot_be_read_today_is_taken_over_as_it_was(kb: KnowledgeBase, embedder: WatchedEmbedder):
    """One refused for its size, one without a vector, one gone mid-run; and a link in a file's place, which goes."""
    before = everything(kb.index_path)
    tight = replace(Settings(), index=replace(Settings().index, max_raw_text_size=1000))
    write_files(kb.root, {"00.md": "x" * 2000, "01.md": "# Note 1\n\npoison\n"})
    (kb.root / "02.md").unlink()
    (kb.root / "02.md").symlink_to("03.md")
    embedder.before = refuse_poison
    told = Told()
    limited = KnowledgeBase(replace(tight, kb_path=kb.root), embedder=embedder)
    summary = limited.index(force=True, listener=told)
    assert {(each.path, each.kept) for each in summary.skipped} == {("00.md", True), ("01.md", True), ("02.md", False)}
    assert counts(summary)["deleted"] == 1
    assert (summary.documents, summary.chunks) == (11, 22)
    after = everything(kb.index_path)
    for table in ("documents", "chunks", "vectors", "fts_words postings", "fts_trigram postings"):
        kept = [row for row in before[table] if "02.md" not in row]
        assert after[table] == kept, table
    assert_whole(kb.index_path)


def test_taking_over_for_another_model_embeds_what_was_taken_over(kb: KnowledgeBase, open_base: Open):
    other_model = WatchedEmbedder(name="other")
    tight = replace(Settings(), index=replace(Settings().index, max_raw_text_size=1000))
    write_files(kb.root, {"00.md": "x" * 2000})
    other = open_base(embedder=other_model, settings=tight)
    summary = other.index(force=True)
    assert (summary.documents, [each.path for each in summary.skipped]) == (12, ["00.md"])
    assert paths(other, "oldlapse 0")[0] == "00.md"
    assert len(other_model.texts) == 24
    assert_whole(other.index_path)


def test_what_can_neither_be_read_nor_embedded_again_is_told(kb: KnowledgeBase, open_base: Open):
    write_files(kb.root, {"00.md": "# Note\n\npoison\n"})
    kb.index()
    write_files(kb.root, {"00.md": "x" * 2000})
    tight = replace(Settings(), index=replace(Settings().index, max_raw_text_size=1000))
    other = open_base(embedder=WatchedEmbedder(name="other", before=refuse_poison), settings=tight)
    told = Told()
    summary = other.index(force=True, listener=told)
    assert summary.documents == 11
    assert [event.reason for event in told.of(Skipped)][-1].startswith(
        "what was indexed of it before could not be kept"
    )
    assert_whole(other.index_path)


def test_an_unreadable_folder_is_taken_over(open_base: Open, locked_out: Path):
    base = open_base(
        {"in/a.md": "# A\n\nalpha\n", "in/b.md": "# B\n\nbeta\n", "c.md": "# C\n\ngamma\n"}, root=locked_out / "kb"
    )
    base.index()
    before = everything(base.index_path)
    (base.root / "in").chmod(0)
    summary = base.index(force=True)
    assert [(each.path, each.kept) for each in summary.skipped] == [("in", True)]
    assert everything(base.index_path) == before
    assert counts(base.index()) == {"unchanged": 1, "skipped": 1}
    assert everything(base.index_path) == before


def test_stopping_while_taking_over_leaves_the_old_index(kb: KnowledgeBase, open_base: Open):
    other_model = WatchedEmbedder(name="other")
    told = Told()
    tight = replace(Settings(), index=replace(Settings().index, max_raw_text_size=1000))
    write_files(kb.root, dict.fromkeys(FILES, "x" * 2000))
    told.stop_at = lambda event: isinstance(event, Skipped) and event.path == "11.md"
    summary = open_base(embedder=other_model, settings=tight).index(force=True, listener=told, cancel=told.cancel)
    assert (summary.cancelled, summary.documents, summary.chunks) == (True, 12, 24)  # of what searches find
    assert len(paths(kb, "oldlapse", limit=50)) == 12


def test_source_code_that_was_taken_over_does_not_pass_for_newly_cut(open_base: Open):
    """What an older groove cut by other rules stays so when its file cannot be read: the index says it is a mixture."""
    code = Settings(parsers=ParserSettings(enabled=("rs",)))
    base = open_base({"a.rs": "fn a() {}\n", "b.rs": "fn b() {}\n"}, settings=code)
    base.index()
    current = base.status().chunking_policy
    assert current
    base.index(force=True)
    assert base.status().chunking_policy == current
    sql(base.index_path, """UPDATE index_meta SET value = '"older"' WHERE key = 'chunking_policy'""")
    (base.root / "a.rs").write_bytes(b"//" * 2_000_000)
    base.index(force=True)
    assert base.status().chunking_policy == "legacy"
    (base.root / "a.rs").write_text("fn a() {}\n")
    base.index(force=True)
    assert base.status().chunking_policy == current


# -- the half-built file -------------------------------------------------------------------------------------------


def half_built(kb: KnowledgeBase) -> Path:
    told = Told()
    told.stop_at = lambda _: len(told.of(Indexed)) == 5
    kb.index(force=True, listener=told, cancel=told.cancel)
    path = building_path(kb.index_path)
    assert path.exists()
    return path


def garble(path: Path) -> None:
    path.write_bytes(b"no database " * 1000)


def link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.with_name("elsewhere.db"))


def leave_the_log_alone(path: Path) -> None:
    path.unlink()
    path.with_name(path.name + "-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(4096))


@pytest.mark.parametrize("harm", [garble, link, leave_the_log_alone, Path.unlink])
@pytest.mark.skipif(os.name != "posix", reason="makes links")
def test_a_half_built_file_that_cannot_be_used_is_begun_anew(kb: KnowledgeBase, tmp_path: Path, harm: object):
    path = half_built(kb)
    harm(path)  # type: ignore[operator]
    kb.index(force=True)
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)
    assert_whole(kb.index_path)
    assert not (tmp_path / "elsewhere.db").exists()
    assert sorted(file.name for file in tmp_path.glob(".groove.db.building*")) == []


def test_a_plain_run_does_not_touch_the_half_built_file(kb: KnowledgeBase):
    path = half_built(kb)
    content = path.read_bytes()
    kb.index()
    assert path.read_bytes() == content


def test_files_that_came_and_went_between_two_tries_leave_nothing(kb: KnowledgeBase, tmp_path: Path):
    write_files(kb.root, {"00a.md": "# Passing\n\npassing\n"})
    half_built(kb)
    (kb.root / "00a.md").unlink()
    (kb.root / "01.md").rename(kb.root / "moved.md")
    told = Told()
    kb.index(force=True, listener=told)
    assert "00a.md" not in [event.path for event in told.of(Deleted)]  # searches never found it
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)
    assert paths(kb, "passing") == []


def test_force_on_another_folders_index_takes_it_over_whole(kb: KnowledgeBase, open_base: Open, tmp_path: Path):
    other = open_base({"00.md": "# Other\n\nother words\n"}, root=tmp_path / "other")
    other.index(force=True)
    assert list(other.store().documents.states()) == ["00.md"]
    assert paths(other, "oldlapse") == []
    with pytest.raises(StoreError, match="belongs to the folder 'other'"):
        kb.index()


def test_another_folders_text_is_not_taken_over(kb: KnowledgeBase, open_base: Open, tmp_path: Path):
    tight = replace(Settings(), index=replace(Settings().index, max_raw_text_size=1000))
    other = open_base({"00.md": "x" * 2000, "own.md": "own words\n"}, root=tmp_path / "other", settings=tight)
    summary = other.index(force=True)
    assert [(each.path, each.kept) for each in summary.skipped] == [("00.md", False)]
    assert list(other.store().documents.states()) == ["own.md"]


def test_a_build_that_an_older_groove_began_ends_under_the_rules_of_today(open_base: Open):
    code = Settings(parsers=ParserSettings(enabled=("rs",)))
    base = open_base({f"{name}.rs": f"fn {name}() {{}}\n" for name in "abc"}, settings=code)
    base.index()
    current = base.status().chunking_policy
    told = Told()
    told.stop_at = lambda event: isinstance(event, Indexed)
    base.index(force=True, listener=told, cancel=told.cancel)
    path = building_path(base.index_path)
    sql(path, """UPDATE index_meta SET value = '"older"' WHERE key = 'chunking_policy'""")
    base.index(force=True)
    assert base.status().chunking_policy == current


def test_force_where_there_is_nothing_yet_is_a_first_run(open_base: Open, tmp_path: Path):
    kb = open_base({"a.md": "# A\n\nalpha\n"})
    assert counts(kb.index(force=True)) == {"indexed": 1, "embedded": 1}
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)
    assert not building_path(kb.index_path).exists()
