"""A run over a folder does what changed asks for and nothing more."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.errors import DiskFull, EmbeddingError, KnowledgeBaseError, ModelMismatch, StoreError
from grooveseek.indexing.build import make_indexer, open_index
from grooveseek.indexing.events import Deleted, Finished, Indexed, Renamed, Scanning, Skipped, Started, Unchanged
from grooveseek.indexing.pipeline import BATCH_WINDOWS
from grooveseek.settings.sections import IndexSettings, ParserSettings, Settings
from tests.conftest import write_files
from tests.indexing.conftest import Open, Told, counts
from tests.support.embedders import WatchedEmbedder, refuse_everything, refuse_poison
from tests.support.index_rows import fresh_rows, rows
from tests.support.indexes import assert_whole, everything, sql
from tests.support.search import paths

FILES = {
    "a.md": "# A\n\nalpha words\n\n## More\n\nfurther words\n\n## Last\n\nfinal words\n",
    "b.md": "# B\n\nbeta words\n",
    "sub/c.md": "no heading at all, only gamma\n",
}


@pytest.fixture
def kb(open_base: Open, embedder: WatchedEmbedder) -> KnowledgeBase:
    """Three documents, indexed; the embedder counts from here."""
    made = open_base(FILES)
    made.index()
    embedder.forget()
    return made


def settle(kb: KnowledgeBase) -> None:
    """Files are older than the moment in which they might change unnoticed, and the index knows it."""
    past = time.time() - 3600
    for path in kb.root.rglob("*"):
        os.utime(path, (past, past))
    kb.index()


def test_the_first_run_indexes_everything(open_base: Open, embedder: WatchedEmbedder):
    kb = open_base(FILES)
    summary = kb.index()
    assert counts(summary) == {"indexed": 3, "embedded": 5}
    assert (summary.documents, summary.chunks, summary.cancelled) == (3, 5, False)
    assert len(embedder.texts) == 5
    assert_whole(kb.index_path)


def test_a_second_run_does_nothing(kb: KnowledgeBase, embedder: WatchedEmbedder):
    settle(kb)
    before, changes = everything(kb.index_path), sql(kb.index_path, "SELECT mtime_ns FROM documents")
    summary = kb.index()
    assert counts(summary) == {"unchanged": 3}
    assert embedder.texts == []
    assert everything(kb.index_path) == before
    assert sql(kb.index_path, "SELECT mtime_ns FROM documents") == changes


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs a file that root alone reads")
def test_a_file_with_its_size_and_time_is_not_even_read(kb: KnowledgeBase):
    settle(kb)
    content = (kb.root / "a.md").read_bytes()
    status = (kb.root / "a.md").stat()
    (kb.root / "a.md").write_bytes(b"x" * len(content))
    os.utime(kb.root / "a.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert counts(kb.index()) == {"unchanged": 3}
    assert counts(kb.index(force=True)) == {"updated": 3, "embedded": 1, "reused": 2}


def test_a_file_that_was_only_touched_is_unchanged(kb: KnowledgeBase, embedder: WatchedEmbedder):
    settle(kb)
    os.utime(kb.root / "a.md")
    assert counts(kb.index()) == {"unchanged": 3}
    assert embedder.texts == []


def test_a_change_within_the_same_second_is_seen(open_base: Open):
    """A file system's clock may not tell two writes apart; what was written just now is looked at again."""
    kb = open_base({"a.md": "first"})
    kb.index()
    stamp = (kb.root / "a.md").stat().st_mtime_ns
    (kb.root / "a.md").write_text("other")
    os.utime(kb.root / "a.md", ns=(stamp, stamp))
    assert counts(kb.index())["updated"] == 1


