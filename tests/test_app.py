"""The facade: settings become an open knowledge base, for one thread or many."""

from __future__ import annotations

import gc
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import grooveseek
import pytest
from grooveseek.app import INDEX_NAME, KnowledgeBase, index_path, index_size, open_knowledge_base
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.errors import ConfigError, KnowledgeBaseError, NoIndex, QueryError, UsageError
from grooveseek.model.query import Filters, SearchRequest
from grooveseek.settings.sections import IndexSettings, Settings
from tests.conftest import OpenKb, write_files
from tests.support.search import paths

FILES: dict[str, str | bytes] = {"a.md": "# A\n\nalpha words\n", "b.md": "# B\n\nbeta words\n"}


@pytest.fixture
def kb(open_kb: OpenKb) -> KnowledgeBase:
    made = open_kb(files=FILES)
    made.index()
    return made


# -- opening -------------------------------------------------------------------------------------------------------


def test_a_folder_is_opened_with_the_settings_a_command_here_would_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "notes").mkdir()
    (tmp_path / "groove.toml").write_text('model = "fake"\nkb_path = "notes"\n')
    monkeypatch.chdir(tmp_path)
    for opened in (grooveseek.open("notes"), grooveseek.open(), open_knowledge_base(tmp_path / "notes")):
        with opened as kb:
            assert kb.root == tmp_path / "notes"
            assert kb.embedder.identity.name == "fake"
            assert kb.index_path == tmp_path / INDEX_NAME


