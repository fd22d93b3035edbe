"""Native parsers in a process of their own: a crash, a hang or a memory bomb costs the one file that caused it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from grooveseek.errors import Unparsable
from grooveseek.model.document import ParsedDocument
from grooveseek.parsing.process_limits import no_window_flag, resident_bytes
from grooveseek.parsing.wire import WireError, decode, document_from_plain, encode, read_frame, write_frame
from grooveseek.parsing.worker import MAX_ANSWER, READY

MEMORY_BYTES = 768 << 20
"""The most a file that keeps to the other caps was seen to need is 612 MiB (a Word file that is one 45 MiB table)."""
SECONDS = 60.0

_START_SECONDS = 120.0
_POLL_SECONDS = 0.05
_GOODBYE_SECONDS = 2.0
# What an interpreter needs to start; nothing else of the environment, which may hold keys, is the worker's business.
_ENVIRONMENT = (
    *("PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LANG", "LC_ALL", "LC_CTYPE", "HOME", "TMPDIR"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "TEMP", "TMP", "APPDATA", "USERPROFILE"),
)
_SOURCE_ROOT = Path(__file__).resolve().parents[2]


class _WorkerDiedError(Exception):
    """The process ended, or stopped making sense, while it had a file in hand."""


def worker_command() -> tuple[str, ...]:
    """Starts the worker with this interpreter and this grooveseek; ``-P`` bars imports from the current folder."""
    code = f"import sys; sys.path.append({str(_SOURCE_ROOT)!r}); from grooveseek.parsing.worker import main; main()"
    return (sys.executable, "-P", "-c", code)


class IsolatedRunner:
    """Parses files in a worker process, started when first needed and replaced whenever it had to be ended.

    Safe to share between threads; one file is parsed at a time. ``memory_bytes`` caps the worker's resident memory
    (on Linux its address space too), ``seconds`` the time a file may take.
    """

    def __init__(
        self,
        *,
        memory_bytes: int = MEMORY_BYTES,
        seconds: float = SECONDS,
        command: Sequence[str] | None = None,
    ) -> None:
        """``command`` starts a worker; MEMORY_BYTES and SECONDS are added to it."""
        self._memory_bytes = memory_bytes
        self._seconds = seconds
        self._command = (*(command or worker_command()), str(memory_bytes), str(seconds))
        self._lock = threading.Lock()
        self._worker: _Worker | None = None

    def parse(self, parser_id: str, options: Mapping[str, Any], data: bytes, path: str) -> ParsedDocument:
        """Parse ``data`` with the parser called ``parser_id``, made with ``options`` (plain values).

        Raises Unparsable with the reason, worded to follow "the file".
        """
        head = encode({"parser": parser_id, "options": dict(options), "path": path})
        with self._lock:
            return self._understood(self._asked(head, data))

    def close(self) -> None:
        """End the worker, if there is one. A later parse starts another."""
        with self._lock:
            self._retire()

    def __enter__(self) -> IsolatedRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def worker_pid(self) -> int | None:
        """The running worker's process id."""
        return self._worker.pid if self._worker is not None else None

    def _asked(self, head: bytes, data: bytes) -> bytes:
        """The worker's answer. A worker that dies after it served other files may owe it to them: one more try."""
        worker = self._ready_worker()
        if worker.served == 0:
            return self._once(worker, head, data)
        try:
            return self._exchange(worker, head, data)
        except _WorkerDiedError:
            return self._once(self._ready_worker(), head, data)

    def _once(self, worker: _Worker, head: bytes, data: bytes) -> bytes:
        try:
            return self._exchange(worker, head, data)
        except _WorkerDiedError as death:
            raise Unparsable(f"made its parser process end ({death})") from None

    def _exchange(self, worker: _Worker, head: bytes, data: bytes) -> bytes:
        call = worker.call(lambda pipe: _send(pipe, head, data), MAX_ANSWER)
        try:
            self._wait(worker, call)
            answer = call.result()
        except WireError as error:
            raise _WorkerDiedError(self._retire() or f"it was stopped for sending {error}") from error
        except BaseException:
            self._retire()
            raise
        worker.served += 1
        if (resident_bytes(worker.pid) or 0) > self._memory_bytes // 2:
            self._retire()  # what earlier files left behind must not count against the next one
        return answer

    def _wait(self, worker: _Worker, call: _Call) -> None:
        deadline = time.monotonic() + self._seconds
        while not call.done.wait(_POLL_SECONDS):
            if time.monotonic() > deadline:
                raise Unparsable(f"took longer than {self._seconds:g} seconds to read")
            if (resident_bytes(worker.pid) or 0) > self._memory_bytes:
                raise Unparsable(self._memory_reason())

    def _understood(self, answer: bytes) -> ParsedDocument:
        try:
            fields = decode(answer)
            if not isinstance(fields, dict):
                raise WireError("not an answer")
            if "memory" in fields:
                self._retire()
                raise Unparsable(self._memory_reason())
            if "reason" in fields:
                raise Unparsable(str(fields["reason"]))
            return document_from_plain(fields.get("document"))
        except WireError as error:
            self._retire()
            raise Unparsable(f"made its parser process answer nonsense ({error})") from error

    def _memory_reason(self) -> str:
        return f"needed more than {self._memory_bytes:,} bytes of memory to read"

    def _ready_worker(self) -> _Worker:
        if self._worker is not None and not self._worker.alive:
            self._retire()
        if self._worker is None:
            self._worker = _Worker(self._command)
            hello = self._worker.call(None, len(READY))
            if not hello.done.wait(_START_SECONDS) or hello.error is not None:
                ended = self._retire() or "it does not answer"
                raise Unparsable(f"could not be read: the parser process did not start ({ended})")
        return self._worker

    def _retire(self) -> str:
        """End the worker; in words, how it had ended by itself, if it had."""
        worker, self._worker = self._worker, None
        return worker.end() if worker is not None else ""