def test_editing_one_section_embeds_that_chunk_only(kb: KnowledgeBase, embedder: WatchedEmbedder):
    (kb.root / "a.md").write_text(FILES["a.md"].replace("further words", "quite different words"))
    assert counts(kb.index()) == {"updated": 1, "unchanged": 2, "embedded": 1, "reused": 2}
    (text,) = embedder.texts
    assert "quite different words" in text
    assert paths(kb, "quite different") == ["a.md"]
    assert paths(kb, "further") == []


def test_a_rename_embeds_nothing(kb: KnowledgeBase, embedder: WatchedEmbedder):
    (kb.root / "a.md").rename(kb.root / "sub" / "z.md")
    told = Told()
    assert counts(kb.index(listener=told)) == {"renamed": 1, "unchanged": 2, "reused": 3}
    assert embedder.texts == []
    assert told.of(Renamed) == [Renamed(path="sub/z.md", previous_path="a.md")]
    assert paths(kb, "alpha") == ["sub/z.md"]


def test_moving_a_section_to_another_file_embeds_it_only_if_its_breadcrumb_changed(open_base: Open):
    embedder = WatchedEmbedder()
    settings = replace(Settings(), contextual=replace(Settings().contextual, enabled=False))
    kb = open_base(FILES, embedder=embedder, settings=settings)
    kb.index()
    embedder.forget()
    write_files(
        kb.root, {"a.md": "# A\n\nalpha words\n\n## Last\n\nfinal words\n", "n.md": "# N\n\n## More\n\nfurther words\n"}
    )
    kb.index()
    assert [text for text in embedder.texts if "further" in text] == []


def test_a_deleted_file_goes_and_text_it_shared_stays(open_base: Open):
    text = "The shared clause, in so many words that it counts as a passage worth finding by its meaning alone.\n"
    kb = open_base({"a.md": text, "b.md": text})
    kb.index()
    (kb.root / "a.md").unlink()
    told = Told()
    assert counts(kb.index(listener=told)) == {"deleted": 1, "unchanged": 1}
    assert told.of(Deleted) == [Deleted(path="a.md")]
    assert paths(kb, "shared clause") == ["b.md"]
    assert paths(kb, "shared clause", mode="semantic") == ["b.md"]
    assert_whole(kb.index_path)


def test_equal_texts_of_one_batch_are_embedded_once(open_base: Open, embedder: WatchedEmbedder):
    kb = open_base({f"{number}.md": "# Licence\n\nthe same words everywhere\n" for number in range(20)})
    kb.index()
    assert len(embedder.texts) == 1
    assert_whole(kb.index_path)


def test_another_parser_for_the_extension_parses_anew(open_base: Open, tmp_path: Path):
    kb = open_base({"a.md": "# One\n\nalpha\n\n# Two\n\nbeta\n"}, settings=Settings())
    kb.index()
    settle(kb)
    sql(kb.index_path, "UPDATE documents SET parser = 'old-markdown'")
    kb.close()
    assert counts(kb.index()) == {"updated": 1, "reused": 2}
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)


def test_an_extension_that_is_no_longer_enabled_leaves_the_index(open_base: Open):
    both = Settings(parsers=ParserSettings(enabled=("md", "txt")))
    open_base({"a.md": "alpha", "b.txt": "beta"}, settings=both).index()
    assert counts(open_base().index()) == {"unchanged": 1, "deleted": 1}


# -- events --------------------------------------------------------------------------------------------------------


def test_a_runs_events_in_their_order(kb: KnowledgeBase):
    write_files(kb.root, {"new.md": "new words", "a.md": "# A\n\nchanged\n"})
    (kb.root / "b.md").unlink()
    (kb.root / "sub/c.md").rename(kb.root / "sub/d.md")
    (kb.root / "link.md").symlink_to("a.md")
    told = Told()
    summary = kb.index(listener=told)
    assert told.lines() == [
        "Skipped link.md",
        "Started",
        "Renamed sub/d.md",
        "Indexed a.md",
        "Indexed new.md",
        "Deleted b.md",
        "Finished",
    ]
    assert told.of(Scanning) == [Scanning(done=number, total=4) for number in (1, 2, 3, 4)]
    assert told.of(Started) == [Started(total=4, found=3)]
    assert told.of(Indexed) == [
        Indexed(path="a.md", chunks=1, embedded=1, is_new=False),
        Indexed(path="new.md", chunks=1, embedded=1, is_new=True),
    ]
    assert told.of(Finished) == [Finished(summary=summary)]
    assert (summary.documents, summary.chunks) == (3, 3)


