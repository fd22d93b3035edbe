from __future__ import annotations

import os
import re
import socket
import threading
from pathlib import Path

import pytest
from grooveseek.errors import Refused, Unreadable
from grooveseek.knowledge_base import safe_read
from grooveseek.knowledge_base.safe_read import SafeRead, is_junction, read_checked, read_start, why_refused

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs POSIX file kinds")


def test_a_plain_file_is_read_whole_with_its_size_and_time(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"one\r\ntwo\x1a\n")
    os.utime(path, ns=(5, 1_700_000_000_123_456_700))
    assert read_checked(path, max_bytes=None) == SafeRead(
        data=b"one\r\ntwo\x1a\n", size=10, mtime_ns=path.stat().st_mtime_ns
    )


def test_an_empty_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    assert read_checked(tmp_path / "a.md", max_bytes=1).data == b""


def test_a_file_of_several_blocks_is_read_whole(tmp_path: Path) -> None:
    data = os.urandom(safe_read._BLOCK * 2 + 17)
    (tmp_path / "a.md").write_bytes(data)
    assert read_checked(tmp_path / "a.md", max_bytes=None).data == data
    assert read_checked(tmp_path / "a.md", max_bytes=len(data)).data == data


def test_a_file_of_exactly_the_cap_is_read_and_one_byte_more_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"x" * 1000)
    assert read_checked(path, max_bytes=1000).size == 1000
    with pytest.raises(Refused) as caught:
        read_checked(path, max_bytes=999)
    message = str(caught.value)
    assert message == (
        "it has 1,000 bytes, over the limit of 999; raise [index] max_raw_text_size or max_raw_binary_size to read it"
    )
    assert str(tmp_path) not in message


def test_the_message_about_the_cap_names_the_setting_that_the_caller_knows(tmp_path: Path) -> None:
    path = tmp_path / "a.rs"
    path.write_bytes(b"x" * 10)
    with pytest.raises(Refused, match=re.escape("raise [index] max_raw_text_size to read it")):
        read_checked(path, max_bytes=9, setting="[index] max_raw_text_size")
    with pytest.raises(Refused, match="this limit is fixed"):
        read_checked(path, max_bytes=9, setting=None)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs a file whose size is not known beforehand")
def test_a_file_with_more_bytes_than_it_said_is_refused_at_the_cap() -> None:
    path = Path("/proc/self/status")  # a regular file of size 0 with text in it: what a growing file looks like
    assert path.stat().st_size == 0
    assert len(read_checked(path, max_bytes=None).data) > 100
    with pytest.raises(Refused, match="it has 101 bytes, over the limit of 100"):
        read_checked(path, max_bytes=100)


