"""The parser process: reads one file's bytes at a time from its standard input and answers with the document.

It holds nothing a file could want: no index, no settings but those of the parser, no network use. It ends when its
input does, so it never outlives groove; while a file is being parsed a watchdog that needs no interpreter sees to that.
"""

from __future__ import annotations

import faulthandler
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from grooveseek.errors import MissingExtra, Unparsable
from grooveseek.parsing.process_limits import limit_own_memory, silence_crash_dialogs
from grooveseek.parsing.protocol import Parser
from grooveseek.parsing.wire import WireError, decode, document_to_plain, encode, read_frame, write_frame

READY = b"ready"
MAX_REQUEST = 1 << 40  # the parent's own size caps come first; "unlimited" is theirs to allow
MAX_TEXT = 50 << 20  # characters; no Office file has more under the default decompression cap
MAX_ANSWER = 6 * MAX_TEXT
IDLE_SECONDS = 120
_GRACE_SECONDS = 5
_RESERVED_BYTES = 256 << 20
"""Address space that allocators and thread stacks reserve without using it. The parent watches what is used."""
_FAILED = 1

MakeParser = Callable[[str, dict[str, Any]], Parser]


def serve(make_parser: MakeParser, memory_bytes: int, seconds: float) -> None:
    """Answer requests until the input ends or nothing has come for ``IDLE_SECONDS``. Does not return."""
    asked, answers = _take_pipes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle; it closes our input
    silence_crash_dialogs()
    limit_own_memory(memory_bytes + _RESERVED_BYTES)
    requests: queue.SimpleQueue[tuple[bytes, bytes]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(asked, requests), daemon=True).start()
    write_frame(answers, READY)
    with Path(os.devnull).open("w", encoding="ascii") as nowhere:
        while True:
            try:
                head, data = requests.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                os._exit(0)
            faulthandler.dump_traceback_later(seconds + _GRACE_SECONDS, exit=True, file=nowhere)
            answer = _answer(make_parser, head, data)
            faulthandler.cancel_dump_traceback_later()
            write_frame(answers, answer)
            del head, data, answer


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Our ends of the pipes, with the standard streams turned to nowhere: native code prints what it likes."""
    asked, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
    return os.fdopen(asked, "rb"), os.fdopen(answers, "wb")


def _receive(asked: IO[bytes], requests: queue.SimpleQueue[tuple[bytes, bytes]]) -> None:
    """Hand requests on. The parent sends none before it has its answer, so an end of input is the end at any time."""
    try:
        while True:
            head = read_frame(asked, MAX_REQUEST)
            requests.put((head, read_frame(asked, MAX_REQUEST)))
    except (WireError, OSError):
        os._exit(0)


def _answer(make_parser: MakeParser, head: bytes, data: bytes) -> bytes:
    request = decode(head)
    name = request["parser"]
    try:
        document = make_parser(name, request["options"]).parse(data, request["path"])
        if sum(len(chunk.content) for chunk in document.chunks) > MAX_TEXT:
            raise Unparsable(f"holds more than {MAX_TEXT:,} characters of text")
        answer = encode({"document": document_to_plain(document)})
    except Unparsable as error:
        return encode({"reason": str(error)})
    except MissingExtra as error:
        return encode({"reason": f"could not be read: {error}"})
    except MemoryError:
        return encode({"memory": True})
    except (Exception, RecursionError) as error:  # noqa: BLE001 - whatever a parser does wrong costs one file
        return encode({"reason": f"made the {name} parser fail ({type(error).__name__}: {error})"})
    return answer if len(answer) <= MAX_ANSWER else encode({"reason": f"gives an answer of {len(answer):,} bytes"})


def main() -> None:
    """Entry point: ``worker MEMORY_BYTES SECONDS``."""
    from grooveseek.parsing.binary import direct_parser

    serve(direct_parser, int(sys.argv[-2]), float(sys.argv[-1]))
