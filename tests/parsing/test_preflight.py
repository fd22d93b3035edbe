import io
import struct
import zipfile
import zlib

import pytest
from grooveseek.errors import Unparsable
from grooveseek.parsing.preflight import MAX_ENTRIES, open_archive
from tests.support.binary import FIXTURES
from tests.support.office_files import archive

MIB = 1 << 20


def lying_archive(name: str, content: bytes, declared: int) -> bytes:
    """A zip whose one entry says it has ``declared`` bytes, in both its headers, and holds ``content``."""
    body = zlib.compress(content, 9)[2:-4]
    checksum, raw = zlib.crc32(content[:declared]), name.encode()
    common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, checksum, len(body), declared, len(raw), 0)
    header = b"PK\x03\x04" + common + raw
    entry = b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + raw
    start = len(header) + len(body)
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), start, 0)
    return header + body + entry + end


def overlapping_archive(content: bytes, entries: int) -> bytes:
    """A zip whose entries all point at the same compressed bytes."""
    held = archive({"a": content})
    end = held.rindex(b"PK\x05\x06")
    start = held.index(b"PK\x01\x02")
    entry = held[start:end]
    directory = entry * entries
    tail = struct.pack("<HHHHIIH", 0, 0, entries, entries, len(directory), start, 0)
    return held[:start] + directory + b"PK\x05\x06" + tail


def test_an_archive_within_the_budget_opens() -> None:
    opened = open_archive(archive({"a": b"x" * 600, "b": b"y" * 400}), 1000)
    assert opened.read("b") == b"y" * 400


def test_a_budget_of_one_byte_less_refuses_it_and_names_the_setting() -> None:
    with pytest.raises(Unparsable, match=r"more than 999 bytes.*\[index\]\.max_decompressed_size"):
        open_archive(archive({"a": b"x" * 600, "b": b"y" * 400}), 999)


def test_no_budget_lets_any_size_pass() -> None:
    assert open_archive(archive({"a": b"x" * 3 * MIB}), None).namelist() == ["a"]


@pytest.mark.parametrize("name", ["word/document.xml", "xl/worksheets/payload", "media/picture.png", "no_suffix"])
def test_an_entry_that_declares_ten_bytes_is_inflated_to_see(name: str) -> None:
    bomb = lying_archive(name, bytes(100 * MIB), 10)
    assert len(bomb) < MIB
    with pytest.raises(Unparsable, match="reaches the cap"):
        open_archive(bomb, 50 * MIB)


def test_an_entry_that_declares_more_than_the_cap_is_refused_on_its_word() -> None:
    with pytest.raises(Unparsable, match="declares 104,857,600 bytes"):
        open_archive(lying_archive("a", b"small", 100 * MIB), 50 * MIB)


def test_entries_that_share_their_bytes_are_counted_each() -> None:
    bomb = overlapping_archive(bytes(MIB), 60)
    assert len(bomb) < 20_000
    with pytest.raises(Unparsable, match="inflates to more than"):
        open_archive(bomb, 50 * MIB)


def test_a_zip_inside_a_zip_counts_as_the_bytes_it_is() -> None:
    inner = archive({"a": bytes(MIB)})
    assert open_archive(archive({"nested.zip": inner}), len(inner)).namelist() == ["nested.zip"]


def test_more_entries_than_any_program_writes_are_refused_before_they_are_listed() -> None:
    bomb = overlapping_archive(b"", MAX_ENTRIES + 1)
    with pytest.raises(Unparsable, match="more than 20,000 entries"):
        open_archive(bomb, 50 * MIB)


@pytest.mark.parametrize("name", ["encrypted.docx", "encrypted.xlsx", "encrypted.pptx"])
def test_a_file_with_a_password_is_named_as_such(name: str) -> None:
    with pytest.raises(Unparsable, match="password"):
        open_archive((FIXTURES / "office" / name).read_bytes(), 50 * MIB)


def test_an_encrypted_entry_is_named() -> None:
    held = bytearray(archive({"word/document.xml": b"text"}))
    held[held.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(Unparsable, match=r"encrypted entry, 'word/document.xml'"):
        open_archive(bytes(held), 50 * MIB)


def test_a_compression_method_other_than_deflate_is_named() -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_LZMA) as made:
        made.writestr("a", "text")
    with pytest.raises(Unparsable, match="compression method 14"):
        open_archive(held.getvalue(), 50 * MIB)


@pytest.mark.parametrize(
    "data",
    [
        b"not a zip at all",
        archive({"a": b"text"})[:-4],
        archive({"a": b"text"}).replace(b"PK\x03\x04", b"PK\x03\x05"),
    ],
)
def test_what_is_no_zip_is_refused_with_a_reason(data: bytes) -> None:
    with pytest.raises(Unparsable, match="not a readable zip"):
        open_archive(data, 50 * MIB)


def test_an_empty_file_says_so() -> None:
    with pytest.raises(Unparsable, match="is empty"):
        open_archive(b"", None)
