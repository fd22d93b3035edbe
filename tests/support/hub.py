"""A Hugging Face hub on loopback: real HTTP, answering as told."""

from __future__ import annotations

import hashlib
import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class FakeHub:
    """``requests`` lists the paths asked for. ``url`` is what HF_ENDPOINT would be."""

    def __init__(self, repo: str, files: Mapping[str, bytes], status: int) -> None:
        self.repo, self.files, self.status = repo, files, status
        self.requests: list[str] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body for a path."""
        if self.status != 200:
            return self.status, {}, b'{"error": "as told"}'
        api = f"/api/models/{self.repo}"
        if path.startswith(f"{api}/tree/"):
            return self._json([self._entry(name, data) for name, data in self.files.items()])
        if path == api or path.startswith(f"{api}/revision/"):
            siblings = [{"rfilename": name} for name in self.files]
            return self._json({"id": self.repo, "sha": COMMIT, "siblings": siblings})
        name = path.partition("/resolve/")[2].partition("/")[2]
        if name not in self.files:
            return 404, {"X-Error-Code": "EntryNotFound"}, b""
        data = self.files[name]
        return 200, {"ETag": f'"{_etag(data)}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}, data

    def _entry(self, name: str, data: bytes) -> dict[str, object]:
        return {"type": "file", "path": name, "size": len(data), "oid": _etag(data)}

    @staticmethod
    def _json(value: object) -> tuple[int, dict[str, str], bytes]:
        return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()

    def _handler(hub) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - the handler's own self is the other one
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                hub.requests.append(path)
                status, headers, body = hub.answer(path)
                self.send_response(status)
                for key, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(key, value)
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(body)

            do_HEAD = do_GET  # noqa: N815 - the name http.server calls

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def _etag(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()


@contextmanager
def serving(repo: str, files: Mapping[str, bytes], *, status: int = 200) -> Iterator[FakeHub]:
    """The hub, up until the block ends."""
    hub = FakeHub(repo, files, status)
    thread = Thread(target=hub.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.server.shutdown()
        hub.server.server_close()
        thread.join()


@contextmanager
def silent() -> Iterator[str]:
    """The URL of an endpoint that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def refusing() -> str:
    """The URL of a port where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return f"http://127.0.0.1:{port}"
