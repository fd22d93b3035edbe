"""What the benchmarks print of what they measured, and the indexes they build. No time is measured here."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from grooveseek.app import open_knowledge_base
from grooveseek.model.query import Mode
from grooveseek.store.store import Store

BENCH = Path(__file__).parents[2] / "eval" / "bench"
CONTENT = (
    "SELECT d.path, c.idx, c.content, hex(v.vector) FROM chunks c JOIN documents d ON d.id = c.document_id "
    "LEFT JOIN chunk_vectors v ON v.chunk_id = c.id ORDER BY c.id"
)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import a benchmark as it runs: its folder is on the path."""
    monkeypatch.syspath_prepend(str(BENCH))
    before = set(sys.modules)

    def load(name: str) -> ModuleType:
        return importlib.import_module(name)

    yield load
    for name in set(sys.modules) - before:
        if str(BENCH) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def texts(bench: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    module = bench("texts")
    monkeypatch.setattr(module, "sentences", lambda: [f"Sentence number {number} is here." for number in range(40)])
    return module


def rows(path: Path) -> list[Any]:
    with Store.open_for_reading(path) as store:
        return store.database.all(CONTENT)


@pytest.mark.parametrize("vectors", [False, True])
def test_an_interrupted_build_ends_as_the_index_it_would_have_been(
    texts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vectors: bool
):
    monkeypatch.setattr(texts, "_PIECE", 100)
    texts.build(tmp_path / "whole.db", 230, vectors=vectors)
    write, written = texts._write, []

    def fails_once(store: Any, start: int, piece: Any) -> None:
        if start == 100 and not written:
            written.append(start)
            write(store, start, piece[:50])
            raise KeyboardInterrupt
        write(store, start, piece)

    monkeypatch.setattr(texts, "_write", fails_once)
    with pytest.raises(KeyboardInterrupt):
        texts.build(tmp_path / "broken.db", 230, vectors=vectors)
    assert not (tmp_path / "broken.db").exists()
    texts.build(tmp_path / "broken.db", 230, vectors=vectors)
    found = rows(tmp_path / "broken.db")
    assert found == rows(tmp_path / "whole.db")
    assert len(found) == 230
    assert all((row[3] != "") == vectors for row in found)


def test_an_index_that_is_there_is_not_built_again(texts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    texts.build(tmp_path / "one.db", 60)
    cost = texts.cost(tmp_path / "one.db")
    assert cost.seconds > 0
    monkeypatch.setattr(texts, "_write", None)
    texts.build(tmp_path / "one.db", 60)
    assert texts.cost(tmp_path / "one.db") == cost


def test_a_synthetic_base_can_be_searched_like_any_other(texts: Any, tmp_path: Path):
    folder, _ = texts.knowledge_base(tmp_path, 60)
    with open_knowledge_base(folder) as kb:
        assert kb.search("sentence number 7", limit=3, mode=Mode.KEYWORD).hits


def test_clients_are_compared_with_one_client(bench: Any):
    clients = bench("clients")
    alone = clients.Turn(took=(10.0,) * 20, seconds=0.2, server_seconds=0.18, client_seconds=0.01)
    many = clients.Turn(took=(20.0,) * 40, seconds=0.25, server_seconds=0.45, client_seconds=0.02)
    disturbed = clients.Turn(took=(20.0,) * 40, seconds=2.5, server_seconds=0.5, client_seconds=0.02)
    page = clients.report("COMMAND", "9 documents", {1: [alone], 8: [many, many, disturbed]})
    assert "| 1 | 100.0 | 1.00 | 10.0 | 10.0 | 0.90 | 0.05 | 9.0 |" in page
    assert "| 8 | 160.0 | 1.60 | 20.0 | 20.0 | 0.47 | 0.02 | 11.7 |" in page


def test_a_process_uses_the_processor_and_so_do_its_children(bench: Any):
    clients = bench("clients")
    if not Path("/proc/self/stat").exists():
        pytest.skip("reads /proc")
    found = {pid: (parent, used) for pid, parent, used in clients.processes()}
    parent, used = found[os.getpid()]
    assert parent == os.getppid()
    assert used > 0


def test_legs_are_compared_with_the_size_before(bench: Any):
    scale = bench("scale")

    def searched(factor: float) -> Any:
        times = scale.Times(processor=[factor, 2 * factor, 3 * factor], wall=[10 * factor] * 3)
        mib = 1 << 20
        return scale.Searched(
            first=(50 * factor, 40 * factor),
            legs=dict.fromkeys(scale.LEGS, times),
            own_before=10 * mib,
            own=(10 + 4 * int(factor)) * mib,
            mapped=7 * mib,
        )

    found = {1_000: searched(1.0), 10_000: searched(4.0)}
    assert scale._leg_row(1_000, None, "both", found) == "| 1,000 | both | 2.0 | 2.9 | 10.0 | 10.0 |  |"
    assert scale._leg_row(10_000, 1_000, "both", found) == "| 10,000 | both | 8.0 | 11.6 | 40.0 | 40.0 | 4.0 |"
    assert scale._process_row(10_000, found[10_000]) == "| 10,000 | 160 | 200 | 16 | 7 |"
    assert scale.lines_of(found)["first search"] == [(1_000, 40.0), (10_000, 160.0)]


def test_a_cold_search_is_compared_with_the_bare_script(bench: Any):
    cold = bench("cold")
    bare = cold.Runs(processor=[100.0, 110.0, 900.0], wall=[200.0, 200.0, 200.0])
    groove = cold.Runs(processor=[220.0, 220.0, 220.0], wall=[500.0, 400.0, 300.0])
    page = cold.report(3, {"bare": bare, "handbook": groove})
    assert "| bare script | 110 | 200 | 1.00 | 1.00 |" in page
    assert "| `groove search`, handbook | 220 | 400 | 2.00 | 2.00 |" in page
