"""What an Office file may cost before a parser opens it: its zip is checked by declared size and by inflating it.

A zip entry's declared size is only a claim, so every entry, whatever its name, is inflated for real with the output
thrown away, and the archive as a whole is held to one budget. Readers of Office files find parts through relationships,
not names, so a check that picks entries by name can be walked around.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

from grooveseek.errors import Unparsable

MAX_ENTRIES = 20_000
"""Entries an archive may list: each costs Python about 600 bytes before anything of it is read."""

OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, ValueError, EOFError, OverflowError),
    NotImplementedError,  # zipfile's word for a version of the format it does not know
)
_DIRECTORY_ENTRY = b"PK\x01\x02"
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_ENCRYPTED = 0x1
_STEP = 1 << 16


def open_archive(data: bytes, budget: int | None) -> zipfile.ZipFile:
    """The archive in ``data``, known to inflate to ``budget`` bytes at most; ``None`` lifts that cap.

    Raises Unparsable when it is no zip, is encrypted, is damaged, or would inflate to more.
    """
    _refuse_other_containers(data)
    if data.count(_DIRECTORY_ENTRY) > MAX_ENTRIES:
        raise Unparsable(f"lists more than {MAX_ENTRIES:,} entries, which no Office program writes")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        _check_sizes(archive, data, budget)
    except _DAMAGE as broken:
        raise Unparsable(f"is not a readable zip archive ({broken})") from broken
    return archive


def _refuse_other_containers(data: bytes) -> None:
    if data.startswith(OLE_MAGIC):
        raise Unparsable(
            "is protected by a password or in an older Office format; save it without one, as .docx, .pptx or .xlsx"
        )
    if not data:
        raise Unparsable("is empty")


def _check_sizes(archive: zipfile.ZipFile, data: bytes, budget: int | None) -> None:
    declared = sum(entry.file_size for entry in archive.infolist())
    if budget is not None and declared > budget:
        raise Unparsable(_too_large(f"declares {declared:,} bytes", budget))
    view = memoryview(data)
    left = budget
    for entry in archive.infolist():
        inflated = _inflated_size(view, entry, left)
        if left is None:
            continue
        left -= inflated
        if left < 0:
            assert budget is not None
            raise Unparsable(_too_large(f"reaches the cap at {entry.filename!r}", budget))


def _too_large(finding: str, budget: int) -> str:
    return f"inflates to more than {budget:,} bytes ({finding}); [index].max_decompressed_size is the cap"


def _inflated_size(view: memoryview, entry: zipfile.ZipInfo, left: int | None) -> int:
    """Bytes the entry really inflates to, counted no further than one past ``left``."""
    if entry.flag_bits & _ENCRYPTED:
        raise Unparsable(f"has an encrypted entry, {entry.filename!r} (save it without a password)")
    magic, name_length, extra_length = _LOCAL_HEADER.unpack_from(view, entry.header_offset)
    if magic != b"PK\x03\x04":
        raise ValueError(f"no entry where the directory puts {entry.filename!r}")
    start = entry.header_offset + _LOCAL_HEADER.size + name_length + extra_length
    if entry.compress_type == zipfile.ZIP_STORED:
        return entry.compress_size
    if entry.compress_type != zipfile.ZIP_DEFLATED:
        method = f"zip compression method {entry.compress_type}"
        raise Unparsable(f"uses {method} for {entry.filename!r}; only deflate is read")
    return _deflate_size(view[start:], left)


def _deflate_size(stream: memoryview, left: int | None) -> int:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    total, position, pending = 0, 0, b""
    while not inflater.eof and (left is None or total <= left):
        if not pending:
            pending = bytes(stream[position : position + _STEP])
            position += _STEP
            if not pending:
                break  # cut short: reading the entry will say so, by its checksum
        total += len(inflater.decompress(pending, _STEP))
        pending = inflater.unconsumed_tail
    return total