def test_as_many_documents_are_reported_as_were_announced(kb: KnowledgeBase):
    write_files(kb.root, {"new.md": "new", "poison.md": "poison", "a.md": "# A\n\nchanged\n"})
    (kb.root / "b.md").unlink()
    kb.embedder.before = refuse_poison
    told = Told()
    kb.index(listener=told)
    started = next(number for number, event in enumerate(told.events) if isinstance(event, Started))
    (announced,) = told.of(Started)
    reported = [
        event for event in told.events[started:] if isinstance(event, Indexed | Renamed | Unchanged | Deleted | Skipped)
    ]
    assert announced == Started(total=len(reported), found=4)


def test_an_events_notices_name_the_line(open_base: Open):
    told = Told()
    open_base({"a.md": "---\ntitle: one\ntitle: two\n---\n\ntext\n"}).index(listener=told)
    (event,) = told.of(Indexed)
    assert any(notice.startswith("line ") for notice in event.notices)


def test_a_document_is_searchable_when_its_event_comes(open_base: Open):
    kb = open_base(FILES)
    seen: list[tuple[str, bool]] = []

    def listen(event: object) -> None:
        if isinstance(event, Indexed):
            seen.append((event.path, event.path in kb.store().documents.states()))

    kb.index(listener=listen)
    assert seen == [("a.md", True), ("b.md", True), ("sub/c.md", True)]


# -- files and models that fail ------------------------------------------------------------------------------------


def test_a_text_without_a_usable_vector_costs_its_document_alone(kb: KnowledgeBase, embedder: WatchedEmbedder):
    write_files(kb.root, {"a.md": "# A\n\npoison now\n", "new.md": "poison too", "z.md": "zeta"})
    embedder.before = refuse_poison
    told = Told()
    summary = kb.index(listener=told)
    assert {(each.path, each.kept) for each in summary.skipped} == {("a.md", True), ("new.md", False)}
    assert all("not finite" in each.reason for each in summary.skipped)
    assert counts(summary)["indexed"] == 1
    assert paths(kb, "alpha") == ["a.md"]  # as it was
    assert paths(kb, "zeta") == ["z.md"]
    assert_whole(kb.index_path)
    embedder.before = lambda _: None
    assert counts(kb.index())["indexed"] == 1  # tried again


def test_a_model_that_fails_ends_the_run_and_keeps_what_was_written(open_base: Open):
    embedder = WatchedEmbedder()
    kb = open_base({f"{number:03d}.md": f"# T\n\nword{number} " * 40 for number in range(300)}, embedder=embedder)

    def fail_later(texts: object) -> None:
        if len(embedder.texts) > 250:
            refuse_everything(texts)  # type: ignore[arg-type]

    embedder.before = fail_later
    with pytest.raises(EmbeddingError, match="stopped answering"):
        kb.index()
    assert_whole(kb.index_path)
    done = len(kb.store().documents.states())
    assert 0 < done < 300
    calls = len(embedder.texts)
    embedder.before = lambda _: None
    assert counts(kb.index())["indexed"] == 300 - done
    assert len(embedder.texts) - calls <= 300 * 2 - done
    assert_whole(kb.index_path)


def test_a_failing_model_is_asked_once(open_base: Open):
    asked: list[int] = []

    def refuse(texts: list[str]) -> None:
        asked.append(len(texts))
        refuse_everything(texts)

    kb = open_base(
        {f"{number:03d}.md": f"word{number}\n" for number in range(600)}, embedder=WatchedEmbedder(before=refuse)
    )
    with pytest.raises(EmbeddingError):
        kb.index()
    assert len(asked) <= 3  # the batch that failed, and at most the two behind it


