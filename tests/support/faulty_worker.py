"""A parser process that does what the bytes it is given say: crash, hang, eat memory, lie.

Run as the worker is: ``faulty_worker.py [unlimited] MEMORY_BYTES SECONDS``. ``unlimited``: as on a system that enforces
no limit of the process's own. The faults stand for those of native libraries.
"""

from __future__ import annotations

import ctypes
import os
import re
import struct
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from grooveseek.errors import Unparsable
from grooveseek.model.document import Chunk, ParsedDocument, QualityProfile
from grooveseek.parsing.protocol import FileKind, Parser
from grooveseek.parsing.worker import serve

COMMAND = (sys.executable, str(Path(__file__).resolve()))


def segfault() -> None:
    ctypes.string_at(0)


def hang_with_the_interpreter_held() -> None:
    re.match(r"(a+)+$", "a" * 64 + "b")


def eat_slowly() -> None:
    held = []
    while True:
        held.append(bytearray(os.urandom(1 << 20) * 8))
        time.sleep(0.005)


def eat_at_once() -> None:
    bytearray(3 << 30)  # of zeros: address space, not memory in use


def recurse() -> None:
    recurse()


def print_everywhere() -> None:
    print("noise on stdout")
    print("noise on stderr", file=sys.stderr)
    os.write(1, b"native noise\n" * 10_000)
    os.write(2, b"native noise\n" * 10_000)


def tell_the_limit() -> None:
    import resource

    raise Unparsable(str(resource.getrlimit(resource.RLIMIT_AS)[0]))


def refuse() -> None:
    raise Unparsable("is not to its taste")


def raise_value_error() -> None:
    raise ValueError("odd value")


def lie(payload: bytes, length: int | None = None) -> Callable[[], None]:
    """Write to the answers' pipe behind the worker's back, as a taken-over process could."""

    def write() -> None:
        pipes = [int(entry.name) for entry in Path("/proc/self/fd").iterdir() if int(entry.name) > 2]
        for pipe in pipes:
            try:
                os.write(pipe, struct.pack(">Q", len(payload) if length is None else length) + payload)
            except OSError:
                continue
        time.sleep(60)

    return write


FAULTS: dict[bytes, Callable[[], Any]] = {
    b"segfault": segfault,
    b"abort": os.abort,
    b"exit": lambda: os._exit(3),
    b"hang": lambda: time.sleep(600),
    b"hang held": hang_with_the_interpreter_held,
    b"eat slowly": eat_slowly,
    b"eat at once": eat_at_once,
    b"recurse": recurse,
    b"print": print_everywhere,
    b"tell the limit": tell_the_limit,
    b"refuse": refuse,
    b"raise": raise_value_error,
    b"lie: not json": lie(b"cposix\nsystem\n(S'true'\ntR."),
    b"lie: shape": lie(b'{"document":{"title":7}}'),
    b"lie: list": lie(b"[1]"),
    b"lie: endless": lie(b"", length=1 << 60),
    b"crash as the second": lambda: None,
}


class Faulty:
    id = "faulty"
    extensions = ("faulty",)
    kind = FileKind.BINARY
    isolated = True
    seen = 0

    def profile(self, *, is_definition: bool) -> QualityProfile:
        return QualityProfile.BINARY

    def parse(self, data: bytes, path: str) -> ParsedDocument:
        Faulty.seen += 1
        if data == b"crash as the second" and Faulty.seen > 1:
            segfault()
        if data.startswith(b"big "):
            return ParsedDocument(title=path, chunks=(Chunk(index=0, content="x" * int(data[4:])),))
        FAULTS.get(data, lambda: None)()
        return ParsedDocument(title=path, chunks=(Chunk(index=0, content=data.decode("latin-1")),))


def make(_: str, __: Mapping[str, Any]) -> Parser:
    return Faulty()


if __name__ == "__main__":
    unlimited = sys.argv[1] == "unlimited"
    serve(make, 1 << 40 if unlimited else int(sys.argv[-2]), float(sys.argv[-1]))
