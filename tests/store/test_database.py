"""Opening files, transactions, and what the driver's errors become."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import resource
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from grooveseek.errors import CorruptIndex, DiskFull, NewerSchema, NoIndex, StoreError, WriterBusy
from grooveseek.store import database as database_module
from grooveseek.store.database import Database
from grooveseek.store.schema import APPLICATION_ID, SCHEMA_VERSION
from grooveseek.store.store import Store
from tests.store.conftest import chunks, document
from tests.support.indexes import assert_whole, everything, raw, sql

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX file modes and limits")


# -- opening -------------------------------------------------------------------------------------------------------


@posix
def test_a_new_index_is_its_owners_alone_whatever_the_umask(index: Path):
    before = os.umask(0)
    try:
        with Store.open_for_writing(index) as store:
            store.meta.set("contextual", True)
            files = sorted(index.parent.iterdir())
            assert index in files
            assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
            assert len(files) == 3  # with the log and its shared memory
    finally:
        os.umask(before)


def test_the_file_says_whose_it_is_and_gives_space_back(store: Store, index: Path):
    assert sql(index, "PRAGMA application_id") == [(APPLICATION_ID,)]
    assert sql(index, "PRAGMA user_version") == [(SCHEMA_VERSION,)]
    assert sql(index, "PRAGMA journal_mode") == [("wal",)]
    assert sql(index, "PRAGMA auto_vacuum") == [(2,)]  # incremental


def test_an_empty_file_becomes_an_index(index: Path):
    index.touch()
    with pytest.raises(NoIndex, match="is empty"):
        Store.open_for_reading(index)
    with Store.open_for_writing(index) as store:
        assert store.meta.counts() == (0, 0)


def test_there_is_no_index_where_there_is_no_file(index: Path):
    with pytest.raises(NoIndex, match=r"no index at .* Run `groove index` first"):
        Store.open_for_reading(index)
    assert not index.exists()


def test_a_name_with_characters_of_uris_is_a_name(tmp_path: Path):
    for name in ("a?mode=ro#x.db", "50%20.db", "ü 日本.db"):
        with Store.open_for_writing(tmp_path / name) as store:
            store.meta.set("root_name", name)
            with Store.open_for_reading(tmp_path / name) as reader:
                assert reader.meta.get("root_name") == name


@posix
@pytest.mark.parametrize("target", ["there.db", "nowhere.db"])
def test_a_link_in_the_place_of_the_index_is_refused(tmp_path: Path, target: str):
    with Store.open_for_writing(tmp_path / "there.db") as store:
        store.meta.set("contextual", True)
    link = tmp_path / "index.db"
    link.symlink_to(tmp_path / target)
    for open_ in (Store.open_for_writing, Store.open_for_reading):
        with pytest.raises(StoreError, match="symbolic link, which groove does not follow; remove it"):
            open_(link)
    assert not (tmp_path / "nowhere.db").exists()


def test_a_folder_in_the_place_of_the_index_is_refused(tmp_path: Path):
    (tmp_path / "index.db").mkdir()
    for open_ in (Store.open_for_writing, Store.open_for_reading):
        with pytest.raises(StoreError, match="not a regular file"):
            open_(tmp_path / "index.db")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(StoreError, match=r"cannot be created \(No such file or directory\)"):
        Store.open_for_writing(tmp_path / "gone" / "index.db")


# -- files that are no index, or no sound one ----------------------------------------------------------------------


def another_programs(path: Path) -> None:
    with raw_new(path) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")


def another_programs_with_our_version(path: Path) -> None:
    with raw_new(path) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def raw_new(path: Path) -> contextlib.closing[apsw.Connection]:
    return contextlib.closing(apsw.Connection(str(path)))


def garbage(path: Path) -> None:
    path.write_bytes(b"this is no database at all, but long enough to be read as one " * 100)


def garbage_header(path: Path) -> None:
    real_index(path)
    with path.open("r+b") as file:
        file.write(b"\xff" * 100)


def half(path: Path) -> None:
    real_index(path)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(size // 2)


def flipped_schema_page(path: Path) -> None:
    real_index(path)
    with path.open("r+b") as file:
        file.seek(100)
        file.write(bytes(byte ^ 0xFF for byte in path.read_bytes()[100:4096]))


def later_schema(path: Path) -> None:
    real_index(path)
    sql(path, f"PRAGMA user_version = {SCHEMA_VERSION + 1}")


def real_index(path: Path) -> None:
    with Store.open_for_writing(path) as store:
        for number in range(30):
            store.documents.put(document(f"{number}.md"), chunks(*(f"text {number} {n} " * 50 for n in range(5))))


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (another_programs, CorruptIndex, "not a groove index; move it away or set"),
        (another_programs_with_our_version, CorruptIndex, "not a groove index; move it away or set"),
        (garbage, CorruptIndex, "Move it away and run `groove index`"),
        (garbage_header, CorruptIndex, "Move it away and run `groove index`"),
        (half, CorruptIndex, "Move it away and run `groove index`"),
        (flipped_schema_page, CorruptIndex, "Move it away and run `groove index`"),
        (later_schema, NewerSchema, f"schema version {SCHEMA_VERSION + 1}.*Upgrade groove"),
    ],
)
def test_what_is_no_sound_index_is_refused_and_left_as_it_is(
    index: Path, make: Callable[[Path], None], error: type[StoreError], words: str
):
    make(index)
    content = index.read_bytes()

    def read_all(open_: Callable[[Path], Store]) -> None:
        with open_(index) as store:
            everything_there = [store.documents.chunks_of(path) for path in store.documents.states()]
            assert everything_there

    for open_ in (Store.open_for_reading, Store.open_for_writing):
        with pytest.raises(error, match=words) as caught:
            read_all(open_)
        assert str(index) in str(caught.value)
    assert index.read_bytes() == content


def test_damage_met_on_the_way_is_named_as_such(index: Path):
    """A page in the middle: the file opens, and what lies on that page says so when it is read."""
    real_index(index)
    size = index.stat().st_size
    with index.open("r+b") as file:
        for page in range(4096 * 20, size - 4096, 4096):
            file.seek(page)
            file.write(b"\xa5" * 4096)

    def read_all() -> None:
        with Store.open_for_reading(index) as store:
            for path in list(store.documents.states()):
                store.documents.chunks_of(path)
            store.fulltext.ids_with_substring("text")

    with pytest.raises(CorruptIndex, match="damaged"):
        read_all()


# -- reading without a right to write ------------------------------------------------------------------------------


@posix
def test_an_index_in_a_folder_that_cannot_be_written_is_read(locked_out: Path):
    index = locked_out / "index.db"
    real_index(index)
    index.chmod(0o400)
    locked_out.chmod(0o500)
    with Store.open_for_reading(index) as store:
        assert store.meta.counts() == (30, 150)
        assert len(store.fulltext.ids_with_words("text")) == 150
    with pytest.raises(StoreError, match="Make it and its folder writable"):
        Store.open_for_writing(index)
    assert [file.name for file in locked_out.iterdir()] == ["index.db"]


@posix
def test_what_is_still_in_the_log_is_not_passed_over_in_silence(locked_out: Path):
    """A writer that was killed left its log; without a right to write beside it, it cannot be read."""
    index = locked_out / "index.db"
    code = (
        "import os, sys; from grooveseek.store.store import Store; from pathlib import Path\n"
        "store = Store.open_for_writing(Path(sys.argv[1])); store.meta.set('contextual', True); os._exit(0)"
    )
    euid = os.geteuid()
    os.seteuid(os.getuid())
    subprocess.run([sys.executable, "-c", code, str(index)], check=True)
    for file in locked_out.iterdir():
        os.chown(file, euid, -1)
    (locked_out / "index.db-shm").unlink()
    os.seteuid(euid)
    assert (locked_out / "index.db-wal").stat().st_size > 0
    locked_out.chmod(0o500)
    with pytest.raises(StoreError, match=r"still in index\.db-wal"):
        Store.open_for_reading(index)
    locked_out.chmod(0o700)
    with Store.open_for_reading(index) as store:
        assert store.meta.contextual


@posix
def test_an_index_that_may_not_be_read_is_named(locked_out: Path):
    index = locked_out / "index.db"
    real_index(index)
    index.chmod(0o000)
    for open_ in (Store.open_for_reading, Store.open_for_writing):
        with pytest.raises(StoreError, match=r"index\.db cannot be opened. Check that it and its folder can be read"):
            open_(index)


@posix
def test_an_index_that_cannot_be_made_is_named(locked_out: Path):
    locked_out.chmod(0o500)
    with pytest.raises(StoreError, match=r"cannot be created \(Permission denied\). Make its folder writable"):
        Store.open_for_writing(locked_out / "index.db")


# -- no room -------------------------------------------------------------------------------------------------------


def fill(store: Store) -> None:
    """More than fits, in a transaction inside a transaction."""
    with store.transaction():
        for number in range(1000):
            store.documents.put(document(f"x{number}.md"), chunks(*(f"words {number} {n} " * 100 for n in range(5))))


def test_a_full_disk_is_called_that_and_the_index_is_as_it_was(store: Store, index: Path):
    store.documents.put(document(), chunks("before"))
    before = everything(index)
    pages = store.database.value("PRAGMA page_count")
    store.database.value(f"PRAGMA max_page_count = {pages + 20}")
    with pytest.raises(DiskFull, match=r"no room left to write the index .*index\.db. Free some space"):
        fill(store)
    assert everything(index) == before
    assert_whole(index)
    store.database.value("PRAGMA max_page_count = 1000000")
    store.documents.put(document("after.md"), chunks("after"))
    assert_whole(index)


@posix
def test_a_file_that_may_not_grow_is_a_full_disk_too(store: Store, index: Path):
    store.documents.put(document(), chunks("before"))
    before = everything(index)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (index.stat().st_size + 200_000, limits[1]))
    try:
        with pytest.raises(DiskFull, match="no room left"):
            fill(store)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert everything(index) == before
    assert_whole(index)


@pytest.mark.parametrize("kilobytes", [8, 48, 400])
@pytest.mark.skipif(sys.platform != "linux", reason="mounts a small tmpfs")
def test_a_small_drive_fills_up_without_harm(tmp_path: Path, kilobytes: int):
    drive = tmp_path / "drive"
    drive.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", drive], capture_output=True)
    if mounted.returncode:
        pytest.skip("may not mount a file system here")
    try:
        with pytest.raises(DiskFull), Store.open_for_writing(drive / "index.db") as store:
            fill(store)
        try:
            with Store.open_for_reading(drive / "index.db") as store:
                assert store.meta.counts() == (0, 0)
        except (NoIndex, DiskFull):  # there was not even room for the empty tables, or for the log
            assert kilobytes < 400
    finally:
        subprocess.run(["umount", drive], check=True)


@posix
def test_no_room_for_the_first_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What a drive without inodes answers to creating a file, which no test can have for real."""

    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(database_module.os, "open", refuse)
    with pytest.raises(DiskFull):
        Database(tmp_path / "index.db")


