"""``groove index``: what it prints, what it exits with, and what it says of bad input."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from grooveseek.cli.main import main
from grooveseek.store.lock import writer_lock
from grooveseek.store.store import Store
from tests.conftest import write_files
from tests.knowledge_base.conftest import locked_out
from tests.store.conftest import chunks, document
from tests.support.indexes import assert_whole, everything, sql

__all__ = ["locked_out"]

Groove = Callable[..., Any]

FILES: dict[str, str | bytes] = {
    "a.md": "# A\n\nalpha words\n\n## More\n\nfurther words\n",
    "sub/b.md": "# B\n\nbeta words\n",
}
BROKEN = re.compile(r"Traceback|a fault in groove|Error\(|\berrno\b", re.IGNORECASE)


@pytest.fixture(scope="module", autouse=True)
def everything_imported(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The user that ``locked_out`` steps down to may not read the interpreter's own files, where root's are private."""
    folder = tmp_path_factory.mktemp("imported")
    (folder / "kb").mkdir()
    write_files(folder / "kb", FILES)
    (folder / "groove.toml").write_text(f"kb_path = '{folder / 'kb'}'\nmodel = 'fake'\n", encoding="utf-8")
    for argv in (["index"], ["search", "alpha"], ["search", "alpha", "--format", "json"], ["status"]):
        assert main([*argv, "--config", str(folder / "groove.toml")]) == 0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "base" / "kb"
    folder.mkdir(parents=True)
    write_files(folder, FILES)
    return folder


@pytest.fixture
def index(groove: Groove, root: Path) -> Groove:
    """``groove index`` of the folder with the fake model; never a traceback."""

    def run(*options: str, root: Path = root, model: str = "fake") -> Any:
        answer = groove("index", "--kb-path", str(root), "--model", model, *options)
        assert not BROKEN.search(answer.err), answer.err
        assert answer.out == ""
        return answer

    return run


def lines(text: str) -> list[str]:
    """Without what differs from run to run."""
    shown = re.sub(r"in \d+\.\d s", "in N s", text)
    return [line for line in shown.splitlines() if not line.startswith("info:")]


# -- what a run prints ---------------------------------------------------------------------------------------------


def test_a_first_run_and_a_second(index: Groove, root: Path):
    answer = index()
    assert answer.code == 0
    assert lines(answer.err) == [
        f"Indexing {root} with fake",
        "Found 2 documents",
        "new  a.md (2 chunks, 2 embedded)",
        "new  sub/b.md (1 chunk, 1 embedded)",
        "Done in N s: 2 new",
        "The index holds 2 documents in 3 chunks; 3 embedded, 0 reused",
    ]
    assert lines(index().err)[1:] == [
        "Found 2 documents",
        "Done in N s: 2 unchanged",
        "The index holds 2 documents in 3 chunks; 0 embedded, 0 reused",
    ]


def test_quiet_says_where_it_starts_what_it_found_and_how_it_ended(index: Groove, root: Path):
    assert lines(index("--quiet").err) == [
        f"Indexing {root} with fake",
        "Found 2 documents",
        "Done in N s: 2 new",
        "The index holds 2 documents in 3 chunks; 3 embedded, 0 reused",
    ]


def test_progress_without_a_terminal(index: Groove):
    told = lines(index("--progress").err)
    assert told[1:5] == ["Found 2 documents", "Progress: 1/2 (50%)", "Progress: 2/2 (100%)", "Done in N s: 2 new"]


def test_quiet_and_progress_exclude_each_other(index: Groove):
    answer = index("--quiet", "--progress")
    assert answer.code == 2
    assert "--quiet and --progress exclude each other" in answer.err


def test_force_and_reembed(index: Groove):
    index()
    assert lines(index("--force", "--quiet").err)[2:] == [
        "Done in N s: 2 updated",
        "The index holds 2 documents in 3 chunks; 0 embedded, 3 reused",
    ]
    assert lines(index("--reembed", "--quiet").err)[3].endswith("3 embedded, 0 reused")


def test_an_empty_folder_has_nothing_to_do(index: Groove, root: Path):
    empty = root.parent / "empty"
    empty.mkdir()
    answer = index(root=empty)
    assert (answer.code, lines(answer.err)[1:]) == (
        0,
        [
            "Found 0 documents",
            "Done in N s: nothing to do",
            "The index holds 0 documents in 0 chunks; 0 embedded, 0 reused",
        ],
    )


