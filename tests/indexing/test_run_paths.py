from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.errors import ModelMismatch, WriterBusy
from grooveseek.indexing.events import CancelToken, Event, Skipped
from grooveseek.store.documents import Documents
from grooveseek.store.lock import writer_lock
from tests.support.index_rows import fresh_rows, rows

FILES: dict[str, str | bytes] = {
    "a.md": "# A\n\nalpha words\n",
    "sub/b.md": "---\ntitle: Bee\ntags: [x]\n---\n\n# B\n\nbeta words\n",
    "sub/deep/c.md": "# C\n\n## One\n\ngamma\n\n## Two\n\ndelta\n",
    "other/d.md": "# D\n\nshared words\n",
    "other/e.md": "# E\n\nepsilon\n",
}


@pytest.fixture
def kb(open_kb) -> KnowledgeBase:
    kb = open_kb(files=FILES)
    kb.index()
    return kb


def check(kb: KnowledgeBase, tmp_path: Path) -> None:
    """The index is what one made anew would be, row by row."""
    assert rows(kb.index_path) == fresh_rows(kb, tmp_path)


def test_a_changed_file_is_brought_up_to_date(kb: KnowledgeBase, tmp_path: Path):
    (kb.root / "sub/deep/c.md").write_text("# C\n\n## One\n\ngamma\n\n## Two\n\nsomething else\n")
    summary = kb.index_paths(["sub/deep/c.md"])
    assert (summary.updated, summary.reused, summary.embedded) == (1, 1, 1)
    check(kb, tmp_path)


def test_a_renamed_file_keeps_its_vectors(kb: KnowledgeBase, tmp_path: Path):
    (kb.root / "sub/deep/c.md").rename(kb.root / "moved.md")
    summary = kb.index_paths(["sub/deep/c.md", "moved.md"])
    assert (summary.renamed, summary.deleted, summary.indexed, summary.embedded) == (1, 0, 0, 0)
    check(kb, tmp_path)


def test_a_folder_is_named_for_all_below_it(kb: KnowledgeBase, tmp_path: Path):
    (kb.root / "sub").rename(kb.root / "new place")
    summary = kb.index_paths(["sub", "new place"])
    assert (summary.renamed, summary.embedded) == (2, 0)
    check(kb, tmp_path)


def test_new_deleted_and_swapped_files(kb: KnowledgeBase, tmp_path: Path):
    (kb.root / "a.md").unlink()
    (kb.root / "new.md").write_text("# New\n\nnewest\n")
    one, two, between = kb.root / "other/d.md", kb.root / "other/e.md", kb.root / "other/t"
    one.rename(between)
    two.rename(one)
    between.rename(two)
    summary = kb.index_paths(["a.md", "new.md", "other/d.md", "other/e.md", "other/t"])
    assert (summary.deleted, summary.indexed, summary.updated) == (1, 1, 2)
    check(kb, tmp_path)


def test_a_file_in_the_place_of_a_folder_and_the_other_way_round(kb: KnowledgeBase, tmp_path: Path):
    for path in ("other/d.md", "other/e.md"):
        (kb.root / path).unlink()
    (kb.root / "other").rmdir()
    (kb.root / "other").write_text("no document")
    (kb.root / "a.md").unlink()
    (kb.root / "a.md").mkdir()
    (kb.root / "a.md" / "inside.md").write_text("# Inside\n")
    kb.index_paths(["other", "a.md"])
    check(kb, tmp_path)


def test_what_is_not_named_is_left_as_it_is(kb: KnowledgeBase):
    before = rows(kb.index_path)
    (kb.root / "a.md").write_text("# Changed\n\nwithout a word\n")
    (kb.root / "sub/b.md").unlink()
    summary = kb.index_paths(["other/d.md"])
    assert (summary.unchanged, summary.updated, summary.deleted) == (1, 0, 0)
    assert rows(kb.index_path) == before