# -- transactions --------------------------------------------------------------------------------------------------


def test_another_writer_is_waited_for_and_then_named(store: Store, index: Path):
    store.database._connection.set_busy_timeout(50)
    with raw(index) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(WriterBusy, match=r"another process has been writing to .*index\.db"):
            store.meta.set("contextual", True)
        other.execute("ROLLBACK")
    store.meta.set("contextual", True)


def test_readers_do_not_wait_for_a_writer(store: Store, index: Path):
    store.documents.put(document(), chunks("before"))
    with store.transaction():
        store.documents.put(document(), chunks("after"))
        with Store.open_for_reading(index) as reader:
            assert [chunk.chunk.content for chunk in reader.documents.chunks_of("a.md")] == ["before"]


def test_the_version_stamp_changes_with_every_change_whoever_made_it(store: Store, index: Path):
    with Store.open_for_reading(index) as reader:
        stamps = {reader.database.version_stamp()}
        for number in range(3):
            store.meta.set("root_name", str(number))
            stamps.add(reader.database.version_stamp())
            stamps.add(reader.database.version_stamp())
        assert len(stamps) == 4
    own = {store.database.version_stamp()}
    store.meta.set("root_name", "x")
    own.add(store.database.version_stamp())
    assert len(own) == 2


def test_taking_another_files_content_is_seen_at_once_and_a_snapshot_keeps_the_old(
    tmp_path: Path, store: Store, index: Path
):
    store.documents.put(document("old.md"), chunks("old words " * 200))
    with Store.open_for_writing(tmp_path / "other.db") as other, Store.open_for_reading(index) as reader:
        for number in range(50):
            other.documents.put(document(f"new{number}.md"), chunks("new words " * 200))
        with reader.snapshot():
            assert list(reader.documents.states()) == ["old.md"]
            store.database.replace_content_with(other.database)
            assert list(reader.documents.states()) == ["old.md"]
        assert len(reader.documents.states()) == 50
        assert reader.vectors.of(row[0] for row in reader.database.all("SELECT id FROM chunks"))
        store.meta.set("contextual", True)
        assert everything(index)["documents"] == everything(tmp_path / "other.db")["documents"]
        assert_whole(index)


