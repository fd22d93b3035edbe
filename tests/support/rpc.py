"""A raw client of the stdio server: lines in, lines out, nothing between."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
SECONDS = 60.0


def groove_command(*arguments: str) -> list[str]:
    """The ``groove`` command of this environment."""
    return [sys.executable, "-m", "grooveseek", *arguments]


class StdioServer:
    """A server process. ``lines`` has every line it wrote to stdout, ``notes`` the notifications among them."""

    def __init__(self, command: Sequence[str], *, environ: Mapping[str, str] | None = None, cwd: Path | None = None):
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environ or {})},
            cwd=cwd,
        )
        self.lines: list[bytes] = []
        self.notes: list[dict[str, Any]] = []
        self.stderr = b""
        self._answers: queue.Queue[bytes | None] = queue.Queue()
        self._kept: dict[Any, dict[str, Any]] = {}
        self._next = 0
        self._readers = [threading.Thread(target=reader, daemon=True) for reader in (self._read_out, self._read_err)]
        for reader in self._readers:
            reader.start()

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            self._answers.put(line)
        self._answers.put(None)

    def _read_err(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.stderr += line

    def __enter__(self) -> StdioServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
        for reader in self._readers:
            reader.join(5)

    def send_raw(self, line: bytes) -> None:
        """One line as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, message: Mapping[str, Any]) -> None:
        """One message."""
        self.send_raw(json.dumps(message).encode())

    def receive(self, seconds: float = SECONDS) -> dict[str, Any]:
        """The next message that is no notification."""
        while True:
            line = self._answers.get(timeout=seconds)
            assert line is not None, f"the server ended: {self.stderr.decode(errors='replace')}"
            message: dict[str, Any] = json.loads(line)
            if "id" in message:
                return message
            self.notes.append(message)

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        """Send a request; its id."""
        self._next += 1
        self.send(
            {"jsonrpc": "2.0", "id": self._next, "method": method, **({} if params is None else {"params": params})}
        )
        return self._next

    def answer(self, owner: int, seconds: float = SECONDS) -> dict[str, Any]:
        """The answer to a request, whatever comes before it."""
        deadline = time.monotonic() + seconds
        while owner not in self._kept:
            message = self.receive(max(0.01, deadline - time.monotonic()))
            self._kept[message["id"]] = message
        return self._kept.pop(owner)

    def request(self, method: str, params: Mapping[str, Any] | None = None, seconds: float = SECONDS) -> dict[str, Any]:
        """Ask and wait for the answer."""
        return self.answer(self.ask(method, params), seconds)

    def initialize(self, **changes: Any) -> dict[str, Any]:
        """The handshake; its result."""
        answer = self.request("initialize", {**HELLO, **changes})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def tool(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The result of one tool call."""
        return self.request("tools/call", {"name": name, "arguments": arguments})["result"]

    def when_indexed(self, documents: int | None = None) -> None:
        """Wait until the index is there, with so many documents."""
        deadline = time.monotonic() + SECONDS
        while True:
            result = self.tool("list_topics")
            if not result.get("isError") and documents in (None, result["structuredContent"]["documents"]):
                return
            assert time.monotonic() < deadline, result
            time.sleep(0.05)

    def close_stdin(self) -> int:
        """Close the client's end; the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(SECONDS)