def _send(pipe: IO[bytes], head: bytes, data: bytes) -> None:
    write_frame(pipe, head)
    write_frame(pipe, data)


class _Call:
    """One exchange, carried out by a thread so that the caller can give up on it."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.error: WireError | None = None
        self._answer = b""

    def run(self, send: Callable[[], None], receive: Callable[[], bytes]) -> None:
        try:
            send()
            self._answer = receive()
        except WireError as error:
            self.error = error
        except (OSError, ValueError) as error:  # a broken pipe; a pipe closed under us
            self.error = WireError(str(error))
        finally:
            self.done.set()

    def result(self) -> bytes:
        if self.error is not None:
            raise self.error
        return self._answer


class _Worker:
    """The process and its two pipes."""

    def __init__(self, command: Sequence[str]) -> None:
        self.served = 0
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
                creationflags=no_window_flag(),
            )
        except OSError as error:
            raise Unparsable(f"could not be read: the parser process did not start ({error})") from error
        # Also when the runner is never closed: the worker goes with it, at the latest when the interpreter ends.
        self._finalizer = weakref.finalize(self, _stop, self._process)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def call(self, send: Callable[[IO[bytes]], None] | None, limit: int) -> _Call:
        """Begin an exchange: ``send`` a request, if any, and receive a frame of ``limit`` bytes at most."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        call = _Call()
        asking = (lambda: send(stdin)) if send is not None else (lambda: None)
        threading.Thread(target=call.run, args=(asking, lambda: read_frame(stdout, limit)), daemon=True).start()
        return call

    def end(self) -> str:
        """Stop the process if it still runs; how it ended by itself, if it did."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0.2)  # a crash closes the pipes a moment before the process is gone
        code = self._process.poll()
        self._finalizer()
        return "" if code is None else ended_with(code)


def ended_with(code: int) -> str:
    """A process's return code in words: negative for a signal (POSIX), large for a Windows exception code."""
    if code < 0:
        try:
            return f"crashed with {signal.Signals(-code).name}"
        except ValueError:
            return f"crashed with signal {-code}"
    return f"exit code {code:#x}" if code > 0xFFFF else f"exit code {code}"


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Kill and reap the process, and close its pipes. It keeps nothing worth a gentler end."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError, ValueError):
                pipe.close()