def test_a_closed_database_may_be_closed_again(index: Path):
    store = Store.open_for_writing(index)
    store.close()
    store.close()
    with pytest.raises(StoreError):
        store.meta.counts()


SWITCH = """
import sys
from pathlib import Path
from grooveseek.store.store import Store
with Store.open_for_writing(Path(sys.argv[1])) as live, Store.open_for_writing(Path(sys.argv[2])) as other:
    print("switching", flush=True)
    live.database.replace_content_with(other.database)
    print("done", flush=True)
    sys.stdin.read()
"""


@posix
def test_a_process_killed_while_it_takes_another_files_content_leaves_one_of_the_two(tmp_path: Path, index: Path):
    other = tmp_path / "other.db"
    for path, words in ((index, "old"), (other, "new")):
        with Store.open_for_writing(path) as store, store.transaction():
            store.documents.put(document(f"{words}.md"), chunks(*(f"{words} words {n}" for n in range(20))))
            for number in range(150):
                store.meta.set(f"filler {number}", words * 40_000)
    moments = random.Random(5)
    outcomes = set()
    for number in range(16):
        process = subprocess.Popen(
            [sys.executable, "-c", SWITCH, str(index), str(other)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout
        assert process.stdin
        assert process.stdout.readline() == "switching\n"
        if number < 15:
            time.sleep(moments.uniform(0, 0.05))
        else:
            assert process.stdout.readline() == "done\n"
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
        with Store.open_for_reading(index) as reader:
            (path,) = reader.documents.states()
            word = path.removesuffix(".md")
            outcomes.add(word)
            assert {chunk.chunk.content.split()[0] for chunk in reader.documents.chunks_of(path)} == {word}
            assert reader.meta.get("filler 149") == word * 40_000
            assert len(reader.fulltext.ids_with_words(word)) == 20
        assert_whole(index)
        if word == "new":  # back to the old content for the next try
            with Store.open_for_writing(index) as store, store.transaction():
                store.documents.delete("new.md")
                store.documents.put(document("old.md"), chunks(*(f"old words {n}" for n in range(20))))
                for filler in range(150):
                    store.meta.set(f"filler {filler}", "old" * 40_000)
    assert "new" in outcomes
