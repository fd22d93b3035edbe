"""Users' faults with runs over a folder: links, shared text, limits, ties."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from grooveseek.app import KnowledgeBase, index_size
from grooveseek.errors import QueryError
from grooveseek.model.query import Filters
from tests.indexing.conftest import Open
from tests.support.embedders import InstantEmbedder
from tests.support.index_rows import fresh_rows, rows
from tests.support.indexes import assert_whole
from tests.support.search import hits, paths

CASES = Path(__file__).parents[1] / "cases"


def expected(case: str) -> dict[str, Any]:
    return json.loads((CASES / case / "expect.json").read_text("utf-8"))


def act(case: str, root: Path, step: str) -> None:
    script = (CASES / case / "act.py").read_text("utf-8")
    with mock.patch.object(sys, "argv", ["act.py", str(root), step]):
        exec(compile(script, "act.py", "exec"), {"__name__": "__main__"})


def assert_sound(kb: KnowledgeBase, scratch: Path) -> None:
    """As an index made anew would be."""
    assert rows(kb.index_path) == fresh_rows(kb, scratch)
    assert_whole(kb.index_path)
    kb.close()


# -- C21: loops, second names, pipes -------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="links and pipes")
@pytest.mark.timeout(60)
def test_links_and_pipes(open_base: Open, tmp_path: Path):
    """Hard links do not count as documents (docs/indexing-scope.md), until there is one name left."""
    subprocess.run([sys.executable, str(CASES / "C21" / "make.py"), str(tmp_path)], check=True)
    kb = open_base(root=tmp_path / "kb")
    summary = kb.index()
    assert list(kb.store().documents.states()) == ["sub/c.md"]
    told = {each.path: each.reason for each in summary.skipped}
    assert set(told) == {"a.md", "hard.md", "pipe.md", "sub/link.md", "dangling.md"}
    assert "hard links" in told["a.md"]
    assert "named pipe" in told["pipe.md"]
    assert "symbolic link" in told["sub/link.md"]
    assert [hit.path for hit in hits(kb, "curlew")] == ["sub/c.md"]
    assert paths(kb, "avocet") == []
    (kb.root / "a.md").unlink()
    kb.index()
    assert paths(kb, "avocet") == ["hard.md"]
    assert_sound(kb, tmp_path)


# -- C23: what editors, checkouts and synchronisers do, seen by runs instead of the watcher ------------------------


def test_what_editors_and_checkouts_do_to_files(open_base: Open, tmp_path: Path):
    root = tmp_path / "kb"
    root.mkdir()
    kb = open_base(root=root, embedder=InstantEmbedder())
    expect = expected("C23")
    former = None
    for step, word in expect["note_token_after"].items():
        act("C23", root, step)
        kb.index()
        assert paths(kb, word) == ["note.md"], step
        assert former is None or paths(kb, former) == [], step
        former = word
    act("C23", root, "rename")
    assert kb.index().renamed == 1
    assert paths(kb, "newforeign") == ["renamed.md"]
    act("C23", root, "rename_dir")
    assert kb.index().renamed == 25
    act("C23", root, "burst")
    kb.index()
    on_disk = {path.relative_to(root).as_posix() for path in root.rglob("*.md")}
    assert set(kb.store().documents.states()) == on_disk
    assert len(on_disk) == 451
    assert paths(kb, "branchone000q") == []
    assert len(paths(kb, "branchtwo000q")) == 1
    assert paths(kb, "branchone450q")[0].startswith("moved/")
    assert paths(kb, "brandnew49q") == ["fresh/g49.md"]
    act("C23", root, "swap")
    assert kb.index().updated == 2
    assert paths(kb, "brandnew00q") == ["fresh/g1.md"]
    assert not set(expect["never_indexed"]) & set(kb.store().documents.states())
    assert_sound(kb, tmp_path)


# -- C25: shared text, deletions, leftovers ------------------------------------------------------------------------

STEPS = ("init", "delete_a", "move_b", "shrink_d", "edit_c", "empty")


@pytest.mark.parametrize("reembed", [False, True])
def test_shared_text_stays_with_who_has_it(open_base: Open, tmp_path: Path, reembed: bool):
    """``reembed``: the same without taking any vector over."""
    root = tmp_path / "kb"
    kb = open_base(root=root)
    expect = expected("C25")
    owners = ["a.md", "b.md", "c.md"]
    for step in STEPS:
        act("C25", root, step)
        kb.index(reembed=reembed)
        owners = expect["thylacine_files_after"].get(step, owners)
        assert sorted(paths(kb, "thylacine")) == owners, step
        meant = kb.search(
            "the shared clause", mode="semantic", limit=50, filters=Filters(include_low_quality=True)
        ).hits
        named = {hit.path for hit in meant}
        on_disk = {path.name for path in root.glob("*.md")}
        assert named <= on_disk, step
        assert set(owners) <= named, step
        if step == "shrink_d":
            assert all(paths(kb, word) == ["d.md"] for word in expect["after_shrink_d"]["found"])
            assert all(paths(kb, word) == [] for word in expect["after_shrink_d"]["gone"])
            size = (root / "d.md").stat().st_size
            assert all((hit.chunk.end_byte or 0) <= size for hit in meant if hit.path == "d.md")
        assert_whole(kb.index_path)
        assert rows(kb.index_path) == fresh_rows(kb, tmp_path)


def test_twenty_rounds_of_filling_and_emptying_do_not_grow_the_file(open_base: Open, tmp_path: Path):
    root = tmp_path / "kb"
    kb = open_base(root=root, embedder=InstantEmbedder())
    full: list[int] = []
    empty: list[int] = []
    for _ in range(20):
        act("C25", root, "init")
        for number in range(30):  # and much more text, so that growth would show
            lines = (f"some word{number}x{line} and another{line * number}y\n" for line in range(250))
            (root / f"big{number}.md").write_text(f"# Big {number}\n\n" + "".join(lines))
        for sizes in (full, empty):
            kb.index()
            kb.close()
            sizes.append(index_size(kb.index_path))
            act("C25", root, "empty")
    assert max(full) < 2 * full[0]
    assert max(empty) < full[0] / 2  # what is given back is given back; about 1 MiB may stay for the next time
    assert_whole(kb.index_path)


# -- C41: limits and filters ---------------------------------------------------------------------------------------


@pytest.fixture
def pumps(open_base: Open, tmp_path: Path) -> KnowledgeBase:
    """4,300 near notes and 3 far ones."""
    root = tmp_path / "kb"
    subprocess.run([sys.executable, str(CASES / "C41" / "make.py"), str(root)], check=True)
    (root / "groove-schema.toml").write_text('[fields.kind]\ntype = "string"\n')
    kb = open_base(root=root)
    kb.index()
    return kb


@pytest.mark.slow
def test_a_filter_is_asked_before_the_nearest_are_taken(pumps: KnowledgeBase):
    expect = expected("C41")
    rare = {"rare/r0.md", "rare/r1.md", "rare/r2.md"}
    for filters in (
        Filters(path_globs=("rare/**",), include_low_quality=True),
        Filters(fields={"kind": ("rare",)}, include_low_quality=True),
    ):
        for mode in ("semantic", "hybrid"):
            found = pumps.search(expect["query"], mode=mode, limit=10, filters=filters).hits
            assert {hit.path for hit in found} == rare
            assert len(found) == expect["results"]
    everything = Filters(include_low_quality=True)
    ten = [hit.path for hit in pumps.search(expect["query"], mode="semantic", limit=10, filters=everything).hits]
    thousand = [hit.path for hit in pumps.search(expect["query"], mode="semantic", limit=1000, filters=everything).hits]
    assert len(ten) == 10
    assert len(thousand) == 1000
    assert thousand[:10] == ten
    for limit in (4097, 5000, 100_000):
        found = pumps.search(expect["query"], mode="semantic", limit=limit, filters=everything).hits
        assert len(found) == min(limit, 4303)
        assert [hit.path for hit in found][:10] == ten
    for limit in (0, -1):
        with pytest.raises(QueryError, match="limit"):
            pumps.search(expect["query"], mode="semantic", limit=limit)
    store = pumps.store()
    query = pumps.embedder.embed_query(expect["query"])
    none = np.zeros(0, dtype=np.int64)
    for k, count in ((10, 10), (4096, 4096), (4097, 4097), (5000, 4303), (100_000, 4303), (0, 0)):
        candidates = store.vectors.nearest(query, k, allowed=None, held_back=none)
        assert len(candidates) == count
        assert (
            candidates.ids[:10].tolist()
            == store.vectors.nearest(query, 10, allowed=None, held_back=none).ids[:k].tolist()[:10]
        )


# -- C43: ties -----------------------------------------------------------------------------------------------------

ASK = """
import sys
from dataclasses import replace
from pathlib import Path
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.settings.sections import Settings
with KnowledgeBase(replace(Settings(), kb_path=Path(sys.argv[1])), embedder=FakeEmbedder()) as kb:
    for mode in ("keyword", "hybrid", "semantic"):
        for limit in (20, 5):
            answer = kb.search("dredging", mode=mode, limit=limit)
            print(mode, limit, *(f"{hit.path}={hit.score!r}" for hit in answer.hits))
