"""Searches while a forced rebuild runs, beside searches before it: ``python eval/bench/rebuild.py KB [--clients 8]``.

Serves the knowledge base over HTTP from a copy of its index, lets clients search at once, first while nothing else goes
on and then while ``groove index --reembed`` rebuilds the index, and prints both 95th percentiles and their ratio.
"""

from __future__ import annotations

import argparse
import json
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

QUERIES = ("time sharing operating system", "sorting algorithm", "compiler for algol", "numerical integration")
PROTOCOL = "2025-11-25"


def post(url: str, body: dict[str, Any], session: str | None) -> tuple[str, str | None]:
    """One message to /mcp: the answer's text and the session's id."""
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if session:
        headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": PROTOCOL}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode(), answer.headers.get("Mcp-Session-Id")


class Client(threading.Thread):
    """Searches until it is told to stop; keeps how long each took, in milliseconds."""

    def __init__(self, url: str, number: int) -> None:
        super().__init__(daemon=True)
        self.url, self.number = url, number
        self.stop = threading.Event()
        self.took: list[float] = []
        self.errors: list[str] = []
        opening = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        _, self.session = post(url, {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": opening}, None)
        post(url, {"jsonrpc": "2.0", "method": "notifications/initialized"}, self.session)

    def run(self) -> None:
        for step in range(1, 100_000):
            if self.stop.is_set():
                return
            call = {"name": "search", "arguments": {"query": QUERIES[(step + self.number) % len(QUERIES)]}}
            started = time.perf_counter()
            text, _ = post(
                self.url, {"jsonrpc": "2.0", "id": step, "method": "tools/call", "params": call}, self.session
            )
            self.took.append((time.perf_counter() - started) * 1000)
            if '"isError":true' in text or '"error"' in text[:200]:
                self.errors.append(text[:200])
            time.sleep(0.2)  # people think between searches; without a pause the clients only measure one another


def measure(url: str, clients: int, seconds: float, busy: subprocess.Popen[bytes] | None) -> tuple[float, int, int]:
    """(95th percentile in ms, searches, errors) of some clients at once, for a while or while ``busy`` runs."""
    running = [Client(url, number) for number in range(clients)]
    for client in running:
        client.start()
    until = time.monotonic() + seconds
    while time.monotonic() < until and (busy is None or busy.poll() is None):
        time.sleep(0.1)
    for client in running:
        client.stop.set()
    for client in running:
        client.join(60)
    took = sorted(value for client in running for value in client.took)
    return statistics.quantiles(took, n=20)[-1], len(took), sum(len(client.errors) for client in running)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kb", type=Path)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=25.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        root = shutil.copytree(arguments.kb, Path(scratch, "kb"))
        groove = [sys.executable, "-m", "grooveseek"]
        subprocess.run([*groove, "index", "--kb-path", str(root), "--quiet"], check=True)
        serve = [*groove, "serve", "--kb-path", str(root), "--transport", "http", "--port", str(port), "--no-watch"]
        server = subprocess.Popen(serve, stderr=subprocess.DEVNULL)
        try:
            time.sleep(5)
            url = f"http://127.0.0.1:{port}/mcp"
            idle = measure(url, arguments.clients, arguments.seconds, None)
            rebuild = subprocess.Popen([*groove, "index", "--kb-path", str(root), "--reembed", "--quiet"])
            time.sleep(3)
            busy = measure(url, arguments.clients, arguments.seconds, rebuild)
            rebuild.terminate()
            rebuild.wait()
        finally:
            server.terminate()
            server.wait()
    print("| | p95, ms | searches | errors |\n|---|---|---|---|")
    for name, (p95, searches, errors) in (("idle", idle), ("while rebuilding", busy)):
        print(f"| {name} | {p95:.1f} | {searches} | {errors} |")
    print(f"\nratio {busy[0] / idle[0]:.2f}")


if __name__ == "__main__":
    main()
