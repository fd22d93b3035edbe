"""Headless Chromium for tests, spoken to over its DevTools pipe: no driver and no library needed.

Every page is watched: what it requests, what it logs and what its content policy blocks.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
    "about:blank",
)
_SECONDS = 60.0
_LAUNCHER = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
os.dup2(ends[0], 3)
os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""The browser reads commands from descriptor 3 and answers on 4."""


def chromium() -> str:
    """The browser's path; skips the test where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None or os.name == "nt":
        pytest.skip("needs Chromium on a POSIX system")
    return found


class Browser:
    """One browser with one page. ``events`` are the DevTools events since it started."""

    def __init__(self) -> None:
        program = chromium()
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        command = [program, f"--user-data-dir={self._profile.name}", *_FLAGS]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCHER, str(to_browser), str(from_browser), *command],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._held = b""
        self._next = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        attached = self.send("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._profile.cleanup()

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """One DevTools command and its result."""
        self._next += 1
        message: dict[str, Any] = {"id": self._next, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive(_SECONDS)
            assert answer is not None, f"{method}: the browser does not answer"
            if answer.get("id") == self._next:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def _receive(self, seconds: float) -> dict[str, Any] | None:
        deadline = time.monotonic() + seconds
        while b"\0" not in self._held:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._in], [], [], left)[0]:
                return None
            self._held += os.read(self._in, 1 << 16)
        raw, _, self._held = self._held.partition(b"\0")
        message: dict[str, Any] = json.loads(raw)
        if "method" in message:
            self.events.append(message)
        return message

    def open(self, url: str) -> None:
        """Load a page and wait for it."""
        seen = len(self.events)
        self.send("Page.navigate", url=url)
        deadline = time.monotonic() + _SECONDS
        while not any(event["method"] == "Page.loadEventFired" for event in self.events[seen:]):
            assert time.monotonic() < deadline, f"{url} does not load"
            self._receive(1.0)

    def evaluate(self, expression: str) -> Any:
        """The JSON value of an expression in the page."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Until an expression is true."""
        deadline = time.monotonic() + _SECONDS
        while not self.evaluate(expression):
            assert time.monotonic() < deadline, f"never true: {expression}"
            self._receive(0.05)

    def type(self, text: str) -> None:
        """Type text as a keyboard does."""
        for char in text:
            self.key(char, text=char)

    def key(self, name: str, *, text: str | None = None) -> None:
        """Press and release a key: ``Enter``, ``ArrowDown``, ``Tab``, or a character."""
        codes = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40}
        common = {"key": name, "windowsVirtualKeyCode": codes.get(name, ord(name[0].upper()))}
        typed = "\r" if name == "Enter" else text
        down = {"type": "keyDown", "text": typed} if typed else {"type": "rawKeyDown"}
        self.send("Input.dispatchKeyEvent", **down, **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def color_scheme(self, name: str) -> None:
        """``light`` or ``dark``, as the system would ask for it."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def screenshot(self, path: Path, *, width: int = 1000, height: int = 800) -> None:
        """A PNG of the page."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

    def requested(self) -> list[str]:
        """Every URL that was asked for."""
        return [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]

    def complaints(self) -> list[str]:
        """What the browser logged as a warning or an error, blocked contents among it, and uncaught exceptions."""
        logged = [e["params"]["entry"] for e in self.events if e["method"] == "Log.entryAdded"]
        texts = [entry["text"] for entry in logged if entry["level"] in ("warning", "error")]
        thrown = [
            e["params"]["exceptionDetails"]["text"] for e in self.events if e["method"] == "Runtime.exceptionThrown"
        ]
        return texts + thrown
