"""MCP over stdin and stdout. While it is served, nothing but its messages can reach stdout.

The descriptors are claimed before anything else runs: descriptor 1 becomes a second stderr, so what Python, a native
library or a child process prints is harmless; descriptor 0 reads nothing. The messages go over private duplicates.

The SDK's transport drops a line it cannot read without a word and takes lines of any length; this one answers each with
an error and bounds them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grooveseek.serving.request_ids import WRONG_ID, error, has_wrong_id, is_id

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

MAX_LINE_BYTES = 1 << 20
"""Longest message taken, as over HTTP."""
_BLOCK = 1 << 16
_IN_FLIGHT = 64
_SHUT = object()


@dataclass(frozen=True, slots=True)
class Wire:
    """The descriptors that the messages go over."""

    source: int
    sink: int


def claim_streams() -> Wire:
    """Take stdin and stdout for the messages alone. Call before anything that might print."""
    source, sink = _duplicate(0, os.O_RDONLY), _duplicate(1, os.O_WRONLY)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        os.dup2(2, 1)
    except OSError:  # started without stderr
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
    for descriptor in (source, sink):
        os.set_inheritable(descriptor, False)
        _make_binary(descriptor)
    return Wire(source, sink)


def _duplicate(descriptor: int, mode: int) -> int:
    """A private copy of a descriptor; of nothing where it is closed, which reads as a client that has gone."""
    try:
        copy = os.dup(descriptor)
    except OSError:
        copy = os.open(os.devnull, mode)
    while copy <= 2:  # a closed standard descriptor is the first number to be given out
        copy = os.dup(copy)
    return copy


def _make_binary(descriptor: int) -> None:
    """On Windows a descriptor translates line ends unless told otherwise."""
    if os.name == "nt":
        import msvcrt

        msvcrt.setmode(descriptor, os.O_BINARY)  # type: ignore[attr-defined,unused-ignore]  # exists on Windows only


async def serve_stdio(server: Server[Any], wire: Wire) -> None:
    """Serve one client until it closes its end. Raises nothing for what the client sends."""
    import anyio
    from mcp.shared.message import SessionMessage

    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    incoming = _Incoming(wire.source)
    outgoing = _Outgoing(wire.sink)

    async def receive() -> None:
        async with to_server:
            async for line in incoming:
                message = understand(line)
                if isinstance(message, bytes):
                    await outgoing.write(message)
                elif message is not None:
                    await to_server.send(SessionMessage(message))

    async def send() -> None:
        async with from_server:
            async for each in from_server:
                text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                await outgoing.write(text.encode("utf-8"))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(receive)
        tasks.start_soon(send)
        await server.run(from_client, to_client, server.create_initialization_options())
        tasks.cancel_scope.cancel()


def understand(line: bytes | None) -> Any:
    """A line as a JSON-RPC message; as the bytes of the error that answers it; ``None`` for a blank one.

    ``line`` is ``None`` when it was longer than MAX_LINE_BYTES. Codes are those of JSON-RPC 2.0, section 5.1.
    """
    import mcp_types as t
    from pydantic import ValidationError

    if line is None:
        return error(None, t.INVALID_REQUEST, f"The message is longer than {MAX_LINE_BYTES} bytes")
    if not line.strip():
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return error(None, t.PARSE_ERROR, "The line is not JSON")
    if not isinstance(value, dict):
        return error(None, t.INVALID_REQUEST, "Every line must be one JSON-RPC message; batches are not taken")
    if has_wrong_id(value):
        return error(None, t.INVALID_REQUEST, WRONG_ID)
    try:
        return t.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as invalid:
        if any(each["type"] == "json_invalid" for each in invalid.errors()):  # a lone surrogate, say
            return error(None, t.PARSE_ERROR, "The line is not JSON in UTF-8")
        owner = value.get("id")
        return error(owner if is_id(owner) else None, t.INVALID_REQUEST, "The message is not JSON-RPC 2.0")


class _Incoming:
    """The lines of a descriptor, read by a thread of its own, which blocks in the read and cannot be interrupted."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[Any] = asyncio.Queue()
        self._room = threading.Semaphore(_IN_FLIGHT)
        threading.Thread(target=self._read, name="groove-stdin", daemon=True).start()

    def __aiter__(self) -> _Incoming:
        return self

    async def __anext__(self) -> bytes | None:
        line: Any = await self._lines.get()
        self._room.release()
        if line is _SHUT:
            raise StopAsyncIteration
        return line  # type: ignore[no-any-return]  # a queue of lines and the mark behind the last one

    def _read(self) -> None:
        for line in read_lines(lambda: os.read(self._descriptor, _BLOCK)):
            self._put(line)
        self._put(_SHUT)

    def _put(self, line: object) -> None:
        self._room.acquire()
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:  # the loop is closed: nobody will read this any more
            return


def read_lines(read: Callable[[], bytes]) -> Iterator[bytes | None]:
    """The lines of a stream of blocks, without their ends; ``None`` for one longer than MAX_LINE_BYTES.

    Ends at an empty block or an error. A last line without its end counts.
    """
    held = bytearray()
    overlong = False
    while block := _block(read):
        *ended, rest = block.split(b"\n")
        for part in ended:
            held += part
            yield None if overlong or len(held) > MAX_LINE_BYTES else bytes(held)
            held.clear()
            overlong = False
        held += rest
        if len(held) > MAX_LINE_BYTES:
            overlong = True
            held.clear()
    if overlong:
        yield None
    elif held:
        yield bytes(held)


def _block(read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except OSError:
        return b""


class _Outgoing:
    """Writes whole messages in the order they come, by a thread of its own: a client that does not read blocks nothing
    else, and the process can end all the same.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._waiting: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()
        threading.Thread(target=self._write_all, name="groove-stdout", daemon=True).start()

    async def write(self, message: bytes) -> None:
        """Write one message and its line end. What cannot be written any more is dropped: the client is gone."""
        written: asyncio.Future[None] = self._loop.create_future()
        self._waiting.put((message + b"\n", written))
        await written

    def _write_all(self) -> None:
        while True:
            data, written = self._waiting.get()
            with contextlib.suppress(OSError):
                while data:
                    data = data[os.write(self._descriptor, data) :]
            try:
                self._loop.call_soon_threadsafe(_settle, written)
            except RuntimeError:  # the loop is closed
                return


def _settle(written: asyncio.Future[None]) -> None:
    if not written.done():
        written.set_result(None)