def test_a_named_config_is_trusted_and_the_folder_given_wins(tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    config = tmp_path / "my.toml"
    config.write_text(f'model = "fake"\nkb_path = "one"\n[index]\npath = "{(tmp_path / "x.db").as_posix()}"\n')
    with grooveseek.open(tmp_path / "two", config=config) as kb:
        assert (kb.root, kb.index_path) == (tmp_path / "two", tmp_path / "x.db")
    with pytest.raises(ConfigError, match=r"gone\.toml"):
        grooveseek.open(config=tmp_path / "gone.toml")


def test_settings_and_embedder_can_be_given(tmp_path: Path):
    (tmp_path / "kb").mkdir()
    embedder = FakeEmbedder(dimension=8)
    with grooveseek.open(tmp_path / "kb", settings=Settings(model="not looked at"), embedder=embedder) as kb:
        assert kb.embedder is embedder


def test_what_cannot_be_opened(tmp_path: Path):
    with pytest.raises(UsageError, match=r"no knowledge base is named\. Use --kb-path"):
        KnowledgeBase(Settings())
    with pytest.raises(KnowledgeBaseError, match="does not exist"):
        KnowledgeBase(Settings(kb_path=tmp_path / "gone"))
    with pytest.raises(KnowledgeBaseError, match="is the root of a file system"):
        index_path(Path(tmp_path.anchor), Settings())
    elsewhere = Settings(index=IndexSettings(path=tmp_path / "x.db"))
    assert index_path(Path(tmp_path.anchor), elsewhere) == tmp_path / "x.db"


def test_before_the_first_run_there_is_nothing_to_ask(open_kb: OpenKb):
    kb = open_kb(files=FILES)
    for ask in (kb.status, kb.store, lambda: kb.search("alpha")):
        with pytest.raises(NoIndex, match="Run `groove index` first"):
            ask()
    assert index_size(kb.index_path) == 0
    assert not kb.index_path.exists()


# -- asking --------------------------------------------------------------------------------------------------------


def test_a_search_takes_a_request_or_its_fields(kb: KnowledgeBase):
    request = SearchRequest(query="alpha", limit=1, filters=Filters(path_globs=("a.md",)))
    assert kb.search(request) == kb.search("alpha", limit=1, filters=Filters(path_globs=("a.md",)))
    with pytest.raises(QueryError, match="limit"):
        kb.search("alpha", limit=0)
    with pytest.raises(TypeError):
        kb.search("alpha", no_such_option=1)


def test_the_status_of_an_index(kb: KnowledgeBase):
    status = kb.status()
    assert (status.statistics.documents, status.statistics.chunks, status.model, status.contextual) == (
        2,
        2,
        "fake",
        True,
    )
    assert status.size_bytes == index_size(kb.index_path) >= kb.index_path.stat().st_size > 0
    assert status.last_run is not None
    assert (status.last_run.documents, status.last_run.skipped) == (2, 0)


def test_an_open_knowledge_base_follows_its_index(kb: KnowledgeBase):
    assert paths(kb, "alpha") == ["a.md"]
    write_files(kb.root, {"a.md": "# A\n\ngamma\n"})
    with KnowledgeBase(kb.settings, embedder=FakeEmbedder()) as other:
        other.index()
    assert paths(kb, "alpha") == []
    assert paths(kb, "gamma") == ["a.md"]


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be deleted elsewhere")
def test_an_index_that_was_deleted_and_made_anew_is_opened_anew(kb: KnowledgeBase):
    assert paths(kb, "alpha") == ["a.md"]
    kb.index_path.unlink()
    with pytest.raises(NoIndex):
        kb.search("alpha")
    for leftover in kb.root.parent.glob(f"{INDEX_NAME}-*"):
        leftover.unlink()
    kb.index()
    assert paths(kb, "alpha") == ["a.md"]


def test_a_closed_knowledge_base_opens_again_when_asked(kb: KnowledgeBase):
    assert paths(kb, "alpha") == ["a.md"]
    kb.close()
    kb.close()
    assert paths(kb, "alpha") == ["a.md"]


# -- several threads -----------------------------------------------------------------------------------------------


def test_threads_search_while_another_indexes(kb: KnowledgeBase):
    stop = threading.Event()
    found: list[int] = []

    def search() -> None:
        while not stop.is_set():
            found.append(len(kb.search("words", mode="keyword").hits))

    with ThreadPoolExecutor(4) as pool:
        searching = [pool.submit(search) for _ in range(4)]
        for number in range(5):
            write_files(kb.root, {f"new{number}.md": f"# N\n\nmore words {number}\n"})
            kb.index(force=number % 2 == 1)
        stop.set()
        for each in searching:
            each.result(30)
    assert set(found) <= set(range(2, 8))
    assert len(kb.search("words", mode="keyword").hits) == 7


def test_threads_share_one_model(tmp_path: Path):
    (tmp_path / "kb").mkdir()
    kb = KnowledgeBase(Settings(kb_path=tmp_path / "kb", model="fake"))
    gate = threading.Barrier(8)

    def ask() -> tuple[int, int]:
        gate.wait(10)
        return id(kb.embedder), id(kb.registry)

    with ThreadPoolExecutor(8) as pool:
        assert len({each.result(30) for each in [pool.submit(ask) for _ in range(8)]}) == 1


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files")
def test_threads_that_end_take_their_connections_with_them(kb: KnowledgeBase):
    def open_files() -> int:
        gc.collect()
        return sum(1 for _ in Path("/proc/self/fd").iterdir())

    def search_in_a_thread() -> None:
        thread = threading.Thread(target=lambda: kb.search("alpha"))
        thread.start()
        thread.join()

    search_in_a_thread()
    before = open_files()
    for _ in range(30):
        search_in_a_thread()
    assert open_files() <= before + 2


def test_another_folder_in_the_settings_is_another_knowledge_base(kb: KnowledgeBase, tmp_path: Path):
    (tmp_path / "deep" / "other").mkdir(parents=True)
    with KnowledgeBase(replace(kb.settings, kb_path=tmp_path / "deep" / "other"), embedder=FakeEmbedder()) as other:
        other.index()
        assert other.index_path != kb.index_path
    assert paths(kb, "alpha") == ["a.md"]
