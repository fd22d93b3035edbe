"""What a running server says of itself, asked over HTTP on this machine."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grooveseek.settings.address import split_address

SECONDS = 2.0
_LONGEST = 1 << 16
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what a bind means, not a bind


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStatus:
    """A groove server's own account. ``uptime`` is in seconds."""

    version: str
    pid: int
    uptime: int
    indexing: bool
    documents: int
    chunks: int


def reachable_address(bind: str) -> tuple[str, int]:
    """The host and port to speak to a server at that listens at ``bind``: all addresses include this machine's own."""
    host, port = split_address(bind)
    return _ANYWHERE.get(host, host), port


def ask_status(bind: str, *, seconds: float = SECONDS) -> ServerStatus | None:
    """The status of the server at ``bind``, or ``None`` when nothing answers there that is groove.

    No proxy is asked, and no redirect followed. The route answers on loopback addresses alone.
    """
    host, port = reachable_address(bind)
    connection = http.client.HTTPConnection(host, port, timeout=seconds)
    try:
        connection.request("GET", "/api/admin/status", headers={"Host": f"localhost:{port}"})
        response = connection.getresponse()
        body = response.read(_LONGEST)
        return _understood(json.loads(body)) if response.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError, RecursionError):
        return None
    finally:
        connection.close()


def is_free(bind: str) -> bool:
    """Whether the address can be bound, so that no server listens there. Raises nothing for a name nobody knows."""
    host, port = split_address(bind)
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as trial:
            if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            else:  # connections that linger are no server
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except OSError:
        return False
    return True


def _understood(value: Any) -> ServerStatus | None:
    """``None`` for the answer of another program."""
    try:
        daemon, kb = value["daemon"], value["kb"]
        status = ServerStatus(
            version=str(daemon["version"]),
            pid=_count(daemon["pid"]),
            uptime=_count(daemon["uptime_secs"]),
            indexing=bool(_mapping(value["indexing"])["active"]),
            documents=_count(kb["documents"]),
            chunks=_count(kb["chunks"]),
        )
    except (KeyError, TypeError):
        return None
    return status if status.pid > 1 else None


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError(value)
    return value


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(value)
    return value