def test_text_the_model_does_not_read_is_pointed_out(groove: Groove, root: Path):
    write_files(root, {"ja.md": "# 倉庫\n\n" + "倉庫係は毎朝鍵を開けて、昼に棚を数える。\n" * 20})
    answer = groove("index", "--kb-path", str(root), "--quiet")
    assert answer.code == 0
    assert re.search(r"note: \d\d% of the text is in scripts that the model all-minilm-l6-v2 does not read", answer.err)


# -- one file that cannot be indexed -------------------------------------------------------------------------------


def test_bad_files_cost_themselves_and_are_named_at_the_end(index: Groove, root: Path):
    """Not UTF-8, broken YAML, empty, a folder called x.md, a link, one too large: the rest is indexed."""
    write_files(
        root,
        {
            "latin1.md": "# Caf\xe9\n\ngar\xe7on\n".encode("latin-1"),
            "yaml.md": "---\ntitle: [not closed\n---\n\nyaml words\n",
            "empty.md": "",
            "nul.md": b"\0\0\0",
            "binary.md": bytes(range(256)) * 4,
            "huge.md": b"x" * (51 * 1024 * 1024),
        },
    )
    (root / "x.md").mkdir()
    (root / "link.md").symlink_to("a.md")
    answer = index()
    assert answer.code == 0
    end = answer.err[answer.err.index("Skipped:\n") :]
    assert set(re.findall(r"^  ([\w.]+): ", end, re.MULTILINE)) == {"link.md", "huge.md", "latin1.md", "binary.md"}
    assert re.search(r"  latin1\.md: .*UTF-8", end)
    assert "link.md: it is a symbolic link" in end
    assert "huge.md: it has 53,477,376 bytes, over the limit of 52,428,800; raise [index] max_raw_text_size" in end
    assert re.search(r"warning: yaml\.md: line \d", answer.err)
    assert "The index holds 5 documents" in answer.err
    assert_whole(root.parent / ".groove.db")


def test_a_file_that_becomes_unusable_keeps_its_old_rows(index: Groove, root: Path):
    index()
    (root / "a.md").write_bytes(b"x" * (51 * 1024 * 1024))
    answer = index()
    assert answer.code == 0
    assert re.search(r"  a\.md: .* \(kept as it was\)", answer.err)
    assert sql(root.parent / ".groove.db", "SELECT count(*) FROM chunks") == [(3,)]


@pytest.mark.skipif(os.name != "posix", reason="POSIX file modes")
def test_a_file_that_may_not_be_read_is_named_and_kept(groove: Groove, locked_out: Path):
    root = locked_out / "kb"
    root.mkdir()
    write_files(root, FILES)
    argv = ("index", "--kb-path", str(root), "--model", "fake")
    assert groove(*argv).code == 0
    (root / "a.md").write_text("# changed, and unreadable from now on\n")
    (root / "a.md").chmod(0)
    (root / "new.md").write_text("new")
    (root / "new.md").chmod(0)
    answer = groove(*argv)
    assert answer.code == 0
    assert "  a.md: it could not be read: Permission denied (kept as it was)\n" in answer.err
    assert "  new.md: it could not be read: Permission denied\n" in answer.err
    assert "The index holds 2 documents in 3 chunks" in answer.err


# -- no run at all -------------------------------------------------------------------------------------------------


def one_line(err: str) -> str:
    (line,) = (line for line in err.splitlines() if line.startswith("groove: "))
    return line


def test_a_knowledge_base_that_is_not_there(groove: Groove, root: Path):
    for command in (["index"], ["status"], ["search", "words"]):
        answer = groove(
            *command, "--kb-path", str(root / "gone"), *(["--model", "fake"] if command == ["index"] else [])
        )
        assert (answer.code, answer.out) == (2, "")
        assert f"The knowledge base {root / 'gone'} does not exist" in one_line(answer.err)


def test_a_knowledge_base_that_is_a_file(index: Groove, root: Path):
    answer = index(root=root / "a.md")
    assert answer.code == 2
    assert "is not a folder" in one_line(answer.err)


def make_garbage(path: Path) -> None:
    path.write_bytes(b"not a database, but a long text " * 500)


def make_truncated(path: Path) -> None:
    with Store.open_for_writing(path) as store:
        for number in range(50):
            store.documents.put(document(f"{number}.md"), chunks("words " * 500))
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 3)