"""


def test_equal_notes_come_in_the_same_order_always(open_base: Open, tmp_path: Path):
    kb = open_base(root=shutil.copytree(CASES / "C43" / "kb", tmp_path / "kb"))
    kb.index()
    kb.close()

    def ask() -> str:
        return subprocess.run(
            [sys.executable, "-c", ASK, str(kb.root)], check=True, capture_output=True, text=True
        ).stdout

    first = ask()
    answers = {tuple(line.split(" ")[:2]): line.split(" ")[2:] for line in first.splitlines()}
    assert len(answers["keyword", "20"]) == expected("C43")["files"]
    for mode in ("keyword", "hybrid", "semantic"):
        assert answers[mode, "20"][:5] == answers[mode, "5"]
    for _ in range(4):
        assert ask() == first
    for shuffle in range(3):
        for file in tmp_path.glob(".groove.db*"):
            file.unlink()
        in_another_order(kb, random.Random(shuffle))
        assert ask() == first


def in_another_order(kb: KnowledgeBase, chance: random.Random) -> None:
    """Written to the index file by file, each touched and indexed by itself, in a random order."""
    names = [path.name for path in kb.root.iterdir()]
    chance.shuffle(names)
    kept = {name: (kb.root / name).read_bytes() for name in names}
    for name in names:
        (kb.root / name).unlink()
    for name in names:
        (kb.root / name).write_bytes(kept[name])
        stamp = time.time() - chance.randint(10, 1000)
        os.utime(kb.root / name, (stamp, stamp))
        kb.index()
    kb.close()
