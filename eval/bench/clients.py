"""How the searches of one server grow with its clients: ``python eval/bench/clients.py --work DIR [KB]``.

Serves a knowledge base over HTTP (``groove serve --transport http``) and lets 1, 2, 4 and 8 MCP clients search at once,
each as fast as it gets answers, every question asked once. The numbers of clients take turns within one run, so that
what else the machine does meets all of them alike. Without KB it is CACM as Markdown, indexed in ``--work``; with
``--chunks N`` it is one of synthetic vectors and texts without files (texts.py), which this process keeps the server
from indexing by holding the writer's lock.

The clients are threads of this process with a connection each, and what they use of the processor is measured too:
cores are full when server and clients together use all of them.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import texts
from embeddings import COLLECTIONS, collection_titles
from grooveseek.embedding.session import available_cores
from grooveseek.store.lock import writer_lock

ROOT = Path(__file__).resolve().parents[2]
GROOVE = (sys.executable, "-m", "grooveseek")
PROTOCOL = "2025-11-25"
CLIENTS = (1, 2, 4, 8)
WARM_UP = 64
PATIENCE_SECONDS = 60.0


def main() -> None:
    """Serve, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="a folder for the knowledge base")
    parser.add_argument("kb", type=Path, nargs="?", help="a folder to serve instead; it is copied")
    parser.add_argument("--chunks", type=int, help="serve a synthetic base of so many chunks instead")
    parser.add_argument("--searches", type=int, default=160, help="searches of all clients together in a turn")
    parser.add_argument("--turns", type=int, default=5, help="turns of every number of clients")
    options = parser.parse_args()
    questions = iter(shuffled_titles())
    turns: dict[int, list[Turn]] = {clients: [] for clients in CLIENTS}
    with base(options.work, options.kb, options.chunks) as folder, serving(folder) as server:
        warm_up = list(itertools.islice(questions, WARM_UP))
        take_turn(server, max(CLIENTS), warm_up)
        for _, clients in itertools.product(range(options.turns), CLIENTS):
            asked = list(itertools.islice(questions, options.searches))
            turns[clients].append(take_turn(server, clients, asked))
        served = server.documents
    which = "" if options.kb is None else f" {options.kb.name}"
    which += "" if options.chunks is None else f" --chunks {options.chunks}"
    text = report(f"python eval/bench/clients.py --work DIR{which}", served, turns)
    print(text)
    name = "clients.md" if options.chunks is None else f"clients-{options.chunks}.md"
    (ROOT / "eval/results" / name).write_text(text, encoding="utf-8")


# -- the server --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running server: its process, its port, and how many documents and chunks it serves."""

    pid: int
    port: int
    documents: str

    def processor_seconds(self) -> float:
        """What the server and the processes it started have used of the processor so far; NaN where the system does
        not say."""
        family = [used for pid, parent, used in processes() if self.pid in (pid, parent)]
        return sum(family) if family else float("nan")


def processes() -> Iterator[tuple[int, int, float]]:
    """(id, parent's id, processor seconds used) of every process; none where there is no ``/proc``."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text(encoding="utf-8", errors="replace")
        except OSError:  # it has ended
            continue
        fields = text.rpartition(")")[2].split()
        used = int(fields[11]) + int(fields[12])
        yield int(stat.parent.name), int(fields[1]), used / float(os.sysconf("SC_CLK_TCK"))


@contextmanager
def base(work: Path, kb: Path | None, chunks: int | None) -> Iterator[Path]:
    """The folder to serve, indexed."""
    if chunks is not None:
        folder, index = texts.knowledge_base(work, chunks)
        with writer_lock(index, wait=False, command="the benchmark"):
            yield folder
        return
    folder = work / "clients" / ("cacm" if kb is None else kb.resolve().name)
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        if kb is None:
            convert = (ROOT / "golden/convert_collections.py", "cacm", COLLECTIONS / "cacm", folder)
            subprocess.run([sys.executable, *map(str, convert)], check=True)
        else:
            shutil.copytree(kb, folder)
    subprocess.run([*GROOVE, "index", "--kb-path", str(folder), "--quiet"], check=True)
    yield folder


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """A server of its own for the folder, ended afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    command = [*GROOVE, "serve", "--kb-path", str(folder), "--transport", "http", "--port", str(port), "--no-watch"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        yield Server(pid=process.pid, port=port, documents=wait_until_ready(port))
    finally:
        process.terminate()
        process.wait()


def wait_until_ready(port: int) -> str:
    """How much is served, as soon as the server says so and rests. Raises TimeoutError."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        time.sleep(1)
        try:
            status = json.loads(answer_to(port, "GET", "/api/admin/status"))
        except OSError:
            continue
        if not status["indexing"]["active"]:
            return f"{status['kb']['documents']:,} documents, {status['kb']['chunks']:,} chunks"
    raise TimeoutError(f"the server did not come to rest within {PATIENCE_SECONDS:.0f} s")


def answer_to(port: int, method: str, path: str) -> bytes:
    """The body of one answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path)
        return connection.getresponse().read()
    finally:
        connection.close()


