"""A ``groove serve --transport http`` process, and a raw client for it: headers go out exactly as they are written."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.rpc import HELLO

SECONDS = 60.0
JSON_HEADERS = (("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream"))
MODERN = "2026-07-28"


@dataclass(frozen=True)
class Reply:
    """An HTTP response; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def message(self) -> Any:
        """The last JSON-RPC message, whether it came alone or in a stream."""
        if self.headers.get("content-type", "").startswith("text/event-stream"):
            data = [line[5:] for line in self.body.splitlines() if line.startswith(b"data:") and line[5:].strip()]
            return json.loads(data[-1])
        return self.json


def ask(
    port: int,
    path: str,
    *,
    method: str = "GET",
    headers: Iterable[tuple[str, str]] = (),
    body: bytes = b"",
    host: str | None = "localhost",
    address: str = "127.0.0.1",
) -> Reply:
    """One request on a connection of its own. ``host`` None leaves the Host header out."""
    lines = [f"{method} {path} HTTP/1.1"]
    if host is not None:
        lines.append(f"Host: {host}")
    lines += [f"{name}: {value}" for name, value in headers]
    lines += ["Connection: close", f"Content-Length: {len(body)}", "", ""]
    with socket.create_connection((address, port), timeout=SECONDS) as connection:
        received = b""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # refused before it was all sent
            connection.sendall("\r\n".join(lines).encode("latin-1") + body)
        with contextlib.suppress(ConnectionResetError):
            while block := connection.recv(1 << 16):
                received += block
    return _reply(received)


def _reply(received: bytes) -> Reply:
    head, _, body = received.partition(b"\r\n\r\n")
    status, *fields = head.decode("latin-1").split("\r\n")
    headers = {}
    for field in fields:
        name, _, value = field.partition(":")
        headers[name.strip().lower()] = value.strip()
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = _dechunked(body)
    return Reply(int(status.split()[1]), headers, body)


def _dechunked(body: bytes) -> bytes:
    parts = []
    while body:
        size, _, body = body.partition(b"\r\n")
        count = int(size, 16)
        if count == 0:
            break
        parts.append(body[:count])
        body = body[count + 2 :]
    return b"".join(parts)


def rpc(port: int, message: Mapping[str, Any], *headers: tuple[str, str], **options: Any) -> Reply:
    """POST one JSON-RPC message to /mcp."""
    body = json.dumps(message).encode()
    return ask(port, "/mcp", method="POST", headers=(*JSON_HEADERS, *headers), body=body, **options)


def initialize(port: int, **options: Any) -> Reply:
    """Open a session."""
    return rpc(port, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}, **options)


def modern_call(port: int, name: str, arguments: Mapping[str, Any], *headers: tuple[str, str], **options: Any) -> Reply:
    """One tool call in the era without sessions."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    }
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments, "_meta": meta},
    }
    routing = (("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/call"), ("Mcp-Name", name))
    return rpc(port, message, *routing, *headers, **options)


class HttpServer:
    """The process. ``port`` is the one it listens on; ``stderr`` what it said so far."""

    def __init__(
        self, command: Sequence[str], *, environ: Mapping[str, str] | None = None, pass_fds: Sequence[int] = ()
    ):
        self.stderr = ""
        self._said = threading.Condition()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environ or {})},
            pass_fds=pass_fds,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        said = self.wait_for(r"listening on http://(\S+?):(\d+):")
        self.port = int(said[2])
        self.address = "127.0.0.1" if said[1] == "0.0.0.0" else said[1].strip("[]")

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._said:
                self.stderr += line
                self._said.notify_all()
        with self._said:
            self._said.notify_all()

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Until stderr has it."""
        deadline = time.monotonic() + SECONDS
        with self._said:
            while (found := re.search(pattern, self.stderr)) is None:
                left = deadline - time.monotonic()
                assert left > 0, self.stderr
                assert self._reader.is_alive() or re.search(pattern, self.stderr), self.stderr
                self._said.wait(min(left, 0.5))
            return found

    def when_indexed(self, documents: int) -> None:
        """Wait until so many documents are in the index and it is at rest."""
        deadline = time.monotonic() + SECONDS
        while True:
            status = ask(self.port, "/api/admin/status", address=self.address).json
            if status["kb"]["documents"] == documents and not status["indexing"]["active"]:
                return
            assert time.monotonic() < deadline, status
            time.sleep(0.05)

    def __enter__(self) -> HttpServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join(5)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