def test_one_path_costs_one_path(kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch):
    """Neither the folder nor the list of documents is gone through."""
    listed: list[str] = []
    monkeypatch.setattr(Documents, "states", lambda self: pytest.fail("the whole list was asked for"))
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: (listed.append(str(path)), scandir(path))[1])
    (kb.root / "a.md").write_text("# A\n\nchanged\n")
    assert kb.index_paths(["a.md"]).updated == 1
    assert listed == []


def test_names_that_cannot_be_documents_are_told_and_harm_nothing(kb: KnowledgeBase, tmp_path: Path):
    (kb.root / "bad\\name.md").write_text("x")
    (kb.root / os.fsdecode(b"\xff.md")).write_text("x")
    events: list[Event] = []
    kb.index_paths(["bad\\name.md", os.fsdecode(b"\xff.md"), "a.md"], listener=events.append)
    skipped = [event for event in events if isinstance(event, Skipped)]
    assert len(skipped) == 2
    assert all(event.declined for event in skipped)
    check(kb, tmp_path)


def test_the_first_paths_of_an_index_that_never_saw_a_run_bring_a_whole_run(open_kb, tmp_path: Path):
    kb = open_kb(files=FILES)
    assert kb.index_paths(["a.md"]).indexed == len(FILES)
    check(kb, tmp_path)


@pytest.mark.parametrize("after", [0, 1, 4, 6, 8, 10])
def test_a_run_stopped_anywhere_leaves_every_document_whole_and_can_go_on(
    kb: KnowledgeBase, tmp_path: Path, after: int
):
    old = rows(kb.index_path)
    for path in FILES:
        (kb.root / path).write_text(f"# Again\n\n{path} is new\n")
    new = fresh_rows(kb, tmp_path)
    cancel = CancelToken()
    seen = 0

    def stop(_: Event) -> None:
        nonlocal seen
        seen += 1
        if seen >= after:
            cancel.cancel()

    if after == 0:
        cancel.cancel()
    kb.index_paths(list(FILES), cancel=cancel, listener=stop)
    half = rows(kb.index_path)
    for table in ("documents", "chunks", "vectors"):
        for path in FILES:
            mine = [row for row in half[table] if row[0] == path]
            versions = [[row for row in version[table] if row[0] == path] for version in (old, new)]
            assert mine in versions
    kb.index_paths(list(FILES))
    check(kb, tmp_path)


def test_another_writer_is_told_of_and_not_waited_for(kb: KnowledgeBase):
    code = (
        "import sys\nfrom pathlib import Path\nfrom grooveseek.store.lock import writer_lock\n"
        "with writer_lock(Path(sys.argv[1]), wait=False, command='a test'):\n    print('held', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code, str(kb.index_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(WriterBusy, match="a test"):
            kb.index_paths(["a.md"])
        holder.communicate()
    assert kb.index_paths(["a.md"]).unchanged == 1


def test_an_index_of_another_model_is_not_written_to(kb: KnowledgeBase):
    before = rows(kb.index_path)
    (kb.root / "a.md").write_text("changed")
    other = KnowledgeBase(kb.settings, embedder=FakeEmbedder(dimension=32))
    with pytest.raises(ModelMismatch):
        other.index_paths(["a.md"])
    assert rows(kb.index_path) == before


def test_a_replaced_index_file_is_opened_anew_by_those_who_read_it(kb: KnowledgeBase, tmp_path: Path):
    assert kb.search("alpha", mode="keyword").hits
    for file in kb.index_path.parent.glob(f"{kb.index_path.name}*"):
        file.unlink()
    (kb.root / "a.md").write_text("# A\n\nomega\n")
    kb.index()
    assert not kb.search("alpha", mode="keyword").hits
    assert kb.search("omega", mode="keyword").hits


def test_the_lock_is_free_again_afterwards(kb: KnowledgeBase):
    kb.index_paths(["a.md"])
    with writer_lock(kb.index_path, wait=False, command="a test"):
        pass