def make_flipped(path: Path) -> None:
    with Store.open_for_writing(path) as store:
        store.documents.put(document(), chunks("words"))
    data = bytearray(path.read_bytes())
    data[100:3000] = bytes(byte ^ 0xFF for byte in data[100:3000])
    path.write_bytes(data)


def make_foreign(path: Path) -> None:
    import apsw

    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE bookmarks (url)")
    connection.close()


def make_newer(path: Path) -> None:
    with Store.open_for_writing(path):
        pass
    sql(path, "PRAGMA user_version = 99")


def make_link(path: Path) -> None:
    path.symlink_to(path.with_name("elsewhere.db"))


def make_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (make_garbage, "is damaged or not a groove index .*Move it away and run `groove index`"),
        (make_truncated, "is damaged or not a groove index .*Move it away and run `groove index`"),
        (make_flipped, "is damaged or not a groove index .*Move it away and run `groove index`"),
        (make_foreign, "is a SQLite file but not a groove index; move it away"),
        (make_newer, "has schema version 99, and this groove knows versions up to .*Upgrade groove"),
        (make_link, "is a symbolic link, which groove does not follow; remove it"),
        (make_folder, "is not a regular file; remove it or set"),
    ],
)
@pytest.mark.parametrize("command", ["index", "force", "search", "status"])
def test_a_file_in_the_indexs_place_that_is_none_is_named_and_left_alone(
    groove: Groove, root: Path, make: Callable[[Path], None], words: str, command: str
):
    path = root.parent / ".groove.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    argv = {
        "index": ["index", "--model", "fake"],
        "force": ["index", "--force", "--model", "fake"],
        "search": ["search", "words", "--mode", "keyword"],
        "status": ["status"],
    }[command]
    answer = groove(*argv, "--kb-path", str(root))
    assert (answer.code, answer.out) == (2, "")
    assert not BROKEN.search(answer.err), answer.err
    assert re.search(words, one_line(answer.err)), answer.err
    assert str(path) in one_line(answer.err)
    assert before is None or path.read_bytes() == before
    assert not path.with_name("elsewhere.db").exists()


def test_moving_a_damaged_index_away_is_all_it_takes(index: Groove, root: Path):
    path = root.parent / ".groove.db"
    make_garbage(path)
    assert index().code == 2
    path.rename(path.with_name("away.db"))
    assert index().code == 0
    assert_whole(path)


def test_another_model_is_refused_and_force_changes_it(groove: Groove, index: Groove, root: Path):
    index()
    before = everything(root.parent / ".groove.db")
    answer = groove("index", "--kb-path", str(root), "--quiet")
    assert answer.code == 2
    assert "was built with the model 'fake', and the settings name 'all-minilm-l6-v2'" in one_line(answer.err)
    assert "groove index --force" in one_line(answer.err)
    assert everything(root.parent / ".groove.db") == before
    assert groove("index", "--kb-path", str(root), "--quiet", "--force").code == 0
    assert groove("index", "--kb-path", str(root), "--quiet").code == 0


def test_another_run_is_named_with_exit_code_one(index: Groove, root: Path):
    with writer_lock(root.parent / ".groove.db", wait=False, command="groove serve"):
        answer = index()
    assert answer.code == 1
    assert f"process {os.getpid()} (groove serve, since 20" in one_line(answer.err)


def test_waiting_for_another_run(index: Groove, root: Path):
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with writer_lock(root.parent / ".groove.db", wait=False, command="groove serve"):
            held.set()
            release.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(10)
    threading.Timer(0.3, release.set).start()
    answer = index("--wait")
    thread.join()
    assert answer.code == 0
    assert re.search(r"Waiting for process \d+ \(groove serve, since .*\) to end\nFound 2 documents", answer.err)


@pytest.mark.skipif(os.name != "posix", reason="POSIX file modes")
def test_a_parent_folder_that_cannot_be_written(groove: Groove, locked_out: Path):
    root = locked_out / "kb"
    root.mkdir()
    write_files(root, FILES)
    locked_out.chmod(0o500)
    answer = groove("index", "--kb-path", str(root), "--model", "fake")
    assert answer.code == 2
    line = one_line(answer.err)
    assert f"the folder {locked_out} cannot be written (Permission denied), and the index goes there" in line
    assert "[index].path" in line
    assert list(locked_out.iterdir()) == [root]


