"""The benchmark of indexing compares what it says it compares. No time is measured here."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.settings.sections import Settings
from tests.conftest import write_files
from tests.indexing.conftest import Open
from tests.support.embedders import WatchedEmbedder
from tests.support.indexes import everything

BENCH = Path(__file__).parents[2] / "eval" / "bench"
WORDS = [f"Sentence number {number} is here." for number in range(40)]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The benchmark as it is imported when it runs: its folder is on the path."""
    monkeypatch.syspath_prepend(str(BENCH))
    before = set(sys.modules)
    module = importlib.import_module("indexing")
    monkeypatch.setattr(module, "sentences", lambda: WORDS)
    yield module
    for name in set(sys.modules) - before:
        if str(BENCH) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def test_the_model_alone_gets_the_texts_that_the_run_gave_it(bench: ModuleType, open_base: Open):
    kb = open_base()
    embedder = WatchedEmbedder(dimension=384)
    model = bench.bundled()
    embedder.windows = model.windows  # type: ignore[method-assign]
    kb.embedder = embedder
    write_files(
        kb.root,
        {
            "a.md": "# A\n\nsome words\n\n## Rule\n\n***\n\n## Long\n\n" + "many words of a long section " * 120,
            "b.md": "# A\n\nsome words\n\n## More\n\nother words\n",
        },
    )
    kb.index()
    assert len(embedder.texts) > 6
    assert sorted(bench.windows_of(kb)) == sorted(embedder.texts)


def test_a_large_base_is_the_same_every_time_and_edits_leave_it_as_it_was(bench: ModuleType, tmp_path: Path):
    roots = [bench.large_base(tmp_path / name, 12) for name in ("one", "other")]
    for path in sorted(roots[0].rglob("*.md")):
        assert path.read_bytes() == (roots[1] / path.relative_to(roots[0])).read_bytes()
    with KnowledgeBase(Settings(kb_path=roots[0]), embedder=bench.StandIn(bench.bundled().identity)) as kb:
        documents, chunks = kb.store().meta.counts()
        assert (documents, chunks) == (12, 12 * bench.SECTIONS)
        bench.unchanged(kb)
        before = {path: path.read_bytes() for path in kb.root.rglob("*.md")}
        texts = {key: value for key, value in everything(kb.index_path).items() if "postings" in key}
        for name, edit, embedded in (("a sentence", bench.with_a_sentence, 1), ("anew", bench.written_anew, 10)):
            cells = [cell.strip() for cell in bench.edit_row(kb, name, edit, 4).split("|")]
            assert cells[1:4] == ["12", name, str(embedded)]
        assert {path: path.read_bytes() for path in kb.root.rglob("*.md")} == before
        assert {key: value for key, value in everything(kb.index_path).items() if "postings" in key} == texts


def test_a_base_that_changes_while_it_is_measured_is_no_measurement(bench: ModuleType, open_base: Open):
    kb = open_base({"a.md": "# A\n\nwords\n"})
    kb.index()
    write_files(kb.root, {"a.md": "# A\n\nother words\n"})
    with pytest.raises(SystemExit, match="1 files of"):
        bench.unchanged(kb)