@posix_only
def test_a_symbolic_link_is_refused_wherever_it_leads(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("secret")
    for name, target in {"good.md": "a.md", "broken.md": "nowhere", "loop.md": "loop.md", "folder.md": "."}.items():
        (tmp_path / name).symlink_to(target)
        with pytest.raises(Refused, match="symbolic link"):
            read_checked(tmp_path / name, max_bytes=None)


def test_a_file_with_two_names_is_refused_until_one_of_them_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("text")
    os.link(tmp_path / "a.md", tmp_path / "hard.md")
    for name in ("a.md", "hard.md"):
        with pytest.raises(Refused, match="2 hard links"):
            read_checked(tmp_path / name, max_bytes=None)
    (tmp_path / "a.md").unlink()
    assert read_checked(tmp_path / "hard.md", max_bytes=None).data == b"text"


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").mkdir()
    with pytest.raises(Refused, match="folder"):
        read_checked(tmp_path / "a.md", max_bytes=None)


@posix_only
def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    outcome: list[BaseException] = []

    def read() -> None:
        try:
            read_checked(tmp_path / "pipe.md", max_bytes=None)
        except Refused as error:
            outcome.append(error)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(timeout=60)
    assert [str(error) for error in outcome] == ["it is a named pipe, not a regular file"]


@posix_only
def test_a_socket_and_a_device_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path may have 107 bytes at most
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.md")
        with pytest.raises(Refused, match="not a regular file"):
            read_checked(tmp_path / "s.md", max_bytes=None)
    with pytest.raises(Refused, match="device"):
        read_checked(Path("/dev/null"), max_bytes=None)


def test_a_file_that_is_gone_is_a_deletion_and_not_a_fault(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_checked(tmp_path / "gone.md", max_bytes=None)
    (tmp_path / "was-a-folder").write_text("now a file")
    with pytest.raises(FileNotFoundError):
        read_checked(tmp_path / "was-a-folder" / "a.md", max_bytes=None)


def test_a_file_without_read_permission_is_unreadable_and_not_refused(locked_out: Path) -> None:
    path = locked_out / "a.md"
    path.write_text("text")
    path.chmod(0)
    with pytest.raises(Unreadable) as caught:
        read_checked(path, max_bytes=None)
    assert str(caught.value) == "it could not be read: Permission denied"


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that opens and then fails to be read")
def test_an_error_while_reading_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="it could not be read"):
        read_checked(Path("/proc/self/mem"), max_bytes=10)  # address 0 is not mapped: EIO


@pytest.mark.parametrize("name", ["a\0.md", "a\ud83d.md"])
def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(Refused, match="its name cannot exist"):
        read_checked(tmp_path / name, max_bytes=None)


@posix_only
def test_no_handle_stays_open_after_a_refusal(tmp_path: Path) -> None:
    (tmp_path / "a.md").mkdir()
    before = os.dup(0)
    os.close(before)
    for _ in range(3):
        with pytest.raises(Refused):
            read_checked(tmp_path / "a.md", max_bytes=None)
    after = os.dup(0)
    os.close(after)
    assert after == before  # POSIX gives the lowest free number


def test_the_start_of_a_longer_file_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"0123456789")
    assert read_start(tmp_path / "a", count=4) == b"0123"
    assert read_start(tmp_path / "a", count=40) == b"0123456789"


@posix_only
def test_links_are_refused_by_name_where_open_cannot_refuse_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safe_read, "_CAN_REFUSE_LINKS", False)
    monkeypatch.setattr(safe_read, "_FLAGS", os.O_RDONLY)
    (tmp_path / "a.md").write_text("text")
    (tmp_path / "link.md").symlink_to("a.md")
    (tmp_path / "folder.md").mkdir()
    assert read_checked(tmp_path / "a.md", max_bytes=None).data == b"text"
    with pytest.raises(Refused, match="symbolic link"):
        read_checked(tmp_path / "link.md", max_bytes=None)
    with pytest.raises(Refused, match="folder"):
        read_checked(tmp_path / "folder.md", max_bytes=None)
    with pytest.raises(FileNotFoundError):
        read_checked(tmp_path / "gone.md", max_bytes=None)


class _WindowsStatus:
    """What os.lstat gives on Windows for a reparse point, as far as the checks look at it."""

    def __init__(self, mode: int, tag: int) -> None:
        self.st_mode, self.st_reparse_tag, self.st_nlink = mode, tag, 1


def test_a_junction_is_a_link_and_a_cloud_placeholder_is_a_file() -> None:
    junction = _WindowsStatus(0o040777, 0xA0000003)  # IO_REPARSE_TAG_MOUNT_POINT, says it is a folder
    placeholder = _WindowsStatus(0o100666, 0x9000601A)  # IO_REPARSE_TAG_CLOUD_6
    assert is_junction(junction)  # type: ignore[arg-type]
    assert "junction" in (why_refused(junction) or "")  # type: ignore[arg-type]
    assert why_refused(placeholder) is None  # type: ignore[arg-type]


def test_a_file_system_that_does_not_count_links_is_believed() -> None:
    uncounted = _WindowsStatus(0o100666, 0)
    uncounted.st_nlink = 0
    assert why_refused(uncounted) is None  # type: ignore[arg-type]
