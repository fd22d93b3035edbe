"""A process that searches for a server (:mod:`grooveseek.serving.searchers`): questions in, answers out, as frames.

The first frame it gets are the settings; it answers that it is ready, and then every search with its result as JSON.
An empty frame means that the server shall answer itself: there is no index yet, it is being built, or the question
cannot be answered. It ends when its input does, so it never outlives the server.
"""

from __future__ import annotations

import json
import logging
import os
import pickle
import signal
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from grooveseek.errors import GrooveError
from grooveseek.parsing.wire import WireError, decode, read_frame, write_frame

if TYPE_CHECKING:
    from grooveseek.serving.served import Served
    from grooveseek.settings.sections import Settings

READY = b"ready"
_MOST_BYTES = 1 << 24
_SOURCE_ROOT = Path(__file__).resolve().parents[2]

log = logging.getLogger(__name__)


def command() -> tuple[str, ...]:
    """Starts the process with this interpreter and this grooveseek; ``-P`` bars imports from the current folder."""
    code = f"import sys; sys.path.append({str(_SOURCE_ROOT)!r}); from {__name__} import main; main()"
    return (sys.executable, "-P", "-c", code)


def opening(settings: Settings) -> bytes:
    """The first frame."""
    return pickle.dumps(settings)


def main() -> None:
    """Entry point of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's to handle; it closes our input
    from grooveseek.app import KnowledgeBase
    from grooveseek.cli.log import set_up_logging
    from grooveseek.serving.served import open_served

    set_up_logging(os.environ)
    asked, answers = _take_pipes()
    try:
        settings = pickle.loads(read_frame(asked, _MOST_BYTES))  # noqa: S301 - from the server, over a pipe of its own
        with KnowledgeBase(settings) as kb:
            serve(open_served(kb, watch=False, config_source="server"), asked, answers)
    except (WireError, OSError):
        return


def serve(served: Served, asked: IO[bytes], answers: IO[bytes]) -> None:
    """Answer until the input ends. Raises WireError or OSError then."""
    answer(served, {"query": "warm-up"})
    write_frame(answers, READY)
    while True:
        arguments = decode(read_frame(asked, _MOST_BYTES))
        write_frame(answers, answer(served, arguments))


def answer(served: Served, arguments: dict[str, Any]) -> bytes:
    """The search tool's result, or nothing where the server has to find out by itself what is the matter."""
    from grooveseek.serving.tools.search import search

    try:
        if served.is_unfinished():
            return b""
        return json.dumps(search(served, arguments), allow_nan=False).encode("ascii")
    except GrooveError:
        return b""
    except Exception:
        log.exception("a search process could not answer")
        return b""


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Our ends of the pipes, with stdin and stdout turned to nowhere: native code prints what it likes."""
    asked, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nowhere, stream)
    os.close(nowhere)
    return os.fdopen(asked, "rb"), os.fdopen(answers, "wb")
