"""Old files become new ones, and later ones are refused."""

from __future__ import annotations

import gzip
import importlib.util
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.errors import NewerSchema, StoreError
from grooveseek.model.query import Filters
from grooveseek.store import schema
from grooveseek.store.database import Database
from grooveseek.store.store import Store
from tests.conftest import write_files
from tests.store.conftest import chunks, document
from tests.support.index_rows import fresh_rows, rows
from tests.support.indexes import assert_whole, everything, sql
from tests.support.search import paths

FIXTURES = Path(__file__).parents[1] / "fixtures" / "index"
VERSIONS = range(1, schema.SCHEMA_VERSION + 1)


def recipe() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_index_fixture", FIXTURES / "make.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=VERSIONS)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> KnowledgeBase:
    """The knowledge base of the recipe with the index that an older groove made of it."""
    made = recipe()
    root = tmp_path / "kb"
    root.mkdir()
    write_files(root, made.FILES)
    (tmp_path / ".groove.db").write_bytes(gzip.decompress((FIXTURES / f"v{request.param}.db.gz").read_bytes()))
    return KnowledgeBase(replace(made.SETTINGS, kb_path=root), embedder=FakeEmbedder(window=64))


def test_an_index_of_every_version_is_opened_and_goes_on(old: KnowledgeBase):
    with old as kb:
        summary = kb.index()
        assert (summary.unchanged, summary.indexed, summary.updated, summary.deleted) == (6, 0, 0, 0)
        assert_whole(kb.index_path)
        assert sql(kb.index_path, "PRAGMA user_version") == [(schema.SCHEMA_VERSION,)]
        for mode in ("keyword", "hybrid", "semantic"):
            assert paths(kb, "scrape and prime the hull", mode=mode)[0] == "boats/hull.md"
        assert paths(kb, "倉庫係") == ["倉庫.md"]
        assert paths(kb, "word149") == ["long.md"]
        (hit,) = kb.search("hull", filters=Filters(fields={"status": ("done",)}), limit=1).hits
        assert (hit.path, hit.date, hit.tags) == ("boats/hull.md", "2026-03-14", ("paint", "winter"))
        with kb.store().snapshot():
            (several,) = kb.store().database.all("SELECT windows FROM chunks WHERE windows > 1")
            assert several[0] >= 3


def test_an_old_index_takes_changes(old: KnowledgeBase):
    with old as kb:
        (kb.root / "boats" / "hull.md").write_text("# Hull\n\nNow it is tarred.\n")
        (kb.root / "empty.md").unlink()
        (kb.root / "倉庫.md").rename(kb.root / "store.md")
        summary = kb.index()
        assert (summary.updated, summary.deleted, summary.renamed) == (1, 1, 1)
        assert_whole(kb.index_path)
        assert paths(kb, "tarred") == ["boats/hull.md"]
        assert paths(kb, "winter frost") == []
        kb.index(force=True)
        assert_whole(kb.index_path)


def test_the_newest_fixture_is_what_indexing_makes_today(old: KnowledgeBase, tmp_path: Path):
    if sql(old.index_path, "PRAGMA user_version") != [(schema.SCHEMA_VERSION,)]:
        pytest.skip("an index of an older version")
    with old as kb:
        assert rows(kb.index_path).keys() == fresh_rows(kb, tmp_path).keys()
        assert sql(kb.index_path, "SELECT sql FROM sqlite_schema ORDER BY name") == sql(
            tmp_path / "fresh.db", "SELECT sql FROM sqlite_schema ORDER BY name"
        ), "make a fixture of the new schema version: tests/fixtures/index/make.py"


# -- the machinery, tried with a version to come -------------------------------------------------------------------


@pytest.fixture
def written(index: Path) -> Path:
    with Store.open_for_writing(index) as store:
        store.documents.put(document(), chunks("fog horn", "bell"))
    return index


def add_colour(database: Database) -> None:
    database.execute("ALTER TABLE documents ADD COLUMN colour TEXT")
    database.execute("UPDATE documents SET colour = 'grey'")


def add_shape(database: Database) -> None:
    database.execute("ALTER TABLE documents ADD COLUMN shape TEXT")
    assert database.value("SELECT count(*) FROM documents WHERE colour = 'grey'") == 1


def fail_half_way(database: Database) -> None:
    add_shape(database)
    raise StoreError("the migration failed")


def test_migrations_run_in_turn_and_once(written: Path, monkeypatch: pytest.MonkeyPatch):
    now = schema.SCHEMA_VERSION
    monkeypatch.setattr(schema, "SCHEMA_VERSION", now + 2)
    monkeypatch.setattr(schema, "MIGRATIONS", {now: add_colour, now + 1: add_shape})
    for _ in range(2):
        with Store.open_for_writing(written) as store:
            assert store.database.all("SELECT colour, shape FROM documents") == [("grey", None)]
    assert sql(written, "PRAGMA user_version") == [(now + 2,)]
    assert_whole(written)


def test_a_migration_that_fails_leaves_the_last_whole_version(written: Path, monkeypatch: pytest.MonkeyPatch):
    now = schema.SCHEMA_VERSION
    before = everything(written)
    monkeypatch.setattr(schema, "SCHEMA_VERSION", now + 2)
    monkeypatch.setattr(schema, "MIGRATIONS", {now: add_colour, now + 1: fail_half_way})
    with pytest.raises(StoreError, match="the migration failed"):
        Store.open_for_writing(written)
    assert sql(written, "PRAGMA user_version") == [(now + 1,)]
    assert "shape" not in {row[1] for row in sql(written, "PRAGMA table_info(documents)")}
    monkeypatch.undo()
    monkeypatch.setattr(schema, "SCHEMA_VERSION", now + 1)
    assert everything(written) == before


def test_a_reader_does_not_migrate_and_says_what_does(written: Path, monkeypatch: pytest.MonkeyPatch):
    now = schema.SCHEMA_VERSION
    monkeypatch.setattr(schema, "SCHEMA_VERSION", now + 1)
    monkeypatch.setattr(schema, "MIGRATIONS", {now: add_colour})
    with pytest.raises(
        StoreError, match=f"schema version {now}; run `groove index` once to bring it to version {now + 1}"
    ):
        Store.open_for_reading(written)
    assert sql(written, "PRAGMA user_version") == [(now,)]


def test_an_older_groove_refuses_a_newer_index(written: Path, monkeypatch: pytest.MonkeyPatch):
    now = schema.SCHEMA_VERSION
    monkeypatch.setattr(schema, "SCHEMA_VERSION", now - 1)
    for open_ in (Store.open_for_reading, Store.open_for_writing):
        with pytest.raises(NewerSchema, match=f"schema version {now}, and this groove knows versions up to {now - 1}"):
            open_(written)


def test_there_is_a_migration_from_every_version_and_a_fixture_of_each():
    assert set(schema.MIGRATIONS) == set(range(1, schema.SCHEMA_VERSION))
    assert {path.name for path in FIXTURES.glob("*.gz")} == {f"v{version}.db.gz" for version in VERSIONS}
