"""An HTTP server that answers like groove's status route, or as it is told to."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def status_body(*, pid: int = 4242, indexing: bool = False) -> dict[str, Any]:
    return {
        "daemon": {"version": "0.1.0", "pid": pid, "uptime_secs": 61, "started_at": "2026-01-01T00:00:00Z"},
        "indexing": {"active": indexing, "started_at": None, "progress": None},
        "watcher": {"active": True, "debounce_ms": 500},
        "kb": {"documents": 3, "chunks": 9, "model": "m"},
        "config_source": "named",
    }


class StatusServer:
    """``body`` and ``code`` are what the next request gets; ``hosts`` the Host headers so far."""

    def __init__(self, port: int = 0) -> None:
        self.body: bytes = json.dumps(status_body()).encode()
        self.code = 200
        self.hosts: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.hosts.append(self.headers["Host"])
                found = self.path == "/api/admin/status"
                self.send_response(outer.code if found else 404)
                self.send_header("Content-Length", str(len(outer.body)))
                self.end_headers()
                self.wfile.write(outer.body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = int(self._server.server_address[1])
        self.bind = f"127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def answer(self, **changes: Any) -> None:
        self.body = json.dumps(status_body(**changes)).encode()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def __enter__(self) -> StatusServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
