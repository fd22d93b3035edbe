"""Processes that search beside the server when more clients ask than one interpreter can answer.

A search of a small index is mostly Python, of which one process runs one thread at a time, however many cores there
are. So when searches have waited on one another for about as long as it takes to start a process, one is started, and
another when that happens again. They end when no two clients have asked at once for a while. Whatever a process cannot
answer, a thread of the server answers in its place: a search costs more then, but never fails for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import struct
import subprocess
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from grooveseek.parsing.process_limits import no_window_flag

log = logging.getLogger(__name__)

CROWDED_SECONDS = 1.0
"""How long searches wait on one another, added up, before a process is worth its start (half a second of work)."""
IDLE_SECONDS = 120.0
"""How long the processes outlive the last time that two searches ran at once."""
MOST = 8
_START_SECONDS = 120.0
_LENGTH = struct.Struct(">Q")  # what grooveseek.parsing.wire, at the other end, puts in front of a frame

Json = dict[str, Any]


class Searchers:
    """The processes of one server. Used on its event loop only."""

    def __init__(
        self,
        command: Sequence[str],
        opening: bytes,
        *,
        most: int,
        crowded_seconds: float = CROWDED_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        """``command`` starts a process, ``opening`` is the first frame it gets, ``most`` how many there may be."""
        self._command = tuple(command)
        self._opening = opening
        self._most = most
        self._crowded_seconds = crowded_seconds
        self._idle_seconds = idle_seconds
        self._processes: list[_Process] = []
        self._free: list[_Process] = []
        self._leaving: dict[_Process, asyncio.Task[None]] = {}
        self._changed = asyncio.Condition()
        self._starting: asyncio.Task[None] | None = None
        self._ending: asyncio.TimerHandle | None = None
        self._running = 0
        self._crowded = 0.0
        self._closed = False

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes that answer now."""
        return tuple(process.pid for process in self._processes)

    async def answer(self, arguments: Mapping[str, Any], otherwise: Callable[[], Awaitable[Json]]) -> Json:
        """The answer of a process, or what ``otherwise`` gives when none has one. Raises what ``otherwise`` raises."""
        began, shared = time.monotonic(), self._running > 0
        crowded = shared and not self._free
        self._running += 1
        try:
            answer = await self._ask(json.dumps(arguments).encode("ascii"))
            return await otherwise() if answer is None else answer
        finally:
            self._running -= 1
            if crowded:
                self._note_crowd(time.monotonic() - began)
            if shared:
                self._postpone_end()

    async def close(self) -> None:
        """End every process, and start no more."""
        self._closed = True
        if self._ending is not None:
            self._ending.cancel()
        if self._starting is not None:
            self._starting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._starting
        processes, self._processes, self._free = self._processes, [], []
        async with self._changed:
            self._changed.notify_all()
        for process in (*processes, *self._leaving):
            await process.end()
        await asyncio.gather(*self._leaving.values())

    # -- asking ----------------------------------------------------------------------------------------------------

    async def _ask(self, question: bytes) -> Json | None:
        process = await self._claim()
        if process is None:
            return None
        # Whoever stops waiting must not leave an answer behind for the next one to read.
        return await asyncio.shield(asyncio.ensure_future(self._exchange(process, question)))

    async def _claim(self) -> _Process | None:
        """A process that is free, as soon as there is one; ``None`` when there is none to wait for."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._free or not self._processes)
            return self._free.pop() if self._free else None

    async def _exchange(self, process: _Process, question: bytes) -> Json | None:
        try:
            frame = await process.exchange(question)
        except (OSError, asyncio.IncompleteReadError):
            if process in self._processes:
                log.warning("a search process ended by itself; the server searches in its place")
                self._processes.remove(process)
            await process.end()
            frame = b""
        else:
            if process in self._processes:
                self._free.append(process)
        async with self._changed:
            self._changed.notify_all()
        answer: Json | None = json.loads(frame) if frame else None
        return answer

    # -- how many --------------------------------------------------------------------------------------------------

    def _note_crowd(self, seconds: float) -> None:
        self._crowded += seconds
        if self._crowded < self._crowded_seconds or self._starting is not None or self._closed:
            return
        self._crowded = 0.0
        if len(self._processes) < self._most:
            self._starting = asyncio.ensure_future(self._start())

    async def _start(self) -> None:
        try:
            process = await _Process.start(self._command, self._opening)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            self._most = len(self._processes)  # it would fail again
            log.warning("no process can be started to search beside the server (%s); it searches alone", error)
        else:
            self._processes.append(process)
            self._free.append(process)
            async with self._changed:
                self._changed.notify_all()
        finally:
            self._starting = None
            self._crowded = 0.0  # searches were slow because one was being started

    def _postpone_end(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
        if self._processes:
            self._ending = asyncio.get_running_loop().call_later(self._idle_seconds, self._dismiss)

    def _dismiss(self) -> None:
        """Let the processes go; one that has a question in hand answers it first."""
        processes, self._processes, self._free, self._crowded = self._processes, [], [], 0.0
        for process in processes:
            leaving = asyncio.ensure_future(process.leave())
            self._leaving[process] = leaving
            leaving.add_done_callback(lambda _, process=process: self._leaving.pop(process))  # type: ignore[misc]  # bound early


class _Process:
    """One process: a frame in, a frame out, one at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.pid = process.pid

    @classmethod
    async def start(cls, command: Sequence[str], opening: bytes) -> _Process:
        """A process that has answered its opening. Raises OSError, IncompleteReadError or TimeoutError."""
        made = cls(
            await asyncio.create_subprocess_exec(
                *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, creationflags=no_window_flag()
            )
        )
        try:
            async with asyncio.timeout(_START_SECONDS):
                await made.exchange(opening)
        except BaseException:
            await made.end()
            raise
        return made

    async def exchange(self, frame: bytes) -> bytes:
        """Raises OSError or IncompleteReadError when the process is no more."""
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answers is not None
        asked.write(_LENGTH.pack(len(frame)) + frame)
        await asked.drain()
        (length,) = _LENGTH.unpack(await answers.readexactly(_LENGTH.size))
        return await answers.readexactly(length)

    async def leave(self) -> None:
        """Let it end by itself: its input is over. Returns when it has."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()

    async def end(self) -> None:
        """Stop it, whatever it does. It only reads, so nothing is lost."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
