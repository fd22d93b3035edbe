"""The one gate in front of every HTTP route, against pages that a browser was lured to and names that point here.

Peer, then Host, then Origin; what each route asks is in :func:`policies`. It is plain ASGI: middleware that wraps the
response would hold up streams. A refused request goes no further, so it never takes a session's seat.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from grooveseek.knowledge_base.addressing import printable
from grooveseek.serving.hosts import (
    LOOPBACK_NAMES,
    HostList,
    OriginList,
    default_origins,
    is_loopback_peer,
    parse_host,
    parse_origin,
)
from grooveseek.settings.address import is_loopback
from grooveseek.settings.sections import HttpSettings

log = logging.getLogger(__name__)

WINDOW_SECONDS = 60.0
BASE_HEADERS = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))
_SHOWN_CHARS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What one surface asks of a request. ``None``: that is not asked. ``headers`` go with every refusal."""

    surface: str
    loopback_peer: bool = False
    hosts: HostList | None = None
    origins: OriginList | None = None
    headers: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request is not answered: 400 for a header that is malformed, 403 for one that is not allowed."""

    status: int
    reason: str


def policies(
    http: HttpSettings, host: str, port: int, page_headers: Sequence[tuple[bytes, bytes]]
) -> dict[str, Policy]:
    """The policy of each route, by path. ``host`` and ``port`` are where the server listens; ``page_headers`` are those
    of the page and the status. Raises ConfigError for a list with an entry that makes no sense.
    """
    allowed = HostList.of(http.allowed_hosts)
    origins = default_origins(port) if http.allowed_origins is None else OriginList.of(http.allowed_origins)
    own = [f"[{host}]" if ":" in host else host] if is_loopback(host) else []
    local = HostList.of((*LOOPBACK_NAMES, *own))
    page = Policy(surface="/ui", loopback_peer=True, hosts=local, origins=origins, headers=tuple(page_headers))
    status = Policy(
        surface="/api/admin/status", loopback_peer=True, hosts=local, origins=origins, headers=tuple(page_headers)
    )
    return {
        "/mcp": Policy(surface="/mcp", hosts=allowed, origins=origins),
        "/ui": page,
        "/api/admin/status": status,
        "/healthz": Policy(surface="/healthz", hosts=None if http.healthz_public else allowed),
    }


def judge(policy: Policy, peer: str, hosts: Sequence[str], origins: Sequence[str]) -> Refusal | None:
    """Whether a request passes. ``hosts`` and ``origins`` are the values of those headers, each mostly one or none."""
    if policy.loopback_peer and not is_loopback_peer(peer):
        return Refusal(status=403, reason=f"{policy.surface} is answered to this machine only, not to {_shown(peer)}")
    if policy.hosts is not None:
        host = parse_host(hosts[0]) if len(hosts) == 1 else None
        if host is None:
            given = ", ".join(map(_shown, hosts)) or "missing"
            return Refusal(status=400, reason=f"the Host header is malformed: {given}")
        if not policy.hosts.admits(host):
            where = "a name of this machine" if policy.loopback_peer else "in [transport.http].allowed_hosts"
            return Refusal(status=403, reason=f"the Host {_shown(hosts[0])} is not {where}")
    if policy.origins is not None and origins:
        origin = parse_origin(origins[0]) if len(origins) == 1 else None
        if not policy.origins.admits(origin):
            given = ", ".join(map(_shown, origins))
            return Refusal(status=403, reason=f"the Origin {given} is not in [transport.http].allowed_origins")
    return None


class Gate:
    """Lets through what :func:`judge` passes; a path without a route is asked what /mcp is."""

    def __init__(self, app: ASGIApp, *, policies: Mapping[str, Policy], refusals: RefusalLog | None = None) -> None:
        self._app = app
        self._policies = policies
        self._refusals = refusals or RefusalLog()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Judge one request (ASGI)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        policy = self._policies.get(scope["path"].rstrip("/"), self._policies["/mcp"])
        peer = (scope.get("client") or ("",))[0]
        refusal = judge(policy, peer, _values(scope, b"host"), _values(scope, b"origin"))
        if refusal is None:
            await self._app(scope, receive, send)
            return
        self._refusals.note(policy.surface, refusal.reason)
        await _refuse(policy, refusal, send)


class RefusalLog:
    """One line a minute a surface, naming how many refusals it stands for. Used on the event loop only."""

    def __init__(self, later: Callable[[float, Callable[[], None]], Any] | None = None) -> None:
        """``later`` calls a function after some seconds; the running loop's own way when left out."""
        self._later = later
        self._waiting: dict[str, tuple[int, str]] = {}

    def note(self, surface: str, reason: str) -> None:
        """Count one refusal; the first is logged at once, those of the next minute together at its end."""
        if surface in self._waiting:
            count, _ = self._waiting[surface]
            self._waiting[surface] = (count + 1, reason)
            return
        log.warning("%s: 1 request refused: %s", surface, reason)
        self._open(surface)

    def _open(self, surface: str) -> None:
        self._waiting[surface] = (0, "")
        later = self._later or asyncio.get_running_loop().call_later
        later(WINDOW_SECONDS, lambda: self._close(surface))

    def _close(self, surface: str) -> None:
        count, reason = self._waiting.pop(surface)
        if count:
            log.warning("%s: %d requests refused in the last minute; the last one: %s", surface, count, reason)
            self._open(surface)


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for header, value in scope["headers"] if header == name]


def _shown(text: str) -> str:
    shown = printable(text)
    return f'"{shown if len(shown) <= _SHOWN_CHARS else shown[:_SHOWN_CHARS] + "..."}"'


async def _refuse(policy: Policy, refusal: Refusal, send: Send) -> None:
    if policy.surface == "/ui":
        body, kind = f"groove does not answer this request: {refusal.reason}.\n".encode(), b"text/plain; charset=utf-8"
    elif policy.surface == "/mcp":
        error = {"code": -32600, "message": f"Refused: {refusal.reason}"}
        body, kind = _json({"jsonrpc": "2.0", "id": None, "error": error}), b"application/json"
    else:
        body, kind = _json({"error": refusal.reason}), b"application/json"
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body)), *BASE_HEADERS, *policy.headers]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _json(value: object) -> bytes:
    return json.dumps(value).encode("ascii")