def test_a_file_that_goes_away_during_the_run_is_told_and_gone_the_next_time(kb: KnowledgeBase):
    write_files(kb.root, {"a.md": "# A\n\nchanged\n", "new.md": "new"})

    def remove(event: object) -> None:
        if isinstance(event, Started):
            (kb.root / "a.md").unlink()
            (kb.root / "new.md").unlink()

    summary = kb.index(listener=remove)
    assert {(each.path, each.kept) for each in summary.skipped} == {("a.md", True), ("new.md", False)}
    assert all("went away" in each.reason for each in summary.skipped)
    assert counts(kb.index()) == {"deleted": 1, "unchanged": 2}


def test_the_folder_that_disappears_during_a_run_empties_nothing(kb: KnowledgeBase, tmp_path: Path):
    write_files(kb.root, {"new.md": "new"})
    before = everything(kb.index_path)

    def remove(event: object) -> None:
        if isinstance(event, Started):
            kb.root.rename(tmp_path / "away")

    summary = kb.index(listener=remove)
    assert {each.path for each in summary.skipped} == {"new.md"}
    assert everything(kb.index_path) == before
    with pytest.raises(KnowledgeBaseError):
        kb.index()
    assert everything(kb.index_path) == before


# -- whose index, which model --------------------------------------------------------------------------------------


def test_two_folders_side_by_side_do_not_take_turns_in_one_index(kb: KnowledgeBase, open_base: Open, tmp_path: Path):
    other = open_base({"x.md": "xi words"}, root=tmp_path / "other")
    before = everything(kb.index_path)
    for attempt in (other.index, lambda: other.index_paths(["x.md"]), lambda: other.search("words")):
        with pytest.raises(StoreError, match=r"belongs to the folder 'kb', not to 'other'.*\[index\]\.path"):
            attempt()
    assert everything(kb.index_path) == before
    own = open_base(root=tmp_path / "other", settings=Settings(index=IndexSettings(path=tmp_path / "own.db")))
    own.index()
    assert paths(own, "xi") == ["x.md"]
    assert paths(kb, "alpha") == ["a.md"]


def test_a_folder_that_was_renamed_gets_its_index_back_by_force(kb: KnowledgeBase, open_base: Open, tmp_path: Path):
    kb.close()
    kb.root.rename(tmp_path / "notes")
    renamed = open_base(root=tmp_path / "notes")
    with pytest.raises(StoreError, match="--force"):
        renamed.index()
    assert counts(renamed.index(force=True))["reused"] == 5
    assert paths(renamed, "alpha") == ["a.md"]


def test_another_model_is_refused_with_both_names_and_nothing_is_written(kb: KnowledgeBase, open_base: Open):
    other = open_base(embedder=WatchedEmbedder(name="other-model", dimension=32))
    write_files(kb.root, {"new.md": "new"})
    before = everything(kb.index_path)
    for attempt in (other.index, lambda: other.index_paths(["new.md"]), lambda: other.search("words")):
        with pytest.raises(ModelMismatch) as caught:
            attempt()
        for part in ("'fake'", "'other-model'", "dimension: 64 there, 32 here", "groove index --force"):
            assert part in str(caught.value)
    assert everything(kb.index_path) == before


def test_the_index_goes_on_in_its_own_context_mode(kb: KnowledgeBase, open_base: Open, embedder: WatchedEmbedder):
    off = replace(Settings(), contextual=replace(Settings().contextual, enabled=False))
    other = open_base({"b.md": "# B\n\n## Deep\n\nchanged words\n"}, settings=off)
    other.index()
    (text,) = (text for text in embedder.texts if "changed words" in text)
    assert text == "B > Deep\n\nchanged words"
    assert other.status().contextual