@pytest.mark.skipif(os.name != "posix", reason="POSIX file modes")
def test_an_index_and_folder_that_can_only_be_read_answer_searches(groove: Groove, locked_out: Path):
    root = locked_out / "kb"
    root.mkdir()
    write_files(root, FILES)
    config = locked_out / "groove.toml"
    config.write_text(f"kb_path = '{root}'\nmodel = 'fake'\n")
    common = ("--config", str(config))
    assert groove("index", *common).code == 0
    (locked_out / ".groove.db").chmod(0o400)
    locked_out.chmod(0o500)
    for mode in ("keyword", "hybrid"):
        answer = groove("search", "alpha", *common, "--mode", mode, "--format", "json")
        assert (answer.code, json.loads(answer.out)["results"][0]["path"]) == (0, "a.md"), answer.err
    answer = groove("status", *common)
    assert (answer.code, "documents" in answer.out) == (0, True)
    answer = groove("index", *common)
    assert answer.code == 2
    assert "cannot be written" in one_line(answer.err)


@pytest.mark.skipif(os.name != "posix", reason="POSIX limits")
def test_a_full_disk_is_named_and_the_index_is_whole(index: Groove, root: Path):
    import resource

    index("--quiet")
    path = root.parent / ".groove.db"
    before = everything(path)
    write_files(root, {f"{number}.md": f"# N\n\n{number} " + "many words " * 500 for number in range(60)})
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 150_000, limits[1]))
    try:
        answer = index("--quiet")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert answer.code == 2
    assert f"no room left to write the index {path}. Free some space and run the command again" in one_line(answer.err)
    assert_whole(path)
    assert set(before["documents"]) <= set(everything(path)["documents"])
    assert index("--quiet").code == 0
    assert_whole(path)


def test_an_index_somewhere_else(groove: Groove, root: Path, tmp_path: Path):
    config = tmp_path / "groove.toml"
    config.write_text(f"kb_path = '{root}'\nmodel = 'fake'\n[index]\npath = '{tmp_path / 'elsewhere' / 'my.db'}'\n")
    assert groove("index", "--config", str(config), "--quiet").code == 0  # the folder is made
    assert_whole(tmp_path / "elsewhere" / "my.db")
    assert not (root.parent / ".groove.db").exists()


# -- on a terminal -------------------------------------------------------------------------------------------------

ON_THIS_TERMINAL = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """A ``groove`` process on a real pseudo-terminal, in the foreground, so that Ctrl-C reaches it."""

    def __init__(self, *argv: str) -> None:
        self._master, slave = os.openpty()
        command = [sys.executable, "-c", ON_THIS_TERMINAL, sys.executable, "-m", "grooveseek", *argv]
        environ = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
        self._process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environ)
        os.close(slave)
        self.shown = ""

    def read_until(self, wanted: str) -> None:
        while wanted not in self.shown:
            assert self._read(), self.shown

    def press(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def end(self) -> int:
        while self._read():
            pass
        os.close(self._master)
        return self._process.wait(30)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], 30)
        if not ready:
            return False
        with suppress(OSError):  # what Linux says when the other end is closed
            part = os.read(self._master, 65536)
            self.shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", part.decode("utf-8", "replace"))
            return bool(part)
        return False


terminals = pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals")


@terminals
def test_a_bar_on_a_real_terminal(root: Path):
    write_files(root, {f"{number}.md": f"# N\n\nword{number}\n" for number in range(100)})
    terminal = Terminal("index", "--kb-path", str(root), "--model", "fake", "--progress")
    assert terminal.end() == 0
    assert "documents" in terminal.shown
    assert "102/102" in terminal.shown
    assert re.search(r"Done in [\d.]+ s: 102 new", terminal.shown)
    assert not BROKEN.search(terminal.shown)


@terminals
@pytest.mark.parametrize("option", ["--progress", "--quiet", None])
def test_control_c_on_a_real_terminal(root: Path, option: str | None):
    write_files(root, {f"{number}.md": f"# N\n\nword{number}\n\n" * 10 for number in range(800)})
    terminal = Terminal("index", "--kb-path", str(root), "--model", "fake", *([option] if option else []))
    terminal.read_until("documents")
    time.sleep(0.1)
    terminal.press(b"\x03")
    assert terminal.end() == 130, terminal.shown
    assert "Stopping after what is being embedded now" in terminal.shown
    assert "Stopped in" in terminal.shown
    assert not BROKEN.search(terminal.shown)
    assert_whole(root.parent / ".groove.db")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_the_handlers_of_before_are_back_after_a_run(index: Groove):
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    index("--quiet")
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
