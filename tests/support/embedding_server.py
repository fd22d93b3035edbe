"""An OpenAI-compatible embedding server on loopback: real HTTP, well-behaved or as told."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from grooveseek.embedding.fake import FakeEmbedder

DIMENSION = 64


@dataclass(frozen=True)
class Reply:
    """An answer. ``declared`` is the Content-Length when it is not the body's; ``wait`` is waited for first.

    One that ``drips`` sends a space after the body every few milliseconds, for as long as anybody listens.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    declared: int | None = None
    wait: Event | None = None
    drips: bool = False


@dataclass(frozen=True)
class Request:
    """What the server got; header names in lower case."""

    path: str
    headers: dict[str, str]
    body: Any


Answer = Reply | Callable[[dict[str, Any]], Any]
"""A reply as it is, or what makes one of the JSON a well-behaved server would send."""


class EmbeddingServer:
    """Gives each request the next of ``answers``, and behaves once there are none; ``always`` comes before behaving."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answers: deque[Answer] = deque()
        self.always: Answer | None = None
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.host = f"127.0.0.1:{self.server.server_address[1]}"
        self.url = f"http://{self.host}/v1"
        self._model = FakeEmbedder(DIMENSION)

    @property
    def texts(self) -> list[str]:
        """All texts that were ever sent."""
        return [text for request in self.requests for text in request.body["input"]]

    def answer(self, request: Request) -> Reply:
        """What to send back."""
        told = self.answers.popleft() if self.answers else self.always
        if isinstance(told, Reply):
            return told
        vectors = self._model.embed_documents(request.body["input"])
        data = [{"object": "embedding", "index": i, "embedding": v.tolist()} for i, v in enumerate(vectors)]
        good: dict[str, Any] = {"object": "list", "data": data, "model": request.body["model"]}
        changed = told(good) if told else good
        return changed if isinstance(changed, Reply) else Reply(body=json.dumps(changed).encode())

    def _handler(embedding) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - the handler's own self is the other one
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.path, headers, body)
                embedding.requests.append(request)
                reply = embedding.answer(request)
                if reply.wait is not None:
                    reply.wait.wait(60)
                self.close_connection = True
                if reply.status == 0:  # hangs up without a word
                    return
                self.send_response(reply.status)
                declared = len(reply.body) if reply.declared is None else reply.declared
                for key, value in {"Content-Length": str(declared), **reply.headers}.items():
                    self.send_header(key, value)
                self.end_headers()
                self.wfile.write(reply.body)
                while reply.drips:
                    self.wfile.write(b" ")
                    time.sleep(0.005)

            def handle(self) -> None:
                try:
                    super().handle()
                except (ConnectionResetError, BrokenPipeError):  # a client that has read enough
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        return Handler


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    """The server, up until the block ends."""
    serving = EmbeddingServer()
    thread = Thread(target=serving.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield serving
    finally:
        serving.server.shutdown()
        serving.server.server_close()
        thread.join()