# -- the clients -------------------------------------------------------------------------------------------------------


def shuffled_titles() -> list[str]:
    """The titles of both collections' documents of three to twelve words, each once, in a fixed order."""
    titles = dict.fromkeys(title for title in collection_titles() if 3 <= len(title.split()) <= 12)
    found = list(titles)
    random.Random(0).shuffle(found)
    return found


class Client:
    """An MCP client with a session and one connection that is kept open."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        self._headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        opening = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self._call({"id": 0, "method": "initialize", "params": opening})
        self._call({"method": "notifications/initialized"})

    def search(self, question: str) -> None:
        """Ask and read the answer. Raises RuntimeError unless there is one."""
        call = {"name": "search", "arguments": {"query": question}}
        answer = self._call({"id": 1, "method": "tools/call", "params": call})
        if b'"low_confidence"' not in answer:
            raise RuntimeError(f"no answer to {question!r}: {answer[:300].decode(errors='replace')}")

    def close(self) -> None:
        """End the session and the connection."""
        self._connection.request("DELETE", "/mcp", headers=self._headers)
        self._connection.getresponse().read()
        self._connection.close()

    def _call(self, message: dict[str, object]) -> bytes:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._connection.request("POST", "/mcp", body, self._headers)
        response = self._connection.getresponse()
        if session := response.headers.get("Mcp-Session-Id"):
            self._headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": PROTOCOL}
        return response.read()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What some clients got together. Times of searches in milliseconds, the rest in seconds."""

    took: tuple[float, ...]
    seconds: float
    server_seconds: float
    client_seconds: float


def take_turn(server: Server, clients: int, questions: Sequence[str]) -> Turn:
    """Let ``clients`` ask the questions, each taking the next one as soon as it has its answer."""
    asking = [Client(server.port) for _ in range(clients)]
    waiting = iter(questions)  # next() of a list's iterator is one step of the interpreter: threads can share it
    took: list[float] = []

    def ask(client: Client) -> None:
        for question in waiting:
            started = time.perf_counter()
            client.search(question)
            took.append((time.perf_counter() - started) * 1000)

    before = server.processor_seconds(), time.process_time(), time.perf_counter()
    with ThreadPoolExecutor(clients) as threads:
        list(threads.map(ask, asking))
    after = server.processor_seconds(), time.process_time(), time.perf_counter()
    for client in asking:
        client.close()
    server_seconds, client_seconds, seconds = (late - early for early, late in zip(before, after, strict=True))
    return Turn(took=tuple(took), seconds=seconds, server_seconds=server_seconds, client_seconds=client_seconds)


# -- the table ---------------------------------------------------------------------------------------------------------


def report(command: str, served: str, turns: Mapping[int, Sequence[Turn]]) -> str:
    """The page: how it was measured, and a row for every number of clients."""
    cores = available_cores()
    lines = [
        "# Searches by number of clients\n",
        f"    {command}\n",
        f"{served}; {cores} cores. Each client asks as soon as it has its answer, every question once. Times in",
        "milliseconds; cores is processor time by time, of the server and of the clients, which share the machine.\n",
        "| clients | searches a second | times one client | p50 | p95 | server's cores | clients' cores | "
        "server's processor time a search |",
        "|---|---|---|---|---|---|---|---|",
    ]
    alone = _rate(turns[min(turns)])
    return "\n".join([*lines, *(_row(clients, turns[clients], alone) for clients in sorted(turns))]) + "\n"


def _row(clients: int, turns: Sequence[Turn], alone: float) -> str:
    took = sorted(one for turn in turns for one in turn.took)
    seconds = sum(turn.seconds for turn in turns)
    server, own = sum(turn.server_seconds for turn in turns), sum(turn.client_seconds for turn in turns)
    p95 = statistics.quantiles(took, n=20, method="inclusive")[-1]
    rate = _rate(turns)
    return (
        f"| {clients} | {rate:.1f} | {rate / alone:.2f} | {statistics.median(took):.1f} | {p95:.1f} | "
        f"{server / seconds:.2f} | {own / seconds:.2f} | {server / len(took) * 1000:.1f} |"
    )


def _rate(turns: Sequence[Turn]) -> float:
    """The median of the turns: one that something else disturbed does not count."""
    return statistics.median(len(turn.took) / turn.seconds for turn in turns)


if __name__ == "__main__":
    main()
