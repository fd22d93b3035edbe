"""What the index was made with, and what interrupted runs left beside it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.doctor import examine as examination
from grooveseek.embedding import bundle
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.errors import NoIndex
from grooveseek.indexing.build import building_path
from grooveseek.indexing.events import CancelToken, Indexed
from grooveseek.settings.sections import ContextualSettings, IndexSettings
from grooveseek.store import schema
from grooveseek.store.lock import holder_path, writer_lock
from tests.support.damage import assert_clean, only, sql

Reopen = Callable[..., KnowledgeBase]

_CRASH = """
import os, sys
from pathlib import Path
from grooveseek.store.lock import writer_lock
with writer_lock(Path(sys.argv[1]), wait=False, command="groove index"):
    os._exit(1)
"""


def test_a_note_of_a_writer_that_crashed(kb: KnowledgeBase):
    subprocess.run([sys.executable, "-c", _CRASH, str(kb.index_path)], check=False, timeout=60)
    assert holder_path(kb.index_path).exists()
    finding = only(kb.examine(), "stale-lock")
    assert finding.remedy == "groove index"
    assert finding.examples[0].startswith(".groove.db.writer: process ")
    kb.index()
    assert_clean(kb.examine())


def test_a_writer_that_is_at_work_is_no_finding(kb: KnowledgeBase):
    building_path(kb.index_path).write_bytes(b"")
    with writer_lock(kb.index_path, wait=False, command="groove index --force"):
        assert_clean(kb.examine())


def test_a_forced_rebuild_that_was_interrupted(kb: KnowledgeBase):
    for number in range(300):
        (kb.root / f"{number}.md").write_text(f"# Note {number}\n", encoding="utf-8")
    kb.index()
    cancel = CancelToken()
    kb.index(force=True, cancel=cancel, listener=lambda e: cancel.cancel() if isinstance(e, Indexed) else None)
    assert building_path(kb.index_path).exists()
    finding = only(kb.examine(), "leftover-building")
    assert finding.remedy.startswith("groove index --force")
    assert finding.examples[0].startswith(".groove.db.building (")
    kb.index(force=True)
    assert_clean(kb.examine())


def test_an_index_of_another_model(kb: KnowledgeBase):
    other = KnowledgeBase(kb.settings, embedder=FakeEmbedder(32))
    finding = only(other.examine(), "model-mismatch")
    assert finding.examples == ("dimension: 64 in the index, 32 now",)
    assert "groove index --force" in finding.remedy
    other.index(force=True)
    assert_clean(other.examine())
    other.close()


def test_an_index_that_does_not_say_its_model(kb: KnowledgeBase):
    sql(kb.index_path, "DELETE FROM index_meta WHERE key = 'model_identity'")
    finding = only(kb.examine(), "model-unrecorded")
    assert finding.remedy == "groove index --force"
    kb.index(force=True)
    assert_clean(kb.examine())


def test_an_index_of_another_folder(kb: KnowledgeBase, open_kb):
    other = open_kb(root=kb.root.parent / "other", settings=kb.settings)
    for name in ("boats", "garden"):
        shutil.copytree(kb.root / name, other.root / name)
    shutil.copy(kb.root / "plan.md", other.root)
    finding = only(other.examine(), "other-folder")
    assert finding.summary == "The index belongs to the folder 'kb', not to 'other'"
    own = open_kb(root=other.root, settings=kb.settings.__class__(index=IndexSettings(path=kb.root.parent / "o.db")))
    own.index()
    assert_clean(own.examine())


def test_settings_that_ask_for_another_context_mode(kb: KnowledgeBase, reopened: Reopen):
    other = reopened(kb, contextual=ContextualSettings(enabled=not kb.settings.contextual.enabled))
    finding = only(other.examine(), "context-mode")
    assert finding.severity == "note"
    assert finding.remedy.startswith("groove index --force")
    other.index(force=True)
    assert_clean(other.examine())


# -- models --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "name", "says"),
    [
        ("model", "bge-small-en-v1.5", "model bge-small-en-v1.5: it is not in "),
        ("model", "./nowhere", "is neither the name of a model nor a directory"),
        ("reranker", "bge-base", "reranker bge-base: it is not in "),
        ("reranker", "./nowhere", "is neither the name of a model nor a directory"),
    ],
)
def test_a_model_whose_files_are_not_here(
    kb: KnowledgeBase,
    reopened: Reopen,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
    name: str,
    says: str,
):
    monkeypatch.setenv("FASTEMBED_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # nothing listens there: a download would fail, and show
    report = reopened(kb, **{setting: name}).examine()
    (finding,) = report.findings
    assert (finding.check, finding.severity) == ("model-files", "error")
    assert says in finding.examples[0]
    # without its files the model cannot be compared with the index's, which is said rather than passed over
    assert [each.check for each in report.not_run] == (["model"] if setting == "model" else [])
    assert_clean(reopened(kb).examine())


def test_a_bundled_model_that_was_damaged(kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    copy = shutil.copytree(bundle.DIRECTORY, tmp_path / "model")
    with (copy / "tokenizer.json").open("ab") as file:
        file.write(b" ")
    monkeypatch.setattr("grooveseek.doctor.models.bundled_card", lambda: bundle.bundled_card(copy))
    finding = kb.examine().findings[0]
    assert finding.check == "model-files"
    assert "tokenizer.json is damaged" in finding.examples[0]
    assert "reinstall groove" in finding.examples[0]


def test_a_remote_model_has_no_files(kb: KnowledgeBase, reopened: Reopen):
    from dataclasses import replace

    remote = replace(kb.settings.embedding, provider="openai")
    assert_clean(reopened(kb, embedding=remote, model="whatever-they-call-it").examine())


# -- the schema's version ------------------------------------------------------------------------------------------


def test_an_index_of_a_later_groove(kb: KnowledgeBase):
    sql(kb.index_path, "PRAGMA user_version = 99")
    report = kb.examine()
    (finding,) = report.findings
    assert finding.check == "schema-version"
    assert finding.remedy.startswith("Upgrade groove")
    assert report.documents is None
    assert len(report.not_run) == len(examination.CHECKS)
    sql(kb.index_path, f"PRAGMA user_version = {schema.SCHEMA_VERSION}")
    assert_clean(kb.examine())


def test_an_index_of_an_earlier_groove(kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(schema, "SCHEMA_VERSION", schema.SCHEMA_VERSION + 1)
    (finding,) = kb.examine().findings
    assert (finding.check, finding.remedy) == ("schema-version", "groove index")


def test_no_index_is_no_finding(open_kb):
    with pytest.raises(NoIndex):
        open_kb(files={}).examine()


# -- shared text, deletes, leftovers -------------------------------------------------------------------------------


def test_doctor_is_clean_at_every_step_of_deleting_moving_and_shrinking(open_kb):
    case = Path(__file__).parents[1] / "cases" / "C25"
    expected = json.loads((case / "expect.json").read_text(encoding="utf-8"))["thylacine_files_after"]
    kb = open_kb(files={})
    for step in ("init", "delete_a", "move_b", "shrink_d", "edit_c", "empty"):
        subprocess.run([sys.executable, str(case / "act.py"), str(kb.root), step], check=True, timeout=60)
        kb.index()
        report = kb.examine()
        assert_clean(report)
        (counts,) = sql(
            kb.index_path,
            "SELECT (SELECT count(*) FROM chunks WHERE windows = 1), (SELECT count(*) FROM chunk_vectors), "
            "(SELECT count(*) FROM chunks), (SELECT count(*) FROM fts_words_docsize), "
            "(SELECT count(*) FROM fts_trigram_docsize)",
        )
        assert counts[0] == counts[1]
        assert counts[2] == counts[3] == counts[4] == report.chunks
        if step in expected:
            found = {hit.path for hit in kb.search("thylacine", mode="keyword").hits}
            assert sorted(found) == expected[step]