def test_an_empty_folder_is_a_knowledge_base(open_base: Open):
    kb = open_base({})
    summary = kb.index()
    assert (counts(summary), summary.documents) == ({}, 0)
    assert kb.search("anything").hits == ()
    assert kb.status().statistics.documents == 0


def test_declared_fields_are_those_of_the_last_run(open_base: Open):
    kb = open_base(
        {"a.md": "---\nstatus: done\n---\n\nalpha\n", "groove-schema.toml": '[fields.status]\ntype = "string"\n'}
    )
    kb.index()
    assert kb.status().declared_fields == ("status",)


HANDBOOK = Path(__file__).parents[2] / "golden" / "handbook"


@pytest.mark.skipif(not HANDBOOK.exists(), reason="the golden handbook is not part of this copy")
def test_a_real_handbook(open_base: Open, embedder: WatchedEmbedder, tmp_path: Path):
    """Two languages, tables and lists: a second run does nothing, a section costs itself, a moved chapter nothing."""
    root = shutil.copytree(HANDBOOK, tmp_path / "kb")
    kb = open_base(root=root)
    documents = kb.index().documents
    assert documents > 40
    settle(kb)
    embedder.forget()
    assert counts(kb.index()) == {"unchanged": documents}
    page = next(path for path in sorted(root.glob("operations/**/*.md")) if path.read_text("utf-8").count("\n## ") >= 2)
    text = page.read_text("utf-8")
    page.write_text(text.replace("\n## ", "\n## Newly named: ", 1), encoding="utf-8")
    summary = kb.index()
    assert counts(summary)["updated"] == 1
    section = text.split("\n## ")[1]
    assert embedder.texts
    assert all("Newly named" in text for text in embedder.texts)
    assert sum(map(len, embedder.texts)) < 2 * len(section) + 400
    embedder.forget()
    (root / "operations").rename(root / "running")
    moved = kb.index()
    assert (moved.renamed, moved.embedded, embedder.texts) == (len(list(root.glob("running/**/*.md"))), 0, [])
    (root / "running").rename(root / "operations")
    page.write_text(text, encoding="utf-8")
    kb.index()
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)
    assert_whole(kb.index_path)


# -- documents that are embedded together are written together ---------------------------------------------------------


def test_what_was_embedded_together_is_in_one_transaction(open_base: Open):
    """A reader sees none of a batch or all of it."""
    kb = open_base({f"{number:02d}.md": f"# {number}\n\nsome words of {number}\n" for number in range(100)})
    seen: list[int] = []

    def listen(event: object) -> None:
        if isinstance(event, Indexed):
            seen.append(len(kb.store().documents.states()))

    kb.index(listener=listen)
    assert len(seen) == 100
    assert set(seen) == {BATCH_WINDOWS, 100}
    assert seen == sorted(seen)
    assert_whole(kb.index_path)


def test_where_there_is_no_room_for_all_what_fits_is_written(open_base: Open, tmp_path: Path):
    """The large document fails the batch it is in; the three before it are written, told of, and not embedded again."""
    kb = open_base()
    kb.index()
    write_files(kb.root, {f"{name}.md": f"# {name}\n\nwords of {name}\n" for name in "abcef"})
    write_files(kb.root, {"d.md": "# d\n\n" + "".join(f"number{number} " for number in range(20_000))})
    told = Told()
    with open_index(kb.index_job()) as store:
        store.database.value(f"PRAGMA max_page_count = {store.database.value('PRAGMA page_count') + 60}")
        with pytest.raises(DiskFull, match="no room left"):
            make_indexer(kb.index_job(), store).run(listener=told)
    assert [event.path for event in told.of(Indexed)] == ["a.md", "b.md", "c.md"]
    assert list(kb.store().documents.states()) == ["a.md", "b.md", "c.md"]
    assert_whole(kb.index_path)
    kb.index()
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)
